import Testing

@testable import MockAPNSCore

/// How much all devices show together.
@Suite struct MailboxStoreTests {
    private static let (alice, bob) = (DeviceIndex(rawValue: 1), DeviceIndex(rawValue: 2))

    private static func push(_ number: Int) -> KeptPush {
        KeptPush(
            sequence: number, time: GatewayRig.now, topic: nil, collapseID: [UInt8]().span,
            payload: Array(#"{"aps":{"alert":"Hello"}}"#.utf8).span)
    }

    /// A store for the notifications of so many pushes, of which Alice shows some.
    private static func store(limit: Int, alice shown: Int) -> MailboxStore {
        var store = MailboxStore(displayedByteLimit: limit * push(1).byteCount)
        for device in [alice, bob] { store.open(device, historyEnd: 0) }
        for number in 0..<shown { store.show(push(number), on: alice) }
        return store
    }

    /// The numbers of what a device shows after two pushes more.
    private static func shown(on device: DeviceIndex, in store: inout MailboxStore) -> [Int] {
        for number in [100, 101] { store.show(push(number), on: device) }
        return store.mailbox(of: device)?.display.shown.map(\.sequence) ?? []
    }

    @Test("Beyond the limit of all together each device keeps its newest notification only")
    func limit() {
        var store = Self.store(limit: 12, alice: 10)
        var shown = Self.shown(on: Self.bob, in: &store)
        #expect(shown == [100, 101])
        store = Self.store(limit: 10, alice: 11)
        shown = Self.shown(on: Self.bob, in: &store)
        #expect(shown == [101])
        shown = Self.shown(on: Self.alice, in: &store)
        #expect(shown == [100, 101], "with the first of them all older ones went, so that there is room again")
        store = Self.store(limit: 10, alice: 10)
        store.show(Self.push(10), on: Self.alice)
        let atTheBorder = store.mailbox(of: Self.alice)?.display.shown.count
        #expect(atTheBorder == 11)
    }

    @Test func whatIsDismissedOrGoneNoLongerCounts() {
        var store = Self.store(limit: 10, alice: 11)
        for number in 0..<3 { store.dismiss(number, on: Self.alice) }
        var shown = Self.shown(on: Self.bob, in: &store)
        #expect(shown == [100, 101])
        store = Self.store(limit: 10, alice: 11)
        store.close(Self.alice)
        shown = Self.shown(on: Self.bob, in: &store)
        #expect(shown == [100, 101])
    }
}
