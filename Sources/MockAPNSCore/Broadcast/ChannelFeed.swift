/// The pushes published to a channel, and the number of its listeners.
///
/// A push costs the same however many listen: it is appended, and the number of those online is added to the figures.
/// A device applies the pushes it has not yet seen when its state is read, or when it goes online or offline; see
/// ``Subscription``.
package struct ChannelFeed: Sendable {
    /// Maximum number of pushes kept. Of older ones, only those remain that a device may still show, up to this number.
    static let limit = 64
    /// The longest time that a push is stored, in milliseconds.
    static let longestStorage: Int64 = 8 * 3_600_000

    private(set) var figures = ChannelFigures()
    /// The number of subscribers whose devices are online.
    private(set) var online = 0
    /// The latest pushes, oldest first, except for those in ``ends``.
    private(set) var pushes: [ChannelPush] = []
    /// The pushes that ended Live Activities, oldest first.
    private(set) var ends: [ChannelPush] = []
    /// The push stored for devices that are offline, and until when.
    private(set) var stored: (push: ChannelPush, until: Timestamp)?
    /// The newest `timestamp` published, before which devices ignore updates, and its request.
    private var latest: (timestamp: Timestamp, sequence: Int)?
    /// The subscriptions in order of their beginning; those before ``firstOpen`` have ended.
    private var order: [Int] = []
    private var firstOpen = 0

    /// The number of bytes of the payloads kept.
    private(set) var byteCount = 0

    /// The result of a push at first.
    package struct Outcome: Sendable {
        /// The number of subscribers.
        var subscribers: Int
        /// How many of them are online.
        var delivered: Int
        /// Whether it is stored for the others.
        var isStored: Bool
        /// Why every device ignores it.
        var ignored: String?
    }

    /// Counts and keeps a published push.
    ///
    /// - Parameters:
    ///   - until: how long it may be stored; `nil` for a single attempt.
    ///   - limit: the maximum number of pushes kept.
    mutating func publish(_ push: ChannelPush, storedUntil until: Timestamp?, limit: Int) -> Outcome {
        var push = push
        figures.published += 1
        push.number = figures.published
        var outcome = Outcome(
            subscribers: figures.subscribers, delivered: online, isStored: false,
            ignored: push.reasonToIgnore(after: latest))
        figures.delivered += online
        if let until, push.time < until {
            stored = (push, min(until, push.time.advanced(by: Self.longestStorage)))
            outcome.isStored = true
        }
        if push.isEnd {
            guard online > 0 else { return outcome }
            ends.append(push)
            byteCount += push.byteCount
            figures.subscribers -= online
            (online, latest) = (0, nil)
        } else if online > 0 {
            if outcome.ignored == nil, let timestamp = push.content?.timestamp {
                latest = (timestamp, push.sequence)
            }
            pushes.append(push)
            byteCount += push.byteCount
            if pushes.count > limit { trim(to: limit) }
        }
        return outcome
    }

    private mutating func trim(to limit: Int) {
        if let covered = pushes.indices.dropLast().first(where: { pushes[$0].isCovered(by: pushes[$0 + 1]) }) {
            byteCount -= pushes.remove(at: covered).byteCount
        }
        while pushes.count > limit { byteCount -= pushes.removeFirst().byteCount }
    }

    /// Counts a new subscriber.
    mutating func add(_ subscription: Int, isOnline: Bool) {
        figures.subscribers += 1
        if isOnline { online += 1 }
        order.append(subscription)
    }

    /// Forgets the latest timestamp if a device that came online may accept an older update.
    ///
    /// - Parameter timestamp: the `timestamp` of what it shows.
    mutating func welcome(showing timestamp: Timestamp?) {
        guard let latest, timestamp.map({ $0 < latest.timestamp }) ?? true else { return }
        self.latest = nil
    }

    /// Counts a subscriber that does not listen any more.
    mutating func remove(isOnline: Bool) {
        figures.subscribers -= 1
        if isOnline { online -= 1 }
    }

    /// Counts a subscriber whose device went online or offline.
    mutating func setOnline(_ isOnline: Bool) { online += isOnline ? 1 : -1 }

    /// Counts a delivery from storage.
    mutating func countDelivery() { figures.delivered += 1 }

    /// Returns the push stored at a given time.
    func stored(at now: Timestamp) -> ChannelPush? { stored.flatMap { now < $0.until ? $0.push : nil } }

    /// The subscriptions that may still listen, in order of their beginning.
    var open: ArraySlice<Int> { order[firstOpen...] }

    /// The subscription that began first, of those that may still listen.
    var oldest: Int? { firstOpen < order.count ? order[firstOpen] : nil }

    /// Drops the oldest subscription, which has ended.
    mutating func dropOldest() {
        firstOpen += 1
        if firstOpen > order.count / 2 {
            order.removeFirst(firstOpen)
            firstOpen = 0
        }
    }

    /// Keeps only the subscriptions that still listen, in the same order.
    mutating func keep(_ listens: (Int) -> Bool) {
        order = open.filter(listens)
        firstOpen = 0
    }

    /// Returns the first push that ended the Live Activities listening since a push of this number.
    func end(after number: Int) -> ChannelPush? {
        guard let last = ends.last, last.number > number else { return nil }
        var (low, high) = (0, ends.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if ends[middle].number > number { high = middle } else { low = middle + 1 }
        }
        return ends[low]
    }

    /// Forgets all pushes but the one that is stored, once all Live Activities have caught up.
    mutating func dropPushes() { (pushes, ends, byteCount) = ([], [], 0) }
}
