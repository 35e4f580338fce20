extension LogEvent {
    /// Returns the event of one log in a log that is merged from several; `nil` if it says nothing there, because its own log
    /// lacks the request that it is about.
    ///
    /// - Parameters:
    ///   - request: returns the merged number of a request; `nil` if its log lacks it.
    ///   - replacement: does the same for a push that has replaced another, which may be in another log.
    ///   - connection: returns the merged reference to a connection.
    package func renumbered(
        request: (Int) -> Int?, replacement: (Int) -> Int?, connection: (ConnectionReference) -> ConnectionReference
    ) -> LogEvent? {
        switch self {
        case .update(var event):
            guard let sequence = request(event.sequence) else { return nil }
            event.sequence = sequence
            event.change.replacedBy = event.change.replacedBy.flatMap(replacement)
            return .update(event)
        case .connection(var event):
            event.connection = connection(event.connection)
            return .connection(event)
        case .response(var event):
            // A push that is not known has no notification.
            event.sequence = request(event.sequence) ?? 0
            return .response(event)
        case .activity(var event):
            if let sequence = event.change.sequence {
                let own = request(sequence)
                // In an ordered fleet all replicas say what a push does; what counts is the log that has its record.
                guard own != nil || event.change.state == .dismissed else { return nil }
                event.change.sequence = own ?? sequence
            }
            return .activity(event)
        case .device, .channel, .rule, .scenario, .clock, .reset, .fleet, .log: return self
        }
    }
}
