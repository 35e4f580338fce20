/// A question to the log: which records, and which page of them.
package struct RequestQuery: Sendable {
    /// The order of the records in the answer.
    package enum Order: String, Sendable, CaseIterable {
        case ascending = "asc"
        case descending = "desc"
    }

    /// How many records an answer has unless told otherwise.
    package static let defaultLimit = 100
    /// How many it has at most.
    package static let maximumLimit = 1000

    /// What the records have to fulfil.
    package var match: RequestMatch
    /// Only records that come after this sequence number, or, in descending order, before it; `nil`: all.
    package var after: Int?
    /// At most so many, 0 to 1000.
    package var limit: Int
    /// Oldest or newest first.
    package var order: Order

    /// A question for that page.
    package init(
        match: RequestMatch = RequestMatch(), after: Int? = nil, limit: Int = defaultLimit, order: Order = .ascending
    ) {
        self.match = match
        self.after = after
        self.limit = min(max(0, limit), Self.maximumLimit)
        self.order = order
    }

    private static let parameters = RequestField.allCases.map(\.rawValue) + ["after", "limit", "order"]

    /// A question as the parameters of a URL have it: ``RequestField``s with the value that they must have, `after`,
    /// `limit` and `order`.
    ///
    /// - Throws: for an unknown parameter, one that comes twice, and a value of the wrong type.
    package init(parameters: [(name: String, value: String)]) throws(QueryError) {
        self.init()
        var seen: Set<String> = []
        for (name, value) in parameters {
            guard seen.insert(name).inserted else { throw QueryError(repeated: name) }
            switch name {
            case "after": after = try Self.number(name, value, in: 0...Int.max)
            case "limit": limit = try Self.number(name, value, in: 0...Self.maximumLimit)
            case "order":
                guard let order = Order(rawValue: value) else {
                    throw QueryError(
                        key: name, message: "order is \"\(value.shortened)\"; it takes \"asc\" or \"desc\".")
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

    private static func number(_ name: String, _ value: String, in range: ClosedRange<Int>) throws(QueryError) -> Int {
        guard let number = Int(value), range.contains(number) else {
            let most = range.upperBound == .max ? "on" : "to \(range.upperBound)"
            throw QueryError(
                key: name,
                message: "\(name) is \"\(value.shortened)\"; it takes a whole number from \(range.lowerBound) \(most).")
        }
        return number
    }

}
