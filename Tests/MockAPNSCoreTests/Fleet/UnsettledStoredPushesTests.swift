import GatewayRigs
import Testing

@testable import MockAPNSCore

/// What a collector knows of the pushes that replicas have stored: only the replica that received one says what becomes
/// of it.
@Suite("Pushes that replicas have stored")
struct UnsettledStoredPushesTests {
    /// A push for bob, who is offline, that the first of two replicas has stored.
    private struct Rig: ~Copyable {
        var a: ReplicaRig
        var b: ReplicaRig
        var collector: CollectorRig

        init(_ scenario: String = "") throws {
            var a = try ReplicaRig(scenario)
            let b = try ReplicaRig(scenario)
            var collector = try CollectorRig("", scenario, replicas: ["a", "b"])
            a.work { $0.send(to: JudgeRig.bob, after: 1) }
            try collector.take(a.frames(), of: 0)
            collector.proceed()
            self.a = a
            self.b = b
            self.collector = collector
        }

        mutating func collect() throws {
            try collector.take(a.frames(), of: 0)
            try collector.take(b.frames(), of: 1)
            collector.proceed()
        }

        /// The number of pushes by replica that are not settled.
        var unsettled: [Int: Int] { collector.gateway.unsettledPushes() }
    }

    @Test func unchangedDevicesLeaveNoDoubt() throws {
        var rig = try Rig()
        #expect(rig.unsettled == [:])
        rig.b.work { $0.send(after: 1) }
        try rig.collect()
        #expect(rig.unsettled == [:])
    }

    /// Replicas report the same changes, each in its own time.
    @Test(arguments: [["a", "a", "b", "b"], ["b", "b", "a", "a"], ["b", "a", "b", "a"], ["a", "b", "b", "a"]])
    func changesReportedByItsReplicaLeaveNoDoubt(_ order: [String]) throws {
        var rig = try Rig()
        var counts = ["a": 0, "b": 0]
        for name in order {
            counts[name, default: 0] += 1
            let savesPower = counts[name] == 1
            if name == "a" {
                try rig.a.change("bob") { $0.savesPower = savesPower }
            } else {
                try rig.b.change("bob") { $0.savesPower = savesPower }
            }
            try rig.collect()
            #expect(rig.unsettled == (counts["a", default: 0] < counts["b", default: 0] ? [0: 1] : [:]))
        }
        // A notification is dismissed where it is displayed.
        let bob = try #require(DeviceToken(hex: JudgeRig.bob))
        rig.b.control { gateway, now in
            gateway.devices.find(bob).map { gateway.respond(.dismissal, to: 1, on: $0, at: now) } ?? []
        }
        try rig.collect()
        #expect(rig.unsettled == [:])
    }

    @Test(arguments: ["online", "power", "notifications", "registration", "removed"])
    func anotherReplicasDeviceChangesLeaveDoubt(_ change: String) throws {
        var rig = try Rig()
        if change == "removed" {
            let bob = try #require(DeviceToken(hex: JudgeRig.bob))
            rig.b.control { gateway, now in
                gateway.devices.find(bob).map { gateway.remove($0, at: now) } ?? []
            }
        } else {
            try rig.b.change("bob") { device in
                switch change {
                case "online": device.isOnline = true
                case "power": device.savesPower = true
                case "notifications": device.allowsNotifications = false
                default: device.registration = .unregistered(at: nil, acceptFor: 0)
                }
            }
        }
        try rig.collect()
        #expect(rig.unsettled == [0: 1])
    }

    /// Only those that know a device report that it goes.
    @Test func removingADeviceWhereKnownIsNoChange() throws {
        var rig = try Rig()
        let bob = try #require(DeviceToken(hex: JudgeRig.bob))
        func event(_ state: DeviceEvent.State) -> LogEvent {
            .device(DeviceEvent(state: state, clock: GatewayRig.now, token: bob, device: Device(topics: [])))
        }
        rig.b.note(event(.removed))
        rig.a.note(event(.declared))
        rig.b.note(event(.declared))
        try rig.collect()
        #expect(rig.unsettled == [:])
    }

    /// It may be stored for another reason from now on.
    @Test func whatIsStillStoredIsNotSettled() throws {
        var rig = try Rig()
        rig.a.note(.update(UpdateEvent(of: 1, RequestUpdate(delivery: .storedPower), clock: GatewayRig.now)))
        try rig.b.change("bob") { $0.isOnline = true }
        try rig.collect()
        #expect(rig.unsettled == [0: 1])
    }

    @Test func whatItsReplicaSaysSettlesIt() throws {
        var rig = try Rig()
        try rig.b.change("bob") { $0.isOnline = true }
        try rig.collect()
        try rig.a.change("bob") { $0.isOnline = true }
        try rig.collect()
        #expect(rig.unsettled == [:])
    }

    @Test func aLaterPushReplacesIt() throws {
        var rig = try Rig()
        rig.b.work { $0.send(to: JudgeRig.bob, topic: "com.example.other", after: 2) }
        try rig.collect()
        #expect(rig.unsettled == [:])
        rig.b.work { $0.send(to: JudgeRig.bob, after: 2) }
        try rig.collect()
        #expect(rig.unsettled == [0: 1])
        // Its replica says so itself.
        rig.a.work { $0.send(to: JudgeRig.bob, after: 9) }
        try rig.collect()
        #expect(rig.unsettled == [1: 1])
    }

    /// Of replicas, one may be late.
    @Test func theEarlierPushIsReplacedEvenIfLate() throws {
        var rig = try Rig()
        rig.a.work { $0.send(to: JudgeRig.bob, topic: "com.example.other", after: 1) }
        _ = try rig.collector.gateway.advance(by: 5)
        try rig.b.control { gateway, _ in try gateway.advance(by: 5) }
        rig.b.work { $0.send(to: JudgeRig.bob, topic: "com.example.other", after: 1) }
        try rig.collector.take(rig.b.frames(), of: 1)
        rig.collector.proceed()
        #expect(rig.unsettled == [:])
        try rig.collect()
        #expect(rig.unsettled == [0: 1])
    }

    @Test func severalPerTopicAreReplacedByCollapseID() throws {
        var rig = try Rig(#""storage": {"perTopic": 3},"#)
        func push(_ collapseID: String) -> ExamplePush {
            ExamplePush {
                $0.path = "/3/device/" + JudgeRig.bob
                $0.fields = [("apns-collapse-id", collapseID)]
            }
        }
        rig.a.work { $0.send(push("x")) }
        rig.b.work { $0.send(push("y")) }
        try rig.collect()
        #expect(rig.unsettled == [:])
        rig.b.work { $0.send(push("x")) }
        try rig.collect()
        #expect(rig.unsettled == [0: 1])
        // If there are too many, the oldest.
        rig.b.work { $0.send(push("z")) }
        try rig.collect()
        #expect(rig.unsettled == [0: 2])
    }

    /// Time passes only as far as replicas say.
    @Test func inTheEndItExpires() throws {
        var rig = try Rig()
        _ = try rig.collector.gateway.advance(by: 31 * 86_400_000)
        #expect(rig.unsettled == [:])
        try rig.b.control { gateway, _ in try gateway.advance(by: 31 * 86_400_000) }
        rig.b.work { $0.send(after: 1) }
        try rig.collect()
        #expect(rig.unsettled == [0: 1])
    }

    @Test func theClockMayHaveMovedSince() throws {
        let rig = try Rig()
        #expect(rig.collector.gateway.unsettledPushes(atAnyTime: true) == [0: 1])
    }

    @Test func anotherScenarioHasNothingStored() throws {
        var rig = try Rig()
        try rig.b.change("bob") { $0.isOnline = true }
        try rig.collect()
        #expect(rig.unsettled == [0: 1])
        let scenario = rig.collector.gateway.scenario
        rig.collector.gateway.play(scenario, rig.collector.gateway.configuration, at: GatewayRig.now)
        #expect(rig.unsettled == [:])
    }

    /// They start and end on the replica that a push reaches.
    @Test func aLiveActivityIsNoChange() throws {
        var rig = try Rig()
        let token = try #require(DeviceToken(hex: JudgeRig.bob))
        for isOfActivity in [true, false] {
            let change = ActivityChange(.started, name: nil, channel: "AAAA")
            let activity = ActivityEvent(clock: GatewayRig.now, device: token, deviceName: nil, change: change)
            let event = DeviceEvent(
                state: .changed, clock: GatewayRig.now, token: token, device: Device(topics: []))
            rig.b.note(isOfActivity ? .activity(activity) : .device(event))
            try rig.collect()
            #expect(rig.unsettled == (isOfActivity ? [:] : [0: 1]))
        }
    }

    /// Another replica tells what a push does whose record has not come.
    @Test func timePassesWithWhatIsNotKnown() throws {
        var rig = try Rig()
        var change = ActivityChange(.started, name: nil, channel: nil)
        change.sequence = 999
        let later = GatewayRig.now.advanced(by: 40 * 86_400_000)
        let token = try #require(DeviceToken(hex: JudgeRig.bob))
        rig.b.note(.activity(ActivityEvent(clock: later, device: token, deviceName: nil, change: change)))
        try rig.collect()
        #expect(rig.unsettled == [0: 1])
    }

    @Test func unregisteredDevicesGetNothing() throws {
        let device = try #require(DeviceToken(hex: JudgeRig.bob))
        var held = UnsettledStoredPushes()
        let push = UnsettledStoredPushes.Held(
            replica: 3, device: device, time: GatewayRig.now, expiry: GatewayRig.now.advanced(by: 1))
        held.add(1, push, [], perTopic: 1)
        held.note(GatewayRig.now)
        #expect(held.unsettled(atAnyTime: false) { token, _ in token == device } == [:])
        #expect(held.unsettled(atAnyTime: false) { token, _ in token != device } == [3: 1])
        held.note(GatewayRig.now.advanced(by: 1))
        #expect(held.unsettled(atAnyTime: false) { _, _ in true } == [3: 1])
    }
}
