/// The display of a device: the notifications its user has not dismissed, the badge on the app's icon, and Live
/// Activities.
///
/// According to
/// [Sending notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns),
/// a notification replaces a displayed one with the same `apns-collapse-id`. A background push shows nothing.
///
/// Parsing a payload costs more than accepting a push, and of many pushes only the last are displayed; so payloads are
/// parsed on demand, or when many have accumulated.
struct Display: Sendable {
    /// Maximum number of notifications kept; older ones are removed.
    static let limit = 100

    /// Maximum number of pushes waiting to be parsed.
    private static let unreadLimit = 400

    /// The displayed notifications, as far as pushes have been parsed.
    private var kept: [KeptPush] = []
    /// The pushes received since then.
    private var unread: [KeptPush] = []
    private var readBadge: Int32?
    private var readActivities = LiveActivities()
    private var unreadActivities: [KeptPush] = []
    /// The dismissed pushes among those that are only in the log.
    private var dismissed: Set<Int> = []

    /// Adds a push that has reached the device.
    ///
    /// - Parameter limit: the maximum number of notifications kept.
    /// - Returns: the growth of the stored data in bytes.
    @discardableResult
    mutating func add(_ push: consuming KeptPush, limit: Int = Self.limit) -> Int {
        let growth = push.byteCount
        switch push.screenPart {
        case .none: return 0
        case .notifications: break
        case .liveActivities:
            unreadActivities.append(push)
            guard unreadActivities.count >= Self.unreadLimit else { return growth }
            let before = byteCount
            readUnreadActivities()
            return growth + byteCount - before
        }
        unread.append(push)
        guard unread.count >= (limit < Self.limit ? limit : Self.unreadLimit) else { return growth }
        let before = byteCount
        read(limit: limit)
        return growth + byteCount - before
    }

    /// Appends later notifications and Live Activities, and takes over their badge if it was set.
    mutating func append(_ later: Display) {
        read(limit: Self.limit)
        kept.removeAll { later.dismissed.contains($0.sequence) }
        for push in later.shown { show(push, limit: Self.limit) }
        if let badge = later.badge { readBadge = badge }
        readUnreadActivities()
        readActivities.append(later.readActivities)
        unreadActivities = later.unreadActivities
    }

    /// Removes a notification that the user dismissed.
    ///
    /// - Parameter isInHistory: whether it is only in the log.
    mutating func dismiss(_ sequence: Int, isInHistory: Bool) {
        read(limit: Self.limit)
        kept.removeAll { $0.sequence == sequence }
        if isInHistory { dismissed.insert(sequence) }
    }

    /// The number of payload and collapse id bytes kept.
    var byteCount: Int { (kept + unread + unreadActivities).reduce(0) { $0 + $1.byteCount } }

    /// The displayed notifications, newest last.
    var shown: [KeptPush] { isRead.kept }

    /// The badge on the icon, once a push has set it; 0 removes it.
    var badge: Int32? { isRead.readBadge }

    /// The topics of the pushes received.
    var topics: Set<UInt16> {
        Set((kept + unread + unreadActivities).map(\.topic)).union(readActivities.topics)
    }

    /// The Live Activities, newest last.
    var activities: LiveActivities {
        var display = self
        display.readUnreadActivities()
        return display.readActivities
    }

    private mutating func readUnreadActivities() {
        for push in unreadActivities { readActivities.apply(push) }
        unreadActivities.removeAll()
    }

    private var isRead: Display {
        var display = self
        display.read(limit: Self.limit)
        return display
    }

    private mutating func read(limit: Int) {
        // If pushes collapse, each affects the later ones.
        if unread.contains(where: \.hasCollapseID) {
            for push in unread {
                let content = NotificationContent(push.payload)
                if let badge = content.badge { readBadge = badge }
                if content.hasAlert { show(push, limit: limit) }
            }
        } else {
            readNewestFirst(limit: limit)
        }
        unread.removeAll(keepingCapacity: true)
    }

    /// Parses pushes from newest to oldest. Without collapsing, pushes older than the displayed ones need not be
    /// parsed, except for the badge.
    private mutating func readNewestFirst(limit: Int) {
        var shown: [KeptPush] = []
        var badge: Int32?
        for push in unread.reversed() {
            let hasRoom = shown.count < limit
            guard hasRoom || badge == nil && NotificationContent.mayHaveBadge(push.payload) else { continue }
            let content = NotificationContent(push.payload)
            badge = badge ?? content.badge
            if hasRoom, content.hasAlert { shown.append(push) }
        }
        kept.append(contentsOf: shown.reversed())
        kept.removeFirst(max(0, kept.count - limit))
        if let badge { readBadge = badge }
    }

    private mutating func show(_ push: KeptPush, limit: Int) {
        if let index = kept.firstIndex(where: { push.collapses(into: $0) }) {
            kept[index] = push
        } else {
            kept.append(push)
            kept.removeFirst(max(0, kept.count - limit))
        }
    }
}
