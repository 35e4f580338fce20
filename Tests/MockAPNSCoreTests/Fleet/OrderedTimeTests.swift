import GatewayRigs
import Testing

@testable import MockAPNSCore

/// On a real clock, what the replicas of a fleet decide in one order happens at one time.
@Suite("The time of a fleet's order")
struct OrderedTimeTests {
    private static let other = String(repeating: "c1", count: 32)
    private static let busy =
        #"{"name": "busy", "when": {"device": "alice"}, "times": 2, "then": {"reject": "Shutdown"}}"#

    private static func rig(_ more: String = "") throws -> OrderRig {
        try OrderRig("", more, clock: #""real""#, clockOffsets: [0, 700, -300])
    }

    /// One replica reads an entry later than the others, when its own clock shows that more is due.
    @Test func dueEntriesFollowTheSamePushesEverywhere() throws {
        let rig = try Self.rig(
            #""rules": [\#(Self.busy)], "timeline": [{"at": "30s", "do": {"outage": {"reason": "ServiceUnavailable", "for": "1m"}}}],"#
        )
        rig.pass(29_999)
        let waiting = rig.receive(at: 0, to: JudgeRig.alice).waiting
        rig.pass(31_000, at: 1)
        #expect(rig.receive(at: 1, to: Self.other).status == 200)
        try rig.append(.pushes(OrderedPush.bytes(of: waiting), of: 0))
        try rig.expectEqual()
        #expect(rig.replicas.allSatisfy { $0.state(at: rig.now).contains("rule busy: 1 1") })
        rig.pass(30_000)
        #expect(try rig.push(at: 2, to: JudgeRig.alice).status == 503)
        try rig.expectEqual()
        #expect(rig.replicas.allSatisfy { $0.state(at: rig.now).contains("rule busy: 1 1") })
        #expect(rig.receive(at: 1, to: Self.other).status == 503)
    }

    @Test func outagesEndAfterTheSamePushesEverywhere() throws {
        let rig = try Self.rig(
            #""rules": [\#(Self.busy), {"times": 1, "then": {"outage": {"reason": "ServiceUnavailable", "for": "1m"}}}],"#
        )
        #expect(try rig.push(at: 0, to: Self.other).status == 503)
        rig.pass(60_100, at: 1)
        #expect(rig.receive(at: 1, to: Self.other).status == 200)
        let waiting = rig.receive(at: 1, to: JudgeRig.alice).waiting
        rig.pass(59_999)
        try rig.append(.pushes(OrderedPush.bytes(of: waiting), of: 1))
        #expect(rig.statuses(of: 1) == [503])
        try rig.expectEqual()
        rig.pass(60_000)
        #expect(try rig.push(at: 2, to: JudgeRig.alice).status == 503)
        #expect(rig.replicas[2].rig.gateway.log.open.records.last?.reason == .shutdown)
        try rig.expectEqual()
    }

    /// No rule is tried during an outage, even if a replica has counted a match before.
    @Test(arguments: ["", #""countPer": "topic", "#])
    func outagesTakeBackWhatReplicasHaveCounted(_ countPer: String) throws {
        let rig = try OrderRig(
            "",
            #"""
            "rules": [{"name": "down", "when": {"device": "alice"}, "times": 1,
                       "then": {"outage": {"reason": "InternalServerError", "for": "1m"}}},
              {"name": "own", "times": 1, "count": "replica", \#(countPer)"then": {"reject": "TooManyRequests"}}],
            """#)
        let waiting = rig.receive(at: 0).waiting
        try rig.push(at: 1, to: JudgeRig.alice)
        try rig.append(.pushes(OrderedPush.bytes(of: waiting), of: 0))
        try rig.advance(by: 60_000)
        for _ in 0..<2 { try rig.push(at: 0) }
        let reasons = rig.replicas[0].rig.gateway.log.open.records.map(\.reason)
        #expect(reasons == [.internalServerError, .tooManyRequests, nil])
    }

    @Test func aStoredPushExpiresAtOneTime() throws {
        let rig = try Self.rig()
        let seconds = GatewayRig.now.seconds + 60
        try rig.push(at: 0, fields: [("apns-expiration", "\(seconds)")])
        rig.pass(61_000, at: 1)
        #expect(rig.receive(at: 1, to: Self.other).status == 200)
        rig.pass((seconds * 1000 - GatewayRig.now.milliseconds) - 1)
        try rig.change("bob") { $0.isOnline = true }
        try rig.expectEqual()
        #expect(rig.deliveries(of: 0).last?.delivery == .deliveredFromStorage)
    }

    @Test func aChangeHappensAtOneTime() throws {
        let rig = try Self.rig()
        rig.pass(5000)
        try rig.change("alice") { $0.registration = .unregistered(at: nil, acceptFor: 1000) }
        try rig.expectEqual()
        rig.pass(5999)
        #expect(try rig.push(at: 1, to: JudgeRig.alice).status == 200)
        rig.pass(6000)
        #expect((0..<3).map { rig.receive(at: $0, to: JudgeRig.alice).status } == [410, 410, 410])
    }

    /// It happens when an entry says that its time has come, and not before.
    @Test func whatIsDueWaitsForTheOrder() throws {
        let rig = try Self.rig(#""timeline": [{"at": "10s", "do": {"device": "bob", "online": true}}],"#)
        rig.pass(9999)
        #expect(rig.replicas.allSatisfy { !$0.rig.gateway.isOrderDue(at: $0.rig.time) })
        rig.pass(10_000)
        for replica in rig.replicas {
            let effects = replica.rig.gateway.advance(to: replica.rig.time)
            #expect(effects.isEmpty && replica.rig.gateway.isOrderDue(at: replica.rig.time))
            #expect(replica.rig.gateway.nextDue == nil)
        }
        try rig.append(.counts([]))
        #expect(rig.replicas.allSatisfy { $0.state(at: rig.now).contains("bob: true") })
        #expect(rig.replicas.allSatisfy { !$0.rig.gateway.isOrderDue(at: $0.rig.time) })
    }

    @Test func betweenEntriesTheEnginesClockApplies() throws {
        let rig = try Self.rig()
        rig.pass(1000)
        for replica in 0..<3 { #expect(rig.receive(at: replica, to: Self.other).status == 200) }
        let clocks = rig.replicas.map { $0.rig.gateway.log.open.records[0].clock }
        #expect(clocks == Array(repeating: GatewayRig.now.advanced(by: 1000), count: 3))
        // It does not go back behind what has happened, nor when it is set anew.
        rig.pass(2000)
        try rig.append(.counts([]))
        rig.pass(1500, at: 1)
        let late = rig.replicas[1]
        #expect(late.rig.gateway.moment(at: late.rig.time).clock == rig.now)
        late.rig.gateway.followOrder(clockOffset: 600)
        #expect(late.rig.gateway.moment(at: late.rig.time).clock == rig.now)
        #expect(late.rig.gateway.moment(at: rig.now).clock == rig.now.advanced(by: 600))
    }

    /// Until it is known how far the clock is from the engine's, they are the same.
    @Test func entriesMayComeBeforeTheOffsetIsKnown() throws {
        let (start, time) = (GatewayRig.now, GatewayRig.now.advanced(by: 5000))
        var rig = try JudgeRig("", clock: #""real""#)
        rig.gateway.beginEntry(at: time)
        var entry = rig.gateway.momentOfEntry(orAt: start)
        #expect(entry.real == time && entry.clock == time)
        rig.gateway.endEntry()
        #expect(rig.gateway.moment(at: time.advanced(by: 1)).clock == time.advanced(by: 1))
        rig.gateway.followOrder(clockOffset: 700)
        rig.gateway.beginEntry(at: time.advanced(by: 1000))
        entry = rig.gateway.momentOfEntry(orAt: start)
        #expect(entry.real == time.advanced(by: 300) && entry.clock == time.advanced(by: 1000))
        var other = try JudgeRig("", clock: #""real""#)
        other.gateway.reset(inOrderAt: start)
        #expect(other.gateway.moment(at: time).clock == time)
    }
}
