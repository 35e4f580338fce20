import MockAPNSJSON

/// A query for the timeline: which stretch of time, and how long its buckets are.
package struct TimelineQuery: Sendable {
    /// Maximum number of buckets in an answer.
    package static let bucketLimit = 3600

    /// The query parameters.
    enum Parameter: String, CaseIterable {
        case last, from, to, bucket
    }

    static let parameters = Parameter.allCases.map(\.rawValue)

    /// Where buckets begin, in seconds since 1970.
    package private(set) var range: Range<Int64>
    /// The length of a bucket in seconds.
    package private(set) var bucket: Int64 = 1

    /// Creates a query from URL parameters: `last`, a duration until now, or `from` and `to`; and `bucket`, a duration.
    ///
    /// - Parameter now: the real time.
    /// - Throws: for an unknown or repeated parameter, a value of the wrong type, or too many buckets.
    package init(parameters: [(name: String, value: String)], at now: Timestamp) throws(QueryError) {
        var values: [Parameter: String] = [:]
        for (name, value) in parameters {
            guard let parameter = Parameter(rawValue: name) else {
                throw QueryError(unknown: name, known: Self.parameters)
            }
            guard values.updateValue(value, forKey: parameter) == nil else { throw QueryError(repeated: name) }
        }
        if values[.last] != nil, values[.from] != nil || values[.to] != nil {
            throw QueryError(key: "last", message: "last is for the time until now; expected it, or from and to.")
        }
        let end = try values[.to].map { value throws(QueryError) in try Self.time(value, .to) } ?? now
        let last = try values[.last].map { value throws(QueryError) in try Self.seconds(value, .last) } ?? 600
        let start = try values[.from].map { value throws(QueryError) in try Self.time(value, .from).seconds }
        // The second or minute that is not over belongs to it.
        range = (start ?? end.seconds - last + 1)..<max(start ?? .min, end.seconds + 1)
        let length = Int64(range.count)
        bucket = length <= Self.bucketLimit ? 1 : 60
        if let value = values[.bucket] { bucket = try Self.seconds(value, .bucket) }
        let count = (length + bucket - 1) / bucket
        guard count > Self.bucketLimit else { return }
        throw QueryError(
            key: "bucket",
            message: """
                There would be \(count) buckets; expected at most \(Self.bucketLimit), as with \
                bucket=\((length + Int64(Self.bucketLimit) - 1) / Int64(Self.bucketLimit))s.
                """)
    }

    private static func seconds(_ text: String, _ parameter: Parameter) throws(QueryError) -> Int64 {
        if let milliseconds = try? DurationText.read(text), milliseconds >= 1000, milliseconds % 1000 == 0 {
            return milliseconds / 1000
        }
        throw QueryError(
            key: parameter.rawValue,
            message: """
                \(parameter.rawValue) is "\(text.shortened)"; expected whole seconds as a duration, such as "10m" or "1s".
                """)
    }

    private static func time(_ text: String, _ parameter: Parameter) throws(QueryError) -> Timestamp {
        if let time = Timestamp(text) { return time }
        throw QueryError(
            key: parameter.rawValue,
            message: """
                \(parameter.rawValue) is "\(text.shortened)"; expected a time as in RFC 3339, such as \
                "2026-11-21T10:00:00Z".
                """)
    }
}
