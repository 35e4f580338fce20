/// The outages in progress. The one that started last determines how pushes are answered.
struct Outages {
    /// The outages in the order of their start. Each ends before those that started earlier.
    private var running: [(plan: ResponsePlan, end: Timestamp, summary: OutageSummary)] = []

    /// Whether there are none, not even some that have ended.
    var isEmpty: Bool { running.isEmpty }

    /// Starts an outage.
    ///
    /// - Parameters:
    ///   - plan: the response to pushes during the outage.
    ///   - rule: the rule that starts it; `nil` for the timeline.
    mutating func begin(_ outage: Outage, _ plan: ResponsePlan, by rule: String? = nil, at now: Timestamp) {
        let end = now.advanced(by: outage.duration)
        running.removeAll { $0.end <= end }
        running.append((plan, end, OutageSummary(reason: outage.reason, rule: rule, until: end)))
    }

    /// Returns the response to pushes at a time, and the end of the outage.
    func current(at now: Timestamp) -> (plan: ResponsePlan, end: Timestamp)? {
        running.last { now < $0.end }.map { ($0.plan, $0.end) }
    }

    /// Forgets the outages that have ended.
    mutating func removeEnded(at now: Timestamp) {
        while let last = running.last, last.end <= now { running.removeLast() }
    }

    /// Ends all outages.
    ///
    /// - Returns: how many were in progress.
    mutating func end(at now: Timestamp) -> Int {
        defer { running = [] }
        return summaries(at: now).count
    }

    /// Returns the outages in progress at a time: first the one that applies, then those that apply after it.
    func summaries(at now: Timestamp) -> [OutageSummary] {
        running.reversed().map(\.summary).filter { now < $0.until }
    }
}

/// An outage in progress as the API lists it.
package struct OutageSummary: Sendable, Hashable {
    /// The reason that every push gets.
    package var reason: Reason
    /// The rule that started it; `nil` for the timeline.
    package var rule: String?
    /// Its end on the scenario's clock.
    package var until: Timestamp
}
