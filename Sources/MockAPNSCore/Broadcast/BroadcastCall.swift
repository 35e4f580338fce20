/// A call about broadcast channels: the member `call` of its record.
///
/// See [Sending channel management requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-channel-management-requests-to-apns)
/// and [Sending broadcast push notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-broadcast-push-notification-requests-to-apns).
package enum BroadcastCall: UInt8, Sendable, CaseIterable {
    /// Creates a channel.
    case create
    /// Reads the configuration of a channel.
    case read
    /// Deletes a channel.
    case delete
    /// Lists the channels of an app.
    case list
    /// Publishes a push to a channel.
    case publish

    /// The value in the record.
    package var name: String {
        switch self {
        case .create: "create"
        case .read: "read"
        case .delete: "delete"
        case .list: "list"
        case .publish: "publish"
        }
    }

    /// The status of a good answer.
    var status: UInt16 {
        switch self {
        case .create: 201
        case .delete: 204
        case .read, .list, .publish: 200
        }
    }

    /// The trigger of the rules that are tried on it.
    var trigger: Rule.Trigger { self == .publish ? .broadcast : .channels }

    /// Whether it names a channel in `apns-channel-id`.
    var namesChannel: Bool {
        switch self {
        case .read, .delete, .publish: true
        case .create, .list: false
        }
    }

    /// Whether it has a body.
    var hasBody: Bool { self == .create || self == .publish }

    /// Returns the call of a method on a path; `nil` if the path does not take the method.
    init?(_ path: CallPath, method: Span<UInt8>) {
        switch path {
        case .channels:
            if method.equals("POST") {
                self = .create
            } else if method.equals("GET") {
                self = .read
            } else if method.equals("DELETE") {
                self = .delete
            } else {
                return nil
            }
        case .allChannels:
            guard method.equals("GET") else { return nil }
            self = .list
        case .broadcasts:
            guard method.equals("POST") else { return nil }
            self = .publish
        case .unknown: return nil
        }
    }
}

/// A path below `/1/apps/` or `/4/broadcasts/`.
package enum CallPath: UInt8, Sendable {
    /// `/1/apps/BUNDLE/channels`.
    case channels
    /// `/1/apps/BUNDLE/all-channels`.
    case allChannels
    /// `/4/broadcasts/apps/BUNDLE`.
    case broadcasts
    /// Anything else there.
    case unknown

    /// Reads a path.
    ///
    /// - Returns: the path with the range of the bundle id in the text; `nil` for a path that is elsewhere.
    static func read(_ text: Span<UInt8>) -> (path: CallPath, bundle: Range<Int>)? {
        let management = "/1/apps/"
        let broadcasts = "/4/broadcasts/"
        if text.begins(with: management) {
            let start = management.utf8.count
            guard let end = (start..<text.count).first(where: { text[$0] == UInt8(ascii: "/") }), end > start else {
                return (.unknown, start..<start)
            }
            let rest = text.extracting(end..<text.count)
            if rest.equals("/channels") { return (.channels, start..<end) }
            if rest.equals("/all-channels") { return (.allChannels, start..<end) }
            return (.unknown, start..<start)
        }
        guard text.begins(with: broadcasts) else { return nil }
        let start = broadcasts.utf8.count + 5
        guard text.count > start, text.extracting(broadcasts.utf8.count..<start).equals("apps/"),
            !text.extracting(start..<text.count).contains(UInt8(ascii: "/"))
        else { return (.unknown, broadcasts.utf8.count..<broadcasts.utf8.count) }
        return (.broadcasts, start..<text.count)
    }

    /// The methods it takes.
    var methods: String {
        switch self {
        case .channels: "\"POST\", \"GET\" and \"DELETE\""
        case .allChannels: "\"GET\""
        case .broadcasts: "\"POST\""
        case .unknown: "no method"
        }
    }
}
