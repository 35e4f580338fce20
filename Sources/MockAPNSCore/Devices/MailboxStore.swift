/// The mailboxes of devices: stored pushes and what the devices display.
///
/// Only some devices have one: declared devices that were pushed to, and self-registered ones that were changed since.
/// Nothing is kept for all others; what they display is read from the log.
///
/// This only stores. ``Gateway`` decides what happens to a push.
package struct MailboxStore: ~Copyable, Sendable {
    /// Maximum number of bytes of displayed notifications; beyond that, each device keeps only its newest.
    static let displayedByteLimit = 256 << 20
    /// Maximum number of bytes of stored pushes; beyond that, no device stores more pushes than it does.
    static let storedByteLimit = 256 << 20

    private var boxes = SlotPool(empty: Mailbox())
    /// The index in ``boxes`` of each device's mailbox.
    private var indices: [UInt32: UInt32] = [:]
    /// The devices that pushes are stored for, by sequence number.
    private var holders: [Int: UInt32] = [:]
    /// The number of bytes of displayed notifications.
    private(set) var displayedBytes = 0
    private let displayedByteLimit: Int
    /// The number of bytes of stored pushes.
    private(set) var storedBytes = 0
    private let storedByteLimit: Int
    /// The number of stored pushes that were discarded because there was no room for more.
    private(set) var discarded = 0

    /// - Parameters:
    ///   - displayedByteLimit: at most ``displayedByteLimit``.
    ///   - storedByteLimit: at most ``storedByteLimit``.
    init(displayedByteLimit: Int = displayedByteLimit, storedByteLimit: Int = storedByteLimit) {
        self.displayedByteLimit = displayedByteLimit
        self.storedByteLimit = storedByteLimit
    }

    func hasMailbox(_ device: DeviceIndex) -> Bool { indices[device.rawValue] != nil }

    /// The devices with a mailbox, in the order of their numbers.
    var devices: [DeviceIndex] { indices.keys.sorted().map { DeviceIndex(rawValue: $0) } }

    /// Returns the mailbox of a device, if it has one.
    package func mailbox(of device: DeviceIndex) -> Mailbox? { indices[device.rawValue].map { boxes[$0] } }

    /// Returns the stored pushes of a device, oldest first.
    func stored(for device: DeviceIndex) -> [KeptPush] {
        guard let index = indices[device.rawValue] else { return [] }
        return boxes[index].stored
    }

    /// Returns whether the push with this sequence number is stored for a device.
    func stores(_ sequence: Int, for device: DeviceIndex) -> Bool {
        indices[device.rawValue].map { boxes[$0].stores(sequence) } ?? false
    }

    /// Creates a mailbox for a device without one.
    mutating func open(_ device: DeviceIndex, historyEnd: Int) {
        indices[device.rawValue] = boxes.insert(Mailbox(historyEnd: historyEnd))
    }

    /// Removes the mailbox of a device.
    mutating func close(_ device: DeviceIndex) {
        guard let index = indices.removeValue(forKey: device.rawValue) else { return }
        displayedBytes -= boxes[index].display.byteCount
        for push in boxes[index].stored {
            storedBytes -= push.byteCount
            holders[push.sequence] = nil
        }
        boxes.remove(index)
    }

    /// Returns whether a push can be stored for a device: there is room, or an older push of the device can go for it. One
    /// that cannot counts as discarded.
    ///
    /// - Parameter size: the bytes of its payload and its collapse id.
    mutating func admits(_ size: Int, for device: DeviceIndex) -> Bool {
        if storedBytes + size <= storedByteLimit || !stored(for: device).isEmpty { return true }
        discarded += 1
        return false
    }

    /// Returns the push that makes way for the one stored last; see ``Mailbox/makesWay(within:)``. One that is not replaced
    /// counts as discarded.
    mutating func makesWay(on device: DeviceIndex, perTopic: Int) -> (push: KeptPush, isReplaced: Bool)? {
        guard let index = indices[device.rawValue] else { return nil }
        let gone = boxes[index].makesWay(within: (perTopic, storedBytes <= storedByteLimit))
        if gone?.isReplaced == false { discarded += 1 }
        return gone
    }

    /// Stores a push for a device with a mailbox.
    mutating func store(_ push: consuming KeptPush, for device: DeviceIndex) {
        guard let index = indices[device.rawValue] else { return }
        storedBytes += push.byteCount
        holders[push.sequence] = device.rawValue
        boxes[index].store(push)
    }

    /// Returns the device that a push is stored for; `nil` if it is not stored.
    func device(storing sequence: Int) -> DeviceIndex? { holders[sequence].map { DeviceIndex(rawValue: $0) } }

    /// Removes the push with this sequence number from storage; returns `nil` if it is not there.
    mutating func removeStored(_ sequence: Int, for device: DeviceIndex) -> KeptPush? {
        guard let index = indices[device.rawValue] else { return nil }
        holders[sequence] = nil
        let removed = boxes[index].remove(sequence)
        storedBytes -= removed?.byteCount ?? 0
        return removed
    }

    /// Changes the reason why a push is stored.
    mutating func setDelivery(_ delivery: Delivery, of sequence: Int, for device: DeviceIndex) {
        guard let index = indices[device.rawValue] else { return }
        boxes[index].setDelivery(delivery, of: sequence)
    }

    /// Changes the display of a device with a mailbox.
    mutating func change(_ device: DeviceIndex, _ change: (inout Display, _ historyEnd: Int) -> Void) {
        guard let index = indices[device.rawValue] else { return }
        let before = boxes[index].display.byteCount
        change(&boxes[index].display, boxes[index].historyEnd)
        displayedBytes += boxes[index].display.byteCount - before
    }

    /// Delivers a push to a device; does nothing if it has no mailbox.
    mutating func show(_ push: KeptPush, on device: DeviceIndex) {
        guard let index = indices[device.rawValue] else { return }
        displayedBytes += boxes[index].display.add(
            push, limit: displayedBytes > displayedByteLimit ? 1 : Display.limit)
    }
}
