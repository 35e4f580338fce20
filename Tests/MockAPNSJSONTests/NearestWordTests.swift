import MockAPNSJSON
import Testing

@Suite("The nearest word")
struct NearestWordTests {
    private static let environments = ["sandbox", "production", "serverName", "development"]
    private static let steps = ["pass", "reject", "respond", "retryAfter", "resetStream", "not"]

    @Test(
        "A misspelled word",
        arguments: [
            ("alcie", ["bob", "alice"], "alice"), ("Alice", ["bob", "alice"], "alice"), ("al", ["bob", "all"], "all"),
            ("bi", ["by"], "by"), ("teem", ["connection", "team", "listener"], "team"), ("rejct", steps, "reject"),
            ("prodction", environments, "production"), ("bussy.json", ["deep.json", "busy.json"], "busy.json"),
            ("hub.json", ["hup.json"], "hup.json"),
            ("com.exmaple.app", ["com.example.app"], "com.example.app"),
        ])
    func misspelled(word: String, words: [String], meant: String) {
        #expect(nearestWord(to: word, among: words) == meant)
    }

    @Test(
        "A shortened word, and one that goes on",
        arguments: [
            ("prod", environments, "production"), ("dev", environments, "development"),
            ("Sand", environments, "sandbox"), ("pushes", ["device", "push"], "push"),
            ("retry", steps, "retryAfter"),
        ])
    func shortened(word: String, words: [String], meant: String) {
        #expect(nearestWord(to: word, among: words) == meant)
    }

    @Test(
        "Nothing is near",
        arguments: [
            ("q", ["a"]), ("q", ["a", "b", "qa"]), ("", ["a", "alice"]), ("a", [""]), ("at", ["by"]),
            ("pr", environments),
            ("hup.json", ["deep.json", "map.json", "cup.json.gz"]), ("x.json", ["y.json"]),
            ("re", steps), ("res", steps), ("notification", steps), ("nothing", steps), ("live", environments),
        ])
    func far(word: String, words: [String]) { #expect(nearestWord(to: word, among: words) == nil) }

    @Test("The first of several that are equally near")
    func first() {
        #expect(nearestWord(to: "cat.json", among: ["cart.json", "cats.json"]) == "cart.json")
        #expect(nearestWord(to: "alic", among: ["alicia", "alice"]) == "alice")
    }

    @Test("A long word costs no more than a short one")
    func long() {
        let long = String(repeating: "a", count: 1_000_000)
        #expect(nearestWord(to: long, among: ["alice"]) == nil)
        #expect(nearestWord(to: "alice", among: [long]) == nil)
    }
}
