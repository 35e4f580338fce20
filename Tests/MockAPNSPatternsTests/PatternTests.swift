import Testing

@testable import MockAPNSPatterns

@Suite("A pattern is compared with a whole value")
struct PatternTests {
    private func match(_ pattern: String, _ value: [UInt8]) throws -> PatternResult {
        try Pattern(pattern).match(value.span, in: PatternMemory())
    }

    @Test(
        "The whole value matches",
        arguments: [
            ("", ""), ("a*", ""), ("com\\.example\\.(app|game)(\\.voip)?", "com.example.app.voip"),
            ("[0-9a-f]{64}", hex),
            ("\\d-\\d", "2-1"), ("\\d+", "٣٤"), ("\\w+", "Grüße"), ("(?i)straße", "STRAßE"), (".", "🙂"),
            ("..", "e\u{301}"),
            ("\\X", "e\u{301}"), ("(?<n>a)\\k<n>", "aa"), ("\\x{1F642}", "🙂"), ("a|ab", "ab"), ("(?x) a b # c", "ab"),
            ("a.c", "a\rc"), ("(?s)a.c", "a\nc"), ("a\\Rc", "a\u{2028}c"), ("a\0b", "a\0b"), ("^a$", "a"),
            ("(?n)(a)", "a"),
            ("(*ACCEPT)", ""), ("\\p{Lu}\\p{Greek}", "Äω"), ("(?(DEFINE)(?<d>\\d\\d))(?&d):(?&d)", "12:34"),
            ("(?>a+)b", "aab"), ("(a(?1)?b)", "aabb"), ("[[:alpha:]]+", "äb"), ("a\\K", "a"),
        ])
    func matches(pattern: String, value: String) throws {
        #expect(try match(pattern, Array(value.utf8)) == .matches)
    }

    private static let hex = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"

    @Test(
        "Part of it is not enough",
        arguments: [
            ("", "a"), ("a", "ab"), ("b", "ab"), ("a|ab", "abc"), ("a$", "a\n"), ("^b", "a\nb"), ("(?m)^b$", "a\nb"),
            (".", "e\u{301}"), (".", "\n"), ("a", "A"), ("é", "e\u{301}"), ("a(*ACCEPT)", "ab"),
        ])
    func differs(pattern: String, value: String) throws {
        #expect(try match(pattern, Array(value.utf8)) == .differs)
    }

    @Test("What is no UTF-8 matches nothing", arguments: [[0xFF], [0x61, 0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80]])
    func noUTF8(value: [UInt8]) throws {
        for pattern in [".*", "(?s).*", "[^a]*", #"\X*"#, #"\x{FF}"#] { #expect(try match(pattern, value) == .differs) }
    }

    @Test(
        "What does not compile says why and where",
        arguments: [
            ("(a", "missing closing parenthesis at character 3"),
            ("ä[b", "missing terminating ] for character class at character 4"),
            ("*", "quantifier does not follow a repeatable item at character 1"),
            (#"a\C"#, "using \\C is disabled by the application at character 4"),
            (
                String(repeating: "(", count: 51) + String(repeating: ")", count: 51),
                "parentheses are too deeply nested at character 52"
            ),
            ("(?:(?:a{60000}b){60000})", "regular expression is too large at character 25"),
        ])
    func mistakes(pattern: String, message: String) {
        let error = #expect(throws: PatternError.self) { try Pattern(pattern) }
        #expect(error?.description == message)
    }

    @Test("Ordinary patterns are decided for values of 5 KB, too")
    func ordinaryOnesAreDecided() throws {
        let words = String(repeating: #"{"aps":{"alert":{"title":"hello","body":"some words"}},"x":1}"#, count: 75)
        let value = Array((words + "pop" + words.prefix(200)).utf8)
        let memory = PatternMemory()
        for (text, expected) in [
            (".*pop.*", PatternResult.matches), (".*alert.*title.*body.*missing.*", .differs),
            (#".*\bpop\b.*"#, .matches),
            (#"\X*pop\X*"#, .matches), (#"(?:[^"\\]|\\.|")*"#, .matches), ("(?i).*POP.*", .matches),
            ("[^z]*", .matches),
            (#".*?"title":"([^"]*)".*"#, .matches), (#".*(["'])pop\1.*"#, .differs), (#"(?:[^p]|p(?!op))*"#, .differs),
        ] {
            #expect(try Pattern(text).match(value.span, in: memory) == expected, "\(text)")
        }
    }

    @Test("Threads share a pattern, each with memory of its own")
    func threads() async throws {
        let pattern = try Pattern(#"(\w+)@(\w+)\.example"#)
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let memory = PatternMemory()
                    let right = Array("name\(number)@host.example".utf8)
                    let wrong = Array("name\(number)@host.examples".utf8)
                    return (0..<1000).allSatisfy { _ in
                        pattern.match(right.span, in: memory) == .matches
                            && pattern.match(wrong.span, in: memory) == .differs
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
