import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge
@testable import MockAPNSScenario

/// Live Activities with tokens of their own: who gets which token, what each is for, and when it is dead.
@Suite struct ActivityTokenTests {
    private static let own = #""liveActivities": {"tokens": "own"},"#
    private static let topic = "com.example.app.push-type.liveactivity"
    private static let start: Int64 = 1_795_255_200

    private static func rig(_ expectations: String = "", _ more: String = own) throws -> RecordedRig {
        var rig = try RecordedRig(expectations, more)
        rig.start()
        return rig
    }

    @Test("A rule for a device decides about pushes to the tokens of its Live Activities, and changes the device")
    func rulesKnowTheDevice() throws {
        var rig = try Self.rig(
            "",
            Self.own
                + #""rules": [{"name": "busy", "when": {"device": "alice"}, "times": 1, "then": {"reject": "TooManyRequests"}}, {"name": "off", "when": {"device": "alice"}, "then": {"pass": true, "device": {"online": false}}}],"#
        )
        let start = try Self.startToken(&rig)
        #expect(Self.send(&rig, Self.push(to: start, Self.startBody())) == "429 TooManyRequests")
        #expect(Self.send(&rig, Self.push(to: start, Self.startBody())) == "200")
        #expect(try Self.view(&rig).device.isOnline == false)
    }

    @Test("A Live Activity that the app starts leaves the device token to pushes of others")
    func appStartsOne() throws {
        var rig = try Self.rig("", "")
        #expect(Self.send(&rig, Self.push(to: JudgeRig.alice, Self.startBody(""))) == "200")
        try rig.change("alice") { $0.startActivity = DeclaredActivity() }
        #expect(Self.send(&rig, Self.push(to: JudgeRig.alice, Self.startBody(""))) == "200")
        #expect(try Self.view(&rig).activities.count == 3)
    }

    @Test("Without tokens of its own, an update changes the Live Activity of its app")
    func updatesFindTheirApp() throws {
        var rig = try Self.rig("", "")
        let other = "com.example.other.push-type.liveactivity"
        for topic in [Self.topic, other] {
            #expect(Self.send(&rig, Self.push(to: JudgeRig.alice, Self.startBody(""), topic: topic)) == "200")
        }
        #expect(Self.send(&rig, Self.push(to: JudgeRig.alice, Self.body("update", "1-0"))) == "200")
        let states = try Self.view(&rig).activities.map { String(describing: $0.state) }
        #expect(states.count == 2 && states[0].contains("1-0") && !states[1].contains("1-0"), "\(states)")
    }

    @Test("Without tokens of its own, an update changes the Live Activity that the app has started")
    func updatesReachWhatTheAppStarted() throws {
        var rig = try Self.rig(#"{"device": "alice", "activities": [{"/score": "2-1"}]}"#, "")
        try rig.change("alice") {
            $0.startActivity = DeclaredActivity(); $0.startActivity?.name = "match"
        }
        #expect(Self.send(&rig, Self.push(to: JudgeRig.alice, Self.body("update", "1-0"))) == "200")
        #expect(try Self.view(&rig).activities.map(\.name) == ["match"])
        #expect(Self.events(rig).last?.contains("updated") == true)
        #expect(Self.send(&rig, Self.push(to: JudgeRig.alice, Self.body("end", "2-1"))) == "200")
        #expect(Self.events(rig).last?.contains("ended") == true)
        try rig.expect("the final score")
    }

    /// The checks refuse such a push, but a log may be of a run in which the device had no tokens of the kind.
    @Test(arguments: [(own, false), ("", true)])
    func besideStartTokensADeviceTokenUpdatesNothing(_ more: String, updates: Bool) throws {
        var rig = try Self.rig("", more)
        try rig.change("alice") { $0.startActivity = DeclaredActivity() }
        let (token, topic) = (Array(JudgeRig.alice.utf8), Array(Self.topic.utf8))
        let payload = Array(Self.body("update", "1-0").utf8)
        var record = RequestRecord()
        record.clock = rig.rig.gateway.clock.time(at: rig.rig.time)
        record.token = ByteRange(start: 0, count: token.count)
        let push = DecidedPush(record, as: 1, fields: token.span, payload: payload.span, topic: topic.span)
        let address = rig.rig.gateway.state.activityAddress(of: push)
        #expect((address != nil) == updates)
    }

    private static func startBody(_ more: String = #""input-push-token":1,"#) -> String {
        #"""
        {"aps":{"timestamp":\#(start),"event":"start","attributes-type":"Match","attributes":{"home":"A"},\#(more)
        "alert":{"title":"Kick-off","body":"A – B"},"content-state":{"score":"0-0"}}}
        """#
    }

    private static func body(_ event: String, _ score: String, at second: Int64 = 1) -> String {
        #"{"aps":{"timestamp":\#(start + second),"event":"\#(event)","content-state":{"score":"\#(score)"}}}"#
    }

    private static func push(
        to token: String, _ body: String, type: String? = "liveactivity", topic: String = topic
    ) -> ExamplePush {
        ExamplePush { push in
            push.path = "/3/device/" + token
            push.topic = topic
            push.body = Array(body.utf8)
            push.fields = (type.map { [("apns-push-type", $0)] } ?? []) + [("apns-expiration", "\(start + 3600)")]
        }
    }

    /// Sends a push; returns its status, and the reason if it was refused.
    @discardableResult
    private static func send(_ rig: inout RecordedRig, _ push: ExamplePush) -> String {
        rig.send(push)
        let record = rig.rig.gateway.log.open.records.last
        let status = record?.status.map { "\($0)" } ?? "-"
        return record?.reason.map { "\(status) \($0.name)" } ?? status
    }

    private static func view(_ rig: inout RecordedRig, _ name: String = "alice") throws -> DeviceView {
        let found = rig.rig.gateway.devices.find(name: name)
        let now = rig.rig.gateway.clock.time(at: rig.rig.time)
        return rig.rig.gateway.view(of: try #require(found), at: now)
    }

    private static func startToken(_ rig: inout RecordedRig, _ name: String = "alice") throws -> String {
        try #require(try view(&rig, name).startTokens.first).token.hex
    }

    private static func updateToken(_ rig: inout RecordedRig, _ name: String = "alice") throws -> String {
        try #require(try view(&rig, name).activities.last?.token).hex
    }

    private static func events(_ rig: borrowing RecordedRig) -> [String] {
        String(decoding: rig.lines, as: UTF8.self).split(separator: "\n").compactMap { line in
            guard let value = try? JSONText.read(Array(line.utf8)), value["event"]?.string == "activity" else {
                return nil
            }
            let token = value["token"]?.string.map { String($0.prefix(4)) } ?? "-"
            return
                "\(value["device"]?.string ?? "-") \(value["topic"]?.string ?? "-") \(value["state"]?.string ?? "") \(token)"
        }
    }

    @Test func aLiveActivityLivesFromItsStartTo410() throws {
        var rig = try Self.rig(#"{"device": "alice", "activities": [{"/score": "2-1"}], "received": 3}"#)
        #expect(Self.send(&rig, Self.push(to: try Self.startToken(&rig), Self.startBody())) == "200")
        let token = try Self.updateToken(&rig)
        #expect(Self.send(&rig, Self.push(to: token, Self.body("update", "1-1"))) == "200")
        #expect(Self.send(&rig, Self.push(to: token, Self.body("end", "2-1", at: 2))) == "200")
        rig.work { $0.time.milliseconds += 5000 }
        #expect(Self.send(&rig, Self.push(to: token, Self.body("update", "3-1", at: 3))) == "410 ExpiredToken")
        let mark = token.prefix(4)
        #expect(
            Self.events(rig) == ["started", "updated", "ended"].map { "alice com.example.app \($0) \(mark)" })
        try rig.expect("the last state is shown")
    }

    @Test func aDeadTokenTellsWhenItsLiveActivityEnded() throws {
        var rig = try Self.rig()
        Self.send(&rig, Self.push(to: try Self.startToken(&rig), Self.startBody()))
        let token = try Self.updateToken(&rig)
        rig.work { rig in _ = try? rig.gateway.advance(by: 9 * 3_600_000) }
        #expect(Self.send(&rig, Self.push(to: token, Self.body("update", "1-0"))) == "410 ExpiredToken")
        let end = GatewayRig.now.advanced(by: 8 * 3_600_000).text
        #expect(String(decoding: rig.lines, as: UTF8.self).contains("ended at \(end)"))
    }

    @Test func anEndAfter8HoursIsAnEvent() throws {
        var rig = try Self.rig(#"{"device": "alice", "activities": [{"/score": "0-0"}, {}]}"#)
        Self.send(&rig, Self.push(to: try Self.startToken(&rig), Self.startBody()))
        let first = try Self.updateToken(&rig).prefix(4)
        rig.note(try rig.rig.gateway.advance(by: 3_600_000))
        try rig.change("alice") {
            $0.startActivity = DeclaredActivity(); $0.startActivity?.name = "two"
        }
        let second = try Self.updateToken(&rig).prefix(4)
        let end = GatewayRig.now.advanced(by: 8 * 3_600_000)
        rig.work { rig in
            let next = rig.gateway.nextEvent(at: rig.gateway.clock.time(at: rig.time))
            #expect(next?.time == end)
            #expect(next?.kind == .endOfActivity(device: rig.gateway.devices.token(of: .init(rawValue: 0))))
        }
        rig.note(try rig.rig.gateway.advance(by: 8 * 3_600_000 - 3_600_001))
        #expect(Self.events(rig).count == 2)
        rig.note(try rig.rig.gateway.advance(by: 1))
        #expect(Self.events(rig).last == "alice com.example.app ended \(first)")
        #expect(String(decoding: rig.lines, as: UTF8.self).contains("ends after 8 hours at the latest"))
        #expect(Self.endsByThemselves(rig) == 1)
        try rig.change("alice") { $0.endActivity = "two" }
        rig.work { rig in
            #expect(rig.gateway.nextEvent(at: rig.gateway.clock.time(at: rig.time)) == nil)
        }
        rig.note(try rig.rig.gateway.advance(by: 3_600_000))
        #expect(Self.events(rig).last == "alice - ended \(second)")
        #expect(Self.events(rig).count == 4)
        #expect(Self.endsByThemselves(rig) == 1)
        try rig.expect("both are shown for 4 more hours")
    }

    private static func endsByThemselves(_ rig: borrowing RecordedRig) -> Int {
        String(decoding: rig.lines, as: UTF8.self).split(separator: "\n").count { $0.contains(#""byItself":true"#) }
    }

    @Test func theOldestMakesRoomWithAnEvent() throws {
        var rig = try Self.rig()
        for _ in 0...LiveActivities.limit {
            try rig.change("alice") { $0.startActivity = DeclaredActivity() }
        }
        let events = Self.events(rig)
        try #require(events.count == LiveActivities.limit + 2)
        #expect(events.last == events.first?.replacing("started", with: "dismissed"))
        #expect(try Self.view(&rig).activities.count == LiveActivities.limit)
        #expect(String(decoding: rig.lines, as: UTF8.self).contains("it made room for the newest"))
        #expect(Self.endsByThemselves(rig) == 1)
    }

    @Test func eachTokenIsForItsEventsAlone() throws {
        var rig = try Self.rig()
        let (device, start) = (JudgeRig.alice, try Self.startToken(&rig))
        #expect(Self.send(&rig, Self.push(to: start, Self.startBody())) == "200")
        let update = try Self.updateToken(&rig)
        let refused = "400 DeviceTokenNotForTopic"
        #expect(Self.send(&rig, Self.push(to: device, Self.startBody())) == refused)
        #expect(Self.send(&rig, Self.push(to: device, Self.body("update", "1-0"))) == refused)
        #expect(Self.send(&rig, Self.push(to: start, Self.body("update", "1-0"))) == refused)
        #expect(Self.send(&rig, Self.push(to: update, Self.startBody())) == refused)
        let hello = #"{"aps":{"alert":"Hello"}}"#
        #expect(Self.send(&rig, Self.push(to: update, hello, type: "alert", topic: "com.example.app")) == refused)
        #expect(
            Self.send(
                &rig, Self.push(to: update, Self.body("end", "1-0"), topic: "com.example.other.push-type.liveactivity"))
                == refused)
        #expect(Self.send(&rig, Self.push(to: device, hello, type: "alert", topic: "com.example.app")) == "200")
        let unknown = String(repeating: "ab", count: 32)
        #expect(Self.send(&rig, Self.push(to: unknown, Self.startBody())) == "400 BadDeviceToken")
        let record = rig.rig.gateway.log.snapshot.texts.last
        #expect(record?.contains("neither a push-to-start token nor the update token") == true)
    }

    @Test func withoutInputPushTokenAStartedOneHasNoToken() throws {
        var rig = try Self.rig(#"{"device": "alice", "activities": [{"/score": "0-0"}]}"#)
        Self.send(&rig, Self.push(to: try Self.startToken(&rig), Self.startBody("")))
        #expect(try Self.view(&rig).activities.map(\.token) == [nil])
        #expect(Self.events(rig) == ["alice com.example.app started -"])
        try rig.expect("it is shown")
    }

    @Test func theAppStartsEndsAndDismissesOnesByName() throws {
        var rig = try Self.rig(#"{"device": "alice", "activities": [{"/score": "1-0"}]}"#)
        try rig.change("alice") {
            $0.startActivity = DeclaredActivity(); $0.startActivity?.name = "one"
        }
        try rig.change("alice") {
            $0.startActivity = DeclaredActivity(); $0.startActivity?.name = "two"
        }
        let activities = try Self.view(&rig).activities
        let tokens = activities.compactMap(\.token).map(\.hex)
        try #require(Set(tokens).count == 2)
        try rig.change("alice") { $0.dismissActivity = "one" }
        #expect(Self.send(&rig, Self.push(to: tokens[0], Self.body("update", "9-9"))) == "410 ExpiredToken")
        #expect(Self.send(&rig, Self.push(to: tokens[1], Self.body("update", "1-0"))) == "200")
        try rig.change("alice") { $0.endActivity = "two" }
        #expect(Self.send(&rig, Self.push(to: tokens[1], Self.body("update", "2-0"))) == "410 ExpiredToken")
        #expect(
            Self.events(rig).map { $0.split(separator: " ")[2] } == [
                "started", "started", "dismissed", "updated", "ended",
            ])
        try rig.expect("only the second is on the screen")
    }

    @Test func aDismissalStandsInTheHistoryOfThePushThatWasSeenLast() throws {
        var rig = try Self.rig(#"{"device": "alice", "history": {"shown": 2, "dismissed": 1}}"#)
        Self.send(&rig, Self.push(to: try Self.startToken(&rig), Self.startBody()))
        let token = try Self.updateToken(&rig)
        Self.send(&rig, Self.push(to: token, Self.body("update", "1-0")))
        try rig.change("alice") { $0.dismissActivity = token }
        let last = try #require(try Self.view(&rig).history.latest.last)
        #expect(last.sequence == 2 && last.state == .dismissed && last.why == "The user dismissed the Live Activity.")
        try rig.expect("live and by the log")
    }

    @Test func whatIsStoredReachesTheOneItWasSentTo() throws {
        var rig = try Self.rig(#"{"device": "bob", "activities": [{"/score": "1-0"}, {"/score": "2-0"}]}"#)
        for name in ["one", "two"] {
            try rig.change("bob") {
                $0.startActivity = DeclaredActivity(); $0.startActivity?.name = name
            }
        }
        let tokens = try Self.view(&rig, "bob").activities.compactMap(\.token).map(\.hex)
        for (index, token) in tokens.enumerated() {
            #expect(Self.send(&rig, Self.push(to: token, Self.body("update", "\(index + 1)-0"))) == "200")
        }
        #expect(try Self.view(&rig, "bob").stored.count == 2)
        try rig.change("bob") { $0.isOnline = true }
        try rig.expect("each shows its own")
    }

    @Test func aStoredStartStartsOneWhenTheDeviceIsBack() throws {
        var rig = try Self.rig(#"{"device": "bob", "activities": [{"/score": "0-0"}]}"#)
        #expect(Self.send(&rig, Self.push(to: try Self.startToken(&rig, "bob"), Self.startBody())) == "200")
        #expect(try Self.view(&rig, "bob").activities.isEmpty)
        try rig.change("bob") { $0.isOnline = true }
        #expect(Self.send(&rig, Self.push(to: try Self.updateToken(&rig, "bob"), Self.body("update", "0-0"))) == "200")
        try rig.expect("it is shown")
    }

    @Test func aDeclaredPushToStartTokenIsEnough() throws {
        let token = String(repeating: "c5", count: 32)
        let text = """
            {"devices": [{"name": "carol", "topics": ["com.example.app", "com.example.app.voip", "com.example.other"],
                          "pushToStartToken": {"com.example.other": "\(token)"},
                          "activities": [{"name": "match", "topic": "com.example.app"}]}]}
            """
        let (scenario, mistakes) = Scenario.read(Array(text.utf8))
        #expect(mistakes.isEmpty)
        let device = try #require(scenario?.devices.first)
        #expect(device.startTokens.map(\.app) == ["com.example.app", "com.example.other"])
        #expect(device.startTokens.last?.token.hex == token)
        #expect(device.startTokens.first?.token != device.token)
        #expect(device.activities.first?.token != nil)
    }

    @Test func aNewTokenLeavesTheOldOneUnregistered() throws {
        var rig = try Self.rig(
            #"{"device": "bob", "received": 1}, {"requests": {"device": "bob"}, "count": 2}"#
        )
        rig.work { $0.send(to: JudgeRig.bob) }
        let before = try Self.startToken(&rig, "bob")
        try rig.change("bob") { $0.newToken = true }
        let view = try Self.view(&rig, "bob")
        #expect(view.stored.isEmpty && !view.device.isOnline && view.token.hex != JudgeRig.bob)
        #expect(try Self.startToken(&rig, "bob") != before)
        let hello = #"{"aps":{"alert":"Hello"}}"#
        let alert = Self.push(to: JudgeRig.bob, hello, type: "alert", topic: "com.example.app")
        #expect(Self.send(&rig, alert) == "410 Unregistered")
        #expect(Self.send(&rig, Self.push(to: view.token.hex, hello, type: "alert", topic: "com.example.app")) == "200")
        try rig.change("bob") { $0.isOnline = true }
        #expect(rig.rig.gateway.log.open.records.first?.delivery == .discardedUnregisteredFromStorage)
        try rig.expect("the name goes with the new token")
    }

    @Test func aRemovedAppTakesTheTokensOfItsLiveActivities() throws {
        var rig = try Self.rig()
        Self.send(&rig, Self.push(to: try Self.startToken(&rig), Self.startBody()))
        let token = try Self.updateToken(&rig)
        try rig.change("alice") { $0.registration = .unregistered(at: nil, acceptFor: 0) }
        #expect(Self.send(&rig, Self.push(to: token, Self.body("update", "1-0"))) == "410 Unregistered")
    }

    @Test func mistakesInTokensAreNamed() {
        func mistakes(_ device: String) -> [String] {
            Scenario.read(Array(#"{"devices": [{"token": "\#(JudgeRig.bob)"}, \#(device)]}"#.utf8)).1.map(\.message)
        }
        #expect(
            mistakes(#"{"topics": ["a.b", "c.d"], "pushToStartToken": "\#(JudgeRig.alice)"}"#).first?.contains(
                "expected an object with a token for each app") == true)
        #expect(mistakes(#"{"topic": "a.b", "pushToStartToken": {"c.d": "\#(JudgeRig.alice)"}}"#).count == 1)
        #expect(
            mistakes(#"{"pushToStartToken": "\#(JudgeRig.bob)"}"#).first?.contains("expected each token once") == true)
        #expect(
            mistakes(#"{"activities": [{"token": "\#(JudgeRig.alice)"}, {"token": "\#(JudgeRig.alice)"}]}"#).count == 1)
        #expect(mistakes(#"{"topic": "a.b", "activities": [{"topic": "c.d"}]}"#).count == 1)
    }

    @Test func onlyTheLatestDeadTokensAreRemembered() {
        var tokens = ActivityTokens()
        let device = DeviceIndex(rawValue: 0)
        func token(_ number: Int) -> DeviceToken { DeviceToken(seed: 1, for: "\(number)") }
        tokens.add([StartToken(app: "", token: token(0))], of: device)
        for number in 1...2 * ActivityTokens.expiredLimit + 1 {
            tokens.add(token(number), of: device, toUpdate: number)
            tokens.expire(token(number), app: nil, since: GatewayRig.now)
        }
        #expect(tokens[token(ActivityTokens.expiredLimit + 1)] == nil)
        #expect(tokens[token(ActivityTokens.expiredLimit + 2)] != nil)
        tokens.remove(device)
        #expect(tokens.isEmpty)
    }

    /// Its device may have been declared again, with the same token.
    @Test func aTokenInUseAgainIsNotForgotten() {
        var tokens = ActivityTokens()
        let device = DeviceIndex(rawValue: 0)
        func token(_ number: Int) -> DeviceToken { DeviceToken(seed: 1, for: "\(number)") }
        func use(_ number: Int) {
            tokens.add(token(number), of: device, toUpdate: number)
        }
        use(0)
        tokens.expire(token(0), app: nil, since: GatewayRig.now)
        tokens.remove(device)
        use(0)
        for number in 1...ActivityTokens.expiredLimit {
            use(number)
            tokens.expire(token(number), app: nil, since: GatewayRig.now)
        }
        #expect(tokens[token(0)] == ActivityTokens.Entry(device: device, use: .update(0)))
    }

    @Test func waitsForLiveActivitiesHaveALimit() throws {
        var rig = try JudgeRig("")
        var waits: [Int] = []
        for _ in 0..<WaitTable.limit { waits.append(try rig.gateway.beginActivityWait()) }
        #expect(throws: WaitRefusal.self) { _ = try rig.gateway.beginActivityWait() }
        rig.gateway.cancelWait(waits[0])
        let another = try rig.gateway.beginActivityWait()
        let woken = rig.gateway.takeWoken()
        #expect(woken.isEmpty)
        try rig.change("alice") { $0.startActivity = DeclaredActivity() }
        let ids = rig.gateway.takeWoken().map(\.id)
        #expect(ids == waits.dropFirst() + [another])
    }

    @Test func anAppOfWhichTheDeviceHasNoTopicStartsNone() throws {
        let text = #"{"devices": [{"name": "carol", "token": "\#(JudgeRig.bob)", "topic": "com.example.app"}]}"#
        let scenario = try #require(Scenario.read(Array(text.utf8)).0)
        var gateway = Gateway(
            scenario.configuration(seed: 1, defaultTeams: GatewayRig.teams), scenario: scenario,
            startedAt: GatewayRig.now)
        let found = gateway.devices.find(name: "carol")
        let carol = try #require(found)
        for (app, count) in [("com.example.other", 0), ("com.example.app", 1)] {
            var change = DeviceChange()
            change.startActivity = DeclaredActivity()
            change.startActivity?.app = app
            _ = gateway.change(carol, change, at: GatewayRig.now)
            let view = gateway.view(of: carol, at: GatewayRig.now)
            #expect(view.activities.count == count)
        }
    }

    @Test func oneThatAPushStartedIsDismissedByItsToken() throws {
        var rig = try Self.rig(#"{"device": "alice", "activities": []}"#)
        Self.send(&rig, Self.push(to: try Self.startToken(&rig), Self.startBody()))
        let token = try Self.updateToken(&rig)
        try rig.change("alice") { $0.dismissActivity = token }
        #expect(Self.send(&rig, Self.push(to: token, Self.body("update", "1-0"))) == "410 ExpiredToken")
        try rig.expect("it is gone")
    }

    @Test func aTokenInUseStartsNothing() throws {
        var rig = try Self.rig(#"{"device": "alice", "activities": []}"#)
        for text in [JudgeRig.alice, try Self.startToken(&rig, "bob")] {
            let token = try #require(DeviceToken(hex: text))
            try rig.change("alice") { change in
                change.startActivity = DeclaredActivity()
                change.startActivity?.token = token
            }
            var carol = DeclaredDevice(token: DeviceToken(seed: 9, for: "carol"))
            carol.startTokens = [StartToken(app: "", token: token)]
            let declared = rig.rig.gateway.declare(carol, at: GatewayRig.now)
            #expect(declared == nil)
        }
        #expect(Self.events(rig).allSatisfy { $0.contains("failed") })
        try rig.expect("none has started")
    }

    @Test func timeThatPassesAfterTheLastRequestCounts() throws {
        var rig = try Self.rig(#"{"device": "alice", "activities": []}"#)
        Self.send(&rig, Self.push(to: try Self.startToken(&rig), Self.startBody()))
        rig.note(try rig.rig.gateway.advance(by: 13 * 3_600_000))
        try rig.expect("it has left the screen")
    }

    @Test func aDeviceDeclaredAgainIsMeantByItsName() throws {
        var rig = try Self.rig(#"{"device": "alice", "received": 1}"#)
        let found = rig.rig.gateway.devices.find(name: "alice")
        let alice = try #require(found)
        rig.note(rig.rig.gateway.remove(alice, at: GatewayRig.now))
        var again = DeclaredDevice(token: DeviceToken(seed: 9, for: "alice"))
        again.name = "alice"
        let declared = rig.rig.gateway.declare(again, at: GatewayRig.now)
        rig.note(try #require(declared).1)
        rig.work { $0.send(to: again.token.hex) }
        try rig.expect("the one with the name now")
    }

    @Test func waitsLookAgainWhenADeviceGoes() throws {
        var rig = try JudgeRig("")
        let wait = try rig.gateway.beginActivityWait()
        let found = rig.gateway.devices.find(name: "alice")
        _ = rig.gateway.remove(try #require(found), at: GatewayRig.now)
        let woken = rig.gateway.takeWoken().map(\.id)
        #expect(woken == [wait])
    }
}
