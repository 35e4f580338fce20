/// The outages that run: every push gets the reason of the one that began last.
struct Outages {
    /// In the order of their beginnings, each ending before the one that began before it.
    private var running: [(reason: Reason, end: Timestamp)] = []

    /// Whether one may run; ``current(at:)`` tells.
    var isEmpty: Bool { running.isEmpty }

    mutating func begin(_ outage: Outage, at now: Timestamp) {
        let (end, isBeyond) = now.milliseconds.addingReportingOverflow(outage.duration)
        let new = (reason: outage.reason, end: Timestamp(milliseconds: isBeyond ? .max : end))
        running.removeAll { $0.end <= new.end }
        running.append(new)
    }

    /// What pushes get at a time, and until when.
    mutating func current(at now: Timestamp) -> (reason: Reason, end: Timestamp)? {
        while let last = running.last {
            if now < last.end { return last }
            running.removeLast()
        }
        return nil
    }
}
