import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

/// Devices that registered themselves, of which there may be only a few here.
@Suite("A device that registered itself gives way to others")
struct SelfRegisteredDeviceTests {
    private static let tokens = ["a0", "b0", "c0", "d0"].map { String(repeating: $0, count: 32) }

    private static func rig(limit: Int) throws -> DeliveryRig {
        var rig = try DeliveryRig()
        rig.gateway.state.devices = DeviceRegistry(hashSeed: 1, limit: limit)
        return rig
    }

    private static func known(_ rig: borrowing DeliveryRig) -> [Int] {
        tokens.indices.filter { index in
            DeviceToken(hex: tokens[index]).map { rig.gateway.devices.find($0) != nil } ?? false
        }
    }

    private static func change(
        _ rig: inout DeliveryRig, _ device: Int, _ change: (inout DeviceChange) -> Void
    ) throws {
        var value = DeviceChange()
        change(&value)
        rig.effects += rig.gateway.change(try rig.device(tokens[device]), value, at: rig.now).1
    }

    @Test("What is stored for it is discarded, and is none of its successor's")
    func storedPushes() throws {
        var rig = try Self.rig(limit: 1)
        rig.send(to: Self.tokens[0])
        try Self.change(&rig, 0) { $0.isOnline = false }
        let stored = rig.send(to: Self.tokens[0])
        #expect(rig.delivery(stored) == "Stored - Device Offline")
        rig.send(to: Self.tokens[1])
        #expect(Self.known(rig) == [1])
        #expect(
            rig.delivery(stored) == "Discarded - Unregistered (From Storage)"
                || rig.record(stored)?.delivery == .discardedUnregisteredFromStorage)
        #expect(try rig.view(of: Self.tokens[1]).stored.isEmpty)
        #expect(try rig.alerts(of: Self.tokens[1]) == ["Hello"])
    }

    @Test("It gives way to one that another replica was pushed to, too")
    func knownToAnotherReplica() throws {
        var rig = try Self.rig(limit: 1)
        rig.send(to: Self.tokens[0])
        try Self.change(&rig, 0) { $0.isOnline = false }
        let stored = rig.send(to: Self.tokens[0])
        rig.gateway.registerIfUnknown(try #require(DeviceToken(hex: Self.tokens[1])), at: rig.now)
        #expect(Self.known(rig) == [1] && rig.record(stored)?.delivery == .discardedUnregisteredFromStorage)
        #expect(try rig.view(of: Self.tokens[1]).stored.isEmpty)
    }

    @Test("What it showed is not shown by its successor")
    func shownPushes() throws {
        var rig = try Self.rig(limit: 1)
        rig.send(to: Self.tokens[0])
        for isOnline in [false, true] { try Self.change(&rig, 0) { $0.isOnline = isOnline } }
        rig.send(body: #"{"aps":{"alert":"1"}}"#, to: Self.tokens[0])
        #expect(try rig.alerts(of: Self.tokens[0]) == ["Hello", "1"])
        rig.send(body: #"{"aps":{"alert":"2"}}"#, to: Self.tokens[1])
        #expect(try rig.alerts(of: Self.tokens[1]) == ["2"])
        try Self.change(&rig, 1) { $0.isOnline = false }
        #expect(try rig.alerts(of: Self.tokens[1]) == ["2"])
    }

    @Test("With room left none has to go")
    func room() throws {
        var rig = try Self.rig(limit: 3)
        rig.send(to: Self.tokens[0])
        try Self.change(&rig, 0) { $0.isOnline = false }
        let stored = rig.send(to: Self.tokens[0])
        for token in Self.tokens[1...2] { rig.send(to: token) }
        #expect(Self.known(rig) == [0, 1, 2])
        #expect(rig.delivery(stored) == "Stored - Device Offline")
    }

    @Test("First go those that hold nothing, then the one without a push for the longest time, stored pushes counted")
    func order() throws {
        var rig = try Self.rig(limit: 3)
        for token in Self.tokens.prefix(3) { rig.send(to: token) }
        for device in [0, 1] { try Self.change(&rig, device) { $0.isOnline = false } }
        for device in [0, 1, 0] { rig.send(to: Self.tokens[device]) }
        rig.send(to: Self.tokens[3])
        #expect(Self.known(rig) == [0, 1, 3])
        try Self.change(&rig, 3) { $0.isOnline = false }
        rig.send(to: Self.tokens[2])
        #expect(Self.known(rig) == [0, 2, 3])
    }

    @Test("A registry for one device takes one, and one for none takes one as well", arguments: [0, 1])
    func least(limit: Int) throws {
        var rig = try Self.rig(limit: limit)
        for token in Self.tokens.prefix(2) { rig.send(to: token) }
        #expect(Self.known(rig) == [1])
        #expect(rig.gateway.devices.evicted == 1)
    }

    @Test("An ordinary push does not open a mailbox, and what was shown before is shown still")
    func historyOfADevice() throws {
        var rig = try DeliveryRig()
        rig.send(body: #"{"aps":{"alert":"1"}}"#, to: Self.tokens[0])
        rig.send(body: #"{"aps":{"alert":"2"}}"#, to: Self.tokens[0])
        try Self.change(&rig, 0) { $0.savesPower = true }
        rig.send(body: #"{"aps":{"alert":"3"}}"#, to: Self.tokens[0])
        #expect(try rig.alerts(of: Self.tokens[0]) == ["1", "2", "3"])
    }

    @Test("A name that another device has is refused, and the device of that token stays as it is")
    func nameIsTaken() throws {
        var rig = try DeliveryRig(#"{"name": "alice", "token": "TOKEN"}"#)
        rig.send(body: #"{"aps":{"alert":"1"}}"#, to: Self.tokens[0])
        for (name, isTaken) in [("alice", true), ("bob", false)] {
            let text = #"{"devices": [{"name": "\#(name)", "token": "\#(Self.tokens[0])"}]}"#
            let declared = try #require(Scenario.read(Array(text.utf8)).0?.devices.first)
            let isRefused = rig.gateway.declare(declared, at: rig.now) == nil
            #expect(isRefused == isTaken)
            #expect(try rig.alerts(of: Self.tokens[0]) == ["1"])
            #expect(try rig.view(of: Self.tokens[0]).device.registeredItself == isTaken)
        }
    }

    @Test func declaringADeviceDiscardsWhatWasStored() throws {
        var rig = try DeliveryRig()
        rig.send(to: Self.tokens[0])
        try Self.change(&rig, 0) { $0.isOnline = false }
        let stored = rig.send(to: Self.tokens[0])
        let token = try #require(DeviceToken(hex: Self.tokens[0]))
        let isDeclared = rig.gateway.declare(DeclaredDevice(token: token), at: rig.now) != nil
        #expect(isDeclared)
        #expect(rig.record(stored)?.delivery == .discardedUnregisteredFromStorage)
    }

    @Test func aKnownDeviceIsNotRegisteredAnew() throws {
        var rig = try Self.rig(limit: 1)
        rig.send(to: Self.tokens[0])
        try Self.change(&rig, 0) { $0.isOnline = false }
        let stored = rig.send(to: Self.tokens[0])
        rig.gateway.registerIfUnknown(try #require(DeviceToken(hex: Self.tokens[0])), at: rig.now)
        #expect(rig.delivery(stored) == "Stored - Device Offline")
    }

    /// What a device shows that registered itself is in the log, from the first push to the latest.
    @Test(arguments: [-1, 0, 1, 3])
    func whatIsNotDisplayedCannotBeDismissed(_ sequence: Int) throws {
        var rig = try DeliveryRig()
        for _ in 0..<2 { rig.send(to: Self.tokens[0]) }
        let device = try rig.device(Self.tokens[0])
        for number in [1, sequence] { _ = rig.gateway.respond(.dismissal, to: number, on: device, at: rig.now) }
        #expect(try rig.view(of: Self.tokens[0]).history.latest.map(\.state) == [.shown, .shown, .dismissed])
    }

    @Test("A device that is declared again shows nothing of what came before")
    func declaredAgain() throws {
        var rig = try DeliveryRig()
        rig.send(body: #"{"aps":{"alert":"1"}}"#)
        rig.effects += rig.gateway.remove(try rig.device(), at: rig.now)
        let token = try #require(DeviceToken(hex: GatewayRig.deviceToken))
        let declared = Scenario.read(Array(#"{"devices": [{"token": "\#(GatewayRig.deviceToken)"}]}"#.utf8)).0
        let device = try #require(declared?.devices.first)
        #expect(device.token == token)
        let isDeclared = rig.gateway.declare(device, at: rig.now) != nil
        #expect(isDeclared)
        rig.send(body: #"{"aps":{"alert":"2"}}"#)
        #expect(try rig.alerts() == ["2"])
    }
}
