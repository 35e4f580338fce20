import Testing

@testable import MockAPNSCore

/// What a collector knows of the pushes that replicas have stored: only the replica that received one says what becomes
/// of it.
@Suite("Pushes that replicas have stored")
struct HeldPushesTests {
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
        mutating func unsettled() -> [Int: Int] { collector.gateway.unsettledPushes(at: GatewayRig.now) }
    }

    @Test func aDeviceToWhichNothingHappensLeavesNoDoubt() throws {
        var rig = try Rig()
        #expect(rig.unsettled() == [:])
        rig.b.work { $0.send(after: 1) }
        try rig.collect()
        #expect(rig.unsettled() == [:])
    }

    /// Replicas report the same changes, each in its own time.
    @Test(arguments: [["a", "a", "b", "b"], ["b", "b", "a", "a"], ["b", "a", "b", "a"], ["a", "b", "b", "a"]])
    func aChangeThatItsReplicaHasReportedLeavesNoDoubt(_ order: [String]) throws {
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
            #expect(rig.unsettled() == (counts["a", default: 0] < counts["b", default: 0] ? [0: 1] : [:]))
        }
        // A notification is dismissed where it is displayed.
        let bob = try #require(DeviceToken(hex: JudgeRig.bob))
        rig.b.control { gateway, now in gateway.devices.find(bob).map { gateway.dismiss(1, on: $0, at: now) } ?? [] }
        try rig.collect()
        #expect(rig.unsettled() == [:])
    }

    @Test(arguments: ["online", "power", "notifications", "registration", "removed"])
    func whatAnotherReplicaSaysOfTheDeviceLeavesDoubt(_ change: String) throws {
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
        #expect(rig.unsettled() == [0: 1])
    }

    @Test func whatItsReplicaSaysSettlesIt() throws {
        var rig = try Rig()
        try rig.b.change("bob") { $0.isOnline = true }
        try rig.collect()
        try rig.a.change("bob") { $0.isOnline = true }
        try rig.collect()
        #expect(rig.unsettled() == [:])
    }

    @Test func aLaterPushMayReplaceIt() throws {
        var rig = try Rig()
        rig.b.work { $0.send(to: JudgeRig.bob, topic: "com.example.other", after: 1) }
        try rig.collect()
        #expect(rig.unsettled() == [:])
        rig.b.work { $0.send(to: JudgeRig.bob, after: 1) }
        try rig.collect()
        #expect(rig.unsettled() == [0: 1])
        // Its replica says so itself.
        rig.a.work { $0.send(to: JudgeRig.bob, after: 1) }
        try rig.collect()
        #expect(rig.unsettled() == [1: 1])
    }

    @Test func withSeveralPerTopicOnlyOneOfTheSameCollapseIDIsReplaced() throws {
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
        #expect(rig.unsettled() == [:])
        rig.b.work { $0.send(push("x")) }
        try rig.collect()
        #expect(rig.unsettled()[0] == 2)
    }

    @Test func inTheEndItExpires() throws {
        var rig = try Rig()
        _ = try rig.collector.gateway.advance(by: 29 * 86_400_000)
        #expect(rig.unsettled() == [:])
        _ = try rig.collector.gateway.advance(by: 2 * 86_400_000)
        #expect(rig.unsettled() == [0: 1])
    }

    @Test func aDeviceThatIsNotRegisteredAnyMoreGetsNothing() throws {
        let device = try #require(DeviceToken(hex: JudgeRig.bob))
        var held = HeldPushes()
        held.add(1, by: 3, for: device, until: GatewayRig.now.advanced(by: 1))
        #expect(held.unsettled(at: GatewayRig.now) { $0 == device } == [:])
        #expect(held.unsettled(at: GatewayRig.now) { $0 != device } == [3: 1])
        #expect(held.unsettled(at: GatewayRig.now.advanced(by: 1)) { _ in true } == [3: 1])
    }
}
