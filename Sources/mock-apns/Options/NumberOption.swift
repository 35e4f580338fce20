import ArgumentParser

/// Reads whole numbers on the command line, and says what is expected instead of anything else.
enum NumberOption {
    /// Returns what reads a number within a range.
    ///
    /// - Parameter what: what is expected, without the range.
    static func reader<Number: FixedWidthInteger & Sendable>(
        of range: ClosedRange<Number>, _ what: String = "a whole number"
    ) -> @Sendable (String) throws -> Number {
        { text in
            if let number = Number(text), range.contains(number) { return number }
            // Of a range without an end, only digits that are no such number can be too many.
            let isOpen = range.upperBound == .max && (Number(text) != nil || !text.allSatisfy(\.isNumber))
            let limits = isOpen ? ", at least \(range.lowerBound)" : " from \(range.lowerBound) to \(range.upperBound)"
            throw ValidationError("it must be \(what)\(limits).")
        }
    }

    /// Reads a port, 0 for any free one.
    static func port(_ text: String) throws -> UInt16 {
        guard let port = UInt16(text) else { throw ValidationError("a port is a number from 0 to 65535.") }
        return port
    }
}
