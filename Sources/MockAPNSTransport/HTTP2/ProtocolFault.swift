/// Why an HTTP/2 connection failed: what the client speaks instead, or the rule that it broke.
package enum ProtocolFault: Sendable, Equatable {
    /// An HTTP/1.x request; the text before its version, method and path.
    case http1(String)
    /// The binary interface that APNs had until March 2021.
    case binary
    /// Neither HTTP/2 nor HTTP/1.x.
    case preface
    /// A frame that HTTP/2 does not allow: what it is, its stream, what is wrong, and the section of RFC 9113.
    case frame(String)

    /// Describes a frame that breaks a rule.
    ///
    /// - Parameter what: follows the frame and its stream.
    static func frame(_ type: UInt8, on stream: Int32, _ what: String, section: String) -> Self {
        let place = stream == 0 ? "" : " on stream \(stream)"
        return .frame("\(name(ofFrame: type))\(place)\(what) (RFC 9113, section \(section))")
    }

    /// Describes HEADERS with a pseudo-header field after a regular one.
    static func pseudoField(_ name: String, on stream: Int32) -> Self {
        .frame(1, on: stream, " with the pseudo-header field \(name) after a regular field", section: "8.3")
    }

    /// Describes an error that nghttp2 found.
    ///
    /// - Parameters:
    ///   - frame: the type of the frame, and its stream; `nil` if nghttp2 did not say.
    ///   - code: the code of its GOAWAY (RFC 9113, section 7).
    ///   - text: what its GOAWAY says.
    static func found(in frame: (type: UInt8, stream: Int32)?, code: UInt32, text: String) -> Self {
        // nghttp2 says of some only in words which they are: "CONTINUATION: unexpected".
        let type = frame?.type ?? names.firstIndex { text.hasPrefix("\($0):") }.map { UInt8($0) }
        let section =
            switch code {
            case 3: "6.9.1"
            case 5: "5.1"
            case 6: "4.2"
            case 9: "4.3"
            // Each type has a section of its own, in their order.
            default: type.flatMap { $0 < names.count ? "6.\($0 + 1)" : nil } ?? "5.4.1"
            }
        let what =
            switch (text.isEmpty, code) {
            case (false, _): text
            case (_, 3): "more than the flow-control window allows"
            case (_, 5): "the stream is closed"
            case (_, 6): "a length that it must not have"
            case (_, 9): "a header block that cannot be decompressed"
            default: "a frame that is not allowed here"
            }
        guard let frame else { return .frame("\(what) (RFC 9113, section \(section))") }
        return .frame(frame.type, on: frame.stream, ": \(what)", section: section)
    }

    /// The frame types in the order of their numbers (RFC 9113, section 6).
    private static let names = [
        "DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY", "WINDOW_UPDATE",
        "CONTINUATION",
    ]

    private static func name(ofFrame type: UInt8) -> String {
        type < names.count ? names[Int(type)] : "a frame of type \(type)"
    }
}

extension FrameWalker.Frame {
    /// Returns whether a frame of its type has another length (RFC 9113, section 6), or none may have this one.
    func hasWrongLength(limit: Int) -> Bool {
        guard length <= limit else { return true }
        return switch type {
        case 2: length != 5
        case 3, 8: length != 4
        case 4: length % 6 != 0 || flags & 1 == 1 && length > 0
        case 6: length != 8
        case 7: length < 8
        default: false
        }
    }
}
