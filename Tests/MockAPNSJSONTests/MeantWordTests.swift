import MockAPNSJSON
import Testing

@Suite("Words from elsewhere")
struct MeantWordTests {
    private static let fields = [
        "device", "token", "topic", "pushType", "apnsID", "collapseID", "expiration", "status",
    ]
    private static let matchers = [
        "equals", "prefix", "contains", "matches", "exists", "oneOf", "atLeast", "atMost", "not",
    ]
    private static let rule = ["name", "when", "then", "times", "count"]

    @Test(
        "What it is called here",
        arguments: [
            ("deviceToken", fields, "token"), ("device_token", fields, "token"), ("bundleID", fields, "topic"),
            ("apns-topic", fields, "topic"), ("apns-collapse-id", fields, "collapseID"), ("id", fields, "apnsID"),
            ("ttl", fields, "expiration"), ("statusCode", fields, "status"),
            ("regex", matchers, "matches"), ("RegExp", matchers, "matches"), ("$regex", matchers, "matches"),
            ("pattern", matchers, "matches"), ("startsWith", matchers, "prefix"), ("starts_with", matchers, "prefix"),
            ("endsWith", matchers, "matches"), ("includes", matchers, "contains"), ("eq", matchers, "equals"),
            ("==", matchers, "equals"), ("$ne", matchers, "not"), ("gte", matchers, "atLeast"),
            (">=", matchers, "atLeast"), ("max", matchers, "atMost"), ("$in", matchers, "oneOf"),
            ("match", rule, "when"), ("response", rule, "then"), ("max", rule, "times"),
            // The nearest word otherwise.
            ("tokne", fields, "token"), ("exsits", matchers, "exists"),
        ])
    func meant(written: String, words: [String], meant: String) {
        #expect(MeantWord(written, among: words)?.word == meant)
    }

    @Test("What is different is said")
    func remarks() {
        let questions = ["gt", "<", "endsWith", "absent", "gte"].map { MeantWord($0, among: Self.matchers)?.question }
        #expect(
            questions == [
                #"did you mean "atLeast", which includes its bound?"#,
                #"did you mean "atMost", which includes its bound?"#,
                #"did you mean "matches" with a pattern that begins with ".*"?"#, #"did you mean "exists": false?"#,
                #"did you mean "atLeast"?"#,
            ])
    }

    @Test("Only a word of the list is meant", arguments: ["regex", "deviceToken", "", "?", "$", "42"])
    func others(written: String) { #expect(MeantWord(written, among: ["name", "when", "then"]) == nil) }
}
