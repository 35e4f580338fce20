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

    @Test(
        "The result says which rules never applied, or that all have",
        arguments: [
            ([], [], "every rule has applied"), (["a"], [], "1 rule never applied: a"),
            ([], ["b"], "it is not known whether 1 rule applied: b"),
            (["a"], ["b"], "1 rule never applied: a; it is not known whether 1 rule applied: b"),
        ] as [([String], [String], String)])
    func seen(_ never: [String], _ unknown: [String], _ seen: String) throws {
        let result = try #require(UnusedRules(never: never, unknown: unknown, by: .fail).result)
        #expect(result.seen == seen)
        #expect(result.passed == (never + unknown).isEmpty)
    }

    @Test(arguments: [UnusedRules.Policy.report, .ignore])
    func rulesThatDoNotCountHaveNoResult(_ policy: UnusedRules.Policy) {
        #expect(UnusedRules(never: ["a"], by: policy).result == nil)
    }
}
