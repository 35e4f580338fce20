// The beginning of all log events except requests, which have a sequence number first.
extension [UInt8] {
    /// Appends the opening brace and the members that all events have.
    ///
    /// - Parameters:
    ///   - name: the value of `event`.
    ///   - time: the real time.
    ///   - clock: the time on the scenario's clock; `nil` for events unrelated to it.
    mutating func beginEvent(_ name: String, at time: Timestamp, clock: Timestamp? = nil) {
        append(contentsOf: #"{"event":"\#(name)","time":"#.utf8)
        appendJSON(time)
        guard let clock else { return }
        append(contentsOf: #","clock":"#.utf8)
        appendJSON(clock)
    }
}
