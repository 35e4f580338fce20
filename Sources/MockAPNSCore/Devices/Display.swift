/// What a device shows: the notifications that its user has not looked at, the number on the app's icon, Live Activities.
///
/// A notification with the collapse id of a displayed one replaces it, says
/// [Sending notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns)
/// of `apns-collapse-id`. A background push shows nothing.
///
/// A payload costs more to read than a push to accept, and of many pushes only the last are shown; so they are read when
/// somebody looks, or when there are many of them.
struct Display: Sendable {
    /// Maximum number of notifications that are kept; beyond it the oldest are forgotten.
    static let limit = 100

    /// Maximum number of pushes that wait to be read.
    private static let unreadLimit = 400

    /// What is displayed, as far as pushes were read.
    private var kept: [KeptPush] = []
    /// What came since.
    private var unread: [KeptPush] = []
    private var readBadge: Int32?
    private var readActivities = LiveActivities()
    private var unreadActivities: [KeptPush] = []
    /// The pushes that the user has dismissed, of those that are only in the log.
    private var dismissed: Set<Int> = []

    /// A push has come to the device.
    ///
    /// - Parameter limit: how many notifications are kept.
    /// - Returns: by how many bytes more is kept.
    @discardableResult
    mutating func take(_ push: consuming KeptPush, limit: Int = Self.limit) -> Int {
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

    /// Does what another device did after this: shows its notifications, and its number where it has one.
    mutating func append(_ later: Display) {
        read(limit: Self.limit)
        kept.removeAll { later.dismissed.contains($0.sequence) }
        for push in later.shown { show(push, limit: Self.limit) }
        if let badge = later.badge { readBadge = badge }
        readUnreadActivities()
        readActivities.append(later.readActivities)
        unreadActivities = later.unreadActivities
    }

    /// The user takes a notification off the screen.
    ///
    /// - Parameter isInHistory: whether it is only in the log.
    mutating func dismiss(_ sequence: Int, isInHistory: Bool) {
        read(limit: Self.limit)
        kept.removeAll { $0.sequence == sequence }
        if isInHistory { dismissed.insert(sequence) }
    }

    /// The bytes of what is kept as it was sent.
    var byteCount: Int { (kept + unread + unreadActivities).reduce(0) { $0 + $1.byteCount } }

    /// What is displayed, the newest last.
    var shown: [KeptPush] { isRead.kept }

    /// The number on the icon, once a push has set it; 0 takes it away.
    var badge: Int32? { isRead.readBadge }

    /// The topics of what has come.
    var topics: Set<UInt16> { Set(kept.map(\.topic)).union(unread.map(\.topic)) }

    /// The Live Activities, the newest last.
    var activities: LiveActivities {
        var display = self
        display.readUnreadActivities()
        return display.readActivities
    }

    private mutating func readUnreadActivities() {
        for push in unreadActivities { readActivities.take(push) }
        unreadActivities.removeAll()
    }

    private var isRead: Display {
        var display = self
        display.read(limit: Self.limit)
        return display
    }

    private mutating func read(limit: Int) {
        // Where pushes collapse, each has its effect on what comes later.
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

    /// Without collapsing, what is older than the newest that are shown need not be read, but for the number.
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
