import GatewayRigs
import Testing

@testable import MockAPNSCore

/// Pushes to the tokens of Live Activities, which all replicas of a fleet have to follow.
@Suite struct OrderedActivityTests {
    /// The tokens of Live Activities that a replica knows for `alice`.
    private static func tokens(_ replica: OrderRig.Replica) throws -> [String] {
        let found = replica.rig.gateway.devices.find(name: "alice")
        let view = replica.rig.gateway.view(of: try #require(found), at: GatewayRig.now)
        return (view.startTokens.map(\.token) + view.activities.compactMap(\.token)).map(\.hex)
    }

    @Test func pushesToLiveActivitiesNeedTheOrder() throws {
        let rig = try OrderRig("", #""liveActivities": {"tokens": "own"},"#)
        try rig.change("alice") { $0.startActivity = DeclaredActivity() }
        let tokens = try Self.tokens(rig.replicas[0])
        try #require(tokens.count == 2)
        for token in tokens { #expect(rig.receive(at: 0, to: token).waiting.count == 1) }
        #expect(rig.receive(at: 0, to: JudgeRig.alice).waiting.isEmpty)
    }
}
