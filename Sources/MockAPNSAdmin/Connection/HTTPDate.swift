import MockAPNSCore

/// The time as `Date` has it, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    static func text(_ time: Timestamp) -> String {
        // 1970-01-01, from which seconds are counted, was a Thursday.
        let day = days[Int(time.seconds / 86_400 % 7)]
        let parts = time.text.split { "-T.".contains($0) }
        let month = months[(Int(parts[1]) ?? 1) - 1]
        return "\(day), \(parts[2]) \(month) \(parts[0]) \(parts[3]) GMT"
    }
}
