import CMockOpenSSL

/// How a TLS server presents itself and whom it trusts: one `SSL_CTX`, shared by all connections of a listener.
///
/// If its certificate is on P-256, ``TLSConnection/rsaCertificate`` provides another for clients that cannot use it.
///
/// As observed at APNs: TLS 1.2 and 1.3, `h2` selected if offered but never required, a client certificate requested
/// from all clients but never required. Sessions are never resumed, because a resumed one has no certificate.
@safe
package final class TLSContext: @unchecked Sendable {
    // Sendable: set up in `init`, and then only used by SSL_new, which is thread-safe.

    /// The handling of client certificates.
    package struct ClientCertificates: Sendable {
        /// The handling of a certificate that fails verification.
        package enum Unverified: Sendable {
            /// The handshake fails with the appropriate alert: 45 expired, 44 revoked, 48 unknown authority.
            case refused
            /// The handshake continues, and ``TLSConnection/clientVerification`` says what is wrong.
            case accepted
        }

        /// The accepted authorities in PEM; their names are sent in the CertificateRequest. Empty: every certificate is
        /// from an unknown authority.
        package var authorities: [UInt8]
        /// The serial numbers of revoked certificates, in upper-case hexadecimal.
        package var revokedSerials: Set<String>
        /// The handling of one that fails verification.
        package var unverified: Unverified
        /// Whether clients without one are rejected: alert 116 with TLS 1.3 (certificate_required), 40 with TLS 1.2
        /// (handshake_failure), which has no better one.
        package var isRequired: Bool
        /// The time for checking validity in seconds since 1970; `nil` means the system's time, read by OpenSSL.
        package var time: Int64?

        /// Creates the rules, by default with no trusted certificates and bad ones refused.
        package init(
            authorities: [UInt8] = [], revokedSerials: Set<String> = [], unverified: Unverified = .refused,
            isRequired: Bool = false, time: Int64? = nil
        ) {
            self.authorities = authorities
            self.revokedSerials = revokedSerials
            self.unverified = unverified
            self.isRequired = isRequired
            self.time = time
        }
    }

    let pointer: OpaquePointer
    package let clientCertificates: ClientCertificates

    /// Creates the context of a server.
    ///
    /// - Parameters:
    ///   - certificateChain: PEM, with the server's own certificate first.
    ///   - privateKey: the unencrypted key of the first certificate in PEM.
    ///   - clientCertificates: the rules for client certificates.
    /// - Throws: if a text cannot be read, or the key does not match the certificate.
    package init(
        certificateChain: [UInt8], privateKey: [UInt8], clientCertificates: ClientCertificates = .init()
    ) throws(OpenSSLError) {
        ERR_clear_error()
        unsafe pointer = try made(SSL_CTX_new(TLS_server_method()), "making a TLS context")
        self.clientCertificates = clientCertificates
        try setUpProtocol()
        try present(certificateChain, privateKey)
        try trust(clientCertificates)
    }

    deinit {
        unsafe SSL_CTX_free(pointer)
    }

    private func setUpProtocol() throws(OpenSSLError) {
        unsafe try succeeded(mock_SSL_CTX_set_min_proto_version(pointer, TLS1_2_VERSION), "asking for TLS 1.2")
        unsafe try succeeded(mock_SSL_CTX_set_max_proto_version(pointer, TLS1_3_VERSION), "asking for TLS 1.3")
        // HTTP/2 forbids the others with TLS 1.2 (RFC 9113, section 9.2.2). The client's order decides, as observed at
        // APNs.
        unsafe try succeeded(
            SSL_CTX_set_cipher_list(pointer, "ECDHE+AESGCM:ECDHE+CHACHA20"), "choosing ciphers")
        // SSL_OP_IGNORE_UNEXPECTED_EOF is not relevant here: an empty memory BIO says "try again", never "the end".
        unsafe SSL_CTX_set_options(
            pointer,
            mock_SSL_OP_NO_RENEGOTIATION | mock_SSL_OP_NO_TICKET | mock_SSL_OP_NO_COMPRESSION)
        unsafe try succeeded(SSL_CTX_set_num_tickets(pointer, 0), "turning tickets off")
        unsafe mock_SSL_CTX_set_session_cache_off(pointer)
        // An idle connection then holds neither of its two record buffers, 33 KB together.
        unsafe mock_SSL_CTX_set_mode(pointer, mock_SSL_MODE_RELEASE_BUFFERS)
        unsafe SSL_CTX_set_alpn_select_cb(pointer, selectHTTP2, nil)
        unsafe SSL_CTX_set_info_callback(pointer, noteAlert)
        unsafe mock_SSL_CTX_set_servername_callback(pointer, judgeClientHello)
    }

    private func present(_ chain: [UInt8], _ key: [UInt8]) throws(OpenSSLError) {
        let certificates = try PEM.certificates(chain)
        defer { extendLifetime(certificates) }
        unsafe try succeeded(
            SSL_CTX_use_certificate(pointer, certificates[0].pointer), "using the server's certificate")
        for certificate in certificates.dropFirst() {
            unsafe try succeeded(
                mock_SSL_CTX_add1_chain_cert(pointer, certificate.pointer), "using the server's chain")
        }
        let key = unsafe try PEM.privateKey(key, "reading the server's private key")
        defer { unsafe EVP_PKEY_free(key) }
        // This also detects a key that does not match the certificate.
        unsafe try succeeded(SSL_CTX_use_PrivateKey(pointer, key), "using the server's private key")
        unsafe try succeeded(SSL_CTX_check_private_key(pointer), "matching the server's key and certificate")
        if unsafe P256Key.isOnP256(key) { unsafe SSL_CTX_set_cert_cb(pointer, chooseCertificate, nil) }
    }

    private func trust(_ clients: ClientCertificates) throws(OpenSSLError) {
        // Usually not SSL_VERIFY_FAIL_IF_NO_PEER_CERT: a provider with tokens has no certificate.
        let mode = clients.isRequired ? SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT : SSL_VERIFY_PEER
        unsafe SSL_CTX_set_verify(pointer, mode, verifyClientCertificate)
        // The authority that issues a provider's certificate, and that the provider has, may itself be below a root.
        let parameters = unsafe SSL_CTX_get0_param(pointer)
        unsafe try succeeded(
            X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN)),
            "trusting intermediate authorities")
        if let time = clients.time {
            unsafe X509_VERIFY_PARAM_set_time(SSL_CTX_get0_param(pointer), Int(time))
        }
        guard !clients.authorities.isEmpty else { return }
        let store = unsafe try made(SSL_CTX_get_cert_store(pointer), "finding the trust store")
        for authority in try PEM.certificates(clients.authorities) {
            defer { extendLifetime(authority) }
            unsafe try succeeded(X509_STORE_add_cert(store, authority.pointer), "trusting an authority")
            unsafe try succeeded(SSL_CTX_add_client_CA(pointer, authority.pointer), "naming an authority")
        }
    }
}

/// Selects `h2` if the client offers it, and otherwise continues without: Pushy, aioapns and apnotic send no ALPN at
/// all.
private let selectHTTP2: SSL_CTX_alpn_select_cb_func = { _, chosen, chosenLength, offered, offeredLength, _ in
    guard let offered = unsafe offered else { return SSL_TLSEXT_ERR_NOACK }
    let list = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredLength))
    var offset = 0
    while offset < list.count {
        let length = unsafe Int(list[offset])
        let name = offset + 1
        guard length > 0, name + length <= list.count else { break }
        if length == 2, unsafe list[name] == UInt8(ascii: "h"), unsafe list[name + 1] == UInt8(ascii: "2") {
            unsafe chosen?.pointee = unsafe offered + name
            unsafe chosenLength?.pointee = 2
            return SSL_TLSEXT_ERR_OK
        }
        offset = name + length
    }
    return SSL_TLSEXT_ERR_NOACK
}

/// Checks each certificate of the client's chain after OpenSSL.
private let verifyClientCertificate: SSL_verify_cb = { verified, store in
    guard let ssl = unsafe X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
        let connection = unsafe TLSConnection.of(OpaquePointer(ssl))
    else { return 0 }
    let policy = connection.context.clientCertificates
    if verified == 1 {
        guard unsafe X509_STORE_CTX_get_error_depth(store) == 0, !policy.revokedSerials.isEmpty,
            let leaf = unsafe X509_STORE_CTX_get_current_cert(store),
            policy.revokedSerials.contains(unsafe PeerCertificate.serial(of: leaf))
        else { return 1 }
        unsafe X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REVOKED)
    }
    connection.noteVerification(code: unsafe X509_STORE_CTX_get_error(store))
    switch policy.unverified {
    case .refused: return 0
    case .accepted: return 1
    }
}

/// Remembers the alerts the connection sends; OpenSSL reports them nowhere else.
private let noteAlert: @convention(c) (OpaquePointer?, Int32, Int32) -> Void = { ssl, event, value in
    guard event & SSL_CB_ALERT != 0, event & SSL_CB_WRITE != 0, let ssl = unsafe ssl else { return }
    unsafe TLSConnection.of(ssl)?.noteAlertSent(UInt8(truncatingIfNeeded: value))
}
