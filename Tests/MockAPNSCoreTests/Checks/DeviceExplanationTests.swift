import GatewayRigs
import Testing

@testable import MockAPNSCore

/// What a record says about a device token that is not for the push.
@Suite struct DeviceExplanationTests {
    private static let own = #""liveActivities": {"tokens": "own"},"#
    private static let topic = "com.example.app.push-type.liveactivity"
    private static let unknown = String(repeating: "ab", count: 32)

    private static func push(_ type: String, _ topic: String, to token: String = GatewayRig.deviceToken) -> ExamplePush
    {
        ExamplePush { push in
            push.path = "/3/device/" + token
            (push.topic, push.fields) = (topic, [("apns-push-type", type)])
        }
    }

    /// The start of a Live Activity, or an update of one.
    private static func activityPush(_ event: String, to token: String) -> ExamplePush {
        let start = #""attributes-type":"Match","attributes":{},"alert":{"title":"A","body":"B"},"input-push-token":1,"#
        var push = push("liveactivity", topic, to: token)
        push.body = Array(
            #"{"aps":{"timestamp":1795255200,"event":"\#(event)",\#(event == "start" ? start : "")"content-state":{}}}"#
                .utf8)
        return push
    }

    @Test(arguments: [
        ("liveactivity", topic, true), ("liveactivity", "com.example.other.push-type.liveactivity", false),
        ("voip", "com.example.app.voip", false), ("alert", "com.example.other", false),
    ])
    func liveActivitiesOfTheAppGetAHint(_ type: String, _ topic: String, getsHint: Bool) {
        var rig = ScriptRig("")
        let seen = rig.send(Self.push(type, topic))
        #expect(seen.reason == "DeviceTokenNotForTopic")
        #expect(seen.has(#"belongs to \"com.example.app\""#))
        #expect(seen.has("For Live Activities, declare the device with this topic as well") == getsHint)
    }

    @Test func deviceTokensStartNoLiveActivityWithOwnToken() {
        var rig = ScriptRig("", more: Self.own)
        let activity = rig.send(Self.push("liveactivity", Self.topic))
        #expect(activity.reason == "DeviceTokenNotForTopic")
        #expect(activity.has("The Live Activities of this device have tokens of their own"))
        let alert = rig.send(Self.push("alert", "com.example.other"))
        #expect(alert.reason == "DeviceTokenNotForTopic")
        #expect(alert.has("belongs to") && !alert.has("tokens of their own"))
    }

    /// Other pushes register an unknown token even where Live Activities have tokens of their own.
    @Test(arguments: [
        ("alert", "com.example.app", "200"), ("voip", "com.example.app.voip", "200"),
        ("liveactivity", topic, "BadDeviceToken"),
    ])
    func onlyLiveActivitiesRegisterNoUnknownToken(_ type: String, _ topic: String, what: String) {
        var rig = ScriptRig("", more: Self.own)
        #expect(rig.send(Self.push(type, topic, to: Self.unknown)).what == what)
    }

    @Test(arguments: [("alert", "com.example.app", false), ("liveactivity", topic, true)])
    func unknownTokensAreExplainedByPushType(_ type: String, _ topic: String, isForActivities: Bool) {
        var rig = ScriptRig("", more: #""unknownDevices": "reject","# + Self.own)
        let seen = rig.send(Self.push(type, topic, to: Self.unknown))
        #expect(seen.reason == "BadDeviceToken")
        #expect(seen.has("Live Activities have tokens of their own here.") == isForActivities)
        #expect(seen.has("which no declared device has") != isForActivities)
    }

    private static func view(_ rig: borrowing ScriptRig) throws -> DeviceView {
        let found = rig.gateway.devices.find(name: "alice")
        return rig.gateway.view(of: try #require(found), at: GatewayRig.now)
    }

    @Test func liveActivityTokensTellTheirPurpose() throws {
        var rig = ScriptRig("", more: Self.own)
        let start = try #require(try Self.view(rig).startTokens.first).token.hex
        let update = rig.send(Self.activityPush("update", to: start))
        #expect(update.reason == "DeviceTokenNotForTopic" && update.has("is a push-to-start token"))
        #expect(update.has(#"with the topic \"com.example.app.push-type.liveactivity\" whose"#))
        #expect(rig.send(Self.activityPush("start", to: start)).status == 200)
        let token = try #require(try Self.view(rig).activities.last?.token).hex
        let again = rig.send(Self.activityPush("start", to: token))
        #expect(again.reason == "DeviceTokenNotForTopic" && again.has("is the update token of a Live Activity"))
        #expect(again.has(#"with the topic \"com.example.app.push-type.liveactivity\" whose"#))
    }

    /// The device has no topics, so that its push-to-start token is for any app.
    @Test func aTokenForAnyAppNamesNoTopic() throws {
        var rig = try RecordedRig("", Self.own)
        let found = rig.rig.gateway.devices.find(name: "alice")
        let view = rig.rig.gateway.view(of: try #require(found), at: GatewayRig.now)
        let start = try #require(view.startTokens.first).token.hex
        rig.send(Self.activityPush("update", to: start))
        let record = try JSONText.read(try #require(rig.rig.gateway.log.snapshot.record(1)))
        let explanation = try #require(record["explanation"]?.string)
        #expect(explanation.contains("is a push-to-start token"))
        #expect(explanation.contains(#"of type liveactivity whose "event" is "start""#))
    }

    @Test func anExpiredTokenIsThatOfTheDevice() {
        var rig = GatewayRig()
        rig.declare { $0.registration = .expired(at: Timestamp(seconds: 1_795_255_100)) }
        let seen = rig.send()
        #expect(seen.reason == "ExpiredToken")
        #expect(seen.explanation.hasPrefix("The device token") && !seen.explanation.contains("Live Activity"))
    }
}
