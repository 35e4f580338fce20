import MockAPNS
import MockAPNSTesting
import TestSupport
import Testing

/// The trait that gives a test a server.
@Suite struct TraitTests {
    @Test(.mockAPNS(scenario: .json(#"{"seed": 77}"#))) func itServesWhileTheTestRuns() throws {
        let apns = try MockAPNSServer.current
        #expect(apns.seed == 77 && apns.isReady)
    }

    @Test("An expectation that does not hold is an issue at the trait, with the report")
    func expectation() async throws {
        let line = #line + 1
        let trait: MockAPNSTrait = .mockAPNS(
            scenario: .json(#"{"expect": [{"name": "two pushes", "requests": {}, "count": 2}]}"#))
        try await issue(of: trait, at: line, with: "FAILED  two pushes")
    }

    @Test("A mistake of a scenario is an issue at its line of the file, and the test's body does not run")
    func mistake() async throws {
        let trait: MockAPNSTrait = .mockAPNS(
            scenario: .json(
                """
                {
                  "seed": 1,
                  "devics": []
                }
                """))
        try await issue(of: trait, at: #line - 3, with: #"did you mean "devices"?"#, runs: false)
    }

    @Test("A mistake of a scenario that stands elsewhere is told at the trait")
    func mistakeElsewhere() async throws {
        let text = [#"{"seed": 1,"#, #""rulez": []}"#].joined(separator: "\n")
        let line = #line + 1
        let trait: MockAPNSTrait = .mockAPNS(scenario: .json(text))
        try await issue(of: trait, at: line, with: #"did you mean "rules"?"#, runs: false)
    }

    @Test("A mistake of a scenario that is said in Swift is told at the trait, with its path and no position")
    func mistakeSaidInSwift() async throws {
        let line = #line + 2
        let trait: MockAPNSTrait = .mockAPNS(
            scenario: .swift(.timeline(.at(.seconds(1), do: .device("alcie", online: true)))))
        try await issue(of: trait, at: line - 1, with: "scenario: timeline[0].do.device is \"alcie\"", runs: false)
    }

    private func issue(of trait: MockAPNSTrait, at line: Int, with text: String, runs: Bool = true) async throws {
        let test = try #require(Test.current)
        let hasRun = Guarded(false)
        try await withKnownIssue {
            try await trait.provideScope(for: test, testCase: Test.Case.current) { hasRun.withLock { $0 = true } }
        } matching: { issue in
            issue.sourceLocation?.line == line && "\(issue)".contains(text)
        }
        #expect(hasRun.withLock { $0 } == runs)
    }
}
