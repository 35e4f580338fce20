import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

/// Rules that never applied, as a result of a verification.
@Suite struct UnusedRulesResultTests {
    /// An expectation of the scenario may have the name of that result.
    @Test(arguments: [
        ("unusedRules", "every rule applies", true), ("unusedRules", "2 requests", false),
        ("busy", "every rule applies", false),
    ])
    func onlyTheirOwnResultMakesThemFail(_ name: String, _ expected: String, failsThem: Bool) throws {
        let json = try JSONText.read(Array(#"{"unusedRules": ["a"]}"#.utf8))
        let results = [ExpectationResult(name: name, passed: false, expected: expected, seen: "")]
        let rules = UnusedRules(json, results)
        #expect(rules.names == ["a"] && rules.isJudged == failsThem)
        #expect(rules.result?.passed == (failsThem ? false : nil))
    }
}
