/// The body of an event.
protocol LogEventBody: Sendable {
    /// Appends the members of the line that follow the real time.
    func appendMembers(to line: inout [UInt8])
}
