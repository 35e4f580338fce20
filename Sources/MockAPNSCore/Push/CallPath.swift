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
