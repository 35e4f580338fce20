/// How full one of the collections is that clients, scenarios or the API can make grow.
///
/// `/metrics` has these figures, and the article Limits has a row for each.
package struct LimitUse: Sendable, Hashable {
    /// The label in `/metrics`, such as `rules`.
    package let name: String
    /// Maximum number of elements, or of bytes if the name ends in `_bytes`.
    package let limit: Int
    /// The number of elements or bytes now.
    package private(set) var used: Int
    /// The number of elements that were refused or dropped because of the limit.
    package private(set) var dropped: Int

    /// Creates the figures of a collection.
    package init(_ name: String, limit: Int, used: Int, dropped: Int = 0) {
        self.name = name
        self.limit = limit
        self.used = used
        self.dropped = dropped
    }
}

extension [LimitUse] {
    /// Empties the collections of a server that has ended. Their drops stay counted.
    package mutating func end() { for index in indices { self[index].empty() } }

    /// Adds the figures of another server, such as a session, which has limits of its own: the fuller collection counts.
    mutating func add(_ others: [LimitUse]) {
        for other in others {
            guard let index = firstIndex(where: { $0.name == other.name }) else {
                append(other)
                continue
            }
            self[index].add(other)
        }
    }
}

extension LimitUse {
    fileprivate mutating func empty() { used = 0 }

    fileprivate mutating func add(_ other: LimitUse) {
        used = Swift.max(used, other.used)
        dropped += other.dropped
    }
}
