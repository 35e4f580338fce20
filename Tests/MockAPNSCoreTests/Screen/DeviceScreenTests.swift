import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

/// A device's screen as the gateway keeps it, and as expectations ask for it.
@Suite struct DeviceScreenTests {
    private static func update(_ score: String, at time: Timestamp = GatewayRig.now) -> ExamplePush {
        .ofLiveActivity(#""event":"update","timestamp":\#(time.seconds),"content-state":{"score":"\#(score)"}"#)
    }

    private static let expectations = #"""
        {"device": "alice", "displayed": [{"title": "2-1", "/aps/badge": 3, "level": {"prefix": "time"}}], "activities": []},
        {"device": "alice", "displayed": [{"title": "2-2"}]},
        {"device": "alice", "activities": [{"/score": "1-0"}]}
        """#

    @Test("Expectations ask what a person reads, and a log says the same as the run")
    func expectations() throws {
        var rig = try RecordedRig(
            Self.expectations, #""apps": [{"topic": "com.example.app", "strings": {"en": {"S": "%@-%@"}}}], "#)
        rig.send(
            ExamplePush {
                $0.body = Array(
                    #"{"aps":{"badge":3,"interruption-level":"time-sensitive","alert":{"title-loc-key":"S","title-loc-args":["2","1"]}}}"#
                        .utf8)
            })
        let live = rig.rig.gateway.verificationInput(at: GatewayRig.now).verify()
        #expect(live.results.map(\.passed) == [true, false, false])
        #expect(live.results[0].expected.contains(#"title "2-1""#), "\(live.results[0].expected)")
        #expect(live.results[1].seen.contains(#"title "2-1""#), "\(live.results[1].seen)")
        #expect(live.results[1].nearMisses.first?.differences.first?.field == "title")
        #expect(live.results[2].expected == "alice has 1 Live Activity (/score \"1-0\")")
        #expect(try rig.recorded().input.verify().json == live.json)
    }

    @Test("The Live Activities of declared devices and of those that registered themselves", arguments: [true, false])
    func activities(isDeclared: Bool) throws {
        var rig = GatewayRig()
        if isDeclared { rig.declare { $0.topics = [] } }
        for score in ["0-0", "1-0"] { #expect(rig.send(Self.update(score)).status == 200) }
        let view = try rig.view()
        #expect(view.activities.map { $0.state?["score"]?.string } == ["1-0"] && view.displayed.isEmpty)
        var json: [UInt8] = []
        view.appendJSON(to: &json)
        let activity = try #require(JSONText.read(json)["activities"]?[0])
        #expect(activity["event"]?.string == "update" && activity["state"]?["score"]?.string == "1-0")
        #expect(activity["isStale"]?.bool == false && activity["endsAt"]?.string == "2026-11-21T18:00:00.000Z")
    }

    @Test("Many updates leave one Live Activity; they are read when the screen is asked for, or when there are 400")
    func manyUpdates() {
        var display = Display()
        var bytes = 0
        for number in 1...1200 {
            let body = Array(#"{"aps":{"event":"update","timestamp":1,"content-state":{"n":\#(number)}}}"#.utf8)
            var push = KeptPush(
                sequence: number, time: GatewayRig.now, topic: nil, collapseID: [UInt8]().span, payload: body.span)
            push.pushType = .liveactivity
            bytes += display.add(push)
            #expect(bytes == display.byteCount)
        }
        #expect(display.activities.shown(at: GatewayRig.now).map(\.sequence) == [1200])
    }

    /// Whether a push may start one is read off the channel that it names, whatever its event.
    @Test(arguments: [("", false), (#""input-push-channel":"AAAA","#, true)])
    func updatesThatNameAChannelOpenAMailbox(_ channel: String, opensOne: Bool) throws {
        var rig = GatewayRig()
        for _ in 0..<2 {
            rig.send(.ofLiveActivity(channel + #""event":"update","timestamp":1795255200,"content-state":{}"#))
        }
        let found = rig.gateway.devices.find(try #require(DeviceToken(hex: GatewayRig.deviceToken)))
        #expect(rig.gateway.state.mailboxes.hasMailbox(try #require(found)) == opensOne)
    }

    @Test func alertsThatNameAChannelOpenNoMailbox() throws {
        var rig = GatewayRig()
        rig.send(ExamplePush { $0.body = Array(#"{"aps":{"alert":"Hello"},"input-push-channel":"AAAA"}"#.utf8) })
        let found = rig.gateway.devices.find(try #require(DeviceToken(hex: GatewayRig.deviceToken)))
        #expect(!rig.gateway.state.mailboxes.hasMailbox(try #require(found)))
    }

    @Test("What is dismissed has gone, with or without a mailbox", arguments: [true, false])
    func dismissal(isDeclared: Bool) throws {
        var rig = GatewayRig()
        if isDeclared { rig.declare { _ in } }
        for _ in 0..<3 { rig.send() }
        let view = try rig.view()
        let found = rig.gateway.devices.find(view.token)
        let device = try #require(found)
        let effects = rig.gateway.respond(.dismissal, to: 2, on: device, at: rig.now)
        #expect(try rig.view().displayed.map(\.sequence) == [1, 3])
        rig.send()
        #expect(try rig.view().displayed.map(\.sequence) == [1, 3, 4])
        var line: [UInt8] = []
        effects.first?.appendLine(at: rig.now, to: &line)
        let event = try JSONText.read(line)
        #expect(event["event"]?.string == "response" && event["sequence"]?.int64 == 2)
        #expect(event["action"]?.string == "com.apple.UNNotificationDismissActionIdentifier")
        #expect(try rig.view().history.latest.map(\.state) == [.shown, .shown, .shown, .dismissed, .shown])
    }

    @Test func theLogsLatestPushCanBeDismissed() throws {
        var rig = GatewayRig()
        rig.send()
        let token = try rig.view().token
        let device = rig.gateway.devices.find(token)
        _ = rig.gateway.respond(.dismissal, to: 1, on: try #require(device), at: rig.now)
        #expect(try rig.view().displayed.isEmpty)
    }

    @Test func aLogTellsOfWhatWasDismissed() throws {
        var rig = try RecordedRig(#"{"device": "alice", "displayed": [{}]}"#)
        for _ in 0..<2 { rig.send(ExamplePush()) }
        let alice = rig.rig.gateway.devices.find(name: "alice")
        rig.note(rig.rig.gateway.respond(.dismissal, to: 1, on: try #require(alice), at: rig.rig.time))
        #expect(rig.rig.passed == [true])
        #expect(try rig.recorded().input.verify().passed)
    }

    @Test func oneTopicMayStoreMoreThanSeveral() throws {
        var rig = GatewayRig { $0.storagePerTopic = Mailbox.storedLimit + 10 }
        rig.declare { $0.isOnline = false }
        for _ in 0..<Mailbox.storedLimit + 11 { rig.send() }
        #expect(try rig.view().stored.map(\.sequence) == Array(2...Mailbox.storedLimit + 11))
    }

    @Test("Several pushes are stored for a topic; equal collapse ids replace each other")
    func storage() throws {
        var rig = GatewayRig { $0.storagePerTopic = 3 }
        rig.declare { $0.isOnline = false }
        rig.send()
        rig.send(ExamplePush(("apns-collapse-id", "a")))
        rig.send(ExamplePush(("apns-collapse-id", "a")))
        #expect(try rig.view().stored.map(\.sequence) == [1, 3])
        rig.send()
        rig.send()
        #expect(try rig.view().stored.map(\.sequence) == [3, 4, 5])
        #expect(
            rig.gateway.log.snapshot.texts.map { $0.contains(#""replacedBy":null"#) } == [
                false, false, true, true, true,
            ])
    }
}

@Suite struct PushScreenTests {
    private static func screen(_ push: ExamplePush, _ device: ((inout Device) -> Void)? = nil) throws -> PushScreen {
        var rig = GatewayRig()
        if let device { rig.declare(device) }
        rig.send(push)
        return try #require(rig.gateway.log.snapshot.screen(of: 1, in: Apps([])))
    }

    private static func alert(_ aps: String) -> ExamplePush {
        ExamplePush { $0.body = Array(#"{"aps":{\#(aps)}}"#.utf8) }
    }

    @Test(
        "What is not a notification says what it is",
        arguments: [
            (#""alert":"Hi""#, "notification", "shows a notification"),
            (#""badge":3"#, "nothing", "puts 3 on the app's icon"),
            (#""badge":0"#, "nothing", "removes the number from"), (#""content-available":1"#, "app", "wakes the app"),
            (#""sound":"default""#, "nothing", "has no alert"),
        ])
    func alerts(_ aps: String, _ kind: String, _ text: String) throws {
        let screen = try Self.screen(Self.alert(aps))
        #expect(screen.kind.rawValue == kind && screen.text.contains(text), "\(screen.text)")
        #expect((screen.shown != nil) == (kind == "notification"))
    }

    @Test(arguments: PushType.allCases.filter { $0 != .mdm }) func eachPushTypeHasASentence(_ type: PushType) throws {
        let screen = try Self.screen(
            ExamplePush {
                $0.fields = [("apns-push-type", type.name), ("apns-priority", "5")]
                $0.topic = "com.example.app" + (type.topicSuffix ?? "")
                $0.body = Array(
                    #"{"aps":{"alert":"x","content-available":1,"content-changed":true,"event":"update","timestamp":1}}"#
                        .utf8)
            })
        let kinds: [PushType: ScreenKind] = [.alert: .notification, .liveactivity: .activity]
        #expect(screen.kind == kinds[type] ?? .app && screen.text.hasSuffix("."), "\(screen)")
    }

    @Test func whatDoesNotArriveSaysWhy() throws {
        #expect(try Self.screen(ExamplePush { $0.token = nil }).text.contains("not accepted"))
        #expect(try Self.screen(ExamplePush()) { $0.isOnline = false }.text.contains("offline"))
        #expect(
            try Self.screen(ExamplePush()) { $0.allowsNotifications = false }.text.contains("turned notifications off"))
        #expect(try Self.screen(ExamplePush(("apns-expiration", "0"))) { $0.isOnline = false }.text.contains("expired"))
        #expect(try Self.screen(ExamplePush { $0.body = Array("no".utf8) }).text.contains("not JSON"))
        let badStart = ExamplePush {
            ($0.fields, $0.topic) = ([("apns-push-type", "liveactivity")], "com.example.app.push-type.liveactivity")
            $0.body = Array(#"{"aps":{"event":"start","timestamp":1}}"#.utf8)
        }
        #expect(try Self.screen(badStart).text == #"The start has no "attributes-type"."#)
    }

    /// Without a notification, nothing else would say so.
    @Test(arguments: [("goal.caf", false), ("gaol.caf", true)])
    func soundsTheAppLacksAreTold(_ sound: String, isTold: Bool) throws {
        var app = App(topic: "com.example.app")
        app.sounds = ["goal.caf"]
        var rig = GatewayRig()
        rig.send(Self.alert(#""badge":3,"sound":"\#(sound)""#))
        let screen = try #require(rig.gateway.log.snapshot.screen(of: 1, in: Apps([app])))
        let note = "The app has no sound \"\(sound)\"; a device plays the default one."
        #expect(screen.text.hasSuffix(note) == isTold, "\(screen.text)")
    }

    /// Only that of its alert would be played.
    @Test func liveActivitiesIgnoreTheSoundOfAps() throws {
        var app = App(topic: "com.example.app")
        app.sounds = ["goal.caf"]
        var rig = GatewayRig()
        rig.send(.ofLiveActivity(#""timestamp":1795255200,"content-state":{},"event":"update","sound":"gaol.caf""#))
        let screen = try #require(rig.gateway.log.snapshot.screen(of: 1, in: Apps([app])))
        #expect(screen.text == "The device updates a Live Activity.")
    }

    /// A start does not depend on what the device had shown.
    @Test(
        arguments: [
            (#""event":"update""#, false), (#""event":"end""#, false),
            (#""event":"start","attributes-type":"Match","attributes":{},"alert":{"title":"Go"}"#, true),
        ])
    func whatBecameOfAnUpdateMayBeUnknown(_ aps: String, isKnown: Bool) throws {
        let screen = try Self.screen(
            .ofLiveActivity(#""timestamp":1795255200,"content-state":{},\#(aps)"#))
        #expect(screen.kind == .activity)
        let known = screen.known(by: nil, of: 1)
        #expect(known.kind == .activity && (known.text == screen.text) == isKnown)
        #expect(known.text.hasSuffix("what it did with it is no longer known.") == !isKnown, "\(known.text)")
    }

    @Test func replacedAndDroppedPushesSaySo() throws {
        var rig = GatewayRig { $0.responses.backgroundPriority10 = .drop }
        rig.declare { $0.isOnline = false }
        for _ in 0..<2 { rig.send() }
        rig.send(ExamplePush(("apns-push-type", "background"), ("apns-priority", "10")))
        let log = rig.gateway.log.snapshot
        #expect(log.screen(of: 1, in: Apps([]))?.text.hasPrefix("Push 2 replaced it in storage") == true)
        #expect(log.screen(of: 3, in: Apps([]))?.text == "APNs accepted the push, but it never arrives.")
    }

    @Test func itIsWrittenAsJSON() throws {
        var json: [UInt8] = []
        try Self.screen(Self.alert(#""alert":"Hi""#)).appendJSON(to: &json)
        let value = try JSONText.read(json)
        #expect(value["shows"]?.string == "notification" && value["shown"]?["body"]?.string == "Hi")
        #expect(value["activity"]?.isNull == true)
        json = []
        let update = ExamplePush {
            ($0.fields, $0.topic) = ([("apns-push-type", "liveactivity")], "com.example.app.push-type.liveactivity")
            $0.body = Array(#"{"aps":{"event":"update","timestamp":1}}"#.utf8)
        }
        try Self.screen(update).appendJSON(to: &json)
        #expect(try JSONText.read(json)["activity"]?["event"]?.string == "update")
    }
}

extension GatewayRig {
    fileprivate func view() throws -> DeviceView {
        let found = gateway.devices.find(try #require(DeviceToken(hex: Self.deviceToken)))
        var views = [gateway.view(of: try #require(found), at: now)]
        DeviceView.complete(&views, from: gateway.log.snapshot)
        return views[0]
    }
}

extension ExamplePush {
    /// A push to a Live Activity with these members of `aps`.
    fileprivate static func ofLiveActivity(_ aps: String) -> Self {
        Self {
            ($0.fields, $0.topic) = ([("apns-push-type", "liveactivity")], "com.example.app.push-type.liveactivity")
            $0.body = Array(#"{"aps":{\#(aps)}}"#.utf8)
        }
    }
}
