/// A question to the log: which records, and which page of them.
public struct RequestQuery: Sendable {
    /// The order of the records in the answer.
    public enum Order: String, Sendable, CaseIterable {
        case ascending = "asc"
        case descending = "desc"
    }

    /// How many records an answer has unless told otherwise.
    public static let defaultLimit = 100
    /// How many it has at most.
    public static let maximumLimit = 1000

    /// What the records have to fulfil.
    public var match: RequestMatch
    /// Only records that come after this sequence number, or, in descending order, before it; `nil`: all.
    public var after: Int?
    /// At most so many, 0 to 1000.
    public var limit: Int
    /// Oldest or newest first.
    public var order: Order

    /// A question for that page.
    public init(
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
    public init(parameters: [(name: String, value: String)]) throws(QueryError) {
        self.init()
        var seen: Set<String> = []
        for (name, value) in parameters {
            guard seen.insert(name).inserted else {
                throw QueryError(key: name, message: "\(name.shortened) is given more than once.")
            }
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

/// The answer to a ``RequestQuery``.
public struct RequestPage: Sendable {
    /// The records as JSON objects with commas between them.
    public var records: [UInt8] = []
    /// How many records ``records`` has.
    public var count = 0
    /// How many records of the log fulfil the question's match, on whatever page.
    public var total = 0
    /// How many records were dropped because of the log's limit; what they would have matched is not known.
    public var dropped = 0
    /// Of how many records of the log it is undecided whether they fulfil the match, because of a regular expression.
    public var undecided = 0

    mutating func append(_ segment: borrowing RequestSegment, at index: Int, _ writer: inout RecordWriter) {
        if count > 0 { records.append(UInt8(ascii: ",")) }
        writer.append(segment, at: index, to: &records)
        count += 1
    }

    /// The answer of the API: `{"requests":[…],"total":n,"dropped":n}`, and `"undecided":n` where that is not 0.
    public var json: [UInt8] {
        var json = Array(#"{"requests":["#.utf8)
        json.append(contentsOf: records)
        json.append(contentsOf: #"],"total":"#.utf8)
        json.appendJSON(total)
        json.append(contentsOf: #","dropped":"#.utf8)
        json.appendJSON(dropped)
        if undecided > 0 { json.append(contentsOf: #","undecided":\#(undecided)"#.utf8) }
        json.append(UInt8(ascii: "}"))
        return json
    }
}
