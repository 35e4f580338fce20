import CMockOpenSSL

/// Whom a TLS client trusts and how it presents itself: one `SSL_CTX`, for any number of connections.
///
/// It is for what is a client: the probe, and a relay towards its upstream. The server uses ``TLSContext``.
@safe
package final class TLSClientContext: @unchecked Sendable {
    // Sendable: set up in `init`, and then only used by SSL_new, which is thread-safe.

    /// The versions of TLS that a client offers.
    package enum Versions: String, Sendable, CaseIterable {
        case all
        case tls12
        case tls13
    }

    let pointer: OpaquePointer

    /// Creates the context of a client.
    ///
    /// - Parameters:
    ///   - authorities: PEM of the authorities to trust; `nil` for those of the system.
    ///   - certificate: PEM of the client's certificate, followed by its chain, and of its private key; `nil` for none.
    ///   - versions: the versions of TLS to offer.
    /// - Throws: if a text cannot be read, or the key does not match the certificate.
    package init(
        authorities: [UInt8]?, certificate: (chain: [UInt8], privateKey: [UInt8])? = nil, versions: Versions = .all
    ) throws(OpenSSLError) {
        ERR_clear_error()
        unsafe pointer = try made(SSL_CTX_new(TLS_client_method()), "making a TLS context")
        let (oldest, newest) = (
            versions == .tls13 ? TLS1_3_VERSION : TLS1_2_VERSION, versions == .tls12 ? TLS1_2_VERSION : TLS1_3_VERSION
        )
        unsafe try succeeded(mock_SSL_CTX_set_min_proto_version(pointer, oldest), "choosing the oldest TLS")
        unsafe try succeeded(mock_SSL_CTX_set_max_proto_version(pointer, newest), "choosing the newest TLS")
        unsafe mock_SSL_CTX_set_session_cache_off(pointer)
        unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
        try trust(authorities)
        if let certificate { try present(certificate.chain, certificate.privateKey) }
    }

    deinit {
        unsafe SSL_CTX_free(pointer)
    }

    private func trust(_ authorities: [UInt8]?) throws(OpenSSLError) {
        guard let authorities else {
            unsafe try succeeded(SSL_CTX_set_default_verify_paths(pointer), "finding the system's authorities")
            return
        }
        // An authority below a root may be trusted by itself.
        unsafe try succeeded(
            X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(pointer), UInt(X509_V_FLAG_PARTIAL_CHAIN)),
            "trusting intermediate authorities")
        let store = unsafe try made(SSL_CTX_get_cert_store(pointer), "finding the trust store")
        for authority in try PEM.certificates(authorities) {
            defer { extendLifetime(authority) }
            unsafe try succeeded(X509_STORE_add_cert(store, authority.pointer), "trusting an authority")
        }
    }

    private func present(_ chain: [UInt8], _ key: [UInt8]) throws(OpenSSLError) {
        let certificates = try PEM.certificates(chain)
        defer { extendLifetime(certificates) }
        unsafe try succeeded(SSL_CTX_use_certificate(pointer, certificates[0].pointer), "using the certificate")
        for certificate in certificates.dropFirst() {
            unsafe try succeeded(mock_SSL_CTX_add1_chain_cert(pointer, certificate.pointer), "using the chain")
        }
        let key = try PrivateKey.reading(pem: key)
        defer { extendLifetime(key) }
        unsafe try succeeded(SSL_CTX_use_PrivateKey(pointer, key.pointer), "using the private key")
        unsafe try succeeded(SSL_CTX_check_private_key(pointer), "matching the key and the certificate")
    }
}
