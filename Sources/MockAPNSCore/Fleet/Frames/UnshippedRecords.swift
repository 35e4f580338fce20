/// Which of its records a replica ships to the collector. Totals, connections and devices it ships in any case, and of
/// the records that it leaves out, what the expectations count.
package enum ShippedRecords: String, Sendable, CaseIterable {
    case all
    /// All but an ordinary 200 to a device that nobody declared, unless an expectation other than a count is about it.
    case noted
    case none
}

/// What a frame says instead of the records that it leaves out.
struct UnshippedRecords: Sendable {
    /// Maximum number of records in and left out of a frame.
    static let coverLimit = 65_536

    /// The sequence number of the latest record in the frame or left out.
    var latestSequence = 0
    /// The time of that record.
    var latestTime = Timestamp(milliseconds: 0)
    /// The number of records left out.
    var count = 0
    /// The number of those that are not an ordinary 200 to a device that nobody declared.
    var special = 0
    /// The number of those on each connection.
    var connections: [UInt32: Int] = [:]
    /// The number of those in each second.
    var seconds: [Int64: Int] = [:]
    /// The digest of the scenario that the tallies are for.
    var scenario: UInt64 = 0
    /// What its expectations have counted of them since the frame before.
    var tallies = ExpectationJudge.Tallies(expectations: [])
}

/// What the collector knows of the records that replicas have left out.
struct UnshippedCounts: Sendable {
    /// The number of them.
    var count = 0
    /// The number of those that are not an ordinary 200 to a device that nobody declared.
    var special = 0
    /// The number of those counted for another scenario than the one being played.
    var uncounted = 0
    /// Maximum number of scenarios that counts are kept for.
    private static let limit = 16
    /// What they count for other scenarios, by their digests: a replica may play one before the collector does.
    private var others: [UInt64: ExpectationJudge.Tallies] = [:]
    /// The number of those whose counts were not kept.
    private var unkept = 0

    /// Adds what a frame says, except for tallies.
    mutating func add(_ records: UnshippedRecords) {
        count += records.count
        special += records.special
    }

    /// Keeps tallies for another scenario than the one being played.
    mutating func keep(_ tallies: ExpectationJudge.Tallies, _ records: UnshippedRecords) {
        uncounted += records.count
        if others[records.scenario] != nil {
            others[records.scenario]?.add(tallies)
        } else if others.count < Self.limit {
            others[records.scenario] = tallies
        } else {
            unkept += records.count
        }
    }

    /// Begins a scenario; returns what has been counted for it already.
    mutating func begin(_ scenario: UInt64) -> ExpectationJudge.Tallies? {
        defer { (others, uncounted, unkept) = ([:], unkept, 0) }
        return others[scenario]
    }
}
