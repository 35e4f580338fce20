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
