import GatewayRigs
import Testing

@testable import MockAPNSCore

/// What the log tells of a device.
@Suite struct DeviceEventTests {
    private static func line(_ change: (inout Device) -> Void) throws -> String {
        var device = Device(topics: [])
        change(&device)
        let token = try #require(DeviceToken(hex: GatewayRig.deviceToken))
        let event = DeviceEvent(state: .changed, clock: GatewayRig.now, token: token, device: device)
        var line: [UInt8] = []
        LogEvent.device(event).appendLine(at: GatewayRig.now, to: &line)
        return String(decoding: line, as: UTF8.self)
    }

    @Test(
        "A registration is written as scenario files write it",
        arguments: [
            (.registered, "true"), (.expired(at: GatewayRig.now), #"{"expiredAt":"2026-11-21T10:00:00.000Z"}"#),
            (.unregistered(at: GatewayRig.now, acceptFor: 0), #"{"unregisteredAt":"2026-11-21T10:00:00.000Z"}"#),
            (
                .unregistered(at: GatewayRig.now, acceptFor: 1),
                #"{"unregisteredAt":"2026-11-21T10:00:00.000Z","acceptFor":"1ms"}"#
            ),
        ] as [(Device.Registration, String)])
    func registration(_ registration: Device.Registration, _ json: String) throws {
        let line = try Self.line { $0.registration = registration }
        #expect(line.contains(#""registered":\#(json),"notifications""#), "\(line)")
    }

    @Test(arguments: [(false, "normal"), (true, "saving")]) func power(savesPower: Bool, word: String) throws {
        #expect(try Self.line { $0.savesPower = savesPower }.contains(#""power":"\#(word)""#))
    }
}
