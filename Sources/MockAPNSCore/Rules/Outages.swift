/// The outages that run: every push is answered as the one that began last says.
struct Outages {
    /// In the order of their beginnings, each ending before the one that began before it.
    private var running: [(plan: ResponsePlan, end: Timestamp)] = []

    /// Whether one may run; ``current(at:)`` tells.
    var isEmpty: Bool { running.isEmpty }

    /// Begins one.
    ///
    /// - Parameter plan: what pushes get while it runs.
    mutating func begin(_ outage: Outage, _ plan: ResponsePlan, at now: Timestamp) {
        let end = now.advanced(by: outage.duration)
        running.removeAll { $0.end <= end }
        running.append((plan, end))
    }

    /// What pushes get at a time, and until when.
    mutating func current(at now: Timestamp) -> (plan: ResponsePlan, end: Timestamp)? {
        while let last = running.last {
            if now < last.end { return last }
            running.removeLast()
        }
        return nil
    }
}
