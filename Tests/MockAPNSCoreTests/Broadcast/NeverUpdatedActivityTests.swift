import GatewayRigs
import Testing

@testable import MockAPNSCore

/// A Live Activity that never updates, since its channel is of the other environment: whatever else happens to it.
@Suite struct NeverUpdatedActivityTests {
    /// A rig in which alice has one.
    private static func rig(_ expectations: String) throws -> RecordedRig {
        var rig = try RecordedRig(
            expectations,
            #"""
            "channels": [{"name": "production", "topic": "com.example.app", "channelID": "DDDD",
                          "environment": "production"}],
            """#)
        rig.start()
        try rig.change("alice") { $0.subscribe = DeclaredActivity(named: "score", channel: "production") }
        return rig
    }

    @Test func theUserDismissesIt() throws {
        var rig = try Self.rig(#"{"device": "alice", "activities": []}"#)
        try rig.change("alice") { $0.dismissActivity = "score" }
        try rig.expect("it has left the screen")
    }

    @Test func theAppEndsIt() throws {
        var rig = try Self.rig(#"{"device": "alice", "activities": [{}]}"#)
        try rig.change("alice") { $0.endActivity = "score" }
        let found = rig.rig.gateway.devices.find(name: "alice")
        let view = rig.rig.gateway.view(of: try #require(found), at: GatewayRig.now)
        #expect(view.activities.map(\.hasEnded) == [true])
        try rig.expect("it is still shown")
    }
}
