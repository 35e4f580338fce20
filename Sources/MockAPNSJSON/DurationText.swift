/// A duration as written in scenario files and the API: `250ms`, `5s`, `20m`, `1h`, `30d`.
///
/// A whole number and a unit, nothing else. The number of digits is limited so that every duration is below 275 years
/// and fits into 64 bits even in nanoseconds: up to 12 digits of `ms`, 9 of `s`, 8 of `m`, 6 of `h`, 5 of `d`.
package enum DurationText {
    /// The units, each with its milliseconds and the maximum number of digits.
    static let units: [(name: String, milliseconds: Int64, digits: Int)] = [
        ("ms", 1, 12), ("s", 1000, 9), ("m", 60_000, 8), ("h", 3_600_000, 6), ("d", 86_400_000, 5),
    ]

    /// Why a text is not a duration.
    package enum Problem: Error {
        /// It is not a number with a unit.
        case malformed
        /// It has more digits than its unit allows.
        case tooLong
    }

    /// Returns the milliseconds of a duration; `nil` for any other text.
    package static func milliseconds(_ text: String) -> Int64? { try? read(text) }

    package static func read(_ text: String) throws(Problem) -> Int64 {
        let digits = text.utf8.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        let rest = text.utf8.dropFirst(digits.count)
        guard !digits.isEmpty, let unit = units.first(where: { rest.elementsEqual($0.name.utf8) }) else {
            throw .malformed
        }
        guard digits.count <= unit.digits, let number = Int64(Substring(digits)) else { throw .tooLong }
        return number * unit.milliseconds
    }

    /// Returns the shortest text for a nonnegative number of milliseconds: `90s` for 90,000.
    package static func text(_ milliseconds: Int64) -> String {
        let unit = units.last { milliseconds % $0.milliseconds == 0 && milliseconds >= $0.milliseconds } ?? units[0]
        return "\(milliseconds / unit.milliseconds)\(unit.name)"
    }
}
