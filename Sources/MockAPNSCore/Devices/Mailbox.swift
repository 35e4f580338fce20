/// A push that is kept for a device, or that it shows.
struct KeptPush: Sendable {
    /// Its number in the log.
    var sequence: Int
    /// In storage, when it expires; on the device, since when it is displayed.
    var time: Timestamp
    /// The collapse id, then the payload.
    private var bytes: [UInt8]
    private var collapseCount: UInt16
    /// The number of its topic; all topics beyond the bound of ``TopicTable`` have the same.
    var topic: UInt16
    var priority = Priority.immediate
    /// What became of it.
    var delivery = Delivery.delivered
    /// What its push type lets it change on the screen.
    var screenPart = ScreenPart.notifications

    init(sequence: Int, time: Timestamp, topic: TopicIndex?, collapseID: Span<UInt8>, payload: Span<UInt8>) {
        self.sequence = sequence
        self.time = time
        self.topic = topic?.rawValue ?? DeviceRecord.noTopic
        let collapseID = collapseID.extracting(first: min(collapseID.count, Int(UInt16.max)))
        collapseCount = UInt16(collapseID.count)
        bytes = []
        bytes.reserveCapacity(collapseID.count + payload.count)
        bytes.append(collapseID)
        bytes.append(payload)
    }

    /// Nothing when it was sent without one.
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

    /// Whether it replaces another one, on the screen or where several are stored for a topic.
    func collapses(into other: borrowing KeptPush) -> Bool {
        hasCollapseID && collapseCount == other.collapseCount && topic == other.topic
            && collapseID.equals(other.collapseID)
    }
}

/// What a push can change on a device's screen.
enum ScreenPart: UInt8, Sendable {
    /// Nothing that is shown by the system.
    case none
    /// The notifications, and the number on the app's icon.
    case notifications
    /// A Live Activity.
    case liveActivities

    /// What a push of that type can change. One that does not say its type counts as an alert.
    init(_ pushType: PushType?) {
        switch pushType {
        case nil, .alert: self = .notifications
        case .liveactivity: self = .liveActivities
        default: self = .none
        }
    }

    init(_ pushType: Push.Field<PushType>) {
        switch pushType {
        case .absent: self.init(nil)
        case .value(let type): self.init(type)
        default: self = .none
        }
    }
}

/// What APNs stores for a device, and what the device shows.
///
/// One push is stored for each topic, says
/// [Sending notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns);
/// several, of which those with one collapse id replace each other, says
/// [User Notifications updates](https://developer.apple.com/documentation/updates/usernotifications) of June 2024.
struct Mailbox: Sendable {
    /// Maximum number of topics for which a device has a push stored; with one more, the oldest goes as if it had expired.
    static let storedLimit = 256

    /// The push that was stored first; there are seldom others.
    private var first: KeptPush?
    private var others: [KeptPush] = []
    /// What the device shows.
    var display = Display()
    /// What the device showed before it had a mailbox has to be read from the log up to this number; 0: it showed
    /// nothing.
    var historyEnd = 0

    init(historyEnd: Int = 0) { self.historyEnd = historyEnd }

    /// What is stored, the oldest first.
    var stored: [KeptPush] { first.map { [$0] + others } ?? [] }

    /// Whether the push of that number is stored.
    func stores(_ sequence: Int) -> Bool {
        first?.sequence == sequence || others.contains { $0.sequence == sequence }
    }

    /// Stores a push.
    ///
    /// - Parameter perTopic: how many are stored for a topic.
    /// - Returns: the one that had to go: an older one of the same topic, or the oldest of too many.
    mutating func store(_ push: consuming KeptPush, perTopic: Int) -> (gone: KeptPush, isReplaced: Bool)? {
        guard let oldest = first else {
            first = push
            return nil
        }
        let replaced = replaced(by: push, perTopic: perTopic)
        let isFull = replaced == nil && others.count + 1 >= max(Self.storedLimit, perTopic)
        let gone = (replaced ?? (isFull ? oldest.sequence : nil)).flatMap { remove($0) }
        if first == nil { first = push } else { others.append(push) }
        return gone.map { ($0, replaced != nil) }
    }

    /// The number of the stored push that a new one replaces: the oldest of its topic, when these are as many as are
    /// stored, but rather the one with its collapse id.
    private func replaced(by push: borrowing KeptPush, perTopic: Int) -> Int? {
        if push.hasCollapseID, let same = stored.first(where: { push.collapses(into: $0) }) {
            return same.sequence
        }
        var oldest: Int?
        var count = 0
        for other in stored where other.topic == push.topic {
            if oldest == nil { oldest = other.sequence }
            count += 1
        }
        return count >= perTopic ? oldest : nil
    }

    /// Takes the push of that number out of storage.
    mutating func remove(_ sequence: Int) -> KeptPush? {
        if let oldest = first, oldest.sequence == sequence {
            dropFirst()
            return oldest
        }
        return others.firstIndex { $0.sequence == sequence }.map { others.remove(at: $0) }
    }

    /// Notes that a push is stored for another reason than before.
    mutating func setDelivery(_ delivery: Delivery, of sequence: Int) {
        if first?.sequence == sequence {
            first?.delivery = delivery
        } else if let index = others.firstIndex(where: { $0.sequence == sequence }) {
            others[index].delivery = delivery
        }
    }

    private mutating func dropFirst() { first = others.isEmpty ? nil : others.removeFirst() }
}
