import CMockOpenSSL

/// The certificate of a client that cannot use the one on P-256, when the handshake asks for it.
package enum RSACertificate: Sendable {
    /// The certificate with an RSA key.
    case ready(ServerIdentity)
    /// It is being created; ``TLSConnection/ReadResult/needsCertificate`` follows.
    case pending
    /// There is none, for this reason.
    case unavailable(OpenSSLError)
}

/// The certificates that the client can use, by its ClientHello. Valid in OpenSSL's certificate callback.
enum CertificateChoice {
    /// Returns whether the client can use a certificate on P-256: whether it takes such signatures and, with TLS 1.2,
    /// such a cipher suite and this curve. With TLS 1.3 neither of the latter depends on the certificate.
    static func allowsP256(_ ssl: OpaquePointer) -> Bool {
        let isTLS13 = unsafe SSL_version(ssl) == TLS1_3_VERSION
        guard unsafe takesSignature(ssl, isTLS13: isTLS13) else { return false }
        return unsafe isTLS13 || (mock_SSL_shares_ECDSA_suite(ssl) == 1 && takesCurve(ssl))
    }

    private static func takesSignature(_ ssl: OpaquePointer, isTLS13: Bool) -> Bool {
        // A client that says nothing takes what comes.
        guard unsafe SSL_get_sigalgs(ssl, -1, nil, nil, nil, nil, nil) > 0 else { return true }
        var (index, key, hash): (Int32, Int32, Int32) = (0, 0, 0)
        // 0 after the last one.
        while unsafe SSL_get_shared_sigalgs(ssl, index, &key, &hash, nil, nil, nil) > 0 {
            // With TLS 1.3 the hash stands for the curve: ecdsa_secp256r1_sha256 (RFC 8446, section 4.2.3).
            if key == NID_X9_62_id_ecPublicKey, !isTLS13 || hash == NID_sha256 { return true }
            index += 1
        }
        return false
    }

    private static func takesCurve(_ ssl: OpaquePointer) -> Bool {
        let count = unsafe mock_SSL_get1_groups(ssl, nil)
        guard count > 0 else { return true }
        var curves = [Int32](repeating: 0, count: Int(count))
        _ = unsafe mock_SSL_get1_groups(ssl, &curves)
        return curves.contains(NID_X9_62_prime256v1)
    }
}

/// Asks the connection for another certificate if the client cannot use the present one.
let chooseCertificate: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { ssl, _ in
    guard let ssl = unsafe ssl, let connection = unsafe TLSConnection.of(ssl) else { return 1 }
    if unsafe CertificateChoice.allowsP256(ssl) { return 1 }
    // Negative: the handshake stops here and asks again when it is continued.
    return connection.addRSACertificate() ? 1 : -1
}
