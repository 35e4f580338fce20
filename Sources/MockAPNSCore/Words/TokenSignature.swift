/// Finds the signature of a provider token in places where no token belongs: any header field, the path, or a value
/// quoted in an explanation.
///
/// A token is anything that looks like a JSON Web Token (RFC 7519): the start of a JSON object in base64, and two dots.
package enum TokenSignature {
    /// A shorter text contains no provider token: the signature of ES256 alone has 86 characters.
    static let shortestText = 40

    /// Returns the start of the signature of the first token in a text, if there is one.
    @inline(__always)
    static func start(in text: Span<UInt8>) -> Int? {
        text.count >= shortestText && hasDot(text) ? search(text) : nil
    }

    /// Returns the text up to the signature of the first token in it, or all of it.
    package static func removed(from text: String) -> String {
        let bytes = Array(text.utf8)
        guard let start = start(in: bytes.span) else { return text }
        return String(decoding: bytes[..<start], as: UTF8.self)
    }

    /// Returns whether a text has a dot. Nearly always false, and the longest field of a push is its path, so this
    /// checks eight bytes at a time.
    @inline(__always)
    private static func hasDot(_ text: Span<UInt8>) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var index = 0
        while index + 8 <= text.count {
            // A byte that is a dot becomes zero, and the borrow of the subtraction sets its highest bit.
            let bytes = text.longWord(at: index) ^ (ones &* UInt64(UInt8(ascii: ".")))
            if (bytes &- ones) & ~bytes & (ones << 7) != 0 { return true }
            index += 8
        }
        while index < text.count {
            if text[index] == UInt8(ascii: ".") { return true }
            index += 1
        }
        return false
    }

    @inline(never)
    private static func search(_ text: Span<UInt8>) -> Int? {
        var start = 0
        while start < text.count {
            let first = endOfPart(text, from: start)
            let second = endOfPart(text, from: min(first + 1, text.count))
            if second + 1 < text.count, text[first] == UInt8(ascii: "."), text[second] == UInt8(ascii: "."),
                holdsObject(text.extracting(start..<first))
            {
                return second + 1
            }
            start = first + 1
        }
        return nil
    }

    /// Returns the end of the base64 characters that start at `index`.
    private static func endOfPart(_ text: Span<UInt8>, from index: Int) -> Int {
        var index = index
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "+"),
                UInt8(ascii: "/"), UInt8(ascii: "="):
                index += 1
            default: return index
            }
        }
        return index
    }

    /// Returns whether a text contains the start of a JSON object in base64: a brace, white space, a quotation mark.
    private static func holdsObject(_ text: Span<UInt8>) -> Bool {
        for index in 0..<text.count where text[index] == UInt8(ascii: "e") {
            let beginning = text.extracting(index..<index + min(text.count - index, 12) / 4 * 4)
            // A brace is 'e' and two bits; followed by white space or a quotation mark, it is 'ey' or 'ew'.
            guard beginning.count > 1, beginning[1] == UInt8(ascii: "y") || beginning[1] == UInt8(ascii: "w"),
                let bytes = Base64URL.decode(beginning)
            else { continue }
            let next = bytes.dropFirst().first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
            if next == nil || next == UInt8(ascii: "\"") { return true }
        }
        return false
    }
}
