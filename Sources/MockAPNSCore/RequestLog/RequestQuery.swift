/// A query of the log: which records, and which page of them.
package struct RequestQuery: Sendable {
    /// The order of the records in the result.
    package enum Order: String, Sendable, CaseIterable {
        case ascending = "asc"
        case descending = "desc"
    }

    /// The default number of records in a result.
    package static let defaultLimit = 100
    /// Maximum number of records in a result.
    package static let maximumLimit = 1000

    /// The conditions that records have to meet.
    package var match: RequestMatch
    /// Only pushes with such a finding of lint; `nil` means all requests.
    package var lint: LintQuery?
    /// Only records after this sequence number, or before it in descending order; `nil` means all.
    package var after: Int?
    /// Maximum number of records, 0 to 1000.
    package var limit: Int
    /// Oldest or newest first.
    package var order: Order

    /// Creates a query.
    package init(
        match: RequestMatch = RequestMatch(), after: Int? = nil, limit: Int = defaultLimit, order: Order = .ascending
    ) {
        self.match = match
        self.after = after
        self.limit = min(max(0, limit), Self.maximumLimit)
        self.order = order
    }

    static let parameters = RequestField.allCases.map(\.rawValue) + ["q", "after", "limit", "order"]

    /// Creates a query from URL parameters: ``RequestField``s with the value they must have, `q`, `after`, `limit` and
    /// `order`.
    ///
    /// - Parameter now: the real time, for times of day in `q`.
    /// - Throws: for an unknown or repeated parameter, or a value of the wrong type.
    package init(parameters: [(name: String, value: String)], at now: Timestamp) throws(QueryError) {
        self.init()
        var seen: Set<String> = []
        for (name, value) in parameters {
            guard seen.insert(name).inserted else { throw QueryError(repeated: name) }
            switch name {
            case "q": match.search = try RequestSearch(value, at: now)
            case "after": after = try QueryParameter(name: name, value: value).number(in: 0...Int.max)
            case "limit": limit = try QueryParameter(name: name, value: value).number(in: 0...Self.maximumLimit)
            case "order":
                guard let order = Order(rawValue: value) else {
                    throw QueryError(
                        key: name, message: "order is \"\(value.shortened)\"; expected \"asc\" or \"desc\".")
                }
                self.order = order
            default:
                guard let field = RequestField(rawValue: name) else {
                    throw QueryError(unknown: name, known: Self.parameters)
                }
                match.require(field, try field.matcher(parameter: value))
            }
        }
    }
}
