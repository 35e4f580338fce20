/// Why a request was refused: one sentence that names the offending value and what would have been right.
///
/// It is written only if something is wrong, so an ordinary push has an empty one, which costs nothing.
///
/// ```swift
/// let why: Explanation = "apns-priority is \(quoted: value); APNs knows 10, 5 and 1."
/// ```
///
/// A value is quoted with at most ``quotedLength`` of its bytes, and anything unprintable is escaped, so the text is
/// always valid UTF-8 on one line.
package struct Explanation: Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// Maximum number of bytes shown of a quoted value.
    package static let quotedLength = 80

    /// No explanation.
    package static let none = Explanation()

    /// The sentence in UTF-8; empty if there is none.
    package private(set) var utf8: [UInt8]

    /// Creates an empty explanation.
    package init() { utf8 = [] }

    /// Creates a sentence without values.
    package init(stringLiteral value: String) { utf8 = Array(value.utf8) }

    /// Creates a sentence with values.
    package init(stringInterpolation: StringInterpolation) { utf8 = stringInterpolation.utf8 }

    /// The sentence as a string.
    package var description: String { String(decoding: utf8, as: UTF8.self) }

    /// Builds a sentence from its parts.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var utf8: [UInt8] = []

        /// Starts an empty sentence.
        package init(literalCapacity: Int, interpolationCount: Int) {
            utf8.reserveCapacity(literalCapacity + interpolationCount * 40)
        }

        /// Appends literal text.
        package mutating func appendLiteral(_ literal: String) { utf8.append(contentsOf: literal.utf8) }

        /// Appends text known to be printable, such as a name defined by this program.
        package mutating func appendInterpolation(_ text: String) { utf8.append(contentsOf: text.utf8) }

        /// Appends a number.
        package mutating func appendInterpolation(_ number: some BinaryInteger) {
            utf8.append(contentsOf: String(number).utf8)
        }

        /// Appends a value sent by a client, in quotation marks, cut and escaped.
        package mutating func appendInterpolation(quoted value: Span<UInt8>) {
            // The signature of a provider token is never shown, wherever the token is.
            let end = TokenSignature.start(in: value) ?? value.count
            var shown = [UInt8]()
            for index in 0..<Swift.min(end, Explanation.quotedLength) { shown.append(value[index]) }
            appendQuoted(shown, of: value.count, next: shown.count < value.count ? value[shown.count] : nil)
        }

        /// Appends a value sent by a client, in quotation marks, cut and escaped.
        package mutating func appendInterpolation(quoted value: String) {
            appendInterpolation(quoted: Array(value.utf8).span)
        }

        private mutating func appendQuoted(_ bytes: [UInt8], of length: Int, next: UInt8?) {
            var shown = bytes
            if let next, next & 0xC0 == 0x80 {  // do not cut a character in two
                while let last = shown.last, shown.count + 4 > bytes.count, last & 0xC0 == 0x80 { shown.removeLast() }
                if let last = shown.last, last >= 0xC0 { shown.removeLast() }
            }
            utf8.append(UInt8(ascii: "\""))
            if let text = String(validating: shown, as: UTF8.self) {
                for scalar in text.unicodeScalars { append(scalar) }
            } else {
                for byte in shown {
                    if byte < 0x80 {
                        append(Unicode.Scalar(byte))
                    } else {
                        utf8.append(contentsOf: "\\x\(byte.hexText)".utf8)
                    }
                }
            }
            utf8.append(contentsOf: shown.count < length ? "…\"".utf8 : "\"".utf8)
        }

        private mutating func append(_ scalar: Unicode.Scalar) {
            switch scalar {
            case "\"", "\\":
                utf8.append(UInt8(ascii: "\\"))
                utf8.append(UInt8(ascii: scalar))
            default:
                utf8.append(contentsOf: (scalar.isPrintable ? String(scalar) : scalar.escaped).utf8)
            }
        }
    }
}
