import GatewayRigs
import Testing

@testable import MockAPNSCore

/// A token stands for one thing: a device, the start of Live Activities, or one of those.
@Suite struct TokensInUseTests {
    /// The token that a declared device may not have, and as what.
    enum Use: CaseIterable {
        case deviceAsPushToStart, startAsDevice, startAsActivity, itsOwnAsPushToStart
    }

    private static let carol = DeviceToken(seed: 9, for: "carol")

    private static func rig() throws -> JudgeRig { try JudgeRig("", #""liveActivities": {"tokens": "own"},"#) }

    private static func startToken(ofBob rig: inout JudgeRig) throws -> DeviceToken {
        let found = rig.gateway.devices.find(name: "bob")
        let view = rig.gateway.view(of: try #require(found), at: GatewayRig.now)
        return try #require(view.startTokens.first).token
    }

    private static func activity(_ token: DeviceToken) -> DeclaredActivity {
        var activity = DeclaredActivity()
        activity.token = token
        return activity
    }

    @Test(arguments: Use.allCases)
    func tokensInUseDeclareNoDevice(_ use: Use) throws {
        var rig = try Self.rig()
        let start = try Self.startToken(ofBob: &rig)
        var device = DeclaredDevice(token: use == .startAsDevice ? start : Self.carol)
        switch use {
        case .deviceAsPushToStart:
            device.startTokens = [StartToken(app: "", token: try #require(DeviceToken(hex: JudgeRig.alice)))]
        case .startAsDevice: break
        case .startAsActivity: device.activities = [Self.activity(start)]
        case .itsOwnAsPushToStart: device.startTokens = [StartToken(app: "", token: Self.carol)]
        }
        let declared = rig.gateway.declare(device, at: GatewayRig.now)
        #expect(declared == nil)
        let added = rig.gateway.devices.find(Self.carol)
        #expect(added == nil)
    }

    @Test func unusedTokensDeclareADevice() throws {
        var rig = try Self.rig()
        var device = DeclaredDevice(token: Self.carol)
        device.startTokens = [StartToken(app: "", token: DeviceToken(seed: 9, for: "start"))]
        device.activities = [Self.activity(DeviceToken(seed: 9, for: "activity"))]
        let index = rig.gateway.declare(device, at: GatewayRig.now)?.0
        let view = rig.gateway.view(of: try #require(index), at: GatewayRig.now)
        #expect(view.activities.map(\.token) == [DeviceToken(seed: 9, for: "activity")])
    }

    @Test func aNewTokenIsNotAnothersAlready() throws {
        var rig = try Self.rig()
        // What is drawn first for alice.
        let drawn = DeviceToken(seed: rig.gateway.configuration.tokenSeed, for: "after \(JudgeRig.alice)")
        let other = rig.gateway.declare(DeclaredDevice(token: drawn), at: GatewayRig.now)?.0
        try rig.change("alice") { $0.newToken = true }
        let found = rig.gateway.devices.find(name: "alice")
        let alice = try #require(found)
        #expect(alice != other)
        let token = rig.gateway.devices.token(of: alice)
        #expect(token.hex != JudgeRig.alice)
    }

    @Test func oldTokensStayWithoutRoom() throws {
        var rig = GatewayRig()
        rig.gateway.state.devices = DeviceRegistry(hashSeed: 1, declaredLimit: 1)
        rig.declare { _ in }
        let found = rig.gateway.devices.find(name: "alice")
        let alice = try #require(found)
        var change = DeviceChange()
        change.newToken = true
        let (device, effects) = rig.gateway.change(alice, change, at: rig.now)
        #expect(device == alice)
        let registration = rig.gateway.devices.registration(of: alice)
        #expect(registration == .registered)
        #expect(effects.isEmpty)
    }

    /// Where one token does all, there is no other to draw.
    @Test(arguments: [("", 0), (#""liveActivities": {"tokens": "own"},"#, 1)])
    func newTokensBringPushToStartTokens(_ more: String, count: Int) throws {
        var rig = try JudgeRig("", more)
        try rig.change("alice") { $0.newToken = true }
        let found = rig.gateway.devices.find(name: "alice")
        let view = rig.gateway.view(of: try #require(found), at: GatewayRig.now)
        #expect(view.startTokens.count == count)
    }
}
