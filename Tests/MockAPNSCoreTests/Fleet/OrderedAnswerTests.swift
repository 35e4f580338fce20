import GatewayRigs
import Testing

@testable import MockAPNSCore

/// Answers to pushes that a fleet has ordered, which may be due later.
@Suite struct OrderedAnswerTests {
    /// A rig with a rule that counts, so that each push needs the order.
    private static func rig(_ more: String) throws -> OrderRig {
        try OrderRig("", #""rules": [{"times": 9, "then": {"reject": "Shutdown"\#(more)}}],"#)
    }

    @Test(arguments: [("", false), (#", "delay": "0ms""#, false), (#", "delay": "1ms""#, true)])
    func anAnswerIsDelayedAsTheRuleSays(_ delay: String, isDelayed: Bool) throws {
        let rig = try Self.rig(delay)
        #expect(try rig.push(at: 0).status == 503)
        #expect(rig.replicas[0].answers.map(\.isDelayed) == [isDelayed])
    }

    @Test func nothingIsDelayedForTheAPI() throws {
        let rig = try Self.rig(#", "delay": "1s""#)
        let replica = rig.replicas[0]
        replica.rig.sendAsAdmin()
        try rig.append(.pushes(OrderedPush.bytes(of: replica.rig.gateway.takePostponed()), of: 0))
        let decided = try #require(replica.answers.first)
        #expect(!decided.isDelayed)
        replica.rig.gateway.giveUp(decided, as: .cancelled, at: GatewayRig.now)
        #expect(replica.rig.gateway.log.open.records.map(\.outcome) == [.responded])
    }

    @Test func aDelayedAnswerMayBeGivenUp() throws {
        let rig = try Self.rig(#", "delay": "1s""#)
        let replica = rig.replicas[0]
        for _ in 0..<2 { try rig.push(at: 0) }
        #expect(replica.rig.gateway.log.open.records.map(\.outcome) == [.delayed, .delayed])
        replica.rig.gateway.giveUp(replica.answers[0], as: .goAway, at: GatewayRig.now)
        replica.rig.gateway.closeConnection(
            replica.rig.connection, by: .client, counters: ConnectionCounters(), at: GatewayRig.now)
        replica.rig.gateway.giveUp(replica.answers[1], as: nil, at: GatewayRig.now)
        #expect(replica.rig.gateway.log.open.records.map(\.outcome) == [.goAway, .cancelled])
    }

    /// By then, its connection has got further.
    @Test func aLeftOutPushLeavesLaterStreamsProcessed() throws {
        let rig = try OrderRig(
            "",
            #"""
            "rules": [{"times": 1, "when": {"device": "bob"},
              "then": {"goAway": {"reason": "Shutdown", "lastStream": "previous", "then": "stayOpen"}}}],
            """#)
        let replica = rig.replicas[0]
        #expect(rig.receive(at: 0, to: JudgeRig.alice).status == 200)
        let waiting = rig.receive(at: 0, to: JudgeRig.bob).waiting
        #expect(rig.receive(at: 0, to: JudgeRig.alice).status == 200)
        try rig.append(.pushes(OrderedPush.bytes(of: waiting), of: 0))
        #expect(replica.rig.gateway.log.open.records.map(\.outcome) == [.responded, .responded, .goAway])
        let index = replica.rig.gateway.connections.index(of: replica.rig.connection)
        #expect(replica.rig.gateway.connections.open[index].life.highestStream == 5)
    }
}
