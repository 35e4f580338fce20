/// A moment: whole milliseconds since 1970-01-01T00:00:00Z.
///
/// Core has no clock; every moment is handed in by the server.
package struct Timestamp: Sendable, Hashable, Comparable {
    /// Seconds since 1970 that fit into milliseconds; what is said to be before or after is as good as the nearest of them.
    static let countableSeconds: ClosedRange<Int64> = -9_000_000_000_000_000...9_000_000_000_000_000

    /// Whole milliseconds since 1970; negative before.
    package var milliseconds: Int64

    /// From milliseconds since 1970.
    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// From seconds since 1970.
    package init(seconds: Int64) { milliseconds = seconds * 1000 }

    /// Whole seconds since 1970, rounded down, as in `iat` and `apns-expiration`.
    package var seconds: Int64 { milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000 }

    /// Whether one is before the other.
    package static func < (one: Self, other: Self) -> Bool { one.milliseconds < other.milliseconds }
}
