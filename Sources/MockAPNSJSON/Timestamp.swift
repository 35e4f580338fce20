/// A point in time: whole milliseconds since 1970-01-01T00:00:00Z.
///
/// The modules below MockAPNS have no clock; the server passes in every timestamp.
package struct Timestamp: Sendable, Hashable, Comparable {
    /// The seconds since 1970 that can be expressed in milliseconds. Values outside are clamped to the nearest bound.
    package static let countableSeconds: ClosedRange<Int64> = -9_000_000_000_000_000...9_000_000_000_000_000

    /// Whole milliseconds since 1970; negative before.
    package var milliseconds: Int64

    /// Creates a timestamp from milliseconds since 1970.
    @inlinable
    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Creates a timestamp from seconds since 1970.
    @inlinable
    package init(seconds: Int64) { milliseconds = seconds * 1000 }

    /// Whole seconds since 1970, rounded down, as in `iat` and `apns-expiration`.
    @inlinable
    package var seconds: Int64 { milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000 }

    /// Returns whether `one` is before `other`.
    @inlinable
    package static func < (one: Self, other: Self) -> Bool { one.milliseconds < other.milliseconds }

    /// Returns whether both are the same.
    @inlinable
    package static func == (one: Self, other: Self) -> Bool { one.milliseconds == other.milliseconds }
}
