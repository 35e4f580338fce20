package import MockAPNSCore

extension UnusedRules {
    /// The name of the result where they count as an expectation.
    private static let resultName = "unusedRules"
    /// The expected result.
    private static let expected = "every rule applies"

    /// The result where they count as an expectation.
    package var result: ExpectationResult? {
        guard isJudged else { return nil }
        let words = failingWords
        return ExpectationResult(
            name: Self.resultName, passed: words.isEmpty, expected: Self.expected,
            seen: words.isEmpty ? "every rule has applied" : words.joined(separator: "; "))
    }

    /// Appends the members `unusedRules` and, if there are any, `unknownRules`, each with a comma before it.
    package func appendMembers(to json: inout [UInt8]) {
        json.appendMember("unusedRules", names)
        if !unknownNames.isEmpty { json.appendMember("unknownRules", unknownNames) }
    }

    /// Parses these members of an object with results, one of which may be about rules.
    init(_ value: JSONText.Value, _ results: [ExpectationResult]) {
        func names(_ key: String) -> [String] { value[key]?.array?.compactMap(\.string) ?? [] }
        let areJudged = results.contains { $0.name == Self.resultName && $0.expected == Self.expected }
        self.init(never: names("unusedRules"), unknown: names("unknownRules"), by: areJudged ? .fail : .report)
    }
}
