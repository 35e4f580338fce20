import CMockOpenSSL

/// The course of a TLS handshake after its ClientHello, the first time that a server knows the name asked for.
package enum HandshakeVerdict: Sendable {
    /// It continues.
    case accept
    /// It continues with another certificate than the context's.
    case present(ServerIdentity)
    /// It fails with this alert (RFC 8446, section 6), which may be any number, with TLS 1.2 and 1.3.
    /// ``TLSConnection/ReadResult/failed(_:)`` follows, with the alert in the output.
    case alert(UInt8)
    /// It fails without telling the client; closing the connection is up to the caller.
    case abandon
}

/// Asks the connection for its verdict on the ClientHello. OpenSSL calls this even without a server name.
let judgeClientHello: @convention(c) (OpaquePointer?, UnsafeMutablePointer<Int32>?, UnsafeMutableRawPointer?) -> Int32 =
    {
        ssl, alert, _ in
        guard let ssl = unsafe ssl, let connection = unsafe TLSConnection.of(ssl) else { return SSL_TLSEXT_ERR_NOACK }
        let name = unsafe SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { unsafe String(cString: $0) }
        guard connection.judge(serverName: name) else {
            // The connection writes the alert: OpenSSL does not know all of them in all versions.
            unsafe alert?.pointee = -1
            return SSL_TLSEXT_ERR_ALERT_FATAL
        }
        // As without this callback: the name is not acknowledged (RFC 6066, section 3).
        return SSL_TLSEXT_ERR_NOACK
    }
