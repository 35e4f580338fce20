/// An event in its place among the requests. Its line is formatted when it is read.
package struct LoggedEvent: Sendable {
    /// The latest request at that time.
    package var after: Int
    /// The real time.
    package var time: Timestamp
    /// The event.
    package var event: LogEvent

    /// Creates an event that happened after the request with this sequence number.
    package init(_ event: LogEvent, at time: Timestamp, after sequence: Int) {
        (self.event, self.time, after) = (event, time, sequence)
    }

    /// Appends the line, with its line feed.
    package func appendLine(to line: inout [UInt8]) { event.appendLine(at: time, to: &line) }
}

// MARK: The frame

extension LoggedEvent {
    /// Appends its bytes.
    ///
    /// - Parameters:
    ///   - first: the first request of the frame.
    ///   - madeAt: when the frame was made.
    func append(to frame: inout [UInt8], after first: Int, at madeAt: Timestamp) {
        frame.appendSigned(Int64(after - first))
        frame.appendSigned(time.milliseconds - madeAt.milliseconds)
        event.append(to: &frame, at: time)
    }

    init(_ frame: inout FrameInput, after first: Int, at madeAt: Timestamp) throws(FrameMistake) {
        let (after, isBeyond) = first.addingReportingOverflow(Int(try frame.signed()))
        try frame.expect(!isBeyond && 0..<1 << 53 ~= after, "an event after request \(after)")
        self.after = after
        time = try frame.time(after: madeAt.milliseconds)
        event = try LogEvent(&frame, at: time)
    }
}
