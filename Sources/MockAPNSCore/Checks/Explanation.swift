/// Why a request was refused: one sentence that names the offending value and says what would have been right.
///
/// It is written only when something is wrong, so an ordinary push carries the empty one, which costs nothing.
///
/// ```swift
/// let why: Explanation = "apns-priority is \(quoted: value); APNs knows 10, 5 and 1."
/// ```
///
/// A value is quoted with at most ``quotedLength`` bytes of its own, and whatever would not print is escaped, so that the
/// text is always valid UTF-8 on one line.
package struct Explanation: Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// At most so many bytes of a quoted value are shown.
    package static let quotedLength = 80

    /// Nothing to explain.
    package static let none = Explanation()

    /// The sentence, in UTF-8; empty when there is nothing to explain.
    package private(set) var utf8: [UInt8]

    /// Nothing to explain.
    package init() { utf8 = [] }

    /// A sentence without a value in it.
    package init(stringLiteral value: String) { utf8 = Array(value.utf8) }

    /// A sentence with values in it.
    package init(stringInterpolation: StringInterpolation) { utf8 = stringInterpolation.utf8 }

    /// Whether there is nothing to explain.
    package var isEmpty: Bool { utf8.isEmpty }

    /// The sentence as text.
    package var description: String { String(decoding: utf8, as: UTF8.self) }

    /// How a sentence is put together.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var utf8: [UInt8] = []

        /// Starts an empty sentence.
        package init(literalCapacity: Int, interpolationCount: Int) {
            utf8.reserveCapacity(literalCapacity + interpolationCount * 40)
        }

        /// Adds words of the sentence.
        package mutating func appendLiteral(_ literal: String) { utf8.append(contentsOf: literal.utf8) }

        /// Adds words that are known to be printable, such as a name of this program's own.
        package mutating func appendInterpolation(_ text: String) { utf8.append(contentsOf: text.utf8) }

        /// Adds a number.
        package mutating func appendInterpolation(_ number: some BinaryInteger) {
            utf8.append(contentsOf: String(number).utf8)
        }

        /// Adds a value that a client sent, in quotation marks, cut and escaped.
        package mutating func appendInterpolation(quoted value: Span<UInt8>) {
            // No signature of a provider token is told, wherever the token stands.
            let end = TokenSignature.start(in: value) ?? value.count
            var shown = [UInt8]()
            for index in 0..<Swift.min(end, Explanation.quotedLength) { shown.append(value[index]) }
            appendQuoted(shown, of: value.count, next: shown.count < value.count ? value[shown.count] : nil)
        }

        /// Adds a value that a client sent, in quotation marks, cut and escaped.
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
                    if byte < 0x80 { append(Unicode.Scalar(byte)) } else { appendEscape(byte) }
                }
            }
            utf8.append(contentsOf: shown.count < length ? "…\"".utf8 : "\"".utf8)
        }

        private mutating func append(_ scalar: Unicode.Scalar) {
            switch scalar {
            case "\"", "\\":
                utf8.append(UInt8(ascii: "\\"))
                utf8.append(UInt8(ascii: scalar))
            case " "..."~":
                utf8.append(UInt8(ascii: scalar))
            default:
                switch scalar.properties.generalCategory {
                case .control where scalar.value < 0x80:
                    appendEscape(UInt8(scalar.value))
                case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate:
                    utf8.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".utf8)
                default:
                    utf8.append(contentsOf: String(scalar).utf8)
                }
            }
        }

        private mutating func appendEscape(_ byte: UInt8) {
            utf8.append(contentsOf: (byte < 16 ? "\\x0" : "\\x").utf8)
            utf8.append(contentsOf: String(byte, radix: 16, uppercase: true).utf8)
        }
    }
}
