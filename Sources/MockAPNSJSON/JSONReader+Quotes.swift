// Typographic quotation marks, which word processors and chats make of straight ones.

/// A quotation mark that is none in JSON.
struct TypographicQuote: Sendable {
    let scalar: Unicode.Scalar

    /// Its name, with the mark itself: `typographic quotation mark “ (U+201C)`.
    var name: String {
        "typographic quotation mark \(scalar) (U+\(String(scalar.value, radix: 16, uppercase: true).leftPadded(to: 4)))"
    }

    /// The number of bytes in UTF-8.
    var length: Int { UTF8.width(scalar) }

    /// Whether it is a single one, which is also an apostrophe.
    var isSingle: Bool { Self.singles.contains(scalar) }

    private static let singles: Set<Unicode.Scalar> = [
        "\u{2018}", "\u{2019}", "\u{201A}", "\u{201B}", "\u{2039}", "\u{203A}",
    ]
    private static let doubles: Set<Unicode.Scalar> = [
        "\u{AB}", "\u{BB}", "\u{201C}", "\u{201D}", "\u{201E}", "\u{201F}", "\u{300C}", "\u{300D}", "\u{FF02}",
    ]

    /// Reads the mark at the start of some bytes; `nil` if there is none.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard let first = bytes.first, first >= 0xC2,
            let text = String(validating: bytes.prefix(3), as: UTF8.self)
                ?? String(validating: bytes.prefix(2), as: UTF8.self),
            let scalar = text.unicodeScalars.first, Self.doubles.contains(scalar) || Self.singles.contains(scalar)
        else { return nil }
        self.scalar = scalar
    }
}

extension JSONReader {
    /// The typographic quotation mark that starts here.
    var typographicQuote: TypographicQuote? { TypographicQuote(bytes[offset...]) }

    /// Returns the mistake of a string whose writer ended it with a typographic quotation mark; `nil` if there is none.
    ///
    /// - Parameter string: what has been read as the string.
    func closedTypographically(_ string: Range<Int>) -> JSONText.Mistake? {
        var index = string.lowerBound
        while index < string.upperBound {
            if let quote = TypographicQuote(bytes[index...]), !quote.isSingle {
                return JSONText.Mistake(
                    offset: index,
                    message: "expected a straight quotation mark (\") at the end of the text, found the \(quote.name)")
            }
            index += 1
        }
        return nil
    }

    /// The mistake of the string just read, if its writer ended it with a typographic quotation mark.
    var stringClosedTypographically: JSONText.Mistake? {
        let isJustRead =
            latestString.upperBound <= offset && bytes[latestString.upperBound..<offset].allSatisfy(\.isJSONBlank)
        return isJustRead ? closedTypographically(latestString) : nil
    }

    /// Reads the text in typographic quotation marks that starts here; the first one is reported for all.
    mutating func typographicallyQuotedString() throws(JSONText.Mistake) -> String {
        guard let opening = typographicQuote else { throw unexpected("a quotation mark") }
        let message = "; JSON has only straight ones (\")"
        let start = offset
        offset += opening.length
        var text: [UInt8] = []
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\""), bytes[offset] != UInt8(ascii: "\n"),
            typographicQuote?.isSingle != opening.isSingle
        {
            text.append(bytes[offset])
            offset += 1
        }
        guard offset < bytes.count, bytes[offset] != UInt8(ascii: "\n") else {
            throw unexpected("a closing quotation mark")
        }
        offset += typographicQuote?.length ?? 1
        if forgiven?.contains(where: { $0.message.hasSuffix(message) }) == false {
            try forgive(JSONText.Mistake(offset: start, message: "this text begins with the \(opening.name)\(message)"))
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension String {
    fileprivate func leftPadded(to length: Int) -> String {
        String(repeating: "0", count: max(0, length - count)) + self
    }
}
