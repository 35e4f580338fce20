/// A query for broadcast channels: which, and which page of them.
package struct ChannelQuery: PagedQuery {
    package enum Filter: String, Sendable, CaseIterable {
        case name
    }

    /// The name of the channel, or its id.
    package var name: String?
    package var page = PageRequest()

    package init() {}

    package mutating func select(by filter: Filter, _ parameter: QueryParameter) throws(QueryError) {
        switch filter {
        case .name: name = parameter.value
        }
    }
}

extension ChannelRegistry {
    /// Continues a search where a page ends, so that many channels can be searched in several short steps, until the page
    /// is complete (``Page/isComplete(_:)``).
    ///
    /// - Parameters:
    ///   - page: receives the numbers of the channels, in order of creation. Pass an empty page first; it starts where
    ///     the query says.
    ///   - count: the maximum number of channels to examine, existing or not.
    package func look(for query: ChannelQuery, count: Int = 10_000, _ page: inout Page<Int>) {
        if let name = query.name {
            let named = [name, ChannelID.fromURL(name)].lazy.compactMap { existing($0) }.first
            page.elements = [named].compactMap { $0 }.filter { $0 > query.page.after }
            return
        }
        var number = page.next ?? query.page.after
        let end = number.addingReportingOverflow(count)
        let last = end.overflow ? latestNumber : min(end.partialValue, latestNumber)
        while number < last, page.elements.count < query.page.limit {
            number += 1
            if exists(number) { page.elements.append(number) }
        }
        page.next = number < latestNumber ? number : nil
    }
}
