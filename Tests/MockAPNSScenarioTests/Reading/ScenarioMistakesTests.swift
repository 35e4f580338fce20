import MockAPNSCore
import Testing

@testable import MockAPNSScenario

/// Each text has a mark before the place at which its one mistake is to be reported; TOKEN stands for a device token.
@Suite("Mistakes in scenarios")
struct ScenarioMistakesTests {
    struct Case: CustomTestStringConvertible {
        var text: String
        var message: String
        /// Whether the schema cannot see it.
        var isCrossReference: Bool

        init(_ text: String, _ message: String, crossReference: Bool = false) {
            self.text = text
            self.message = message
            isCrossReference = crossReference
        }

        var testDescription: String { message }
    }

    @Test("JSON: one mistake, at its place", arguments: Self.jsonCases)
    func json(wrong: Case) throws { try check(wrong) }

    @Test("Top level: one mistake, at its place", arguments: Self.topLevelCases)
    func topLevel(wrong: Case) throws { try check(wrong) }

    @Test("Apps and storage: one mistake, at its place", arguments: Self.appCases)
    func apps(wrong: Case) throws { try check(wrong) }

    @Test("Broadcast channels: one mistake, at its place", arguments: Self.broadcastCases)
    func broadcast(wrong: Case) throws { try check(wrong) }

    @Test("Lint: one mistake, at its place", arguments: Self.lintCases)
    func lint(wrong: Case) throws { try check(wrong) }

    @Test("Authentication: one mistake, at its place", arguments: Self.authenticationCases)
    func authentication(wrong: Case) throws { try check(wrong) }

    @Test("Connection and responses: one mistake, at its place", arguments: Self.connectionCases)
    func connection(wrong: Case) throws { try check(wrong) }

    @Test("Devices: one mistake, at its place", arguments: Self.devicesCases)
    func devices(wrong: Case) throws { try check(wrong) }

    @Test("Conditions: one mistake, at its place", arguments: Self.conditionsCases)
    func conditions(wrong: Case) throws { try check(wrong) }

    @Test("Rules: one mistake, at its place", arguments: Self.rulesCases)
    func rules(wrong: Case) throws { try check(wrong) }

    @Test("Steps: one mistake, at its place", arguments: Self.stepsCases)
    func steps(wrong: Case) throws { try check(wrong) }

    @Test("Timeline: one mistake, at its place", arguments: Self.timelineCases)
    func timeline(wrong: Case) throws { try check(wrong) }

    @Test("Workload and needs: one mistake, at its place", arguments: Self.workloadCases)
    func workload(wrong: Case) throws { try check(wrong) }

    @Test("Expectations: one mistake, at its place", arguments: Self.expectationsCases)
    func expectations(wrong: Case) throws { try check(wrong) }

    private func check(_ wrong: Case) throws {
        let marked = wrong.text.replacing("TOKEN", with: token)
        let parts = marked.split(separator: "\u{BB}", omittingEmptySubsequences: false)
        try #require(parts.count == 2)
        let line = parts[0].count { $0 == "\n" } + 1
        let column = parts[0].reversed().prefix { $0 != "\n" }.count + 1
        let bytes = Array((parts[0] + parts[1]).utf8)
        let (scenario, mistakes) = Scenario.read(bytes)
        #expect(scenario == nil)
        let lines = ScenarioMistake.lines(mistakes, file: "a.json", bytes)
        try #require(lines.count == 1, "\(lines)")
        #expect(lines[0].hasPrefix("a.json:\(line):\(column): "), "\(lines[0])")
        #expect(lines[0].contains(wrong.message), "\(lines[0])")
        #expect(mistakes[0].isCrossReference == wrong.isCrossReference)
    }

    private let token = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"
}
