import CMockOpenSSL

/// OpenSSL's error for a failed call, or our own for a value that OpenSSL would accept and APNs would not.
package struct OpenSSLError: Error, Sendable, Equatable, CustomStringConvertible {
    /// OpenSSL's packed code of the first error in its queue, the cause; 0 for our own errors.
    package let code: UInt
    /// The part of OpenSSL that failed (`SSL routines`), or `mock-apns`.
    package let library: String
    /// The error, in OpenSSL's words (`certificate verify failed`) or in ours.
    package let reason: String

    /// Creates an error of our own.
    package init(_ reason: String) {
        code = 0
        library = "mock-apns"
        self.reason = reason
    }

    private init(code: UInt) {
        self.code = code
        library = unsafe Self.text(ERR_lib_error_string(code)) ?? "library \(mock_ERR_lib(code))"
        reason = unsafe Self.text(ERR_reason_error_string(code)) ?? "reason \(mock_ERR_reason(code))"
    }

    /// The number of the TLS alert sent by the peer, if that ended the connection (RFC 8446, section 6.2).
    package var alertReceived: UInt8? {
        // OpenSSL reports an alert as 1000 plus its number.
        let number = Int(mock_ERR_reason(code)) - Int(SSL_AD_REASON_OFFSET)
        guard mock_ERR_lib(code) == ERR_LIB_SSL, (0...255).contains(number) else { return nil }
        return UInt8(number)
    }

    /// `reason (library)`, or the reason alone for our own errors.
    package var description: String { code == 0 ? reason : "\(reason) (\(library))" }

    /// Empties this thread's error queue into one error: the oldest entry, which is the cause; later ones are its
    /// callers.
    static func drain(during action: String) -> OpenSSLError {
        let code = ERR_get_error()
        ERR_clear_error()
        return code == 0 ? OpenSSLError("\(action) failed without a reason") : OpenSSLError(code: code)
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        unsafe pointer.map { unsafe String(cString: $0) }
    }
}

/// Unwraps the result of an OpenSSL function; `nil` means that it failed.
@inline(__always)
func made<T>(_ value: T?, _ action: @autoclosure () -> String) throws(OpenSSLError) -> T {
    guard let value = value else { throw OpenSSLError.drain(during: action()) }
    return value
}

/// Checks the status returned by an OpenSSL function; anything below 1 means that it failed.
@inline(__always)
func succeeded(_ status: Int32, _ action: @autoclosure () -> String) throws(OpenSSLError) {
    guard status > 0 else { throw OpenSSLError.drain(during: action()) }
}
