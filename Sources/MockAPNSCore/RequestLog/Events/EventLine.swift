// How every event of the log begins but those of requests, which have a sequence number first.
extension [UInt8] {
    /// Appends the opening brace and the members that all have.
    ///
    /// - Parameters:
    ///   - name: the value of `event`.
    ///   - time: the time of day.
    ///   - clock: the time of the scenario's clock; `nil` for events that have nothing to do with it.
    mutating func beginEvent(_ name: String, at time: Timestamp, clock: Timestamp? = nil) {
        append(contentsOf: #"{"event":"\#(name)","time":"#.utf8)
        appendJSON(time)
        guard let clock else { return }
        append(contentsOf: #","clock":"#.utf8)
        appendJSON(clock)
    }
}
