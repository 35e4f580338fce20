/// The text of an `apns-id` or `apns-unique-id`: 36 bytes, 8-4-4-4-12 hexadecimal digits.
///
/// The exact text is kept, not the 128 bits, because APNs echoes a client's id byte for byte and clients find their
/// pending request by it.
package struct APNSID: Sendable {
    /// How many bytes the text has.
    package static let length = 36

    /// The text, eight bytes to a word, the first byte lowest.
    private let words: (UInt64, UInt64, UInt64, UInt64)
    private let lastWord: UInt32

    /// An id that a client sent, if it is one: hexadecimal digits of either case with hyphens where they belong.
    package init?(_ text: Span<UInt8>) {
        guard text.count == Self.length else { return nil }
        for index in 0..<Self.length {
            switch index {
            case 8, 13, 18, 23: guard text[index] == UInt8(ascii: "-") else { return nil }
            default: guard text[index].isHexDigit else { return nil }
            }
        }
        words = (text.longWord(at: 0), text.longWord(at: 8), text.longWord(at: 16), text.longWord(at: 24))
        lastWord = text.word(at: 32)
    }

    /// An id of the server's own making: 128 random bits, which is what APNs sends, not a UUID of version 4.
    package init(high: UInt64, low: UInt64, uppercase: Bool) {
        let hyphen = UInt64(UInt8(ascii: "-"))
        let first = Self.digits(of: high >> 32, uppercase)
        let second = Self.digits(of: high & 0xFFFF_FFFF, uppercase)
        let third = Self.digits(of: low >> 32, uppercase)
        let fourth = Self.digits(of: low & 0xFFFF_FFFF, uppercase)
        words = (
            first,
            hyphen | (second & 0xFFFF_FFFF) << 8 | hyphen << 40 | (second >> 32) << 48,
            second >> 48 | hyphen << 16 | (third & 0xFFFF_FFFF) << 24 | hyphen << 56,
            third >> 32 | fourth << 32
        )
        lastWord = UInt32(truncatingIfNeeded: fourth >> 32)
    }

    /// The same digits, all letters in the case that the first one is not in.
    package var inOtherCase: APNSID {
        var high: UInt64 = 0
        var low: UInt64 = 0
        var firstLetter: UInt8?
        let text = bytes
        for (index, byte) in text.filter({ $0 != UInt8(ascii: "-") }).enumerated() {
            let isLetter = byte > UInt8(ascii: "9")
            if isLetter, firstLetter == nil { firstLetter = byte }
            let digit = UInt64(byte & 15) + (isLetter ? 9 : 0)
            if index < 16 { high = high << 4 | digit } else { low = low << 4 | digit }
        }
        return APNSID(high: high, low: low, uppercase: firstLetter.map { $0 >= UInt8(ascii: "a") } ?? false)
    }

    /// The eight hexadecimal digits of 32 bits, the first in the lowest byte.
    @inline(__always)
    private static func digits(of bits: UInt64, _ uppercase: Bool) -> UInt64 {
        var nibbles = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
        nibbles = (nibbles | nibbles << 8) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles | nibbles << 4) & 0x0F0F_0F0F_0F0F_0F0F
        // Six more than a digit reaches bit 4 of its byte where it is a letter.
        let isLetter = (nibbles &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        let letters = UInt64((uppercase ? UInt8(ascii: "A") : UInt8(ascii: "a")) - 10 - UInt8(ascii: "0"))
        return (nibbles &+ 0x3030_3030_3030_3030 &+ isLetter &* letters).byteSwapped
    }

    /// Appends the text.
    @inline(__always)
    @_lifetime(output: copy output)
    package func append(to output: inout OutputSpan<UInt8>) {
        output.append(letters: words.0)
        output.append(letters: words.1)
        output.append(letters: words.2)
        output.append(letters: words.3)
        output.append(letters: UInt64(lastWord), count: 4)
    }

    /// The text as bytes of its own.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: Self.length) { append(to: &$0) }
        return bytes
    }
}

extension OutputSpan<UInt8> {
    /// Appends the bytes of a word, the lowest first.
    @inline(__always)
    @_lifetime(self: copy self)
    fileprivate mutating func append(letters word: UInt64, count: Int = 8) {
        for index in 0..<count { append(UInt8(truncatingIfNeeded: word >> UInt64(8 * index))) }
    }
}

extension UInt8 {
    /// Whether the byte is an ASCII hexadecimal digit of either case.
    var isHexDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
