import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

/// The Live Activities that a client waits for: those that have not ended, of one app or of any.
@Suite struct AwaitedActivitiesTests {
    private static let apps = ["com.example.app", "com.example.other"]

    private static func send(_ event: String, of app: String, _ rig: inout JudgeRig) {
        let start = #""attributes-type":"Match","attributes":{"home":"A"},"alert":{"title":"Kick-off"},"#
        let more = event == "start" ? start : ""
        let aps = #"{"timestamp":1795255200,"event":"\#(event)",\#(more)"content-state":{"score":"0-0"}}"#
        rig.send { push in
            push.topic = app + ".push-type.liveactivity"
            push.fields = [("apns-push-type", "liveactivity")]
            push.body = Array(#"{"aps":\#(aps)}"#.utf8)
        }
    }

    /// The apps of alice's awaited Live Activities.
    private static func awaitedApps(of awaited: AwaitedActivities, _ rig: inout JudgeRig) throws -> [String?] {
        let found = rig.gateway.devices.find(name: "alice")
        let view = rig.gateway.view(of: try #require(found), at: rig.gateway.clock.time(at: rig.time))
        return awaited.among(view).map(\.app)
    }

    @Test(
        "Those of the app, as long as they have not ended",
        arguments: [
            (nil, apps, [apps[0]]), (apps[0], [apps[0]], [apps[0]]), (apps[1], [apps[1]], []),
            ("com.example.third", [], []),
        ] as [(String?, [String], [String])])
    func running(_ app: String?, started: [String], left: [String]) throws {
        var rig = try JudgeRig("")
        var awaited = AwaitedActivities()
        awaited.app = app
        for app in Self.apps { Self.send("start", of: app, &rig) }
        #expect(try Self.awaitedApps(of: awaited, &rig) == started)
        Self.send("end", of: Self.apps[1], &rig)
        #expect(try Self.awaitedApps(of: awaited, &rig) == left)
    }

    private static func read(_ text: String) throws -> (AwaitedActivities?, [ScenarioMistake]) {
        Scenario().awaitedActivities(from: try JSONText.read(Array(text.utf8)))
    }

    @Test func aWaitIsForOneOfAnyApp() throws {
        let (read, mistakes) = try Self.read("{}")
        let awaited = try #require(read)
        #expect(awaited.count == 1 && awaited.app == nil)
        #expect(awaited.timeout == 5000)
        #expect(mistakes.isEmpty)
    }

    @Test(
        "An app is named by its bundle id, or by the topic of its pushes", arguments: ["", ".push-type.liveactivity"])
    func topics(suffix: String) throws {
        let awaited = try #require(try Self.read(#"{"topic": "com.example.app\#(suffix)", "timeout": "2s"}"#).0)
        #expect(awaited.app == "com.example.app")
        #expect(awaited.timeout == 2000)
    }

    @Test(
        "As many as a device keeps, and at most ten minutes",
        arguments: [
            (#""count": 0"#, false), (#""count": 1"#, true), (#""count": 20"#, true), (#""count": 21"#, false),
            (#""timeout": "600s""#, true), (#""timeout": "601s""#, false),
        ])
    func bounds(member: String, isRight: Bool) throws {
        let mistakes = try Self.read("{\(member)}").1
        #expect(mistakes.isEmpty == isRight, "\(mistakes.map(\.message))")
    }
}
