import CMockOpenSSL

/// A server certificate with its chain and its key.
@safe
package final class ServerIdentity: @unchecked Sendable {
    // Sendable: it is immutable, and OpenSSL counts references with atomics.
    private let certificates: [X509Certificate]
    private let key: OpaquePointer

    /// Reads a certificate and its key.
    ///
    /// - Parameters:
    ///   - certificateChain: PEM, with the server's own certificate first.
    ///   - privateKey: the unencrypted key of the first certificate in PEM.
    /// - Throws: if a text cannot be read, or the key does not match the certificate.
    package init(certificateChain: [UInt8], privateKey: [UInt8]) throws(OpenSSLError) {
        certificates = try PEM.certificates(certificateChain)
        unsafe key = try PEM.privateKey(privateKey, "reading the server's private key")
        ERR_clear_error()
        unsafe try succeeded(
            X509_check_private_key(certificates[0].pointer, key), "matching the server's key and certificate")
    }

    deinit {
        unsafe EVP_PKEY_free(key)
    }

    /// Makes this the only certificate that the connection presents.
    func present(on ssl: OpaquePointer) throws(OpenSSLError) {
        // A key of another kind would stay beside the new one, and the client could choose it.
        unsafe SSL_certs_clear(ssl)
        unsafe try add(to: ssl)
    }

    /// Presents this beside a certificate with a key of another kind.
    func add(to ssl: OpaquePointer) throws(OpenSSLError) {
        ERR_clear_error()
        defer { extendLifetime(self) }
        let chain = unsafe try made(mock_X509_stack_new(), "making a chain")
        defer { unsafe mock_X509_stack_free(chain) }
        for certificate in certificates.dropFirst() {
            unsafe try succeeded(mock_X509_stack_push(chain, certificate.pointer), "making a chain")
        }
        unsafe try succeeded(
            SSL_use_cert_and_key(ssl, certificates[0].pointer, key, chain, 1), "using another certificate")
    }
}
