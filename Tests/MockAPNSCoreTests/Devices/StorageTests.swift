import Testing

@testable import MockAPNSCore

/// What APNs keeps for a device that cannot be reached.
@Suite struct StorageTests {
    /// Alice takes pushes of every topic, and is offline.
    private static let alice = #"{"name": "alice", "token": "TOKEN", "online": false}"#

    private static func topic(_ number: Int) -> String { "com.example.app\(number)" }

    @Test func beyondTheTopicLimitTheOldestPushGoes() throws {
        var rig = try DeliveryRig(Self.alice)
        for number in 1...256 { rig.send(topic: Self.topic(number)) }
        #expect(try rig.view().stored.map(\.sequence) == Array(1...256))
        #expect(rig.effects.isEmpty)
        rig.send(topic: Self.topic(257))
        #expect(try rig.view().stored.map(\.sequence) == Array(2...257))
        #expect(rig.delivery(1) == "Discarded - Expired" && rig.record(1)?.replacedBy == nil)
        // One of a topic that has a push in storage makes room for itself.
        let last = rig.send(topic: Self.topic(9))
        #expect(try rig.view().stored.map(\.sequence) == Array(2...8) + Array(10...257) + [last])
        #expect(rig.record(9)?.replacedBy == last && rig.delivery(9) == "Stored - Device Offline")
    }

    @Test func eachPushExpiresByItself() throws {
        var rig = try DeliveryRig(Self.alice)
        for number in 1...4 {
            rig.send(("apns-expiration", "\(1_795_255_200 + [40, 20, 30, 10][number - 1])"), topic: Self.topic(number))
        }
        for (expired, left) in [(4, [1, 2, 3]), (2, [1, 3]), (3, [1]), (1, [])] {
            try rig.advance(seconds: 9)
            #expect(rig.delivery(expired) == "Stored - Device Offline")
            try rig.advance(seconds: 1)
            #expect(rig.delivery(expired) == "Discarded - Expired")
            #expect(try rig.view().stored.map(\.sequence) == left)
        }
    }

    @Test func eachPushWaitsForItsOwnReason() throws {
        var rig = try DeliveryRig(Self.alice)
        try rig.change { $0.savesPower = true }
        for (number, priority) in ["5", "10", "1"].enumerated() {
            rig.send(("apns-priority", priority), topic: Self.topic(number))
        }
        try rig.change { $0.isOnline = true }
        #expect(try rig.view().stored.map(\.sequence) == [1, 3])
        #expect(
            rig.delivery(1) == "Stored - Power Considerations" && rig.delivery(3) == "Stored - Power Considerations")
        try rig.change { $0.isOnline = false }
        #expect(rig.delivery(1) == "Stored - Device Offline" && rig.delivery(3) == "Stored - Device Offline")
        try rig.change {
            $0.isOnline = true
            $0.savesPower = false
        }
        #expect(try rig.view().stored.isEmpty)
        #expect(try rig.view().displayed.map(\.sequence) == [2, 1, 3])
    }

    /// A push that another replaces goes, whatever a log says of it in the same line.
    @Test(
        arguments: [
            (RequestUpdate(delivery: .storedPower), true), (RequestUpdate(outcome: .cancelled), true),
            (RequestUpdate(replacedBy: 2), false), (RequestUpdate(delivery: .storedPower, replacedBy: 2), false),
            (RequestUpdate(delivery: .discardedExpired), false),
        ])
    func updatesSayWhetherAPushIsStillStored(_ update: RequestUpdate, isStored: Bool) throws {
        var rig = try DeliveryRig(Self.alice)
        let sequence = rig.send()
        _ = rig.gateway.state.apply(.update(UpdateEvent(of: sequence, update, clock: rig.now)), after: sequence)
        #expect(try rig.view().stored.isEmpty == !isStored)
    }

    @Test func unchangedStorageReasonsAreNotReported() throws {
        var rig = try DeliveryRig(Self.alice)
        let push = rig.send()
        rig.effects = []
        try rig.change { $0.savesPower = true }
        #expect(rig.delivery(push) == "Stored - Device Offline")
        #expect(rig.lines.count == 1, "only the device is")
    }

    @Test func returningDevicesGetNoExpiredPushes() throws {
        var rig = try DeliveryRig(Self.alice)
        let push = rig.send(("apns-expiration", "\(DeliveryRig.start.seconds + 40)"))
        #expect(rig.delivery(push) == "Stored - Device Offline")
        var change = DeviceChange()
        change.isOnline = true
        rig.effects += rig.gateway.change(try rig.device(), change, at: DeliveryRig.start.advanced(by: 40_000)).1
        #expect(rig.delivery(push) == "Discarded - Expired")
        #expect(try rig.alerts().isEmpty)
    }

    @Test func aMailboxKnowsEachPushThatItStores() {
        var topics = TopicTable(hashSeed: 1)
        var mailbox = Mailbox()
        for number in 1...3 {
            let push = KeptPush(
                sequence: number, time: DeliveryRig.start, topic: topics.intern(Self.topic(number)),
                collapseID: Array("".utf8).span, payload: Array("{}".utf8).span)
            mailbox.store(push)
        }
        #expect((0...4).filter { mailbox.stores($0) } == [1, 2, 3])
    }
}
