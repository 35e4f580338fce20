/// The outages that run: every push is answered as the one that began last says.
struct Outages {
    /// In the order of their beginnings, each ending before the one that began before it.
    private var running: [(step: Step, end: Timestamp)] = []

    /// Whether one may run; ``current(at:)`` tells.
    var isEmpty: Bool { running.isEmpty }

    /// Begins one.
    ///
    /// - Parameter first: the step that it begins with, if it was one: with it come the ways to answer that it names.
    mutating func begin(_ outage: Outage, with first: Step? = nil, at now: Timestamp) {
        let (end, isBeyond) = now.milliseconds.addingReportingOverflow(outage.duration)
        var step = Step(.reject(outage.reason))
        if let first { (step.retryAfter, step.drip, step.deliver) = (first.retryAfter, first.drip, first.deliver) }
        let new = (step: step, end: Timestamp(milliseconds: isBeyond ? .max : end))
        running.removeAll { $0.end <= new.end }
        running.append(new)
    }

    /// What is played on pushes at a time, and until when.
    mutating func current(at now: Timestamp) -> (step: Step, end: Timestamp)? {
        while let last = running.last {
            if now < last.end { return last }
            running.removeLast()
        }
        return nil
    }
}
