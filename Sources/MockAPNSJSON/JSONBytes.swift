extension UInt8 {
    /// Whether it is white space according to RFC 8259: space, tab, line feed or carriage return.
    @inline(__always)
    package var isJSONBlank: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }

    /// Whether the byte is an ASCII hexadecimal digit in either case.
    @inlinable @inline(__always)
    package var isHexDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    /// The byte as two hexadecimal digits.
    package var hexText: String {
        let text = String(self, radix: 16, uppercase: true)
        return self < 16 ? "0" + text : text
    }
}

extension UInt64 {
    /// Whether all eight bytes are ASCII that needs no escaping in a JSON string. May be false even then, because
    /// borrows carry across bytes.
    @inline(__always)
    fileprivate var isPlainInJSON: Bool {
        let control = self &- 0x2020_2020_2020_2020
        let quote = (self ^ 0x2222_2222_2222_2222) &- 0x0101_0101_0101_0101
        let backslash = (self ^ 0x5C5C_5C5C_5C5C_5C5C) &- 0x0101_0101_0101_0101
        return (self | control | quote | backslash) & 0x8080_8080_8080_8080 == 0
    }
}

extension Span<UInt8> {
    /// Returns the four bytes from `offset` as one number.
    @inlinable @inline(__always)
    package func word(at offset: Int) -> UInt32 {
        // Checks the bounds once, and the four bytes become one load.
        let bytes = extracting(offset..<offset + 4)
        return UInt32(bytes[0]) | UInt32(bytes[1]) << 8 | UInt32(bytes[2]) << 16 | UInt32(bytes[3]) << 24
    }

    /// Returns the eight bytes from `offset` as one number.
    @inlinable @inline(__always)
    package func longWord(at offset: Int) -> UInt64 {
        let bytes = extracting(offset..<offset + 8)
        let low = UInt32(bytes[0]) | UInt32(bytes[1]) << 8 | UInt32(bytes[2]) << 16 | UInt32(bytes[3]) << 24
        let high = UInt32(bytes[4]) | UInt32(bytes[5]) << 8 | UInt32(bytes[6]) << 16 | UInt32(bytes[7]) << 24
        return UInt64(low) | UInt64(high) << 32
    }

    /// Returns the first offset in a JSON string that cannot be taken as is: a quotation mark, a backslash, a control
    /// character, a byte that is not UTF-8, or the end of the text.
    @inline(__always)
    func endOfPlainString(from start: Int) -> Int {
        var offset = start
        while offset < count {
            if offset + 8 <= count, longWord(at: offset).isPlainInJSON {
                offset += 8
                continue
            }
            let byte = self[offset]
            if byte >= 0x80 {
                let length = lengthOfScalar(at: offset)
                if length == 0 { return offset }
                offset += length
            } else if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                return offset
            } else {
                offset += 1
            }
        }
        return offset
    }

    /// Returns the length in bytes of the scalar that starts here, according to table 3-7 of the Unicode standard; 0 if
    /// it is not well-formed: cut off, overlong, a surrogate, or beyond U+10FFFF.
    func lengthOfScalar(at offset: Int) -> Int {
        let first = self[offset]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0..<0x80: return 1
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return 0
        }
        guard offset + length <= count, second ~= self[offset + 1] else { return 0 }
        for index in stride(from: 2, to: length, by: 1) where self[offset + index] & 0xC0 != 0x80 { return 0 }
        return length
    }
}
