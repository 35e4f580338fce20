import GatewayRigs
import Testing

@testable import MockAPNSCore

/// What `/metrics` says of collections that have a limit.
@Suite struct LimitUseTests {
    private static func use(_ name: String, in gateway: inout Gateway) -> LimitUse? {
        gateway.limitUses().first { $0.name == name }
    }

    @Test func onlyClosedConnectionsCountAsClosed() throws {
        var rig = try RecordedRig("")
        let before = Self.use("closed_connections", in: &rig.rig.gateway)?.used
        let connection = rig.open()
        rig.close(connection)
        let after = Self.use("closed_connections", in: &rig.rig.gateway)?.used
        #expect(before == 0 && after == 1)
    }

    @Test func eachLiveActivityThatMakesRoomCountsOnce() throws {
        var rig = try RecordedRig("")
        for number in 1...Subscriptions.limitPerDevice + 3 {
            try rig.change("alice") { change in
                change.startActivity = DeclaredActivity()
                change.startActivity?.name = "\(number)"
            }
        }
        let evicted = rig.rig.gateway.subscriptions.evicted
        #expect(evicted == 3)
    }

    @Test func rulesThatMayHaveAppliedAreNotNone() {
        #expect(UnusedRules(never: [], by: .report).isEmpty)
        #expect(!UnusedRules(never: ["a"], by: .report).isEmpty)
        #expect(!UnusedRules(never: [], unknown: ["a"], by: .report).isEmpty)
    }

    /// A collapse id takes room beside its payload.
    @Test func aPushTakesTheRoomOfItsPayloadAndItsCollapseID() throws {
        for (limit, isStored) in [(40, true), (39, false)] {
            var rig = try JudgeRig("")
            rig.gateway.state.mailboxes = MailboxStore(storedByteLimit: limit)
            rig.send { push in
                push.path = "/3/device/" + JudgeRig.bob
                push.body = Array(#"{"aps":{"alert":"Hello"}}"#.utf8)
                push.fields = [("apns-collapse-id", "fifteen bytes.."), ("apns-expiration", "1895255200")]
            }
            let delivery = rig.gateway.log.open.records.last?.delivery
            #expect((delivery == .storedOffline) == isStored, "\(limit)")
        }
    }

    /// The user dismisses it: the event names the channel as the scenario does.
    @Test func aDismissedLiveActivityNamesItsChannel() throws {
        var rig = try RecordedRig(
            "", #""channels": [{"name": "final", "topic": "com.example.app", "channelID": "AAAA"}],"#)
        try rig.change("alice") { $0.subscribe = DeclaredActivity(channel: "final") }
        try rig.change("alice") { $0.unsubscribe = "final" }
        let dismissed = String(decoding: rig.lines, as: UTF8.self).split(separator: "\n").last {
            $0.contains("dismissed")
        }
        #expect(dismissed?.contains(#""channelName":"final""#) == true)
    }
}
