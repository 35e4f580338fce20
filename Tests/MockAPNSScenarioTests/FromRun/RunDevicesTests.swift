import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

/// Which devices of a run are declared, and what is learned of them from answers to pushes.
@Suite struct RunDevicesTests {
    private static let (alice, bob, carol) = (WrittenRun.alice, WrittenRun.bob, WrittenRun.carol)

    // MARK: Pushes

    @Test("A device without a name that takes every push is not declared")
    func ordinaryUnnamedDeviceIsNotDeclared() {
        var run = WrittenRun()
        run.push()
        run.push { $0.record.priority = 5 }
        let steps = run.steps()
        #expect(steps.elements(.devices).isEmpty)
        #expect(steps.elements(.timeline).isEmpty)
    }

    @Test("A device without a name is declared with the state that its answers show")
    func stateOfUnnamedDevices() {
        var run = WrittenRun()
        run.push { $0.record.delivery = .storedPower }
        run.push(to: Self.bob) { $0.record.delivery = .discardedDisabled }
        run.push(to: Self.carol) { $0.refuse(.unregistered, by: .device) }
        let steps = run.steps()
        #expect(
            steps.elements(.devices) == [
                #"{"name": "device-1", "token": "\#(Self.alice)", "power": "saving"}"#,
                #"{"name": "device-2", "token": "\#(Self.bob)", "notifications": false}"#,
                #"{"name": "device-3", "token": "\#(Self.carol)", "registered": false}"#,
            ])
        #expect(steps.texts(.devices).first == "device-1 is declared")
    }

    @Test("What answers show of a device later on changes it right before that push")
    func stateThatChangesBetweenPushes() {
        let time = GatewayRig.now
        var run = WrittenRun()
        run.push { $0.name("alice") }
        for delivery in [.storedOffline, .delivered, .storedPower] as [Delivery] {
            run.push { $0.record.delivery = delivery }
        }
        run.push { $0.refuse(.unregistered, by: .device) }
        run.push { $0.record.delivery = .storedPower }
        for _ in 0..<2 {
            run.push {
                $0.refuse(.expiredToken, by: .device)
                $0.record.clock = time
            }
        }
        run.push(to: Self.bob) { $0.name("bob") }
        run.push(to: Self.bob) { $0.record.delivery = .discardedDisabled }
        let changes: [(count: Int, device: String, change: String)] = [
            (1, "alice", #""online": false"#), (2, "alice", #""online": true"#), (3, "alice", #""power": "saving""#),
            (4, "alice", #""registered": false"#), (5, "alice", #""registered": true"#),
            (6, "alice", #""registered": {"expiredAt": "\#(time.text)"}"#), (9, "bob", #""notifications": false"#),
        ]
        let steps = run.steps()
        #expect(
            steps.elements(.timeline)
                == changes.map { count, device, change in
                    #"{"after": {"requests": {}, "count": \#(count)}, "do": {"device": "\#(device)", \#(change)}}"#
                })
        #expect(
            steps.texts(.timeline) == [
                "alice goes offline", "alice comes online", "alice saves power", "alice removes the app",
                "alice has the app again", "alice has a token that has expired", "bob switches notifications off",
            ])
    }

    @Test(
        "A device that saves power gets what has priority 10, and with anything else shows that it no longer does",
        arguments: [(nil, true), (10, true), (5, false), (1, false)] as [(UInt8?, Bool)])
    func priorityShowsWhetherPowerIsSaved(priority: UInt8?, savesPower: Bool) {
        var run = WrittenRun()
        run.push {
            $0.record.priority = 5
            $0.record.delivery = .storedPower
        }
        run.push { $0.record.priority = priority }
        #expect(run.steps().texts(.timeline) == (savesPower ? [] : ["device-1 no longer saves power"]))
    }

    @Test("Notifications that are switched off show that the app is there again")
    func disabledNotificationsShowTheApp() {
        var run = WrittenRun()
        run.push { $0.refuse(.unregistered, by: .device) }
        run.push { $0.record.delivery = .discardedDisabled }
        #expect(
            run.steps().texts(.timeline) == ["device-1 has the app again and switches notifications off"])
    }

    @Test("That a device with an app that is gone refuses pushes shows nothing new")
    func expectedRefusalsChangeNothing() throws {
        let gone = Device.Registration.unregistered(at: GatewayRig.now, acceptFor: 60_000)
        var run = WrittenRun()
        try run.note(.declared, topics: []) { ($0.name, $0.registration) = ("alice", gone) }
        run.push { $0.refuse(.unregistered, by: .device) }
        let steps = run.steps()
        let registered = #"{"unregisteredAt": "\#(GatewayRig.now.text)", "acceptFor": "1m"}"#
        #expect(
            steps.elements(.devices) == [
                #"{"name": "alice", "token": "\#(Self.alice)", "registered": \#(registered)}"#
            ])
        #expect(steps.elements(.timeline).isEmpty)
    }

    @Test("Answers show nothing of a device if the scenario is known")
    func knownScenarioExplainsAnswers() throws {
        let scenario = try WrittenRun.scenario(#"{"devices": [{"name": "alice", "token": "\#(Self.alice)"}]}"#)
        var run = WrittenRun()
        run.push { $0.record.delivery = .storedOffline }
        let steps = run.steps(of: scenario)
        #expect(steps.elements(.devices).isEmpty)
        #expect(steps.elements(.timeline).isEmpty)
    }

    // MARK: Events

    @Test("A device that is declared during the run is declared with its topics")
    func declaredDeviceHasItsTopics() throws {
        var run = WrittenRun()
        try run.note(.declared, topics: ["com.example.app", "com.example.other"]) {
            ($0.name, $0.isSandbox) = ("alice", false)
        }
        let steps = run.steps()
        let topics = #""topics": ["com.example.app", "com.example.other"]"#
        #expect(
            steps.elements(.devices) == [
                #"{"name": "alice", "token": "\#(Self.alice)", \#(topics), "environment": "production"}"#
            ])
        #expect(steps.elements(.timeline).isEmpty)
    }

    @Test("A device that is declared again changes")
    func deviceDeclaredAgainChanges() throws {
        var run = WrittenRun()
        try run.note(.declared, topics: []) { $0.name = "alice" }
        try run.note(.declared, topics: []) { ($0.name, $0.isOnline) = ("alice", false) }
        let steps = run.steps()
        #expect(steps.elements(.devices) == [#"{"name": "alice", "token": "\#(Self.alice)"}"#])
        #expect(steps.texts(.timeline) == ["alice goes offline"])
    }

    @Test("A device without a name is declared as it was before it changed")
    func unnamedDeviceIsDeclaredBeforeItChanges() throws {
        var run = WrittenRun()
        run.push()
        try run.note(.changed) { $0.isOnline = false }
        let steps = run.steps()
        #expect(steps.elements(.devices) == [#"{"name": "device-1", "token": "\#(Self.alice)"}"#])
        #expect(
            steps.elements(.timeline) == [
                #"{"after": {"requests": {}, "count": 1}, "do": {"device": "device-1", "online": false}}"#
            ])
    }

    @Test("A name that is made up is a new one", arguments: [("device-1", "device-2"), ("device-2", "device-3")])
    func madeUpNamesAreNew(taken: String, expected: String) throws {
        let scenario = try WrittenRun.scenario(#"{"devices": [{"name": "\#(taken)", "token": "\#(Self.bob)"}]}"#)
        var run = WrittenRun()
        try run.note(.changed) { $0.isOnline = false }
        #expect(
            run.steps(of: scenario).elements(.devices) == [#"{"name": "\#(expected)", "token": "\#(Self.alice)"}"#])
    }

    @Test("A device keeps its name with its new token")
    func renewedDeviceKeepsItsName() throws {
        var run = WrittenRun()
        run.push { $0.name("alice") }
        try run.renew(Self.alice, to: Self.carol)
        run.push(to: Self.carol) { $0.name("alice") }
        let steps = run.steps()
        #expect(steps.texts(.devices) == ["alice is declared"])
        #expect(
            steps.elements(.timeline) == [
                #"{"after": {"requests": {}, "count": 1}, "do": {"device": "alice", "newToken": true}}"#
            ])
        #expect(steps.elements(.workload).allSatisfy { $0.hasPrefix(#"{"push": {"device": "alice", "#) })
        #expect(steps.notes == [#"alice gets the same new token again only by the same "seed"."#])
    }

    @Test("A note says that the removal of a device is left out")
    func removalIsNoted() throws {
        var run = WrittenRun()
        try run.note(.removed) { $0.name = "alice" }
        let steps = run.steps()
        #expect(steps.notes == ["That alice was removed is left out: a timeline cannot do it."])
        #expect(steps.elements(.devices).isEmpty)
    }

    @Test("A note says what happened to a device for which the scenario has no name")
    func namelessDevicesCannotChange() throws {
        let scenario = try WrittenRun.scenario(#"{"devices": [{"token": "\#(Self.alice)"}]}"#)
        var run = WrittenRun()
        try run.note(.changed) { $0.isOnline = false }
        try run.note(.declared, topics: []) { $0.name = "alice" }
        run.push()
        let steps = run.steps(of: scenario)
        #expect(
            steps.notes == [
                "What happened to the device with the token \(Self.alice) is left out: the scenario has no name for that token."
            ])
        #expect(steps.steps.map(\.list) == [.workload])
    }

    @Test("The token that a device had before is not declared twice")
    func oldTokensAreNotDeclaredAgain() throws {
        var run = WrittenRun()
        run.push { $0.name("alice") }
        try run.renew(Self.alice, to: Self.carol)
        try run.note(.changed) { $0.isOnline = false }
        #expect(run.steps().texts(.devices) == ["alice is declared"])
    }
}
