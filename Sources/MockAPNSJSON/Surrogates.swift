/// The kind of an escape in a JSON text with regard to surrogates.
package enum EscapedSurrogate: Equatable {
    /// No surrogate.
    case none
    /// Two escapes that are one character.
    case pair
    /// Half of a character, whose other half is missing.
    case half(UInt32)
}

extension Span<UInt8> {
    /// Returns what the escape whose backslash is at `index` is.
    package func surrogate(at index: Int) -> EscapedSurrogate {
        guard let code = codeUnit(at: index), 0xD800...0xDFFF ~= code else { return .none }
        guard code < 0xDC00, let low = codeUnit(at: index + 6), 0xDC00...0xDFFF ~= low else { return .half(code) }
        return .pair
    }

    /// Returns the number that `\uXXXX` at `index` stands for; `nil` for anything else.
    package func codeUnit(at index: Int) -> UInt32? {
        guard index + 6 <= count, self[index] == UInt8(ascii: "\\"), self[index + 1] == UInt8(ascii: "u") else {
            return nil
        }
        var code: UInt32 = 0
        for offset in index + 2..<index + 6 {
            let byte = self[offset]
            guard byte.isHexDigit else { return nil }
            // The letters of both cases follow 0x40 and 0x60 from 1 on.
            code = code << 4 | UInt32(byte & 0x0F) + (byte > UInt8(ascii: "9") ? 9 : 0)
        }
        return code
    }
}

extension JSONText.Number {
    /// Whether it is beyond the range of a 64-bit floating-point number, which some readers refuse. It takes an exponent or
    /// hundreds of digits.
    package var isOutOfRange: Bool {
        (text.utf8.count > 308 || text.utf8.contains { $0 | 0x20 == UInt8(ascii: "e") }) && double == nil
    }
}
