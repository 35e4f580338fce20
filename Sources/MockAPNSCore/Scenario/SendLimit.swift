/// Bounds for what a scenario, a call of the API or the library makes the server send, so that it fits into frames of
/// 16,384 bytes, or into as many of them as clients accept.
package enum SendLimit {
    /// Maximum size of an answer's header fields in bytes: of each, the name, the value and 32 more, as RFC 9113
    /// counts them (section 6.5.2). nghttp2 refuses more than 65,536 bytes when it is to send them.
    package static let headerList = 16_384
    /// The size that a field counts in addition to its name and value.
    package static let headerField = 32
    /// Maximum length of the name of a header field: that of a single one without a value.
    package static let fieldName = headerList - headerField
    /// Maximum length of the value of a header field in bytes.
    package static let fieldValue = 8000
    /// Maximum length of an answer's body in bytes.
    package static let body = 1 << 20
    /// Maximum length of the text of a GOAWAY in bytes: the rest of a frame of 16,384 bytes after the last stream and
    /// the error code.
    package static let goAwayText = 16_384 - 8
    /// Maximum number of frames that one step sends: GOAWAY, or RST_STREAM.
    package static let frames = 100
}

extension Int {
    /// The number with commas between thousands.
    package var withCommas: String {
        let digits = String(magnitude)
        var text = self < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }
}
