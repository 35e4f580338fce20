/// Writes JSON (RFC 8259) as bytes: strings, numbers, ids. The output is always valid UTF-8.
extension Array<UInt8> {
    /// Appends the bytes of a span at once.
    @inlinable @inline(__always)
    package mutating func append(_ span: Span<UInt8>) {
        let count = span.count
        // Appending nothing to an empty array writes to the storage shared by all empty arrays, which ThreadSanitizer
        // reports as a race.
        if count == 0 { return }
        append(addingCapacity: count) { output in
            for index in 0..<count { output.append(span[index]) }
        }
    }

    /// Appends a text as a JSON string.
    package mutating func appendJSON(_ text: String) {
        let utf8 = Self(text.utf8)
        append(addingCapacity: JSONBound.string(utf8.count)) { $0.appendJSON(utf8.span) }
    }

    /// Appends a JSON string, or `null`.
    package mutating func appendJSON(_ text: String?) {
        if let text { appendJSON(text) } else { append(contentsOf: "null".utf8) }
    }

    /// Appends a whole number.
    package mutating func appendJSON(_ number: Int) {
        append(addingCapacity: JSONBound.number) { $0.appendJSON(Int64(number)) }
    }

    /// Appends bytes in base64 (RFC 4648, section 4) as a JSON string.
    package mutating func appendBase64(_ bytes: Span<UInt8>) {
        append(UInt8(ascii: "\""))
        appendBase64Characters(bytes)
        append(UInt8(ascii: "\""))
    }

    /// Appends bytes in base64 (RFC 4648, section 4), without quotation marks.
    package mutating func appendBase64Characters(_ bytes: Span<UInt8>) {
        let alphabet = Self("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        for index in stride(from: 0, to: bytes.count, by: 3) {
            let length = Swift.min(3, bytes.count - index)
            var bits = Int(bytes[index]) << 16
            if length > 1 { bits |= Int(bytes[index + 1]) << 8 }
            if length > 2 { bits |= Int(bytes[index + 2]) }
            append(alphabet[bits >> 18])
            append(alphabet[bits >> 12 & 63])
            append(length > 1 ? alphabet[bits >> 6 & 63] : UInt8(ascii: "="))
            append(length > 2 ? alphabet[bits & 63] : UInt8(ascii: "="))
        }
    }

    /// Appends a time in quotation marks, or `null`.
    package mutating func appendJSON(_ time: Timestamp?) {
        guard let time else { return append(contentsOf: "null".utf8) }
        append(UInt8(ascii: "\""))
        time.appendText(to: &self)
        append(UInt8(ascii: "\""))
    }
}

/// Upper bounds for the number of bytes.
package enum JSONBound {
    package static let number = 20

    /// Returns the bound for a string. A character that is not printable is written as `\u0000`, or as two of these if it
    /// takes four bytes; a byte that is not UTF-8 as U+FFFD, which takes three bytes.
    package static func string(_ count: Int) -> Int { 6 * count + 2 }
}

extension OutputSpan<UInt8> {
    /// Appends bytes unchanged.
    @usableFromInline @inline(never)  // alone, its loop becomes a copy in blocks
    @_lifetime(self: copy self)
    package mutating func append(_ span: Span<UInt8>) {
        for index in 0..<span.count { append(span[index]) }
    }

    /// Appends a short text unchanged.
    @inlinable @inline(__always)
    @_lifetime(self: copy self)
    package mutating func append(_ text: String) {
        for byte in text.utf8 { append(byte) }
    }

    /// Appends a JSON string. Bytes that are not UTF-8 become U+FFFD.
    @inlinable @inline(__always)
    @_lifetime(self: copy self)
    package mutating func appendJSON(_ text: Span<UInt8>) {
        append(UInt8(ascii: "\""))
        appendJSONContents(text)
        append(UInt8(ascii: "\""))
    }

    /// Appends the content of a JSON string, without the quotation marks.
    @inlinable @inline(__always)
    @_lifetime(self: copy self)
    package mutating func appendJSONContents(_ text: Span<UInt8>) {
        // One pass to check, one to copy: both process many bytes at a time.
        if text.isPlainInJSON { append(text) } else { appendEscaped(text) }
    }

    /// Appends a JSON string, or `null`.
    @_lifetime(self: copy self)
    package mutating func appendJSON(_ text: String?) {
        guard let text else { return append("null") }
        var odd: UInt8 = 0
        for byte in text.utf8 { odd |= byte.isOddInJSON }
        guard odd == 0 else { return appendJSON(Array(text.utf8).span) }
        append(UInt8(ascii: "\""))
        append(text)
        append(UInt8(ascii: "\""))
    }

    @usableFromInline @inline(never)
    @_lifetime(self: copy self)
    mutating func appendEscaped(_ text: Span<UInt8>) {
        var bytes: [UInt8] = []
        bytes.append(text)
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\"": append("\\\"")
            case "\\": append("\\\\")
            case "\n": append("\\n")
            case "\r": append("\\r")
            case "\t": append("\\t")
            case _ where scalar.isPrintable:
                for byte in UTF8.encode(scalar)! { append(byte) }
            default:
                // The same data, but a terminal that shows the line is not steered by it.
                for unit in UTF16.encode(scalar)! {
                    append("\\u")
                    for shift in [12, 8, 4, 0] { append((UInt8(truncatingIfNeeded: unit >> shift) & 15).lowerHexDigit) }
                }
            }
        }
    }

    /// Appends a whole number.
    @_lifetime(self: copy self)
    package mutating func appendJSON(_ number: Int64) {
        if number < 0 { append(UInt8(ascii: "-")) }
        appendDecimal(number.magnitude)
    }

    /// Appends the digits of a number, the last eight at once.
    @_lifetime(self: copy self)
    private mutating func appendDecimal(_ number: UInt64) {
        var rest = number
        var digits: UInt64 = 0
        var count = 0
        repeat {
            digits = digits << 8 | UInt64(UInt8(ascii: "0")) + rest % 10
            rest /= 10
            count += 1
        } while rest > 0 && count < 8
        if rest > 0 { appendDecimal(rest) }
        for _ in 0..<count {
            append(UInt8(truncatingIfNeeded: digits))
            digits >>= 8
        }
    }
}

extension UInt8 {
    /// Nonzero for a byte that needs escaping in a JSON string or may not be UTF-8.
    @inline(__always)
    fileprivate var isOddInJSON: UInt8 {
        // Branchless, so that the compiler vectorizes it: each term carries into bit 8 or higher.
        let byte = UInt16(self)
        let outside = (byte &- 0x20) | (0x7E &- byte)
        let quote = (byte ^ UInt16(UInt8(ascii: "\""))) &- 1
        let backslash = (byte ^ UInt16(UInt8(ascii: "\\"))) &- 1
        return UInt8(truncatingIfNeeded: (outside | quote | backslash) >> 8)
    }

    /// The hexadecimal digit of a number from 0 to 15.
    package var lowerHexDigit: UInt8 { self < 10 ? UInt8(ascii: "0") + self : UInt8(ascii: "a") - 10 + self }
}

extension Span<UInt8> {
    /// Whether the text needs no escaping in a JSON string.
    @inline(never)  // alone, its loop is known to stay within bounds
    @usableFromInline
    var isPlainInJSON: Bool {
        var odd: UInt8 = 0
        for index in 0..<count { odd |= self[index].isOddInJSON }
        return odd == 0
    }

    /// The length without an incomplete character at the end.
    package var countWithoutCutCharacter: Int {
        var end = count
        while end > Swift.max(0, count - 3), self[end - 1] & 0xC0 == 0x80 { end -= 1 }
        guard end > 0 else { return count }
        let length = (~self[end - 1]).leadingZeroBitCount
        return length > 1 && end - 1 + length > count ? end - 1 : count
    }
}
