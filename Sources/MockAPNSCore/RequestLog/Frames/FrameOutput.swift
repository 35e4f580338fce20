// The binary form of numbers and texts in a frame: numbers take seven bits per byte, the lowest first; texts start with
// their length.

extension OutputSpan<UInt8> {
    /// Appends a number in 1 to 10 bytes.
    @inline(__always)
    @_lifetime(self: copy self)
    mutating func appendNumber(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a number that is not negative.
    @inline(__always)
    @_lifetime(self: copy self)
    mutating func appendNumber(_ number: some FixedWidthInteger) { appendNumber(UInt64(truncatingIfNeeded: number)) }

    /// Appends a number that may be negative: small ones of either sign take one byte.
    @inline(__always)
    @_lifetime(self: copy self)
    mutating func appendSigned(_ number: Int64) { appendNumber(UInt64(bitPattern: number << 1 ^ number >> 63)) }

    /// Appends eight bytes, the lowest first.
    @_lifetime(self: copy self)
    mutating func appendWord(_ word: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) { append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
    }
}

extension [UInt8] {
    /// Appends a number that is not negative.
    mutating func appendNumber(_ number: some FixedWidthInteger) {
        append(addingCapacity: 10) { $0.appendNumber(number) }
    }

    /// Appends a number that is not negative, and may be absent.
    mutating func appendNumber(ifAny number: (some FixedWidthInteger)?) {
        appendNumber(number.map { UInt64(truncatingIfNeeded: $0) + 1 } ?? 0)
    }

    /// Appends a number that may be negative.
    mutating func appendSigned(_ number: Int64) { append(addingCapacity: 10) { $0.appendSigned(number) } }

    /// Appends eight bytes, the lowest first.
    mutating func appendWord(_ word: UInt64) { append(addingCapacity: 8) { $0.appendWord(word) } }

    /// Appends a text with its length.
    mutating func appendText(_ text: some Collection<UInt8>) {
        appendNumber(text.count)
        append(contentsOf: text)
    }

    /// Appends a text that may be absent.
    mutating func appendText(_ text: String?) {
        appendNumber(text.map { $0.utf8.count + 1 } ?? 0)
        if let text { append(contentsOf: text.utf8) }
    }
}
