package import MockAPNSCore

/// The results of judging expectations.
///
/// The description is the report for people; ``json`` is the answer of `POST /api/v1/verify`.
package struct Verification: Sendable, CustomStringConvertible {
    /// One result per expectation, in order; then one for the rules that never applied, if they count.
    package var results: [ExpectationResult]
    /// The rules that never applied.
    package var unusedRules = UnusedRules()
    /// Sentences on what the results depend on, such as that a fleet is not complete.
    package var remarks: [String] = []

    /// Creates a verification from its results.
    package init(_ results: [ExpectationResult]) { self.results = results }

    /// Whether all expectations hold.
    package var passed: Bool { results.allSatisfy(\.passed) }

    /// The verification as JSON:
    /// `{"passed": bool, "results": [{"name", "passed", "expected", "seen", "nearMisses"}], "unusedRules": [NAME],
    /// "remarks": [SENTENCE], "report": TEXT}`.
    ///
    /// A near miss is `{"sequence", "differences": [{"field", "expected", "found"}]}`, and the text is ``description``.
    /// `unknownRules` is there only if it is not known whether some rules applied, `remarks` only if there are any.
    package var json: [UInt8] {
        var json = Array(#"{"passed":\#(passed),"results":["#.utf8)
        for (index, result) in results.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            result.appendJSON(to: &json)
        }
        json.append(UInt8(ascii: "]"))
        unusedRules.appendMembers(to: &json)
        if !remarks.isEmpty { json.appendMember("remarks", remarks) }
        json.append(contentsOf: #","report":"#.utf8)
        json.appendJSON(description)
        json.append(UInt8(ascii: "}"))
        return json
    }

    /// Whether there is anything to report.
    package var isEmpty: Bool { results.isEmpty && unusedRules.isEmpty && remarks.isEmpty }

    /// A line with the total, several lines for each failed expectation, and the notes, each with a line feed.
    package var description: String { resultsText + PrintableText.text(notes) }

    /// Sentences that are no result of an expectation: the remarks, and those about rules that never applied.
    var notes: [String] { remarks + unusedRules.sentences }

    private var resultsText: String {
        let failed = results.count { !$0.passed }
        switch (results.count, failed) {
        case (0, _): return "Nothing was expected: \"expect\" is missing or empty.\n"
        case (1, 0): return "The expectation holds.\n"
        case (_, 0): return "All \(results.count) expectations hold.\n"
        default:
            let head =
                "\(failed) of \(results.count == 1 ? "1 expectation" : "\(results.count) expectations") failed.\n"
            return head + results.filter { !$0.passed }.map(\.description).joined()
        }
    }
}

extension Verification {
    /// Judges the rules that never applied by the policy of another scenario, unless they were judged.
    package mutating func judgeRules(by policy: UnusedRules.Policy) {
        guard !unusedRules.isJudged else { return }
        unusedRules = unusedRules.by(policy)
        if let result = unusedRules.result { results.append(result) }
    }

    /// Adds what was judged before: results, and the rules of the server itself, which come before those of sessions.
    package mutating func prepend(_ earlier: [ExpectationResult], unusedRules own: UnusedRules) {
        results = earlier + results
        var all = own
        all.add(unusedRules)
        unusedRules = all
    }

    /// Adds the verification of a session, with the session in each name.
    package mutating func add(_ other: Self, session: String) {
        results += other.results.map { result in
            var result = result
            result.name = "\(session): \(result.name)"
            return result
        }
        unusedRules.add(other.unusedRules, session: session)
    }

    /// Adds a failed result for what is not known of a fleet, so that it fails whatever was expected.
    ///
    /// - Parameter isAllowed: whether only a remark says so.
    mutating func note(gap: String, isAllowed: Bool) {
        guard !isAllowed else { return remarks.insert("The fleet is not complete: \(gap).", at: 0) }
        results.append(
            ExpectationResult(
                name: "the log of the fleet", passed: false, expected: "every request of every replica", seen: gap))
    }

    /// Parses the output of ``json``; `nil` for anything else.
    package init?(_ value: JSONText.Value) {
        guard let results = value["results"]?.array else { return nil }
        self.results = []
        for value in results {
            guard let name = value["name"]?.string, let passed = value["passed"]?.bool,
                let expected = value["expected"]?.string, let seen = value["seen"]?.string
            else { return nil }
            var result = ExpectationResult(name: name, passed: passed, expected: expected, seen: seen)
            result.nearMisses = (value["nearMisses"]?.array ?? []).compactMap { NearMiss($0) }
            self.results.append(result)
        }
        unusedRules = UnusedRules(value, self.results)
        remarks = value["remarks"]?.array?.compactMap(\.string) ?? []
    }
}

extension NearMiss {
    /// Parses the output of ``appendJSON(_:to:)`` for one near miss.
    fileprivate init?(_ value: JSONText.Value) {
        guard let sequence = value["sequence"]?.int64, let differences = value["differences"]?.array else { return nil }
        self.sequence = Int(sequence)
        log = value["log"]?.string
        explanation = value["explanation"]?.string
        self.differences = differences.compactMap { value in
            guard let field = value["field"]?.string, let expected = value["expected"]?.string,
                let found = value["found"]
            else { return nil }
            return Difference(field: field, expected: expected, found: RecordValue(found).json)
        }
    }
}

/// The result of judging one expectation.
package struct ExpectationResult: Sendable, CustomStringConvertible {
    /// The name of the expectation, or its path such as `expect[0]`.
    package var name: String
    /// Whether it holds.
    package var passed: Bool
    /// The expected result.
    package var expected: String
    /// The observed result.
    package var seen: String
    /// If it failed for lack of requests: at most three near misses, the nearest first.
    package var nearMisses: [NearMiss] = []
    /// The missing requests or values, in words, if there was nothing to judge.
    var lacks: String?
    /// When and why it was judged, if that was before the end of the run.
    package var end: EarlyEnd?

    /// Several lines for people, each with a line feed.
    package var description: String {
        var lines = ["\(passed ? "passed" : "FAILED")  \(name)", "  expected  \(expected)", "  seen      \(seen)"]
        lines += nearMisses.map { "  nearest   \($0)" }
        if let end { lines.append("  judged    \(end)") }
        return PrintableText.text(lines)
    }

    package func appendJSON(to json: inout [UInt8]) {
        json.append(contentsOf: #"{"name":"#.utf8)
        json.appendJSON(name)
        json.append(contentsOf: #","passed":\#(passed),"expected":"#.utf8)
        json.appendJSON(expected)
        json.append(contentsOf: #","seen":"#.utf8)
        json.appendJSON(seen)
        json.append(contentsOf: #","nearMisses":"#.utf8)
        NearMiss.appendJSON(nearMisses, to: &json)
        json.append(UInt8(ascii: "}"))
    }
}

/// A request that almost matched an expectation.
package struct NearMiss: Sendable, Hashable, CustomStringConvertible {
    /// A difference from what was expected.
    package struct Difference: Sendable, Hashable {
        /// The field of MATCH. For header fields and payloads it includes the name or pointer, as in
        /// `header apns-topic` and `payload /aps/badge`.
        package var field: String
        /// The expected result, in words or as JSON.
        package var expected: String
        /// The actual value as JSON; `null` if absent. A long value is cut.
        package var found: String

        /// The suffix of an expectation with an undecided pattern.
        static let undecided = " (undecided)"
        /// The prefixes of negated expectations.
        private static let negations = ["not ", "other than ", "below ", "above ", "outside ", "neither "]

        /// For example `status is 429, not 200`, or `status is 200, expected other than 200`.
        var description: String {
            let isPlain =
                !expected.hasSuffix(Self.undecided) && !Self.negations.contains { expected.hasPrefix($0) }
            return "\(field) is \(found), \(isPlain ? "not" : "expected") \(expected)"
        }
    }

    /// The sequence number of the record.
    package var sequence: Int
    /// The log that holds the record, where several logs are judged together.
    package var log: String?
    /// The conditions it does not meet, at least one.
    package var differences: [Difference]
    /// Why the push was refused, as in `BadTopic: …`, where the answer is what differs; or why its connection left it
    /// unprocessed.
    package var explanation: String?

    /// Fields that describe the answer.
    static let answerFields: Set = ["status", "reason", "outcome", "decidedBy"]

    /// For example `request 3: status is 429, not 200`, or `request 3 of b.jsonl: …`.
    package var description: String { "\(request): \(words)" }

    var words: String { (differences.map(\.description) + (explanation.map { [$0] } ?? [])).joined(separator: "; ") }

    var request: String { "request \(sequence)\(log.map { " of \($0)" } ?? "")" }

    /// Appends near misses as a list of JSON objects; also used by `POST /api/v1/requests/wait`.
    package static func appendJSON(_ misses: [NearMiss], to json: inout [UInt8]) {
        json.append(UInt8(ascii: "["))
        for (index, miss) in misses.enumerated() {
            json.append(contentsOf: #"\#(index > 0 ? "," : ""){"sequence":\#(miss.sequence),"#.utf8)
            if let log = miss.log {
                json.append(contentsOf: #""log":"#.utf8)
                json.appendJSON(log)
                json.append(UInt8(ascii: ","))
            }
            json.append(contentsOf: #""differences":["#.utf8)
            for (index, difference) in miss.differences.enumerated() {
                json.append(contentsOf: #"\#(index > 0 ? "," : ""){"field":"#.utf8)
                json.appendJSON(difference.field)
                json.append(contentsOf: #","expected":"#.utf8)
                json.appendJSON(difference.expected)
                json.append(contentsOf: #","found":\#(difference.found)}"#.utf8)
            }
            json.append(UInt8(ascii: "]"))
            if let explanation = miss.explanation {
                json.append(contentsOf: #","explanation":"#.utf8)
                json.appendJSON(explanation)
            }
            json.append(UInt8(ascii: "}"))
        }
        json.append(UInt8(ascii: "]"))
    }
}
