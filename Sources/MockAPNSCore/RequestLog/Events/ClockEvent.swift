/// The log event `clock`: the manual clock was moved.
package struct ClockEvent: Sendable {
    /// The time before.
    package var start: Timestamp
    /// The time after: the member `clock` of the line.
    package var end: Timestamp

    /// Creates the event of a clock that was moved.
    package init(from start: Timestamp, to end: Timestamp) { (self.start, self.end) = (start, end) }
}

// MARK: The JSON line

extension ClockEvent: LogEventBody {
    func appendMembers(to line: inout [UInt8]) {
        line.appendMember("clock", end)
        line.appendMember("from", start)
    }

    /// Fails for a line that does not say how far the clock was moved.
    init?(_ line: RecordedLine) throws(JSONText.Mistake) {
        guard let start = try line.memberIfAny("from")?.time() else { return nil }
        self.init(from: start, to: try line.clock)
    }
}
