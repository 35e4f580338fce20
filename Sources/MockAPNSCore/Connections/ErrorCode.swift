/// HTTP/2 error codes (RFC 9113, section 7).
package enum ErrorCode {
    /// INTERNAL_ERROR: the server cannot go on with the stream.
    package static let internalError: UInt32 = 2
    /// STREAM_CLOSED: a frame arrived for a closed stream.
    package static let streamClosed: UInt32 = 5
    /// REFUSED_STREAM: not processed, safe to retry.
    package static let refusedStream: UInt32 = 7

    /// The names of the codes, in numerical order.
    package static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    /// Returns the name of a code; `nil` if it has none.
    package static func name(of code: UInt32) -> String? { names.indices.contains(Int(code)) ? names[Int(code)] : nil }
}
