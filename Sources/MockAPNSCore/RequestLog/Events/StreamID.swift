/// The id of an entry in a stream of the fleet's engine, such as `1795255200123-7`.
package struct StreamID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The part before the hyphen: milliseconds since 1970, for a frame those of the start of its replica.
    package var milliseconds: UInt64
    /// The part after the hyphen: for a frame its number, 1 for the first.
    package var number: UInt64

    /// Before every entry.
    package static let zero = Self(milliseconds: 0, number: 0)

    /// After every entry.
    package static let max = Self(milliseconds: .max, number: .max)

    /// Creates an id from its parts.
    package init(milliseconds: UInt64, number: UInt64) {
        (self.milliseconds, self.number) = (milliseconds, number)
    }

    /// Parses an id; `nil` if the text is not one.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2,
            parts.allSatisfy({ $0.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } }),
            let milliseconds = UInt64(parts[0]), let number = UInt64(parts[1])
        else { return nil }
        self.init(milliseconds: milliseconds, number: number)
    }

    /// The id before this one: what is read after it begins with this one.
    package var previous: Self {
        if number > 0 { return Self(milliseconds: milliseconds, number: number - 1) }
        return milliseconds > 0 ? Self(milliseconds: milliseconds - 1, number: .max) : .zero
    }

    /// The id as the engine writes it.
    package var description: String { "\(milliseconds)-\(number)" }

    /// Returns whether `one` comes before `other`.
    package static func < (one: Self, other: Self) -> Bool {
        (one.milliseconds, one.number) < (other.milliseconds, other.number)
    }
}
