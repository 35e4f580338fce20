/// The outages in progress. The one that started last determines how pushes are answered.
struct Outages {
    /// The outages in the order of their start. Each ends before those that started earlier.
    private var running: [(plan: ResponsePlan, end: Timestamp)] = []

    /// Whether there are no outages. If false, ``current(at:)`` returns whether one is still in progress.
    var isEmpty: Bool { running.isEmpty }

    /// Starts an outage.
    ///
    /// - Parameter plan: the response to pushes during the outage.
    mutating func begin(_ outage: Outage, _ plan: ResponsePlan, at now: Timestamp) {
        let end = now.advanced(by: outage.duration)
        running.removeAll { $0.end <= end }
        running.append((plan, end))
    }

    /// Returns the response to pushes at a time, and the end of the outage.
    mutating func current(at now: Timestamp) -> (plan: ResponsePlan, end: Timestamp)? {
        while let last = running.last {
            if now < last.end { return last }
            running.removeLast()
        }
        return nil
    }
}
