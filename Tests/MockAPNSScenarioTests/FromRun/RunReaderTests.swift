import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

/// What a run becomes as a scenario.
@Suite struct RunReaderTests {
    private static func steps(_ rig: borrowing RecordedRig, of scenario: Scenario?) -> RunSteps {
        RunReader(EventSnapshot(log: rig.rig.gateway.log.snapshot, others: rig.events), of: scenario).finish()
    }

    @Test("Devices, failures and pushes of a log whose scenario is not known")
    func fromLog() throws {
        var rig = try RecordedRig(
            "",
            #""rules": [{"name": "busy", "when": {"device": "alice"}, "times": 2, "then": {"reject": "TooManyRequests"}}],"#
        )
        rig.start()
        rig.work { $0.send() }
        rig.work { $0.send() }
        rig.work { $0.send(id: 1) }
        rig.work { $0.send(id: 1) }
        rig.work { $0.send(to: JudgeRig.bob, body: #"{"aps":{"badge":1}}"#) }
        try rig.change("bob") { $0.isOnline = true }
        try rig.change("bob") { $0.phone.app.state = .forceQuit }
        rig.work { $0.send(to: JudgeRig.bob) }
        rig.work { $0.send(topic: nil) }
        let steps = Self.steps(rig, of: nil)
        let bob = JudgeRig.bob
        #expect(
            steps.elements(.devices) == [
                #"{"name": "alice", "token": "\#(JudgeRig.alice)"}"#,
                #"{"name": "bob", "token": "\#(bob)", "online": false}"#,
            ])
        #expect(
            steps.elements(.rules) == [
                #"{"name": "push 1: TooManyRequests", "when": {"device": "alice"}, "times": 2, "then": {"reject": "TooManyRequests"}}"#
            ])
        #expect(
            steps.elements(.timeline) == [
                #"{"after": {"requests": {}, "count": 5}, "do": {"device": "bob", "online": true}}"#,
                #"{"after": {"requests": {}, "count": 5}, "do": {"device": "bob", "app": {"state": "forceQuit", "backgroundRefresh": true, "presentsInForeground": false}}}"#,
            ])
        #expect(steps.texts(.timeline) == ["bob comes online", #"bob changes "app""#])
        let workload = steps.elements(.workload)
        #expect(workload.count == 3)
        for (element, end) in zip(
            workload,
            [
                #""Hello"}}}, "times": 3}"#, #""badge":1}}}, "after": "all"}"#,
                #""Hello"}}}, "after": "all"}"#,
            ])
        {
            #expect(element.hasSuffix(end), "\(element)")
        }
        #expect(
            steps.notes == [
                "Push 7 is left out of the workload, in which no push can be like that: MissingTopic."
            ])
        #expect(steps.pushes == 7 && steps.answers.count == 7)
        let (scenario, mistakes) = Scenario.read(try steps.scenario(ofRunWith: 7))
        #expect(mistakes.isEmpty && scenario?.seed == 7 && scenario?.workload.count == 3)
    }

    @Test("Pushes that are left out for the same cause share a note", arguments: [2, 10, 12])
    func notesOfManyPushes(number: Int) {
        var run = RunSteps()
        for sequence in 1...number { run.leaveOut(sequence, "its priority") }
        run.leaveOut(99, "BadPath")
        let rest = "left out of the workload, in which no push can be like that"
        let nine = "1, 2, 3, 4, 5, 6, 7, 8, 9"
        let named = number == 2 ? "1 and 2" : number == 10 ? "\(nine) and 10" : "\(nine), 10 (and 2 more)"
        #expect(run.notes == ["Pushes \(named) are \(rest): its priority.", "Push 99 is \(rest): BadPath."])
    }

    @Test("What was done since is added to the scenario that was played")
    func recording() throws {
        var rig = try RecordedRig("", #""rules": [{"name": "old", "then": {"pass": true}, "times": 1}],"#)
        rig.start()
        rig.work { $0.send() }
        rig.work { $0.send() }
        let scenario = rig.rig.gateway.scenario
        let definition = try JSONText.read(
            Array(#"{"name": "late", "when": {"device": "alice"}, "then": {"stall": true}}"#.utf8))
        let (rule, _) = scenario.rule(from: definition, defaultName: "")
        let added = try #require(rule?.naming(scenario.devices))
        rig.work { _ = $0.gateway.add(added, at: $0.time) }
        rig.work { $0.send() }
        rig.work { _ = $0.gateway.remove(rule: "late", at: $0.time) }
        rig.work { $0.sendAsAdmin() }
        rig.note(try rig.rig.gateway.advance(by: 60_000))
        let steps = Self.steps(rig, of: scenario)
        #expect(
            steps.elements(.rules) == [
                #"{"name": "late", "when": {"device":"alice"}, "then": {"stall":true}, "skip": 2, "times": 1}"#
            ])
        #expect(steps.texts(.timeline) == ["the clock moves on by 1m"])
        #expect(steps.elements(.devices).isEmpty && steps.notes.isEmpty && steps.movesClock)
        #expect(steps.answers.map(\.sequence) == [1, 2, 4], "a push without an answer cannot be expected to have one")
        let text = Array(
            #"{"name": "x", "rules": [{"name": "old", "then": {"pass": true}, "times": 1}], "workload": []}"#.utf8)
        let made = try JSONText.read(try steps.scenario(addedTo: text))
        #expect(made["rules"]?.array?.compactMap { $0["name"]?.string } == ["late", "old"])
        #expect(made["name"]?.string == "x" && made["workload"]?.array?.count == 1)
        #expect(made["timeline"]?.array?.count == 1)
    }

    @Test(
        "Lists are added to any text of a scenario",
        arguments: ["{}", "{ }", #"{"name": "x"}"#, #"{"rules": []}"#, #"{"rules": [], "name": "x"}"#])
    func anyText(_ text: String) throws {
        var steps = RunSteps()
        var element = ObjectText()
        element.add("name", "r")
        for list in RunSteps.List.allCases { steps.add(list, element, "r", 1) }
        let made = try JSONText.read(try steps.scenario(addedTo: Array(text.utf8)))
        for list in RunSteps.List.allCases { #expect(made[list.rawValue]?.array?.count == 1, "\(list)") }
    }

    @Test("No list grows without bound")
    func bounds() {
        var steps = RunSteps()
        for _ in 0..<RunSteps.limit + 5 { steps.add(.rules, ObjectText(), "r", 1) }
        #expect(steps.steps.count == RunSteps.limit)
        #expect(steps.notes == [#"Only the first 1000 elements of "rules" are here; the run has more."#])
    }
}
