/// What a device shows: the notifications that its user has not looked at, and the number on the app's icon.
///
/// A notification with the collapse id of a displayed one takes its place, says
/// [Sending notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns)
/// of `apns-collapse-id`. A background push shows nothing.
struct Display: Sendable {
    /// So many notifications are kept; of more, the oldest are forgotten.
    static let limit = 100

    /// So many more are kept before the oldest are forgotten, all at once.
    private static let slack = limit / 4

    private var kept: [KeptPush] = []
    /// The number on the icon, once a push has set it; 0 takes it away.
    private(set) var badge: Int32?

    /// A push has come to the device.
    ///
    /// - Parameter limit: how many notifications are kept.
    /// - Returns: by how many bytes more is displayed.
    @discardableResult
    mutating func take(_ push: consuming KeptPush, limit: Int = Self.limit) -> Int {
        guard push.canBeShown else { return 0 }
        let content = NotificationContent(push.payload)
        if let badge = content.badge { self.badge = badge }
        return content.hasAlert ? show(push, limit: limit) : 0
    }

    /// Shows a notification; returns by how many bytes more is displayed.
    @discardableResult
    mutating func show(_ push: consuming KeptPush, limit: Int = Self.limit) -> Int {
        var growth = push.byteCount
        if let place = placeCollapsed(by: push) {
            growth -= kept[place].byteCount
            kept[place] = push
        } else {
            kept.append(push)
        }
        let most = limit < Self.limit ? limit : Self.limit + Self.slack
        if kept.count > most {
            let surplus = kept.count - limit
            growth -= kept[..<surplus].reduce(0) { $0 + $1.byteCount }
            kept.removeFirst(surplus)
        }
        return growth
    }

    /// Does what another device did after this: shows its notifications, and its number where it has one.
    mutating func append(_ later: Display) {
        for push in later.shown { show(push) }
        if let badge = later.badge { self.badge = badge }
    }

    /// The bytes of what is displayed.
    var byteCount: Int { kept.reduce(0) { $0 + $1.byteCount } }

    /// What is displayed, the newest last.
    var shown: ArraySlice<KeptPush> { kept.suffix(Self.limit) }

    private func placeCollapsed(by push: borrowing KeptPush) -> Int? {
        guard push.hasCollapseID else { return nil }
        for place in max(0, kept.count - Self.limit)..<kept.count where push.collapses(into: kept[place]) {
            return place
        }
        return nil
    }
}
