/// A query for broadcast channels: which, and which page of them.
package struct ChannelQuery: Sendable {
    /// The query parameters.
    package enum Parameter: String, Sendable, CaseIterable {
        case name, after, limit
    }

    /// The default number of channels in a result.
    package static let defaultLimit = 100
    /// Maximum number of channels in a result.
    package static let maximumLimit = 1000

    /// The name of the channel, or its id.
    package var name: String?
    /// Only channels after this position, from a page's ``ChannelPage/next``.
    package var after = 0
    /// Maximum number of channels, 1 to 1000.
    package var limit = Self.defaultLimit

    /// Creates a query for the first page of all channels.
    package init() {}

    /// Creates a query from URL parameters.
    ///
    /// - Throws: for an unknown or repeated parameter, or a value of the wrong type.
    package init(parameters: [(name: String, value: String)]) throws(QueryError) {
        var seen: Set<String> = []
        for (name, value) in parameters {
            guard seen.insert(name).inserted else { throw QueryError(repeated: name) }
            guard let parameter = Parameter(rawValue: name) else {
                throw QueryError(unknown: name, known: Parameter.allCases.map(\.rawValue))
            }
            switch parameter {
            case .name: self.name = value
            case .after: after = try DeviceQuery.number(name, value, in: 0...Int.max)
            case .limit: limit = try DeviceQuery.number(name, value, in: 1...Self.maximumLimit)
            }
        }
    }
}

/// The channels found for a ``ChannelQuery`` so far.
package struct ChannelPage: Sendable {
    /// The numbers of the channels, in order of creation.
    package var numbers: [Int] = []
    /// The start of the next page, for ``ChannelQuery/after``; `nil` after the last channel.
    package var next: Int?

    /// Creates an empty page.
    package init() {}
}

extension ChannelRegistry {
    /// Continues a search where a page ends, so that many channels can be searched in several short steps. The page is
    /// complete when it has ``ChannelQuery/limit`` channels or ``ChannelPage/next`` is `nil`.
    ///
    /// - Parameters:
    ///   - page: receives the channels found. Pass an empty page first; it starts where the query says.
    ///   - count: the maximum number of channels to examine, existing or not.
    package func look(for query: ChannelQuery, count: Int = 10_000, _ page: inout ChannelPage) {
        if let name = query.name {
            let named = [name, ChannelID.fromURL(name)].lazy.compactMap { existing($0) }.first
            page.numbers = [named].compactMap { $0 }.filter { $0 > query.after }
            return
        }
        var number = page.next ?? query.after
        let end = number.addingReportingOverflow(count)
        let last = end.overflow ? latestNumber : min(end.partialValue, latestNumber)
        while number < last, page.numbers.count < query.limit {
            number += 1
            if exists(number) { page.numbers.append(number) }
        }
        page.next = number < latestNumber ? number : nil
    }
}
