/// A push that is stored for a device or displayed by it.
struct KeptPush: Sendable {
    /// The sequence number of the push.
    var sequence: Int
    /// For a stored push, when it expires; for a displayed one, when it was displayed.
    var time: Timestamp
    /// The collapse id, then the payload.
    private var bytes: [UInt8]
    private var collapseCount: UInt16
    /// The number of its topic. All topics beyond the limit of ``TopicTable`` have the same.
    var topic: UInt16
    var priority = Priority.immediate
    /// Its delivery.
    var delivery = Delivery.delivered
    /// Its number in the order of a fleet; 0 for one that was decided without the others.
    var number = 0
    /// Its push type; `nil` if that is unknown. One without a push type counts as an alert.
    var pushType: PushType? = .alert
    /// The circumstances in which it reached the device.
    var circumstances = Circumstances()
    /// The Live Activity that it is addressed to.
    var activity = Activity.ofDevice

    /// The part of the screen that it may change.
    var screenPart: ScreenPart { pushType.map { ScreenPart($0) } ?? .none }

    /// Whether it starts a Live Activity that listens to a broadcast channel.
    var startsOnChannel: Bool {
        guard pushType == .liveactivity, payload.contains(LiveActivityPush.channelKey) else { return false }
        let content = LiveActivityPush(payload)
        return content?.event == .start && content?.channel != nil
    }

    /// The Live Activity that a push is addressed to.
    enum Activity: Sendable, Hashable {
        /// That of the device, or none: the push was sent to a device token.
        case ofDevice
        /// It starts one: the push was sent to a push-to-start token.
        case starts
        /// The one with this number: the push was sent to its update token.
        case updates(Int32)
        /// One that has gone.
        case gone
    }

    init(sequence: Int, time: Timestamp, topic: TopicIndex?, collapseID: Span<UInt8>, payload: Span<UInt8>) {
        self.sequence = sequence
        self.time = time
        self.topic = topic?.rawValue ?? DeviceRecord.noTopic
        collapseCount = UInt16(clamping: collapseID.count)
        bytes = []
        bytes.reserveCapacity(collapseID.count + payload.count)
        bytes.append(collapseID)
        bytes.append(payload)
    }

    /// The collapse id; empty if absent.
    var collapseID: Span<UInt8> {
        @_lifetime(borrow self)
        get { bytes.span.extracting(first: Int(collapseCount)) }
    }

    var hasCollapseID: Bool { collapseCount > 0 }

    var payload: Span<UInt8> {
        @_lifetime(borrow self)
        get { bytes.span.extracting(droppingFirst: Int(collapseCount)) }
    }

    var byteCount: Int { bytes.count }

    /// Creates the push that a device stores or displays.
    ///
    /// - Parameter topic: the number of its topic.
    init(_ push: borrowing DecidedPush, topic: TopicIndex?) {
        let record = push.record
        self.init(
            sequence: push.sequence,
            time: push.isStored ? DeliveryPolicy.expiry(record.expiration, at: record.clock) : record.clock,
            topic: topic, collapseID: push.collapseID, payload: push.payload)
        priority = record.priority.flatMap(Priority.init(rawValue:)) ?? .immediate
        (delivery, pushType, number) = (record.delivery ?? .delivered, push.pushType, push.number)
    }

    /// Returns whether it replaces another push, on the screen or in storage with several pushes per topic.
    func collapses(into other: borrowing KeptPush) -> Bool {
        hasCollapseID && hasAddress(of: other) && collapseID.equals(other.collapseID)
    }

    /// Returns whether both are for the same token and topic, so that APNs stores one of them.
    func hasAddress(of other: borrowing KeptPush) -> Bool { topic == other.topic && activity == other.activity }
}

/// The pushes that APNs stores for a device, and the device's display.
///
/// According to
/// [Sending notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns),
/// one push is stored per topic. According to
/// [User Notifications updates](https://developer.apple.com/documentation/updates/usernotifications) of June 2024,
/// several are, of which those with the same collapse id replace each other.
package struct Mailbox: Sendable {
    /// Maximum number of topics with a stored push per device; one more discards the oldest push as if it had expired.
    static let storedLimit = 256

    /// The push stored first; there is rarely another.
    private var first: KeptPush?
    private var others: [KeptPush] = []
    /// The device's display.
    var display = Display()
    /// The sequence number up to which the log has what the device displayed before it had a mailbox; 0 if it displayed
    /// nothing.
    var historyEnd = 0

    init() {}

    init(historyEnd: Int) { self.historyEnd = historyEnd }

    /// The stored pushes, oldest first.
    var stored: [KeptPush] { first.map { [$0] + others } ?? [] }

    /// Returns whether the push with this sequence number is stored.
    func stores(_ sequence: Int) -> Bool {
        first?.sequence == sequence || others.contains { $0.sequence == sequence }
    }

    /// Stores a push.
    mutating func store(_ push: consuming KeptPush) { if first == nil { first = push } else { others.append(push) } }

    /// Returns the stored push that makes way for the newest: the one with its collapse id if there is one, or else the
    /// oldest of its topic if that was full; those are replaced. If the device stores too many, the oldest of all goes.
    ///
    /// - Parameter limit: how many pushes per topic are stored, and whether the device may store more than it did.
    func makesWay(within limit: (perTopic: Int, hasRoom: Bool)) -> (push: KeptPush, isReplaced: Bool)? {
        guard let new = others.last, let oldest = first else { return nil }
        let older = stored.dropLast()
        if let same = older.first(where: { new.collapses(into: $0) }) { return (same, true) }
        let same = older.lazy.filter { $0.hasAddress(of: new) }
        if let oldest = same.first, same.count >= limit.perTopic { return (oldest, true) }
        return !limit.hasRoom || older.count >= max(Self.storedLimit, limit.perTopic) ? (oldest, false) : nil
    }

    /// Removes the push with this sequence number from storage.
    mutating func remove(_ sequence: Int) -> KeptPush? {
        if let oldest = first, oldest.sequence == sequence {
            dropFirst()
            return oldest
        }
        return others.firstIndex { $0.sequence == sequence }.map { others.remove(at: $0) }
    }

    /// Changes the reason why a push is stored.
    mutating func setDelivery(_ delivery: Delivery, of sequence: Int) {
        if first?.sequence == sequence {
            first?.delivery = delivery
        } else if let index = others.firstIndex(where: { $0.sequence == sequence }) {
            others[index].delivery = delivery
        }
    }

    private mutating func dropFirst() { first = others.isEmpty ? nil : others.removeFirst() }
}
