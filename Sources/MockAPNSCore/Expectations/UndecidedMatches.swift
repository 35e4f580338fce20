/// Requests that may or may not match an expectation, because a pattern was undecided.
package struct UndecidedMatches: Sendable {
    /// The number of requests listed.
    private static let limit = 3

    package private(set) var count = 0
    private var first: [(sequence: Int, pattern: UndecidedPattern)] = []

    /// Creates an empty list.
    package init() {}

    package mutating func add(_ sequence: Int, _ pattern: UndecidedPattern) {
        count += 1
        if first.count < Self.limit { first.append((sequence, pattern)) }
    }

    /// Removes a request that is now decided.
    mutating func remove(_ sequence: Int) {
        count -= 1
        first.removeAll { $0.sequence == sequence }
    }

    /// Returns a text such as `pattern "(a+)+$" was undecided for request 7 and 2 others`.
    ///
    /// - Parameter name: returns the number of a request as it appears in reports.
    package func words(_ name: (Int) -> String) -> String {
        guard let pattern = first.first?.pattern.text else { return "a pattern was undecided" }
        let same = first.filter { $0.pattern.text == pattern }.map { name($0.sequence) }
        let others = count > same.count ? " and \(counted(count - same.count, "other"))" : ""
        let numbers = others.isEmpty ? list(same, "and") : same.joined(separator: ", ")
        let why: Explanation =
            "pattern \(quoted: pattern) was undecided for request\(same.count > 1 ? "s" : "") \(numbers)\(others)"
        return why.description
    }
}
