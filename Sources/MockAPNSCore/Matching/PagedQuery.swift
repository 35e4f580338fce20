/// A query for a list that is read page by page: devices, broadcast channels or rules.
package protocol PagedQuery: Sendable {
    /// The query parameters that select elements. Those of the page are common to all queries.
    associatedtype Filter: RawRepresentable<String>, CaseIterable

    /// The page.
    var page: PageRequest { get set }

    /// Creates a query for the first page of all elements.
    init()

    /// Selects elements by a parameter.
    mutating func select(by filter: Filter, _ parameter: QueryParameter) throws(QueryError)
}

extension PagedQuery {
    /// The names of all query parameters.
    package static var parameters: [String] {
        Filter.allCases.map(\.rawValue) + PageRequest.Parameter.allCases.map(\.rawValue)
    }

    /// Creates a query from URL parameters.
    ///
    /// - Throws: for an unknown or repeated parameter, or a value of the wrong type.
    package init(parameters: [(name: String, value: String)]) throws(QueryError) {
        self.init()
        var seen: Set<String> = []
        for (name, value) in parameters {
            guard seen.insert(name).inserted else { throw QueryError(repeated: name) }
            let parameter = QueryParameter(name: name, value: value)
            if let filter = Filter(rawValue: name) {
                try select(by: filter, parameter)
            } else if let known = PageRequest.Parameter(rawValue: name) {
                try page.read(known, parameter)
            } else {
                throw QueryError(unknown: name, known: Self.parameters)
            }
        }
    }
}

/// Where a page of a list begins, and how long it may be.
package struct PageRequest: Sendable {
    /// The query parameters.
    package enum Parameter: String, Sendable, CaseIterable {
        case after, limit
    }

    /// The default number of elements on a page.
    package static let defaultLimit = 100
    /// Maximum number of elements on a page.
    package static let maximumLimit = 1000

    /// Only elements after this position, from the ``Page/next`` of the page before.
    package var after = 0
    /// Maximum number of elements, 1 to 1000.
    package var limit = Self.defaultLimit

    fileprivate mutating func read(_ known: Parameter, _ parameter: QueryParameter) throws(QueryError) {
        switch known {
        case .after: after = try parameter.number(in: 0...Int.max)
        case .limit: limit = try parameter.number(in: 1...Self.maximumLimit)
        }
    }
}

/// The elements found for a page so far.
package struct Page<Element: Sendable>: Sendable {
    /// The elements, in the order of the list.
    package var elements: [Element] = []
    /// The position where the search goes on, or the next page begins; `nil` after the last element of the list.
    package var next: Int?

    /// Creates an empty page.
    package init() {}

    /// Returns whether the search for its elements is over.
    package func isComplete(_ request: PageRequest) -> Bool { next == nil || elements.count >= request.limit }
}

/// A parameter of a URL.
package struct QueryParameter: Sendable {
    let name: String
    let value: String

    /// Reads `true` or `false`.
    func bool() throws(QueryError) -> Bool { try choice([("true", true), ("false", false)]) }

    /// Reads one of several words, of which an error names the first two.
    func choice(_ words: [(word: String, meaning: Bool)]) throws(QueryError) -> Bool {
        if let choice = words.first(where: { $0.word == value }) { return choice.meaning }
        throw wrong(words.prefix(2).map { "\"\($0.word)\"" }.joined(separator: " or "))
    }

    /// Reads a whole number within a range.
    func number(in range: ClosedRange<Int>) throws(QueryError) -> Int {
        if let number = Int(value), range.contains(number) { return number }
        let most = range.upperBound == .max ? "on" : "to \(range.upperBound)"
        throw wrong("a whole number from \(range.lowerBound) \(most)")
    }

    private func wrong(_ expected: String) -> QueryError {
        QueryError(key: name, message: "\(name) is \"\(value.shortened)\"; expected \(expected).")
    }
}
