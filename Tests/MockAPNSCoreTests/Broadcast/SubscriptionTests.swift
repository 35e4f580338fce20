import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge
@testable import MockAPNSScenario

/// Live Activities that listen to broadcast channels: what they show, and what is counted, live and from the log.
@Suite struct SubscriptionTests {
    private static let members = #"""
        "channels": [{"name": "final", "topic": "com.example.app", "channelID": "AAAA"},
                     {"name": "silent", "topic": "com.example.app", "channelID": "BBBB", "storage": "none"},
                     {"name": "other", "topic": "com.example.other", "channelID": "CCCC"},
                     {"name": "production", "topic": "com.example.app", "channelID": "DDDD",
                      "environment": "production"}],
        """#

    private static let start: Int64 = 1_795_255_200

    private static func update(_ score: String, at second: Int64, event: String = "update") -> String {
        #"{"aps":{"timestamp":\#(start + second),"event":"\#(event)","content-state":{"score":"\#(score)"}}}"#
    }

    /// A push to a channel that is stored for an hour.
    private static func push(_ body: String, to id: String = "AAAA", expiration: Int64? = nil) -> ExamplePush {
        var push = ExamplePush.publish(to: id)
        push.fields.removeAll { $0.0 == "apns-expiration" }
        push.fields.append(("apns-expiration", "\(expiration ?? start + 3600)"))
        push.body = Array(body.utf8)
        return push
    }

    private static func rig(_ expectations: String) throws -> RecordedRig {
        var rig = try RecordedRig(expectations, members)
        rig.start()
        return rig
    }

    @Test func aSubscriberShowsWhatIsPublished() throws {
        var rig = try Self.rig(
            #"""
            {"channel": "final", "published": 2, "subscribers": 1, "delivered": 2},
            {"device": "alice", "activities": [{"/score": "2-0"}]}
            """#)
        try rig.change("alice") { $0.subscribe = DeclaredActivity(channel: "final") }
        rig.send(Self.push(Self.update("1-0", at: 0)))
        rig.send(Self.push(Self.update("2-0", at: 1)))
        try rig.expect("both arrived")
    }

    /// Where logs are merged, the event may come first; the push of another replica never comes.
    @Test func aStartWaitsForItsPush() throws {
        var rig = try RecordedRig("", Self.members)
        let found = rig.rig.gateway.devices.find(name: "alice")
        let device = try #require(found)
        let payload = Array(
            #"{"aps":{"timestamp":\#(Self.start),"event":"start","input-push-channel":"AAAA","content-state":{}}}"#.utf8
        )
        for (sequence, isRecordedHere) in [(5, true), (FleetOrder.firstNumber, false)] {
            var change = ActivityChange(.started, name: nil, channel: "AAAA")
            change.sequence = sequence
            _ = rig.rig.gateway.state.follow(change, on: device, isOnline: true, at: rig.rig.time)
            #expect(rig.rig.gateway.state.halfStarts.keys.contains(sequence) == isRecordedHere)
        }
        let before = rig.rig.gateway.subscriptions.activities(of: device, at: rig.rig.time)
        rig.rig.gateway.state.noteStart(by: 5, payload.span, at: rig.rig.time)
        let after = rig.rig.gateway.subscriptions.activities(of: device, at: rig.rig.time)
        #expect(before.isEmpty && after.count == 1 && rig.rig.gateway.state.halfStarts.isEmpty)
    }

    /// Only those on the channel leave the screen, whatever they are called.
    @Test func ofTwoWithOneNameOneIsDismissed() throws {
        var rig = try Self.rig(
            #"""
            {"channel": "final", "subscribers": 0}, {"channel": "silent", "subscribers": 1},
            {"device": "alice", "activities": [{}]}
            """#)
        for channel in ["final", "silent"] {
            try rig.change("alice") {
                $0.subscribe = DeclaredActivity(channel: channel)
                $0.subscribe?.name = "score"
            }
        }
        try rig.change("alice") { $0.unsubscribe = "final" }
        try rig.expect("the other one stays")
    }

    /// The first that a log says after a reset may be that a channel is gone.
    @Test func declaredActivitiesListenBeforeTheirChannelIsDeleted() throws {
        let text = #"""
            {\#(Self.members) "devices": [{"name": "alice", "token": "\#(JudgeRig.alice)", "activities": ["final"]}],
             "expect": [{"channel": "final", "subscribers": 1}, {"channels": 3}]}
            """#
        let (read, mistakes) = Scenario.read(Array(text.utf8))
        let scenario = try #require(read, "\(mistakes)")
        var gateway = Gateway(
            scenario.configuration(seed: 1, defaultTeams: GatewayRig.teams), scenario: scenario,
            startedAt: GatewayRig.now)
        var lines: [UInt8] = []
        LogEvent.reset.appendLine(at: GatewayRig.now, to: &lines)
        gateway.delete(channel: 1, at: GatewayRig.now)
        for effect in gateway.takeEffects() { effect.appendLine(at: GatewayRig.now, to: &lines) }
        for input in [
            gateway.verificationInput(at: GatewayRig.now), try RecordedLog.read(lines, scenario).input,
        ] {
            let verdict = input.verify()
            #expect(verdict.passed, "\(verdict)")
        }
    }

    /// Servers with one seed give the channels that they create the same ids.
    @Test func inMergedLogsChannelsMayHaveOneID() throws {
        let (read, mistakes) = Scenario.read(Array(#"{"expect": [{"channels": 0}]}"#.utf8))
        let scenario = try #require(read, "\(mistakes)")
        let channel = BroadcastChannel(
            id: ChannelID("AAAA"), topic: "com.example.app", isSandbox: true, policy: .none, createdAt: GatewayRig.now)
        var lines: [UInt8] = []
        for (index, state) in [ChannelEvent.State.created, .deleted].enumerated() {
            let time = GatewayRig.now.advanced(by: Int64(index))
            LogEvent.channel(ChannelEvent(state: state, clock: time, channel: channel)).appendLine(at: time, to: &lines)
        }
        let histories = try ["a", "b"].map { try RecordedHistory(named: $0, of: scenario, lines) }
        let merged = MergedLogs(histories, of: scenario)
        let verdict = merged.input.verify()
        #expect(verdict.passed, "\(verdict)")
    }

    @Test func figuresHaveTheStoredPushAndSubscriberCount() throws {
        var rig = try Self.rig(#"{"channels": 4}"#)
        let now = rig.rig.time
        #expect(rig.rig.gateway.figures(ofChannel: 1, at: now).stored == nil)
        // A single attempt is not stored.
        rig.send(Self.push(Self.update("1-0", at: 0), expiration: 0))
        #expect(rig.rig.gateway.figures(ofChannel: 1, at: now).stored == nil)
        rig.send(Self.push(Self.update("2-0", at: 1)))
        #expect(rig.rig.gateway.figures(ofChannel: 1, at: now).stored == 2)
        rig.send(Self.push(Self.update("3-0", at: 2)))
        #expect(rig.rig.gateway.figures(ofChannel: 1, at: now).stored == 3)
        #expect(rig.rig.gateway.figures(ofChannel: 1, at: now.advanced(by: 3_600_000)).stored == nil)
        #expect(rig.rig.gateway.subscriptions.subscriberCount(of: [1, 2], at: now) == 0)
        try rig.change("alice") { $0.subscribe = DeclaredActivity(channel: "final") }
        #expect(rig.rig.gateway.subscriptions.subscriberCount(of: [1, 2], at: now) == 1)
        // One device, however many Live Activities it has.
        try rig.change("alice") { $0.subscribe = DeclaredActivity(channel: "silent") }
        #expect(rig.rig.gateway.subscriptions.subscriberCount(of: [1, 2], at: now) == 1)
        #expect(rig.rig.gateway.subscriptions.subscriberCount(of: [3], at: now) == 0)
        #expect(rig.rig.gateway.subscriptions.subscriberCount(of: [1], at: now.advanced(by: 8 * 3_600_000)) == 0)
    }

    @Test func devicesBackOnlineGetTheNewestUpdate() throws {
        var rig = try Self.rig(
            #"""
            {"channel": "final", "published": 3, "subscribers": 1, "delivered": 2},
            {"channel": "silent", "published": 1, "subscribers": 1, "delivered": 0},
            {"device": "alice", "activities": [{"/score": "3-0"}, {}]}
            """#)
        try rig.change("alice") { $0.subscribe = DeclaredActivity(channel: "final") }
        try rig.change("alice") { $0.subscribe = DeclaredActivity(channel: "silent") }
        rig.send(Self.push(Self.update("1-0", at: 0)))
        try rig.change("alice") { $0.isOnline = false }
        rig.send(Self.push(Self.update("2-0", at: 1)))
        rig.send(Self.push(Self.update("3-0", at: 2)))
        rig.send(Self.push(Self.update("x", at: 2), to: "BBBB", expiration: 0))
        try rig.change("alice") { $0.isOnline = true }
        try rig.change("alice") { $0.isOnline = false }
        try rig.change("alice") { $0.isOnline = true }
        try rig.expect("the newest was stored")
        let record = try #require(rig.rig.gateway.log.call(of: 3))
        #expect((record.subscribers, record.delivered, record.isStored) == (1, 1, true))
        #expect(rig.rig.gateway.log.call(of: 2)?.delivered == 0)
    }

    @Test func nothingIsStoredForASingleAttempt() throws {
        var rig = try Self.rig(#"{"device": "alice", "activities": [{}]}, {"channel": "final", "delivered": 0}"#)
        try rig.change("alice") { $0.subscribe = DeclaredActivity(channel: "final") }
        try rig.change("alice") { $0.isOnline = false }
        rig.send(Self.push(Self.update("1-0", at: 0), expiration: 0))
        try rig.change("alice") { $0.isOnline = true }
        try rig.expect("one attempt")
        #expect(rig.rig.gateway.log.call(of: 1)?.isStored == false)
    }

    @Test(arguments: [false, true]) func storedPushesReachLateSubscribersOnlyIfConfigured(_ delivers: Bool) throws {
        let more = #""broadcast": {"deliverToLateSubscribers": \#(delivers)},"#
        var rig = try RecordedRig(
            #"{"device": "alice", "activities": [{"/score": "1-0"}]}, {"channel": "final", "delivered": 1}"#,
            Self.members + more)
        rig.start()
        rig.send(Self.push(Self.update("1-0", at: 0)))
        try rig.change("alice") { $0.subscribe = DeclaredActivity(channel: "final") }
        #expect(rig.rig.gateway.verificationInput(at: rig.rig.time).verify().passed == delivers)
        #expect(try rig.recorded().input.verify().passed == delivers)
        #expect(rig.rig.gateway.log.call(of: 1)?.delivered == (delivers ? 1 : 0))
    }

    @Test func anEndEndsAllThatAreOnline() throws {
        var rig = try Self.rig(
            #"""
            {"channel": "final", "subscribers": 0, "delivered": 2},
            {"device": "alice", "activities": [{"/score": "end"}]}, {"device": "bob", "activities": [{"/score": "end"}]}
            """#)
        for name in ["alice", "bob"] { try rig.change(name) { $0.subscribe = DeclaredActivity(channel: "final") } }
        // Its timestamp does not matter.
        rig.send(Self.push(Self.update("end", at: -9000, event: "end")))
        #expect(rig.rig.gateway.subscriptions.figures(of: 1, at: GatewayRig.now).subscribers == 1)
        try rig.change("bob") { $0.isOnline = true }
        rig.send(Self.push(Self.update("after", at: 5)))
        try rig.expect("ended")
    }

    @Test func endedActivitiesKeepTheStateBeforeTheEnd() throws {
        var rig = try Self.rig(
            #"""
            {"device": "alice", "activities": [{"/score": "1-0"}]}, {"device": "bob", "activities": [{"/score": "2-0"}]}
            """#)
        try rig.change("alice") { $0.subscribe = DeclaredActivity(channel: "final") }
        rig.send(Self.push(Self.update("1-0", at: 1)))
        rig.send(Self.push(#"{"aps":{"event":"end"}}"#))
        // Another match is on the same channel.
        try rig.change("bob") { $0.isOnline = true }
        try rig.change("bob") { $0.subscribe = DeclaredActivity(channel: "final") }
        rig.send(Self.push(Self.update("2-0", at: 2)))
        try rig.expect("alice saw the first match")
    }

    @Test func recordAndDeviceSayWhatWasIgnored() throws {
        var rig = try Self.rig(#"{"device": "alice", "activities": [{"/score": "1-0"}]}"#)
        try rig.change("alice") { $0.subscribe = DeclaredActivity(channel: "final") }
        for (body, why) in [
            (Self.update("0-0", at: -1), nil), (Self.update("1-0", at: 10), nil),
            (Self.update("old", at: 9), "is before that of request 2"),
            (Self.update("far", at: 8 * 3600 + 1), "more than 8 hours ahead"),
            (Self.update("x", at: 11, event: "start"), "A broadcast cannot start"),
            (#"{"aps":{"event":"update"}}"#, "no \"timestamp\""), (#"{"aps":{}}"#, "has no \"aps\" with an \"event\""),
        ] as [(String, String?)] {
            rig.send(Self.push(body))
            let sequence = rig.rig.gateway.log.latestSequence
            let line = String(decoding: try #require(rig.rig.gateway.log.snapshot.record(sequence)), as: UTF8.self)
            let ignored = try JSONText.read(Array(line.utf8))["ignored"]?.string
            #expect((ignored == nil) == (why == nil) && ignored?.contains(why ?? "") ?? true, "\(body): \(line)")
        }
        try rig.expect("only the second counts")
        let alice = rig.rig.gateway.devices.find(name: "alice")
        let view = rig.rig.gateway.view(of: try #require(alice), at: GatewayRig.now)
        let ignored = try #require(view.activities.first?.ignored)
        // The first is before the Live Activity started.
        #expect(ignored.map(\.sequence) == [1, 3, 4, 5, 6, 7])
    }

    @Test(
        "A Live Activity that no push has changed has no state, so no value of it matches",
        arguments: [
            (#""2-1""#, false), ("null", false), (#"{"exists": true}"#, false), (#"{"exists": false}"#, true),
            (#"{"not": "2-1"}"#, true), (#"{"not": {"exists": false}}"#, false), (#"{"prefix": ""}"#, false),
            (#"{"oneOf": ["2-1", {"exists": false}]}"#, true),
        ])
    func nothingMatchesWithoutAState(_ value: String, _ holds: Bool) throws {
        var rig = try Self.rig(#"{"device": "alice", "activities": [{"/score": \#(value)}]}"#)
        try rig.change("alice") { $0.subscribe = DeclaredActivity(channel: "final") }
        for input in [rig.rig.gateway.verificationInput(at: rig.rig.time), try rig.recorded().input] {
            let result = try #require(input.verify().results.first)
            #expect(result.passed == holds)
            #expect(result.seen == "alice has 1 Live Activity (one as it started with /score absent)")
        }
    }

    @Test func failedExpectationsNameTheLatestIgnoredPushes() throws {
        var rig = try Self.rig(#"{"device": "alice", "activities": [{"/score": "2-1"}, {}]}"#)
        for _ in 0..<2 { try rig.change("alice") { $0.subscribe = DeclaredActivity(channel: "final") } }
        rig.send(Self.push(Self.update("1-1", at: -1)))
        rig.send(Self.push(Self.update("2-1", at: 1, event: "start")))
        for _ in 0..<2 { rig.send(Self.push(#"{"aps":{"event":"update","content-state":{"score":"2-1"}}}"#)) }
        let untimed = #"was ignored: It has no "timestamp", the time in seconds since 1970"#
        for input in [rig.rig.gateway.verificationInput(at: rig.rig.time), try rig.recorded().input] {
            let result = try #require(input.verify().results.first)
            #expect(!result.passed && result.nearMisses.isEmpty)
            #expect(
                result.seen == """
                    alice has 2 Live Activities (one as it started with /score absent; one as it started); \
                    request 2 was ignored: A broadcast cannot start a Live Activity; the app or a push to the device does; \
                    request 3 \(untimed); request 4 \(untimed)
                    """)
        }
        rig.send(Self.push(Self.update("2-1", at: 2)))
        for input in [rig.rig.gateway.verificationInput(at: rig.rig.time), try rig.recorded().input] {
            let result = try #require(input.verify().results.first)
            #expect(result.passed && !result.seen.contains("ignored"), "\(result.seen)")
        }
    }

    @Test func aCallsScreenSaysWhatBecameOfIt() throws {
        var rig = try Self.rig(#"{"channels": 4}"#)
        for name in ["alice", "bob"] { try rig.change(name) { $0.subscribe = DeclaredActivity(channel: "final") } }
        rig.send(Self.push(Self.update("1-0", at: 1)))
        rig.send(Self.push(Self.update("1-0", at: 1), expiration: 0))
        rig.send(Self.push(Self.update("1-0", at: 1), to: "BBBB", expiration: 0))
        rig.send(Self.push(#"{"aps":{"event":"update"}}"#))
        rig.send(Self.push(Self.update("1-0", at: 1), to: "ZZZZ"))
        rig.send(.call("GET", "/1/apps/com.example.app/all-channels"))
        rig.send(.call("PUT", "/1/apps/com.example.app/all-channels"))
        let about = "This is a call about channels, which shows nothing on a device."
        let texts: [(ScreenKind, String)] = [
            (.activity, "The channel had 2 subscribers; the push was delivered to 1 device, and was stored."),
            (.activity, "The channel had 2 subscribers; the push was delivered to 1 device, and was not stored."),
            (.nothing, "The channel had 0 subscribers; the push was delivered to 0 devices, and was not stored."),
            (.nothing, #"Devices ignore the push: It has no "timestamp", the time in seconds since 1970."#),
            (.nothing, "The push was not accepted, so nothing is shown."), (.nothing, about), (.nothing, about),
        ]
        for log in [rig.rig.gateway.log.snapshot, try rig.recorded().input.log] {
            for (index, (kind, text)) in texts.enumerated() {
                let screen = try #require(log.screen(of: index + 1, in: Apps([])))
                #expect(screen.kind == kind && screen.text == text, "\(screen)")
                #expect((screen.activity?.event == .update) == (index < 4))
            }
        }
        // Bob gets the newest from storage.
        rig.send(Self.push(Self.update("2-0", at: 2)))
        try rig.change("bob") { $0.isOnline = true }
        for log in [rig.rig.gateway.log.snapshot, try rig.recorded().input.log] {
            #expect(log.screen(of: 8, in: Apps([]))?.text.contains("delivered to 2 devices") == true)
        }
    }

    @Test func aPushAnsweredByARuleNeverArrives() throws {
        var rig = ScriptRig(
            #"{"when": {"on": "broadcast"}, "then": {"respond": {"status": 200}}}"#,
            more: #""channels": [{"name": "final", "topic": "com.example.app", "channelID": "AAAA"}],"#)
        rig.send(.publish(to: "AAAA"))
        let screen = try #require(rig.gateway.log.snapshot.screen(of: 1, in: Apps([])))
        #expect(screen.kind == .nothing && screen.text == "APNs accepted the push, but it never arrives.")
    }

    @Test func aPushOneDeviceTakesIsNotIgnored() throws {
        var rig = try Self.rig(
            #"{"device": "alice", "activities": [{"/score": "2-0"}]}, {"device": "bob", "activities": [{"/score": "1-0"}]}"#
        )
        for name in ["alice", "bob"] { try rig.change(name) { $0.subscribe = DeclaredActivity(channel: "final") } }
        func ignored() throws -> String? {
            let line = try #require(rig.rig.gateway.log.snapshot.record(rig.rig.gateway.log.latestSequence))
            return try JSONText.read(Array(line))["ignored"]?.string
        }
        // Bob, who is offline, never gets it.
        rig.send(Self.push(Self.update("2-0", at: 10), expiration: 0))
        rig.send(Self.push(Self.update("1-0", at: 5), expiration: 0))
        #expect(try ignored()?.contains("is before that of request 1") == true)
        try rig.change("bob") { $0.isOnline = true }
        rig.send(Self.push(Self.update("1-0", at: 5), expiration: 0))
        #expect(try ignored() == nil)
        rig.send(Self.push(Self.update("0-0", at: 4), expiration: 0))
        #expect(try ignored()?.contains("is before that of request 3") == true)
        try rig.expect("each shows what it took")
    }

    @Test func aLiveActivityEndsByItself() throws {
        var rig = try Self.rig(
            #"""
            {"channel": "final", "published": 1, "subscribers": 0, "delivered": 0},
            {"device": "alice", "activities": []}
            """#)
        try rig.change("alice") { $0.subscribe = DeclaredActivity(channel: "final") }
        rig.work { rig in _ = try? rig.gateway.advance(by: 13 * 3_600_000) }
        rig.send(Self.push(Self.update("late", at: 0)))
        try rig.expect("after 8 hours")
    }

    @Test func theUserAndTheAppEndLiveActivities() throws {
        var rig = try Self.rig(
            #"""
            {"channel": "final", "subscribers": 0}, {"channel": "silent", "subscribers": 0},
            {"device": "alice", "activities": [{}]}
            """#)
        try rig.change("alice") { $0.subscribe = DeclaredActivity(named: "score", channel: "final") }
        try rig.change("alice") { $0.endActivity = "score" }
        try rig.change("alice") { $0.subscribe = DeclaredActivity(channel: "silent") }
        try rig.change("alice") { $0.unsubscribe = "silent" }
        rig.send(Self.push(Self.update("late", at: 0)))
        try rig.expect("none is left")
    }

    @Test func liveActivitiesStayWhenNotificationsAreOff() throws {
        var rig = try Self.rig(
            #"{"channel": "final", "subscribers": 1}, {"device": "alice", "activities": [{"/score": "1-0"}]}"#)
        try rig.change("alice") { $0.subscribe = DeclaredActivity(channel: "final") }
        try rig.change("alice") { $0.allowsNotifications = false }
        rig.send(Self.push(Self.update("1-0", at: 1)))
        try rig.expect("it shows what it gets")
    }

    @Test func whoRemovesTheAppRemovesItsLiveActivities() throws {
        var rig = try Self.rig(
            #"{"channel": "final", "subscribers": 0}, {"device": "alice", "activities": []}"#)
        try rig.change("alice") { $0.subscribe = DeclaredActivity(channel: "final") }
        try rig.change("alice") { $0.registration = .unregistered(at: nil, acceptFor: 0) }
        try rig.expect("the app is gone")
    }

    @Test func devicesWithLiveActivitiesAreForgottenLast() throws {
        var rig = ScriptRig("", more: Self.members)
        rig.gateway.state.devices = DeviceRegistry(hashSeed: 1, limit: 2)
        let tokens = ["5e", "6e", "7e"].map { String(repeating: $0, count: 32) }
        rig.send(ExamplePush { $0.path = "/3/device/" + tokens[0] })
        let device = rig.gateway.devices.find(try #require(DeviceToken(hex: tokens[0])))
        var change = DeviceChange()
        change.subscribe = DeclaredActivity(channel: "final")
        _ = rig.gateway.change(try #require(device), change, at: GatewayRig.now)
        for token in tokens[1...] { rig.send(ExamplePush { $0.path = "/3/device/" + token }) }
        #expect(rig.gateway.figures(ofChannel: 1, at: GatewayRig.now).subscribers == 1)
    }

    @Test(arguments: [
        ([], true), (["com.example.app"], true), (["com.example.other", "com.example.app.voip"], true),
        (["com.example.app.push-type.widgets"], true), (["com.example.app.complication"], false),
        (["com.example.application"], false), (["com.example.other"], false),
    ])
    func anAppStartsLiveActivitiesWhereItIs(on topics: [String], mayStart: Bool) {
        #expect(DeclaredActivity.mayStart("com.example.app", on: topics) == mayStart)
    }

    /// A push that starts a Live Activity on a channel.
    private static func startPush(
        _ token: String, type: String = "liveactivity", channel: String = "AAAA"
    ) -> ExamplePush {
        ExamplePush { push in
            push.path = "/3/device/" + token
            push.topic = type == "liveactivity" ? "com.example.app.push-type.liveactivity" : "com.example.app"
            push.fields = [("apns-push-type", type)]
            let event = #""timestamp":\#(start),"event":"start","input-push-channel":"\#(channel)""#
            let attributes = #""attributes-type":"Match","attributes":{},"alert":{"title":"Goal","body":"1"}"#
            push.body = Array(#"{"aps":{\#(event),"content-state":{"score":"0-0"},\#(attributes)}}"#.utf8)
        }
    }

    private static func subscribers(_ rig: borrowing RecordedRig) -> Int {
        rig.rig.gateway.subscriptions.figures(of: 1, at: GatewayRig.now).subscribers
    }

    @Test func pushesStartLiveActivitiesOnSelfRegisteredDevices() throws {
        let token = String(repeating: "5e", count: 32)
        var rig = try Self.rig(#"{"channels": 4}"#)
        // It is known by a push that starts none.
        var first = Self.startPush(token)
        first.body = Array(#"{"aps":{"event":"update"}}"#.utf8)
        rig.send(first)
        #expect(Self.subscribers(rig) == 0)
        rig.send(Self.startPush(token))
        #expect(Self.subscribers(rig) == 1)
    }

    /// Neither at once nor from storage.
    @Test(arguments: [("liveactivity", 2), ("alert", 0)])
    func onlyAPushOfItsTypeStartsOne(_ type: String, subscribers: Int) throws {
        var rig = try Self.rig(#"{"channels": 4}"#)
        for token in [JudgeRig.alice, JudgeRig.bob] { rig.send(Self.startPush(token, type: type)) }
        try rig.change("bob") { $0.isOnline = true }
        #expect(Self.subscribers(rig) == subscribers)
    }

    @Test(arguments: ["", #","input-push-channel":"AAAA""#])
    func theScreenSaysWhereALiveActivityListens(_ channel: String) throws {
        var rig = try Self.rig(#"{"channels": 4}"#)
        var push = Self.startPush(JudgeRig.alice)
        push.body = Array(
            String(decoding: push.body, as: UTF8.self).replacing(#","input-push-channel":"AAAA""#, with: channel).utf8)
        rig.send(push)
        let text = rig.rig.gateway.log.snapshot.screen(of: 1, in: Apps([]))?.text
        let place = channel.isEmpty ? "" : " on the channel"
        #expect(text == "The device starts a Live Activity\(place), and lights its screen.")
    }

    @Test func aPushToADeviceStartsOne() throws {
        let token = String(repeating: "5e", count: 32)
        var rig = try RecordedRig(
            #"""
            {"channel": "final", "subscribers": 2, "delivered": 1},
            {"device": "bob", "activities": [{"/score": "0-0"}]}
            """#, Self.members)
        rig.start()
        rig.send(Self.startPush(token))
        rig.send(Self.startPush(token, channel: "ZZZZ"))
        rig.send(Self.push(Self.update("1-0", at: 1)))
        #expect(rig.rig.gateway.log.call(of: 3)?.delivered == 1)
        let found = rig.rig.gateway.devices.find(try #require(DeviceToken(hex: token)))
        let view = rig.rig.gateway.view(of: try #require(found), at: GatewayRig.now)
        #expect(view.activities.map(\.channel) == ["AAAA"] && view.activities.map(\.sequence) == [3])
        #expect(view.activities.first?.attributesType == "Match")
        rig.send(Self.startPush(JudgeRig.bob))
        try rig.change("bob") { $0.isOnline = true }
        try rig.expect("one at once, one from storage")
    }

    @Test func aStartNamingAnUnknownChannelFails() throws {
        var rig = try RecordedRig(#"{"device": "alice", "activities": []}, {"device": "bob", "stored": 0}"#)
        rig.start()
        rig.send(Self.startPush(JudgeRig.alice, channel: "ZZZZ"))
        let lines = String(decoding: rig.lines, as: UTF8.self)
        let failed = #""state":"failed","token":null,"name":null,"channel":"ZZZZ","channelName":null,"sequence":1"#
        #expect(lines.contains(failed), "\(lines)")
        try rig.expect("no channel, no Live Activity")
    }

    /// An event and further members of `aps`, and why no Live Activity starts; `nil` if that is not even tried.
    @Test(
        arguments: [
            ("start", #""attributes":{}"#, #"The start has no \"attributes-type\"."#),
            ("start", #""attributes-type":"Match","attributes":{}"#, #"The start has no \"alert\" with a text."#),
            ("update", #""attributes-type":"Match","attributes":{},"alert":"1""#, nil),
        ] as [(String, String, String?)])
    func incompleteStartsSubscribeNothing(_ event: String, _ members: String, _ why: String?) throws {
        var rig = try Self.rig(#"{"channel": "final", "subscribers": 0}"#)
        rig.send(
            ExamplePush { push in
                push.path = "/3/device/" + JudgeRig.alice
                push.topic = "com.example.app.push-type.liveactivity"
                push.fields = [("apns-push-type", "liveactivity")]
                push.body = Array(
                    #"{"aps":{"timestamp":\#(Self.start),"event":"\#(event)","input-push-channel":"AAAA","content-state":{},\#(members)}}"#
                        .utf8)
            })
        let lines = String(decoding: rig.lines, as: UTF8.self)
        #expect(why.map { lines.contains($0) } ?? true && lines.contains(#""state":"failed""#) == (why != nil))
        try rig.expect("no subscribers")
    }

    @Test func productionDevicesHearNothingFromSandboxChannels() throws {
        let members = #"""
            "environment": "production",
            "channels": [{"name": "final", "topic": "com.example.app", "channelID": "AAAA", "environment": "sandbox"}],
            """#
        var rig = try RecordedRig(#"{"channel": "final", "subscribers": 0}"#, members)
        rig.start()
        try rig.change("alice") { $0.subscribe = DeclaredActivity(channel: "final") }
        let lines = String(decoding: rig.lines, as: UTF8.self)
        #expect(
            lines.contains("It never updates: the channel is of sandbox, and the device's token of production."),
            "\(lines)")
        try rig.expect("it is shown, and never updates")
    }

    @Test func channelsOfOtherAppsOrEnvironmentsSaySo() throws {
        var rig = try Self.rig(
            #"{"channel": "other", "subscribers": 0}, {"channel": "production", "subscribers": 0}, {"device": "alice", "activities": [{}]}"#
        )
        var declared: [GatewayEffect] = []
        rig.work { rig in
            var device = DeclaredDevice(token: DeviceToken(hex: String(repeating: "5e", count: 32))!)
            device.topics = ["com.example.app"]
            device.activities = [DeclaredActivity(channel: "other")]
            declared = rig.gateway.declare(device, at: GatewayRig.now)?.1 ?? []
        }
        rig.note(declared)
        try rig.change("alice") { $0.subscribe = DeclaredActivity(channel: "production") }
        try rig.change("alice") { $0.subscribe = DeclaredActivity(channel: "none") }
        let lines = String(decoding: rig.lines, as: UTF8.self)
        #expect(lines.contains(#"The channel is of the app \"com.example.other\"."#), "\(lines)")
        #expect(lines.contains("It never updates: the channel is of production"))
        #expect(lines.contains("No channel has the name or the id"))
        try rig.expect("one is shown and never updates")
    }

    @Test func declaredLiveActivitiesListenFromTheStart() throws {
        let device = #"""
            "devices": [{"name": "alice", "token": "\#(JudgeRig.alice)", "topic": "com.example.app",
                         "activities": ["final", {"name": "second", "channel": "BBBB"}]}],
            """#
        let text = #"""
            {"clock": {"manual": "2026-11-21T10:00:00Z"}, \#(Self.members) \#(device) "expect": [
              {"channel": "final", "subscribers": 1, "delivered": 1}, {"channel": "silent", "subscribers": 1},
              {"device": "alice", "activities": [{"/score": "1-0"}, {}]}]}
            """#
        let (read, mistakes) = Scenario.read(Array(text.utf8))
        let scenario = try #require(read, "\(mistakes)")
        var gateway = Gateway(
            scenario.configuration(seed: 1, defaultTeams: GatewayRig.teams), scenario: scenario,
            startedAt: GatewayRig.now)
        let connection = gateway.openConnection(.example, at: GatewayRig.now)
        let push = Self.push(Self.update("1-0", at: 1))
        let (bytes, headerLength) = push.bytes
        let token = push.token.flatMap { gateway.providerToken($0) }
        _ = gateway.receive(
            RequestFacts(
                streamID: 1, headerLength: headerLength, bodyLength: push.body.count, inFlight: 1, providerToken: token),
            bytes: bytes.span, on: connection, at: gateway.moment(at: GatewayRig.now))
        let verdict = gateway.verificationInput(at: GatewayRig.now).verify()
        #expect(verdict.passed, "\(verdict)")
        gateway.reset(at: GatewayRig.now)
        #expect(gateway.subscriptions.figures(of: 1, at: GatewayRig.now) == ChannelFigures(subscribers: 1))
    }

    /// A device that is offline because `online` says so, or has a registration or notifications like that, and how many
    /// declared Live Activities listen then.
    @Test(arguments: [
        (#""topic": "com.example.app""#, 1), (#""topics": ["com.example.app.push-type.liveactivity"]"#, 1),
        (#""topics": ["com.example.app.voip"]"#, 1), (#""topics": ["com.example.other", "com.example.app"]"#, 1),
        (#""online": true"#, 1),
        (#""registered": false"#, 0), (#""notifications": false"#, 1),
        (#""registered": {"unregisteredAt": "2026-11-21T09:00:00Z"}"#, 0),
        (#""registered": {"unregisteredAt": "2026-11-21T11:00:00Z"}"#, 1),
        (#""environment": "production""#, 0),
    ])
    func declaredLiveActivitiesStartInALogAsTheyDid(_ members: String, _ count: Int) throws {
        let text = #"""
            {"clock": {"manual": "2026-11-21T10:00:00Z"}, \#(Self.members)
             "devices": [{"name": "alice", "token": "\#(JudgeRig.alice)", \#(members), "activities": ["final"]}],
             "expect": [{"channel": "final", "subscribers": \#(count)}]}
            """#
        let (read, mistakes) = Scenario.read(Array(text.utf8))
        let scenario = try #require(read, "\(mistakes)")
        var gateway = Gateway(
            scenario.configuration(seed: 1, defaultTeams: GatewayRig.teams), scenario: scenario,
            startedAt: GatewayRig.now)
        gateway.start(at: GatewayRig.now)
        #expect(gateway.verificationInput(at: GatewayRig.now).verify().passed)
        var lines: [UInt8] = []
        for effect in gateway.takeEffects() { effect.appendLine(at: GatewayRig.now, to: &lines) }
        #expect(try RecordedLog.read(lines, scenario).input.verify().passed)
    }

    @Test(arguments: ["update", "end"])
    func deletingAChannelLeavesWhatWasPublished(_ event: String) throws {
        var rig = try Self.rig(
            #"{"device": "alice", "activities": [{"/score": "2-0"}]}, {"device": "bob", "activities": [{}]}"#)
        for name in ["alice", "bob"] { try rig.change(name) { $0.subscribe = DeclaredActivity(channel: "final") } }
        rig.send(Self.push(Self.update("1-0", at: 1)))
        rig.send(Self.push(Self.update("2-0", at: 2, event: event)))
        rig.send(.call("DELETE", "/1/apps/com.example.app/channels", channel: "AAAA"))
        try rig.expect("alice was online")
        let alice = rig.rig.gateway.devices.find(name: "alice")
        let view = rig.rig.gateway.view(of: try #require(alice), at: rig.rig.time)
        #expect(view.activities.map(\.event.rawValue) == [event])
    }

    @Test func channelsWithoutStorageNeverStoreAPush() throws {
        var rig = try RecordedRig(
            #"{"channel": "silent", "delivered": 0}, {"device": "bob", "activities": [{}]}"#,
            Self.members + #""broadcast": {"unstoredExpiration": "nonZero"},"#)
        rig.start()
        try rig.change("bob") { $0.subscribe = DeclaredActivity(channel: "silent") }
        rig.send(Self.push(Self.update("1-0", at: 1), to: "BBBB"))
        #expect(rig.rig.gateway.log.call(of: 1)?.isStored == false)
        try rig.change("bob") { $0.isOnline = true }
        try rig.expect("nothing was stored")
    }

    @Test func deletingAChannelLeavesWhatIsStored() throws {
        var rig = try Self.rig(#"{"device": "alice", "activities": [{"/score": "1-0"}]}, {"channels": 3}"#)
        try rig.change("alice") { $0.subscribe = DeclaredActivity(channel: "final") }
        try rig.change("alice") { $0.isOnline = false }
        rig.send(Self.push(Self.update("1-0", at: 1)))
        rig.send(.call("DELETE", "/1/apps/com.example.app/channels", channel: "AAAA"))
        try rig.change("alice") { $0.isOnline = true }
        try rig.expect("it was stored before")
    }
}

/// What is remembered of Live Activities that come and go while nothing is published.
@Suite struct SubscriptionMemoryTests {
    @Test("A push walks no subscribers: 20,000 pushes to 100,000 of them would take minutes")
    func publishingWalksNoSubscribers() {
        var subscriptions = Subscriptions()
        let count = 100_000
        for device in 0..<count {
            let activity = LiveActivity(name: nil, on: "AAAA", at: GatewayRig.now)
            _ = subscriptions.add(
                Subscription(activity, on: DeviceIndex(rawValue: UInt32(device)), to: 1, isOnline: device % 4 > 0),
                getsStored: false, at: GatewayRig.now)
        }
        let body = #"{"aps":{"event":"update","timestamp":\#(GatewayRig.now.seconds),"content-state":{"n":1}}}"#
        let content = LiveActivityPush(Array(body.utf8).span)
        for sequence in 1...20_000 {
            let push = ChannelPush(
                sequence: sequence, time: GatewayRig.now, content: content, byteCount: body.utf8.count)
            let outcome = subscriptions.publish(push, to: 1, storedUntil: nil)
            #expect((outcome.subscribers, outcome.delivered) == (count, count / 4 * 3))
        }
        let shown = subscriptions.activities(of: DeviceIndex(rawValue: 99_999), at: GatewayRig.now)
        #expect(shown.map(\.sequence) == [20_000])
    }

    @Test func endPushesAreNotKeptForGood() {
        var subscriptions = Subscriptions()
        let count = 1000
        for number in 0..<count {
            let device = DeviceIndex(rawValue: UInt32(number))
            _ = subscriptions.add(
                Subscription(LiveActivity(name: nil, on: "AAAA", at: GatewayRig.now), on: device, to: 1),
                getsStored: false,
                at: GatewayRig.now)
            let body = Array(#"{"aps":{"event":"end","content-state":{"n":\#(number)}}}"#.utf8)
            let push = ChannelPush(
                sequence: number + 1, time: GatewayRig.now, content: LiveActivityPush(body.span), byteCount: 100)
            #expect(subscriptions.publish(push, to: 1, storedUntil: nil).delivered == 1)
            #expect(subscriptions.byteCount <= (ChannelFeed.limit + 2) * 100)
        }
        // Each still shows what it ended with.
        for number in 0..<count {
            let shown = subscriptions.activities(of: DeviceIndex(rawValue: UInt32(number)), at: GatewayRig.now)
            #expect(shown.map(\.sequence) == [number + 1] && shown.map(\.event) == [.end])
            #expect(shown.first?.state?["n"]?.int64 == Int64(number))
        }
        #expect(subscriptions.figures(of: 1, at: GatewayRig.now).subscribers == 0)
    }

    @Test func whoHasLeftIsForgotten() {
        var subscriptions = Subscriptions()
        let devices = (0..<20_000).map { DeviceIndex(rawValue: UInt32($0)) }
        func start(on device: DeviceIndex) {
            let activity = LiveActivity(name: nil, on: "AAAA", at: GatewayRig.now)
            _ = subscriptions.add(
                Subscription(activity, on: device, to: 1), getsStored: false, at: GatewayRig.now)
        }
        start(on: devices[0])
        for device in devices.dropFirst() {
            start(on: device)
            subscriptions.remove(device, at: GatewayRig.now)
        }
        #expect(subscriptions.rememberedCount(of: 1) <= 1025)
        let twelveHours = GatewayRig.now.advanced(by: 12 * 3_600_000 - 1)
        #expect(subscriptions.activities(of: devices[0], at: twelveHours).map(\.event) == [.end])
        #expect(subscriptions.figures(of: 1, at: twelveHours).subscribers == 0)
    }
}

extension DeclaredActivity {
    init(named name: String, channel: String) {
        self.init(channel: channel)
        self.name = name
    }
}

extension ChannelFigures {
    init(subscribers: Int) {
        self.init()
        self.subscribers = subscribers
    }
}
