import GatewayRigs
import Testing

@testable import MockAPNSCore

/// Which changes of a device would start no Live Activity, as far as is known before they are made.
@Suite struct VainStartTests {
    private static let channels =
        #""channels": [{"name": "final", "topic": "com.example.app", "channelID": "AAAA"}],"#

    /// Alice without the app.
    private static func rigWithoutApp() throws -> JudgeRig {
        var rig = try JudgeRig("")
        try rig.change("alice") { $0.registration = .unregistered(at: nil, acceptFor: 0) }
        return rig
    }

    private static func vainStart(
        _ rig: borrowing JudgeRig, _ change: (inout DeviceChange) -> Void
    ) throws -> (DeclaredActivity, why: String)? {
        var value = DeviceChange()
        change(&value)
        let found = rig.gateway.devices.find(name: "alice")
        return rig.gateway.startInVain(value, on: try #require(found), at: GatewayRig.now)
    }

    @Test func withoutTheAppNothingStarts() throws {
        let rig = try Self.rigWithoutApp()
        let vain = try Self.vainStart(rig) { $0.startActivity = DeclaredActivity() }
        #expect(vain?.why == "The app is no longer on the device.")
    }

    @Test func changesMayMakeTheirStartPossible() throws {
        let rig = try Self.rigWithoutApp()
        let helpful: [(inout DeviceChange) -> Void] = [
            { $0.registration = .registered }, { $0.phone.platform = .iOS }, { $0.newToken = true },
        ]
        for (number, change) in helpful.enumerated() {
            let vain = try Self.vainStart(rig) {
                $0.startActivity = DeclaredActivity()
                change(&$0)
            }
            #expect(vain == nil, "\(number)")
        }
    }

    @Test func aStartThatSucceedsIsNotInVain() throws {
        let rig = try JudgeRig("", Self.channels)
        let vain = try Self.vainStart(rig) {
            $0.subscribe = DeclaredActivity(channel: "final")
            $0.startActivity = DeclaredActivity()
        }
        #expect(vain == nil)
    }

    @Test func theFirstStartThatFailsIsNamed() throws {
        let rig = try JudgeRig("", Self.channels)
        var taken = DeclaredActivity()
        taken.token = DeviceToken(hex: JudgeRig.alice)
        let vain = try Self.vainStart(rig) {
            $0.subscribe = DeclaredActivity(channel: "final")
            $0.startActivity = taken
        }
        #expect(vain?.0 == taken)
        #expect(vain?.why == "Its token stands for a device or a Live Activity already.")
    }
}
