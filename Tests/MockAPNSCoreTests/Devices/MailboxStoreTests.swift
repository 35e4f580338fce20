import GatewayRigs
import Testing

@testable import MockAPNSCore

/// How much all devices show together.
@Suite struct MailboxStoreTests {
    private static let (alice, bob) = (DeviceIndex(rawValue: 1), DeviceIndex(rawValue: 2))

    private static func push(_ number: Int) -> KeptPush {
        KeptPush(
            sequence: number, time: GatewayRig.now, topic: nil, collapseID: [UInt8]().span,
            payload: Array(#"{"aps":{"alert":"\#(String(repeating: "Hello ", count: 1000))"}}"#.utf8).span)
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
        for number in 0..<3 {
            store.change(Self.alice) { display, _ in
                display.remove(number, .dismissed, "", at: GatewayRig.now, isInHistory: false)
            }
        }
        var shown = Self.shown(on: Self.bob, in: &store)
        #expect(shown == [100, 101])
        store = Self.store(limit: 10, alice: 11)
        store.close(Self.alice)
        shown = Self.shown(on: Self.bob, in: &store)
        #expect(shown == [100, 101])
    }

    @Test("Beyond the limit of all stored pushes no device stores more of them than it does")
    func stored() {
        let size = Self.push(1).byteCount
        var store = MailboxStore(storedByteLimit: 3 * size)
        for device in [Self.alice, Self.bob] { store.open(device, historyEnd: 0) }
        for number in 1...3 {
            let gone = store.add(Self.push(number), to: Self.alice)
            #expect(gone == nil)
        }
        var (used, discarded) = (store.storedBytes, store.discarded)
        #expect(used == 3 * size && discarded == 0)
        let oldest = store.add(Self.push(4), to: Self.alice)
        #expect(oldest?.push.sequence == 1 && oldest?.isReplaced == false)
        let (another, none) = (store.admits(size, for: Self.alice), store.admits(size, for: Self.bob))
        #expect(another && !none, "a device that stores nothing begins only where there is room")
        let first = store.add(Self.push(5), to: Self.bob)
        #expect(first == nil)
        let second = store.add(Self.push(6), to: Self.bob)
        #expect(second?.push.sequence == 5)
        (used, discarded) = (store.storedBytes, store.discarded)
        #expect(used == 4 * size && discarded == 3)
        _ = store.removeStored(2, for: Self.alice)
        store.close(Self.bob)
        used = store.storedBytes
        #expect(used == 2 * size)
        let more = store.add(Self.push(7), to: Self.alice)
        #expect(more == nil, "there is room again")
    }

    @Test func pushesMayFillTheStorage() {
        let size = Self.push(1).byteCount
        var store = MailboxStore(storedByteLimit: 2 * size)
        for device in [Self.alice, Self.bob] { store.open(device, historyEnd: 0) }
        store.store(Self.push(1), for: Self.alice)
        let (fits, exceeds) = (store.admits(size, for: Self.bob), store.admits(size + 1, for: Self.bob))
        #expect(fits)
        #expect(!exceeds)
    }

    @Test func removingWhatIsNotStoredFreesNothing() {
        var store = MailboxStore()
        store.open(Self.alice, historyEnd: 0)
        store.store(Self.push(1), for: Self.alice)
        let removed = store.removeStored(2, for: Self.alice)
        #expect(removed == nil)
        let used = store.storedBytes
        #expect(used == Self.push(1).byteCount)
    }

    @Test func withoutAMailboxNothingIsStored() {
        var store = MailboxStore()
        store.store(Self.push(1), for: Self.alice)
        let (used, isStored) = (store.storedBytes, store.stores(1, for: Self.alice))
        #expect(used == 0)
        #expect(!isStored)
    }
}

extension MailboxStore {
    /// Stores a push, for which another may make way.
    fileprivate mutating func add(_ push: KeptPush, to device: DeviceIndex) -> (push: KeptPush, isReplaced: Bool)? {
        store(push, for: device)
        let gone = makesWay(on: device, perTopic: 10)
        if let gone { _ = removeStored(gone.push.sequence, for: device) }
        return gone
    }
}
