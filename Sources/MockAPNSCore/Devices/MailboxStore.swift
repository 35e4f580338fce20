/// The mailboxes of devices: what is stored for them, and what they show.
///
/// Only some devices have one: declared ones to which something was pushed, and those that registered themselves and were
/// changed since. For all others nothing is kept; what they show is read from the log.
///
/// It only remembers. What happens to a push, ``Gateway`` decides.
struct MailboxStore: ~Copyable, Sendable {
    /// Maximum number of bytes of displayed notifications that are kept; beyond that each device keeps its newest only.
    static let displayedByteLimit = 256 << 20

    private var boxes = Pool(empty: Mailbox())
    /// The index in ``boxes`` of each device's mailbox.
    private var indices: [UInt32: UInt32] = [:]
    private var displayedBytes = 0

    init() {}

    func hasMailbox(_ device: DeviceIndex) -> Bool { indices[device.rawValue] != nil }

    /// The devices with a mailbox, in the order of their numbers.
    var devices: [DeviceIndex] { indices.keys.sorted().map { DeviceIndex(rawValue: $0) } }

    /// The mailbox of a device, if it has one.
    func mailbox(of device: DeviceIndex) -> Mailbox? { indices[device.rawValue].map { boxes[$0] } }

    /// What is stored for a device, the oldest first.
    func stored(for device: DeviceIndex) -> [KeptPush] {
        guard let index = indices[device.rawValue] else { return [] }
        return boxes[index].stored
    }

    /// Whether the push of that number is stored for a device.
    func stores(_ sequence: Int, for device: DeviceIndex) -> Bool {
        indices[device.rawValue].map { boxes[$0].stores(sequence) } ?? false
    }

    /// Gives a device a mailbox that has none.
    mutating func open(_ device: DeviceIndex, historyEnd: Int) {
        indices[device.rawValue] = boxes.insert(Mailbox(historyEnd: historyEnd))
    }

    /// Takes a device's mailbox away.
    mutating func close(_ device: DeviceIndex) {
        guard let index = indices.removeValue(forKey: device.rawValue) else { return }
        displayedBytes -= boxes[index].display.byteCount
        boxes.remove(index)
    }

    /// Stores a push for a device that has a mailbox; see ``Mailbox/store(_:perTopic:)``.
    mutating func store(
        _ push: consuming KeptPush, for device: DeviceIndex, perTopic: Int
    ) -> (gone: KeptPush, isReplaced: Bool)? {
        guard let index = indices[device.rawValue] else { return nil }
        return boxes[index].store(push, perTopic: perTopic)
    }

    /// Takes the push of that number out of storage; `nil` when it is not there.
    mutating func removeStored(_ sequence: Int, for device: DeviceIndex) -> KeptPush? {
        guard let index = indices[device.rawValue] else { return nil }
        return boxes[index].remove(sequence)
    }

    /// Notes that a push is stored for another reason than before.
    mutating func setDelivery(_ delivery: Delivery, of sequence: Int, for device: DeviceIndex) {
        guard let index = indices[device.rawValue] else { return }
        boxes[index].setDelivery(delivery, of: sequence)
    }

    /// Takes a notification off the screen of a device that has a mailbox.
    mutating func dismiss(_ sequence: Int, on device: DeviceIndex) {
        guard let index = indices[device.rawValue] else { return }
        let before = boxes[index].display.byteCount
        boxes[index].display.dismiss(sequence, isInHistory: sequence <= boxes[index].historyEnd)
        displayedBytes += boxes[index].display.byteCount - before
    }

    /// Gives a push to a device; does nothing and returns false when it has no mailbox.
    @discardableResult
    mutating func show(_ push: KeptPush, on device: DeviceIndex) -> Bool {
        guard let index = indices[device.rawValue] else { return false }
        displayedBytes += boxes[index].display.take(
            push, limit: displayedBytes > Self.displayedByteLimit ? 1 : Display.limit)
        return true
    }
}
