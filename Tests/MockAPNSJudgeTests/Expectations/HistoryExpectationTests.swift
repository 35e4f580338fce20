import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

/// Expectations of what became of pushes on their device.
@Suite struct HistoryExpectationTests {
    private static func background() -> ExamplePush {
        var push = ExamplePush(("apns-push-type", "background"), ("apns-priority", "5"))
        push.body = Array(#"{"aps":{"content-available":1}}"#.utf8)
        return push
    }

    @Test("A state is counted in the history of a device, live and by the log")
    func states() throws {
        var rig = try RecordedRig(
            #"""
            {"device": "alice", "history": {"woke": 0, "dropped": {"atLeast": 1}}},
            {"device": "alice", "received": 1, "history": {"shown": 0}}
            """#)
        try rig.change("alice") { $0.phone.app.state = .forceQuit }
        rig.send(Self.background())
        try rig.expect("the app was not woken")
    }

    @Test("What was seen has the same states as what was expected")
    func words() throws {
        var rig = try RecordedRig(#"{"device": "alice", "history": {"woke": 0, "dropped": {"atLeast": 1}}}"#)
        rig.send(Self.background())
        for input in [rig.rig.gateway.verificationInput(at: rig.rig.time), try rig.recorded().input] {
            let result = input.verify().results[0]
            #expect(!result.passed)
            #expect(result.expected == "alice has no woke and at least 1 dropped in its history")
            #expect(
                result.seen == """
                    alice has 1 woke and 0 dropped in its history; request 1 (woke): The device wakes the app and shows nothing
                    """)
        }
    }
}
