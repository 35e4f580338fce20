import GatewayRigs
import Testing

@testable import MockAPNSCore

/// How many listen to a channel, what they get, and what is remembered of them: both sides of each border.
@Suite struct SubscriptionCountTests {
    private static let hour: Int64 = 3_600_000
    private static let alice = DeviceIndex(rawValue: 0)
    private static let bob = DeviceIndex(rawValue: 1)

    /// The Live Activities on channel 1, unless another is named.
    private struct Rig {
        var subscriptions = Subscriptions()
        var now = GatewayRig.now
        private var sequence = 0

        @discardableResult
        mutating func start(
            _ name: String? = nil, on device: DeviceIndex = alice, to channel: Int? = 1, isOnline: Bool = true,
            getsStored: Bool = false
        ) -> Subscriptions.Delivery? {
            let activity = LiveActivity(name: name, on: "AAAA", at: now)
            return subscriptions.add(
                Subscription(activity, on: device, to: channel, isOnline: isOnline), getsStored: getsStored, at: now
            ).delivery
        }

        /// - Parameter second: its `timestamp`, in seconds from the beginning.
        @discardableResult
        mutating func publish(
            _ event: String = "update", at second: Int64 = 0, to channel: Int = 1, bytes: Int = 100,
            isStored: Bool = false, more: String = ""
        ) -> ChannelFeed.Outcome {
            sequence += 1
            let timestamp = GatewayRig.now.seconds + second
            let body = Array(
                #"{"aps":{"event":"\#(event)","timestamp":\#(timestamp),"content-state":{}\#(more)}}"#.utf8)
            let push = ChannelPush(
                sequence: sequence, time: now, content: LiveActivityPush(body.span), byteCount: bytes)
            return subscriptions.publish(push, to: channel, storedUntil: isStored ? now.advanced(by: hour) : nil)
        }

        func names(on device: DeviceIndex = alice) -> [String?] {
            subscriptions.activities(of: device, at: now).map(\.name)
        }

        func sequences(on device: DeviceIndex = alice) -> [Int?] {
            subscriptions.activities(of: device, at: now).map(\.sequence)
        }

        func subscribers(after milliseconds: Int64) -> Int {
            let time = GatewayRig.now.advanced(by: milliseconds)
            #expect(
                subscriptions.subscriberCount(of: [1], at: time) == subscriptions.figures(of: 1, at: time).subscribers)
            return subscriptions.figures(of: 1, at: time).subscribers
        }
    }

    // MARK: Eight hours

    @Test func liveActivitiesCountForEightHours() {
        var rig = Rig()
        rig.start()
        rig.now = GatewayRig.now.advanced(by: Self.hour)
        rig.start(on: Self.bob)
        for (time, count) in [(8 * Self.hour - 1, 2), (8 * Self.hour, 1), (9 * Self.hour - 1, 1), (9 * Self.hour, 0)] {
            #expect(rig.subscribers(after: time) == count, "\(time)")
        }
        for (time, count) in [(8 * Self.hour - 1, 2), (8 * Self.hour, 1), (9 * Self.hour - 1, 1), (9 * Self.hour, 0)] {
            rig.now = GatewayRig.now.advanced(by: time)
            let outcome = rig.publish()
            #expect((outcome.subscribers, outcome.delivered) == (count, count), "\(time)")
            #expect(rig.subscriptions.rememberedCount(of: 1) == count)
        }
    }

    @Test func liveActivitiesEndedByPushNeverEndAgain() {
        var rig = Rig()
        rig.start()
        rig.publish("end")
        #expect(rig.subscribers(after: 8 * Self.hour - 1) == 0 && rig.subscribers(after: 8 * Self.hour) == 0)
        rig.publish()
        #expect(rig.subscriptions.rememberedCount(of: 1) == 1)
        rig.now = GatewayRig.now.advanced(by: 8 * Self.hour)
        rig.start(on: Self.bob)
        #expect(rig.subscriptions.rememberedCount(of: 1) == 1)
        #expect(rig.subscriptions.figures(of: 1, at: rig.now).subscribers == 1)
        #expect(rig.subscriptions.rememberedCount(of: 2) == 0)
    }

    /// The push waits in the channel's feed until the Live Activity is read.
    @Test(arguments: [("update", 1), ("end", 0)])
    func activitiesEndedByPushDoNotEndAgain(_ event: String, _ count: Int) {
        var rig = Rig()
        rig.start()
        rig.publish(event)
        let end = GatewayRig.now.advanced(by: 8 * Self.hour)
        #expect(rig.subscriptions.ending(on: Self.alice, at: end).count == count)
        for time in [end.advanced(by: -1), end.advanced(by: 1)] {
            #expect(rig.subscriptions.ending(on: Self.alice, at: time).isEmpty)
        }
        #expect(rig.subscriptions.ending(on: Self.bob, at: end).isEmpty)
    }

    @Test func endedLiveActivitiesAreForgottenBeforeEightHours() {
        var rig = Rig()
        rig.start("score")
        rig.subscriptions.end(.name("score"), of: Self.alice, isGone: false, at: rig.now)
        rig.publish()
        #expect(rig.subscriptions.rememberedCount(of: 1) == 0 && rig.names() == ["score"])
    }

    @Test func liveActivitiesWithoutAChannelAreNotCounted() {
        var rig = Rig()
        rig.start(to: nil)
        #expect(rig.subscribers(after: 0) == 0)
        #expect(rig.publish().delivered == 0 && rig.sequences() == [nil])
    }

    // MARK: Who gets what

    /// Whether a late subscriber is online, and gets what is stored; what it shows at once, and what once it is online.
    @Test(
        arguments: [
            (true, true, 1, 1), (true, false, nil, nil), (false, true, nil, 1), (false, false, nil, nil),
        ] as [(Bool, Bool, Int?, Int?)])
    func lateSubscribersGetStoredPushesAtMostOnce(isOnline: Bool, getsStored: Bool, atOnce: Int?, later: Int?) {
        var rig = Rig()
        rig.start(on: Self.bob)
        rig.publish(isStored: true)
        let delivery = rig.start(isOnline: isOnline, getsStored: getsStored)
        #expect(delivery?.sequence == atOnce && rig.sequences() == [atOnce])
        let deliveries = rig.subscriptions.setOnline(true, Self.alice, at: rig.now)
        #expect(deliveries.map(\.sequence) == (atOnce == later ? [] : [1]) && rig.sequences() == [later])
        // Once more changes nothing.
        #expect(rig.subscriptions.setOnline(true, Self.alice, at: rig.now).isEmpty)
        #expect(rig.subscriptions.figures(of: 1, at: rig.now).delivered == (later == nil ? 1 : 2))
        #expect(rig.publish().delivered == 2)
        #expect(rig.sequences() == [2] && rig.sequences(on: Self.bob) == [2])
    }

    @Test func lateSubscribersGetOnlyTheStoredPush() {
        var rig = Rig()
        rig.start(on: Self.bob)
        rig.publish(isStored: true)
        rig.publish(at: 1)
        #expect(rig.start(getsStored: true)?.sequence == 1)
        #expect(rig.sequences() == [1] && rig.sequences(on: Self.bob) == [2])
    }

    @Test func whoHasEndedHearsNothingMore() {
        var rig = Rig()
        rig.start("score")
        rig.start(on: Self.bob)
        #expect(rig.subscriptions.activities(of: Self.alice, at: rig.now).map(\.hasEnded) == [false])
        rig.subscriptions.end(.name("score"), of: Self.alice, isGone: false, at: rig.now)
        #expect(rig.publish().delivered == 1)
        let shown = rig.subscriptions.activities(of: Self.alice, at: rig.now)
        #expect(shown.map(\.event) == [.end] && shown.map(\.sequence) == [nil] && shown.allSatisfy(\.ignored.isEmpty))
    }

    @Test func onlyOnlineSubscribersCanTakeAnOlderUpdate() {
        var rig = Rig()
        // No subscriber is online to end with this.
        rig.start(isOnline: false)
        rig.publish("end", at: 1, isStored: true)
        rig.start(on: Self.bob)
        rig.publish(at: 10)
        rig.start(on: Self.alice, isOnline: false)
        #expect(rig.publish(at: 5).ignored?.contains("request 2") == true)
        // It ends with what is stored as soon as it starts.
        #expect(rig.start(on: Self.bob, getsStored: true)?.sequence == 1)
        #expect(rig.publish(at: 5).ignored?.contains("request 2") == true)
        rig.start(on: Self.bob)
        #expect(rig.publish(at: 5).ignored == nil)
    }

    @Test func olderUpdatesAreIgnoredAfterTheStoredOne() {
        var rig = Rig()
        rig.start()
        rig.start(on: Self.bob, isOnline: false)
        rig.publish(at: 10, isStored: true)
        #expect(rig.subscriptions.setOnline(true, Self.bob, at: rig.now).count == 1)
        #expect(rig.publish(at: 5).ignored?.contains("request 1") == true)
    }

    // MARK: The Live Activities of a device

    @Test func aDeviceHasTwentyLiveActivitiesAtMost() {
        var rig = Rig()
        for number in 1...20 { rig.start("\(number)") }
        #expect(rig.names() == (1...20).map { "\($0)" })
        rig.start("21")
        #expect(rig.names() == (2...21).map { "\($0)" })
        #expect(rig.subscriptions.figures(of: 1, at: rig.now).subscribers == 20)
    }

    @Test func activitiesOffTheScreenGoBeforeTheOldest() {
        for (time, expected) in [(4 * Self.hour - 1, (2...21).map { $0 }), (4 * Self.hour, Array(1...4) + (6...21))] {
            var rig = Rig()
            for number in 1...20 { rig.start("\(number)") }
            rig.subscriptions.end(.name("5"), of: Self.alice, isGone: false, at: rig.now)
            rig.now = GatewayRig.now.advanced(by: time)
            rig.start("21")
            #expect(rig.names() == expected.map { "\($0)" }, "\(time)")
        }
    }

    @Test func activitiesDismissedByAPushMakeRoom() {
        var rig = Rig()
        for number in 1...20 { rig.start("\(number)", to: number == 7 ? 2 : 1) }
        rig.publish("end", to: 2, more: #","dismissal-date":1"#)
        rig.start("21")
        #expect(rig.names() == (Array(1...6) + (8...21)).map { "\($0)" })
    }

    @Test func devicesAreForgottenWithTheirLastLiveActivity() {
        var rig = Rig()
        #expect(!rig.subscriptions.concern(Self.alice))
        for name in ["one", "two"] { rig.start(name) }
        rig.start("three", on: Self.bob, to: 2)
        rig.subscriptions.end(.name("one"), of: Self.alice, isGone: true, at: rig.now)
        #expect(rig.subscriptions.concern(Self.alice) && rig.names() == ["two"])
        rig.subscriptions.end(.channel(2), of: Self.alice, isGone: true, at: rig.now)
        #expect(rig.names() == ["two"])
        rig.subscriptions.end(.channel(1), of: Self.alice, isGone: true, at: rig.now)
        #expect(!rig.subscriptions.concern(Self.alice) && rig.names().isEmpty)
        #expect(rig.subscriptions.concern(Self.bob))
        rig.subscriptions.remove(Self.bob, at: rig.now)
        #expect(!rig.subscriptions.concern(Self.bob) && rig.names(on: Self.bob).isEmpty)
        #expect(rig.subscriptions.figures(of: 2, at: rig.now).subscribers == 0)
    }

    /// Without update tokens, a push to the device is for the latest Live Activity that listens to no channel.
    @Test func pushesGoToTheLatestActivityWithoutAChannel() {
        var rig = Rig()
        func latest(_ rig: Rig, after milliseconds: Int64 = 0, app: String = "com.example.app") -> Int? {
            let time = GatewayRig.now.advanced(by: milliseconds)
            return rig.subscriptions.latestActivity(of: Self.alice, app: app, at: time)
        }
        #expect(latest(rig) == nil)
        rig.start()
        #expect(latest(rig) == nil)
        var activity = LiveActivity(name: "own", on: nil, at: rig.now)
        activity.app = "com.example.app"
        _ = rig.subscriptions.add(
            Subscription(activity, on: Self.alice, to: nil), getsStored: false, at: rig.now)
        rig.start()
        #expect(latest(rig) == 2)
        #expect(latest(rig, app: "com.example.other") == nil)
        #expect(latest(rig, after: 8 * Self.hour - 1) == 2 && latest(rig, after: 8 * Self.hour) == nil)
        rig.subscriptions.end(.name("own"), of: Self.alice, isGone: false, at: rig.now)
        #expect(latest(rig) == nil)
    }

    // MARK: What is remembered

    @Test func endPushesAreForgottenAfterSixtyFourEnds() {
        var rig = Rig()
        for number in 1...65 {
            rig.start(on: DeviceIndex(rawValue: UInt32(number)))
            #expect(rig.subscriptions.byteCount == (number - 1) * 100)
            rig.publish("end")
        }
        rig.start()
        #expect(rig.subscriptions.byteCount == 0 && rig.subscriptions.rememberedCount(of: 1) == 1)
        #expect(rig.sequences(on: DeviceIndex(rawValue: 65)) == [65])
    }

    /// How many of 1025 Live Activities still listen, and how many are remembered then.
    @Test(arguments: [(2, 2), (511, 511), (512, 1025)])
    func departedSubscribersAreForgottenOnceMostHaveLeft(listening: Int, remembered: Int) {
        var rig = Rig()
        for number in 1...1024 {
            let device = DeviceIndex(rawValue: UInt32(number))
            rig.start(on: device)
            if number >= listening { rig.subscriptions.remove(device, at: rig.now) }
        }
        #expect(rig.subscriptions.rememberedCount(of: 1) == 1024)
        rig.start()
        #expect(rig.subscriptions.rememberedCount(of: 1) == remembered)
        #expect(rig.subscriptions.figures(of: 1, at: rig.now).subscribers == listening)
    }

    @Test func pushesThatReachNoSubscriberTakeNoBytes() {
        var rig = Rig()
        rig.publish(bytes: 3)
        #expect(rig.subscriptions.byteCount == 0)
        rig.start()
        rig.publish(bytes: 5)
        #expect(rig.subscriptions.byteCount == 5)
    }

    @Test func beyond32MBOnlyTheNewestPushStays() {
        var rig = Rig()
        rig.start()
        rig.publish(bytes: 33_554_432)
        rig.publish(bytes: 1)
        #expect(rig.subscriptions.byteCount == 33_554_433)
        rig.publish(bytes: 2)
        #expect(rig.subscriptions.byteCount == 2)
        rig.publish(bytes: 4)
        #expect(rig.subscriptions.byteCount == 6)
    }

    @Test func deletedChannelsKeepOnlyWhatIsStored() {
        var rig = Rig()
        rig.start()
        rig.start(on: Self.bob, to: 2)
        rig.publish(bytes: 3)
        rig.publish(to: 2, bytes: 5)
        rig.publish("end", to: 2, bytes: 7)
        #expect(rig.subscriptions.byteCount == 15)
        rig.subscriptions.close(1)
        #expect(rig.subscriptions.byteCount == 12 && rig.sequences() == [1])
        #expect(rig.subscriptions.figures(of: 1, at: rig.now).subscribers == 1)
        rig.subscriptions.close(2)
        rig.subscriptions.close(3)
        #expect(rig.subscriptions.byteCount == 0 && rig.sequences(on: Self.bob) == [3])
        for channel in 1...3 { rig.subscriptions.forget(channel) }
        #expect(rig.subscriptions.byteCount == 0 && rig.sequences() == [1])
        #expect(rig.subscriptions.figures(of: 1, at: rig.now).published == 0)
    }
}
