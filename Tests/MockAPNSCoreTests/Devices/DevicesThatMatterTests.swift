import GatewayRigs
import Testing

@testable import MockAPNSCore

/// A log is judged by the devices that the scenario declares; others are followed only if they may be meant.
@Suite struct DevicesThatMatterTests {
    private static let carol = DeviceToken(seed: 1, for: "carol")

    private static func state() -> ServiceState { ServiceState(DeviceRegistry(hashSeed: 1), followsAll: false) }

    private static func event(_ state: DeviceEvent.State, named name: String? = nil) -> LogEvent {
        var device = Device(topics: [])
        device.name = name
        return .device(DeviceEvent(state: state, clock: GatewayRig.now, token: carol, device: device))
    }

    /// An expectation may mean a device by the name under which it was declared.
    @Test(
        arguments: [
            (.declared, "carol", true), (.declared, nil, false), (.changed, "carol", false), (.changed, nil, false),
        ] as [(DeviceEvent.State, String?, Bool)])
    func onlyNamedDeclarationsAddADevice(_ kind: DeviceEvent.State, _ name: String?, isAdded: Bool) {
        var state = Self.state()
        state.apply(Self.event(kind, named: name), after: 0)
        let found = state.devices.find(Self.carol)
        #expect((found != nil) == isAdded)
    }

    @Test(arguments: [DeviceEvent.State.declared, .changed])
    func aRemovedDeviceMayComeBack(_ kind: DeviceEvent.State) {
        var state = Self.state()
        for event in [Self.event(.declared, named: "carol"), Self.event(.removed), Self.event(kind)] {
            state.apply(event, after: 0)
        }
        let found = state.devices.find(Self.carol)
        #expect(found != nil)
    }

    /// The event of its Live Activity has made it known.
    @Test func aKnownDeviceIsDeclaredWithoutAName() throws {
        var state = Self.state()
        let change = ActivityChange(.ended, name: nil, channel: nil)
        state.apply(.activity(ActivityEvent(clock: GatewayRig.now, device: Self.carol, change: change)), after: 0)
        state.apply(Self.event(.declared), after: 0)
        let found = state.devices.find(Self.carol)
        let isSelfRegistered = state.devices.isSelfRegistered(try #require(found))
        #expect(!isSelfRegistered)
    }

    /// Its events do not say which environment it belongs to.
    @Test func anActivityMakesASandboxDeviceKnown() throws {
        var state = Self.state()
        let change = ActivityChange(.started, name: nil, channel: nil)
        state.apply(.activity(ActivityEvent(clock: GatewayRig.now, device: Self.carol, change: change)), after: 0)
        let found = state.devices.find(Self.carol)
        let isSandbox = state.devices.isSandbox(try #require(found))
        #expect(isSandbox)
    }
}
