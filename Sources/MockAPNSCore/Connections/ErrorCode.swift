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

// MARK: JSON

extension OutputSpan<UInt8> {
    /// Appends the name of a code, or the number of one without a name.
    @_lifetime(self: copy self)
    mutating func appendJSON(errorCode code: UInt32) {
        if let name = ErrorCode.name(of: code) { appendJSON(name) } else { appendJSON(Int64(code)) }
    }
}

extension [UInt8] {
    /// Appends the name of a code, or the number of one without a name.
    mutating func appendJSON(errorCode code: UInt32) {
        append(addingCapacity: 64) { $0.appendJSON(errorCode: code) }
    }
}

extension JSONText.Member {
    /// Returns an error code, by its name or number.
    func errorCode() throws(JSONText.Mistake) -> UInt32? {
        if let name = value.string, let code = ErrorCode.names.firstIndex(of: name) { return UInt32(code) }
        if value.isNull { return nil }
        guard let number = value.int64, 0...Int64(UInt32.max) ~= number else {
            throw mistake("an error code of HTTP/2: a name such as \"REFUSED_STREAM\", or a number")
        }
        return UInt32(number)
    }
}
