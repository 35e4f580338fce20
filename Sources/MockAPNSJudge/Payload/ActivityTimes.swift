/// When the last push to each Live Activity, or channel, was made by what it says itself.
struct ActivityTimes: Sendable {
    private var last: [String: Double] = [:]

    /// Maximum number of Live Activities that are remembered; all are forgotten when there are more.
    private static let limit = 100_000

    /// Notes a timestamp. Returns the latest one before it.
    ///
    /// - Parameter isToLast: whether later ones are compared with it.
    mutating func note(_ timestamp: Double, for recipient: String, isToLast: Bool) -> Double? {
        let before = last[recipient]
        guard isToLast else { return before }
        if last.count >= Self.limit, before == nil { last.removeAll(keepingCapacity: true) }
        last[recipient] = max(timestamp, before ?? timestamp)
        return before
    }
}
