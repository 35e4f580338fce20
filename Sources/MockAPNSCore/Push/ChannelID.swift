/// The id of a channel: any text. Ids made by the server have the shape of APNs' own, 16 bytes in base64 with padding.
///
/// Apple says not to make assumptions about the size
/// ([Sending channel management requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-channel-management-requests-to-apns)).
package struct ChannelID: Sendable, Hashable, CustomStringConvertible {
    /// The text in UTF-8.
    let bytes: [UInt8]

    /// Creates an id from its text.
    package init(_ text: String) { bytes = Array(text.utf8) }

    /// Creates an id from its text.
    init(_ text: Span<UInt8>) { bytes = Array(copying: text) }

    /// Creates an id from 128 random bits, in the shape that APNs' ids have been seen in: a UUID of version 1 with a
    /// clock sequence of zero.
    init(high: UInt64, low: UInt64) {
        let words = [high & 0xFFFF_FFFF_FFFF_0FFF | 0x1000, low & 0x0000_FFFF_FFFF_FFFF]
        let raw = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) } }
        var text: [UInt8] = []
        text.appendBase64Characters(raw.span)
        bytes = text
    }

    /// The text.
    package var description: String { String(decoding: bytes, as: UTF8.self) }

    /// Returns an id in the standard alphabet with padding, from one in the alphabet of URLs.
    package static func fromURL(_ text: String) -> String {
        let bytes = Array(text.utf8)
        return repaired(bytes.span).description
    }

    /// Whether it has the form of those made by APNs and by the server.
    package var hasUsualForm: Bool { bytes.count == 24 && Self.isBase64(bytes.span) }

    /// Returns whether a text is base64 in the standard alphabet, with padding (RFC 4648, section 4).
    static func isBase64(_ text: Span<UInt8>) -> Bool {
        guard !text.isEmpty, text.count % 4 == 0 else { return false }
        for index in 0..<text.count {
            switch text[index] {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                continue
            case UInt8(ascii: "="):
                guard index >= text.count - 2, text[text.count - 1] == UInt8(ascii: "=") else { return false }
            default: return false
            }
        }
        return true
    }

    /// Returns the text that a client may have meant: percent-encoding undone, the URL's alphabet replaced by the
    /// standard one, missing padding added.
    static func repaired(_ text: Span<UInt8>) -> ChannelID {
        var bytes: [UInt8] = []
        var index = 0
        while index < text.count {
            var byte = text[index]
            if byte == UInt8(ascii: "%"), index + 2 < text.count,
                let code = UInt8(
                    String(decoding: [text[index + 1], text[index + 2]], as: UTF8.self), radix: 16)
            {
                byte = code
                index += 2
            }
            if byte == UInt8(ascii: "-") { byte = UInt8(ascii: "+") }
            if byte == UInt8(ascii: "_") { byte = UInt8(ascii: "/") }
            bytes.append(byte)
            index += 1
        }
        while bytes.count % 4 != 0 { bytes.append(UInt8(ascii: "=")) }
        return ChannelID(bytes.span)
    }
}
