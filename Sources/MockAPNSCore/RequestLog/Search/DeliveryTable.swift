/// How many pushes of each type came to each delivery status, by day: the table that Apple's Push Notifications Console
/// exports, with its four columns.
///
/// A push counts once for each status that it has had: one that was stored and delivered later counts for both.
///
/// See [Viewing the status of push notifications using Metrics and APNs](https://developer.apple.com/documentation/usernotifications/viewing-the-status-of-push-notifications-using-metrics-and-apns).
package struct DeliveryTable: Sendable {
    private struct Row: Hashable {
        /// The day on the scenario's clock, in UTC.
        let date: String
        let pushType: String
        let state: Delivery
    }

    private var counts: [Row: Int] = [:]
    /// The text of the latest day, which most steps share.
    private var day = (number: Int64.min, text: "")

    fileprivate mutating func take(_ subject: borrowing RecordSubject) {
        guard subject.record.delivery != nil else { return }
        let pushType = subject.text(subject.record.pushTypeRange) ?? ""
        for step in subject.deliveries {
            counts[Row(date: date(step.clock), pushType: pushType, state: step.state), default: 0] += 1
        }
    }

    private mutating func date(_ time: Timestamp) -> String {
        let number = time.seconds / 86_400
        if number != day.number { day = (number, String(time.text.prefix { $0 != "T" })) }
        return day.text
    }

    /// The table as CSV (RFC 4180), by day, then by push type and status in alphabetical order.
    package var csv: String {
        let rows = counts.sorted {
            ($0.key.date, $0.key.pushType, $0.key.state.name) < ($1.key.date, $1.key.pushType, $1.key.state.name)
        }
        let lines = rows.map { "\(Self.field($0.key.pushType)),\($0.key.state.name),\($0.key.date),\($0.value)\r\n" }
        return "Push Type,Status,Date,Count\r\n" + lines.joined()
    }

    /// A type that only a scenario lets pass may have any letters.
    private static func field(_ text: String) -> String {
        guard text.contains(where: { ",\"\r\n".contains($0) }) else { return text }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

extension RequestSnapshot {
    /// Counts the pushes of providers by their deliveries.
    package var countingDeliveries: LogSearch<DeliveryTable> {
        LogSearch(self, DeliveryTable()) { subject, table in
            if subject.record.sender == .provider { table.take(subject) }
        }
    }
}
