@testable package import MockAPNSCore

extension GatewayEffect {
    /// What it reports, if it does.
    package var event: LogEvent? { if case .event(let event) = self { event } else { nil } }

    /// The change of a record that it reports, if it does.
    package var update: UpdateEvent? { if case .update(let update)? = event { update } else { nil } }

    /// Appends the line that it has in the log, if it has one.
    package func appendLine(at time: Timestamp, to lines: inout [UInt8]) { event?.appendLine(at: time, to: &lines) }
}

extension Gateway {
    /// The changes of records since the effects were last taken.
    package mutating func takeUpdates() -> [UpdateEvent] { takeEffects().compactMap(\.update) }
}
