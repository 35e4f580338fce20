import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

/// Each rule of lint about providers, with runs in which it finds something and runs that are close to that.
@Suite struct ProviderRuleTests {
    @Test(arguments: ProviderExample.all) func findsWhatIsBad(example: ProviderExample) throws {
        for bad in example.bad {
            let all = try bad.run.findings
            let found = all.filter { $0.rule == example.rule }
            try #require(found.map(\.count) == [bad.count], "\(bad.run.lines): \(all.map(\.line))")
            #expect(found[0].severity == bad.severity ?? example.rule.severity, "\(bad.run.lines)")
            #expect(found[0].message.hasSuffix(" " + example.rule.effect), "\(found[0].message)")
            #expect(found[0].message.utf8.count < 500)
        }
    }

    @Test(arguments: ProviderExample.all) func saysNothingOfWhatIsGood(example: ProviderExample) throws {
        for good in example.good {
            let found = try good.findings.filter { $0.rule == example.rule }
            #expect(found.isEmpty, "\(good.lines): \(found.map(\.line))")
        }
    }

    @Test(arguments: ProviderExample.all.filter(\.rule.isAboutPushes))
    func thePushesThatAFindingNamesAreListed(example: ProviderExample) throws {
        var query = PushFindingsQuery()
        query.findings.rule = example.rule
        for bad in example.bad {
            let finding = try #require(try bad.run.findings.first { $0.rule == example.rule })
            let listed = try bad.run.listed(query)
            // A push may be found bad more than once.
            #expect(listed.total > 0 && listed.total <= finding.count, "\(bad.run.lines)")
            #expect(listed.pushes.first?.sequence == finding.firstSequence.map { Int($0) }, "\(bad.run.lines)")
            #expect(listed.pushes.last?.sequence == finding.lastSequence.map { Int($0) }, "\(bad.run.lines)")
            #expect(listed.pushes.map(\.severity).max() == finding.severity)
        }
        for good in example.good { #expect(try good.listed(query).total == 0, "\(good.lines)") }
    }

    /// What the documentation calls good is good by all rules, but for notes.
    @Test(arguments: ProviderExample.all) func theGoodRunHasNothingAboveANote(example: ProviderExample) throws {
        let good = try #require(example.good.first)
        let found = try good.findings.filter { $0.severity > .note }
        #expect(found.isEmpty, "\(good.lines): \(found.map(\.line))")
    }

    @Test(arguments: ProviderExample.all) func messagesSayWhatWouldBeRight(example: ProviderExample) throws {
        for finding in try example.bad.flatMap({ try $0.run.findings }) where finding.rule == example.rule {
            let found = finding.message.dropLast(example.rule.effect.count)
            let allows = example.rule == .backgroundTooMany && found.contains(" should get")
            #expect(found.contains("expected ") || found.contains("; ") || allows, "\(finding.message)")
        }
    }

    /// Not the one that a dictionary has first, which is another in every process.
    @Test(arguments: ["A", "B", "C", "D"]) func ofSeveralSendersTheFirstIsNamed(letter: String) throws {
        let keys = LintRun.several { #""providerToken": "\#($0)*", "keyID": "KEY\#($0)\#(letter)""# }
        let tokens = try #require(try keys.findings.first { $0.rule == .tokenPerPush })
        #expect(tokens.sequence == tokens.firstSequence && tokens.count == 24, "\(tokens.line)")
        let teams = LintRun.several { #""connection": "\#($0)*", "teamID": "TEAM\#($0)\#(letter)""# }
        let connections = try #require(try teams.findings.first { $0.rule == .connectionPerPush })
        #expect(connections.sequence == connections.firstSequence && connections.count == 30, "\(connections.line)")
    }

    @Test(arguments: ProviderExample.all) func aRuleThatIsOffFindsNothing(example: ProviderExample) throws {
        guard var run = example.bad.first(where: { $0.run.scenario == nil })?.run else { return }
        run.scenario = #"{"lint": {"rules": {"\#(example.rule.id)": "off"}}}"#
        #expect(try !run.findings.contains { $0.rule == example.rule })
        run.scenario = #"{"lint": {"rules": {"\#(example.rule.id)": "note"}}}"#
        #expect(try run.findings.filter { $0.rule == example.rule }.map(\.severity) == [.note])
    }
}

extension LintRun {
    /// Six senders after one another, with five pushes each, a second apart.
    fileprivate static func several(_ members: (Int) -> String) -> LintRun {
        var run = LintRun()
        run.lines = (1...6).map { #"{"at": "\#($0)m", "times": 5, "every": "1s", \#(members($0))}"# }
        return run
    }
}
