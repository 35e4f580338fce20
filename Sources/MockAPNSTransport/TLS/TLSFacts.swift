import CMockOpenSSL

/// The facts negotiated by a TLS handshake, and the identity that the client claims.
package struct TLSFacts: Sendable, Equatable {
    /// OpenSSL's verdict on the client's certificate chain.
    package enum ClientVerification: Sendable, Equatable {
        /// The client has sent none, or the handshake has not got that far.
        case noCertificate
        /// Signed by a known authority, currently valid, and not revoked.
        case verified
        /// Not verified, with OpenSSL's number (`X509_V_ERR_…`) and text, such as `certificate has expired`.
        case unverified(code: Int32, reason: String)
    }

    /// OpenSSL's number for a certificate that has expired.
    package static let hasExpired = X509_V_ERR_CERT_HAS_EXPIRED
    /// OpenSSL's number for a certificate that is not valid yet.
    package static let isNotYetValid = X509_V_ERR_CERT_NOT_YET_VALID
    /// OpenSSL's number for a certificate that was revoked.
    package static let isRevoked = X509_V_ERR_CERT_REVOKED

    /// `TLSv1.2` or `TLSv1.3`.
    package let protocolVersion: String
    /// OpenSSL's name of the cipher suite: `TLS_AES_256_GCM_SHA384`, `ECDHE-ECDSA-AES128-GCM-SHA256`.
    package let cipher: String
    /// The protocol negotiated by ALPN (RFC 7301): `h2`, or `nil`.
    package let applicationProtocol: String?
    /// The server name the client asked for (RFC 6066, section 3); it may be an IP address, as sent by apnotic.
    package let serverName: String?
    /// The client's own certificate, if it sent one.
    package let clientCertificate: PeerCertificate?
    /// The verdict on ``clientCertificate``.
    package let clientVerification: ClientVerification

    init(_ ssl: OpaquePointer, verificationCode: Int32) {
        protocolVersion = unsafe String(cString: SSL_get_version(ssl))
        cipher = unsafe SSL_get_current_cipher(ssl).map { unsafe String(cString: SSL_CIPHER_get_name($0)) } ?? ""
        var start: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        unsafe SSL_get0_alpn_selected(ssl, &start, &count)
        let selected = unsafe UnsafeBufferPointer(start: start, count: unsafe start == nil ? 0 : Int(count))
        applicationProtocol = selected.isEmpty ? nil : unsafe String(decoding: selected, as: UTF8.self)
        serverName = unsafe Self.serverName(ssl)
        clientCertificate = unsafe SSL_get0_peer_certificate(ssl).map { unsafe PeerCertificate($0) }
        clientVerification = unsafe Self.clientVerification(ssl, verificationCode)
    }

    static func serverName(_ ssl: OpaquePointer) -> String? {
        unsafe SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { unsafe String(cString: $0) }
    }

    static func clientVerification(_ ssl: OpaquePointer, _ code: Int32) -> ClientVerification {
        if code != X509_V_OK {
            return .unverified(code: code, reason: unsafe String(cString: X509_verify_cert_error_string(Int(code))))
        }
        return unsafe SSL_get0_peer_certificate(ssl) == nil ? .noCertificate : .verified
    }
}
