import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

/// Which pushes and changes are events of Live Activities, and what the history of the device says then.
@Suite struct ActivityEventTests {
    private static let channels = #"""
        "channels": [{"name": "final", "topic": "com.example.app", "channelID": "AAAA"},
                     {"name": "production", "topic": "com.example.app", "channelID": "DDDD",
                      "environment": "production"}],
        """#
    private static let ownTokens = #""liveActivities": {"tokens": "own"},"#

    private static func rig(_ more: String = channels) throws -> RecordedRig {
        var rig = try RecordedRig("", more)
        rig.start()
        return rig
    }

    /// The payload of a push to a Live Activity.
    private static func body(_ event: String, _ more: String = "", at second: Int64 = 0) -> String {
        let time = GatewayRig.now.seconds + second
        return #"{"aps":{"timestamp":\#(time),"event":"\#(event)","content-state":{"score":"0-0"}\#(more)}}"#
    }

    /// The payload of a push that starts a Live Activity.
    private static func start(_ more: String = "", attributes: String = "{}") -> String {
        body("start", #","attributes-type":"Match","attributes":\#(attributes),"alert":{"title":"Goal"}\#(more)"#)
    }

    private static func start(on channel: String) -> String { start(#","input-push-channel":"\#(channel)""#) }

    private static func push(
        _ body: String, to token: String = JudgeRig.alice, type: PushType = .liveactivity
    ) -> ExamplePush {
        ExamplePush { push in
            push.path = "/3/device/" + token
            push.topic = "com.example.app" + (type.topicSuffix ?? "")
            push.fields = [("apns-push-type", type.name)]
            push.body = Array(body.utf8)
        }
    }

    private static func view(_ rig: inout RecordedRig) throws -> DeviceView {
        let found = rig.rig.gateway.devices.find(name: "alice")
        return rig.rig.gateway.view(of: try #require(found), at: rig.rig.gateway.clock.time(at: rig.rig.time))
    }

    private static func history(_ rig: inout RecordedRig) throws -> [HistoryState] {
        try view(&rig).history.latest.map(\.state)
    }

    /// The states that the events tell of.
    private static func states(_ rig: borrowing RecordedRig) -> [String] {
        String(decoding: rig.lines, as: UTF8.self).split(separator: "\n").compactMap { line in
            guard let value = try? JSONText.read(Array(line.utf8)), value["event"]?.string == "activity" else {
                return nil
            }
            return value["state"]?.string
        }
    }

    // MARK: Pushes without events

    /// They may have started or changed one that a client waits for, on a device that was known or not.
    @Test func pushesWithoutEventsWakeActivityWaits() throws {
        var rig = try JudgeRig("")
        for _ in 1...2 {
            let wait = try rig.gateway.beginActivityWait()
            rig.send(Self.push(Self.start(), to: String(repeating: "5e", count: 32)))
            let woken = rig.gateway.takeWoken().map(\.id)
            #expect(woken == [wait])
        }
    }

    /// What is stored has changed nothing yet.
    @Test(
        arguments: [(JudgeRig.bob, .liveactivity, .storedOffline), (JudgeRig.alice, .alert, .delivered)]
            as [(String, PushType, Delivery)])
    func otherPushesWakeNoActivityWaits(to device: String, type: PushType, delivery: Delivery) throws {
        var rig = try JudgeRig("")
        _ = try rig.gateway.beginActivityWait()
        rig.send(Self.push(Self.start(), to: device, type: type))
        let (pushed, woken) = (rig.gateway.log.open.records.last?.delivery, rig.gateway.takeWoken())
        #expect(pushed == delivery)
        #expect(woken.isEmpty)
    }

    @Test func ignoredUpdatesAreNoEvents() throws {
        var rig = try Self.rig(Self.ownTokens)
        try rig.change("alice") { $0.startActivity = DeclaredActivity() }
        let token = try #require(try Self.view(&rig).activities.first?.token).hex
        for second in [5, 1] as [Int64] { rig.send(Self.push(Self.body("update", at: second), to: token)) }
        #expect(Self.states(rig) == ["started", "updated"])
    }

    /// The key of a channel is one only where it belongs.
    @Test func mentioningAChannelElsewhereStartsNoListener() throws {
        var rig = try Self.rig()
        rig.send(Self.push(Self.start(attributes: #"{"note":"input-push-channel"}"#)))
        #expect(try Self.view(&rig).activities.map(\.sequence) == [1])
        #expect(Self.states(rig).isEmpty)
    }

    @Test func updatesThatNameAChannelStillUpdate() throws {
        var rig = try Self.rig()
        rig.send(Self.push(Self.start()))
        rig.send(Self.push(Self.body("update", #","input-push-channel":"AAAA""#, at: 1)))
        #expect(try Self.view(&rig).activities.map(\.sequence) == [2])
        #expect(Self.states(rig).isEmpty)
    }

    /// An alert shows a notification, whatever else its payload says.
    @Test(arguments: ["start", "update"])
    func alertsNeverChangeLiveActivities(_ event: String) throws {
        var rig = try Self.rig()
        try rig.change("alice") { $0.startActivity = DeclaredActivity() }
        let more = #","attributes-type":"Match","attributes":{},"alert":"Goal","input-push-channel":"AAAA""#
        rig.send(Self.push(Self.body(event, more, at: 1), type: .alert))
        let view = try Self.view(&rig)
        #expect(view.displayed.map(\.sequence) == [1])
        #expect(view.activities.map(\.sequence) == [nil])
    }

    // MARK: Starts

    @Test func failedStartsAreIgnoredInTheHistory() throws {
        var rig = try Self.rig()
        rig.send(Self.push(Self.start(on: "ZZZZ")))
        let entry = try #require(try Self.view(&rig).history.latest.last)
        #expect(entry.state == .ignored)
        #expect(entry.why.hasPrefix(#""input-push-channel" is not the id of a channel"#), "\(entry.why)")
    }

    /// A JSON text may spell a key with escapes.
    @Test func incompleteStartsAreIgnoredHoweverTheyAreSpelled() throws {
        var rig = try Self.rig()
        rig.send(Self.push(Self.body("start", #","input-push-ch\u0061nnel":"AAAA""#)))
        #expect(try Self.history(&rig) == [.ignored])
    }

    @Test func startsCountHoweverTheirKeyIsSpelled() throws {
        var rig = try Self.rig()
        rig.send(Self.push(Self.start(#","input-push-ch\u0061nnel":"AAAA""#)))
        #expect(Self.states(rig) == ["started"])
        #expect(try Self.history(&rig) == [.shown])
    }

    @Test func whatStartsAndNeverUpdatesIsShown() throws {
        var rig = try Self.rig()
        rig.send(Self.push(Self.start(on: "DDDD")))
        #expect(Self.states(rig) == ["started"])
        #expect(try Self.history(&rig) == [.shown])
    }

    @Test(arguments: ["AAAA", "ZZZZ"])
    func settledStartsWaitForNothing(_ channel: String) throws {
        var rig = try Self.rig()
        rig.send(Self.push(Self.start(on: channel)))
        #expect(rig.rig.gateway.state.halfStarts.isEmpty)
    }

    /// All replicas of a fleet tell of the start of each.
    @Test func ofEachTokenOneLiveActivityStarts() throws {
        var rig = try JudgeRig("")
        let found = rig.gateway.devices.find(name: "alice")
        let alice = try #require(found)
        for (name, token) in [("one", "c5"), ("one", "c5"), ("two", "d6"), ("one", "c5")] {
            var change = ActivityChange(.started, name: name, channel: nil)
            change.token = DeviceToken(hex: String(repeating: token, count: 32))
            _ = rig.gateway.state.follow(change, on: alice, isOnline: true, at: rig.time)
        }
        let shown = rig.gateway.state.subscriptions.activities(of: alice, at: rig.time)
        #expect(shown.map(\.name) == ["one", "two"])
    }

    /// A log may have lost the other halves.
    @Test func onlyTenThousandStartsWaitForTheirPush() throws {
        var rig = try JudgeRig("")
        let found = rig.gateway.devices.find(name: "alice")
        let alice = try #require(found)
        var change = ActivityChange(.started, name: nil, channel: "AAAA")
        for sequence in 1...10_001 {
            change.sequence = sequence
            _ = rig.gateway.state.follow(change, on: alice, isOnline: true, at: rig.time)
            if sequence == 10_000 { #expect(rig.gateway.state.halfStarts.keys.contains(1)) }
        }
        #expect(rig.gateway.state.halfStarts.count == 10_000)
        #expect(!rig.gateway.state.halfStarts.keys.contains(1))
    }

    /// Each replica has subscribers of its own, so no event follows there that the push would wait for.
    @Test func collectorsAwaitNoStartsOnChannels() throws {
        var rig = try JudgeRig("")
        rig.gateway.state.followsActivities = false
        for (sequence, body) in [(1, Self.start(on: "AAAA")), (2, Self.start())] {
            let payload = Array(body.utf8)
            rig.gateway.state.noteStart(by: sequence, payload.span, isOwn: true, at: rig.time)
        }
        #expect(Array(rig.gateway.state.halfStarts.keys) == [2])
    }

    /// The replicas of a fleet draw the same tokens, though each has listeners of its own.
    @Test func listenersLeaveTheTokensOfOthersAlone() throws {
        var tokens: [DeviceToken] = []
        for listens in [false, true] {
            var rig = try Self.rig()
            if listens { try rig.change("alice") { $0.subscribe = DeclaredActivity(channel: "final") } }
            try rig.change("alice") { $0.startActivity = DeclaredActivity() }
            let activities = try Self.view(&rig).activities
            #expect(activities.count == (listens ? 2 : 1))
            tokens.append(try #require(activities.compactMap(\.token).first))
        }
        #expect(tokens[0] == tokens[1])
    }

    // MARK: Ends

    @Test func aLiveActivityEndsOnlyOnce() throws {
        var rig = try Self.rig()
        try rig.change("alice") {
            $0.startActivity = DeclaredActivity(); $0.startActivity?.name = "match"
        }
        for _ in 1...2 { try rig.change("alice") { $0.endActivity = "match" } }
        #expect(Self.states(rig) == ["started", "ended"])
    }

    /// One that ends by itself is already over, so its event changes nothing, whatever the explanation says.
    @Test("Whether one ended by itself is told by its member", arguments: [false, true], [nil, "Its time was over."])
    func endsByThemselves(isByItself: Bool, explanation: String?) throws {
        for state in [ActivityChange.State.ended, .dismissed] {
            var rig = try JudgeRig("")
            try rig.change("alice") { $0.startActivity = DeclaredActivity() }
            let found = rig.gateway.devices.find(name: "alice")
            let alice = try #require(found)
            let started = rig.gateway.state.subscriptions.activities(of: alice, at: rig.time)
            var change = ActivityChange(state, try #require(started.first))
            (change.isByItself, change.explanation) = (isByItself, explanation)
            _ = rig.gateway.state.follow(change, on: alice, isOnline: true, at: rig.time)
            let shown = rig.gateway.state.subscriptions.activities(of: alice, at: rig.time)
            #expect(shown.filter { !$0.hasEnded }.isEmpty == !isByItself)
        }
    }

    @Test func declaredLiveActivitiesEndAfterEightHours() throws {
        var rig = try DeliveryRig(DeliveryRig.alice(#""activities": [{"name": "match"}]"#))
        func ends(_ rig: borrowing DeliveryRig) -> Int {
            rig.lines.count { $0.contains(#""event":"activity""#) && $0.contains(#""state":"ended""#) }
        }
        try rig.advance(by: 8 * 3_600_000 - 1)
        #expect(ends(rig) == 0)
        try rig.advance(by: 1)
        #expect(ends(rig) == 1)
    }

    @Test func unsubscribingStandsInTheHistory() throws {
        var rig = try Self.rig()
        rig.send(Self.push(Self.start(on: "AAAA")))
        try rig.change("alice") { $0.unsubscribe = "final" }
        #expect(try Self.history(&rig) == [.shown, .dismissed])
    }

    /// It is not the user who takes the Live Activity away.
    @Test func removingTheAppIsNoDismissal() throws {
        var rig = try Self.rig()
        rig.send(Self.push(Self.start(on: "AAAA")))
        try rig.change("alice") { $0.registration = .unregistered(at: nil, acceptFor: 0) }
        #expect(Self.states(rig) == ["started", "dismissed"])
        #expect(try Self.history(&rig) == [.shown])
    }

    @Test func liveActivitiesLeaveTheScreenWithTheirApp() throws {
        var rig = try JudgeRig("")
        try rig.change("alice") { $0.startActivity = DeclaredActivity() }
        let found = rig.gateway.devices.find(name: "alice")
        let alice = try #require(found)
        rig.gateway.state.devices[alice].registration = .unregistered(at: rig.time, acceptFor: 0)
        let dismissed = rig.gateway.state.followState(of: alice, at: rig.time).dismissed
        let shown = rig.gateway.state.subscriptions.activities(of: alice, at: rig.time)
        #expect(dismissed.count == 1)
        #expect(shown.isEmpty)
    }

    /// A collector waits for the event by which a replica tells of it.
    @Test func collectorsDismissNoLiveActivitiesByThemselves() throws {
        var rig = try JudgeRig("")
        try rig.change("alice") { $0.startActivity = DeclaredActivity() }
        let found = rig.gateway.devices.find(name: "alice")
        let alice = try #require(found)
        rig.gateway.state.followsActivities = false
        rig.gateway.state.devices[alice].registration = .unregistered(at: rig.time, acceptFor: 0)
        let dismissed = rig.gateway.state.followState(of: alice, at: rig.time).dismissed
        let shown = rig.gateway.state.subscriptions.activities(of: alice, at: rig.time)
        #expect(dismissed.isEmpty)
        #expect(shown.count == 1)
    }
}
