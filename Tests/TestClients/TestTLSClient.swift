import CMockOpenSSL
package import MockAPNSTransport

/// A provider's end of a TLS connection in memory, for tests: an OpenSSL client on two memory BIOs.
@safe
package final class TestTLSClient {
    package enum Version: Sendable {
        case tls12, tls13, any
    }

    package struct Setup: Sendable {
        package var version: Version
        /// Offered by ALPN in this order; empty: no ALPN at all.
        package var protocols: [String]
        package var serverName: String?
        /// PEM to verify the server against; `nil`: not verified.
        package var authority: [UInt8]?
        /// Seconds since 1970 at which the server's certificate is judged.
        package var time: Int64?
        /// PEM of certificate and key.
        package var certificate: (certificate: [UInt8], key: [UInt8])?
        /// OpenSSL's names of the cipher suites to offer with TLS 1.2; `nil`: its own choice.
        package var suites: String?

        package init(
            version: Version = .any, protocols: [String] = ["h2", "http/1.1"], serverName: String? = "localhost",
            authority: [UInt8]? = nil, time: Int64? = nil, certificate: (certificate: [UInt8], key: [UInt8])? = nil
        ) {
            self.version = version
            self.protocols = protocols
            self.serverName = serverName
            self.authority = authority
            self.time = time
            self.certificate = certificate
        }
    }

    private let context: OpaquePointer
    private let ssl: OpaquePointer
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer

    package private(set) var isHandshakeComplete = false
    /// The server's alert that ended the connection.
    package private(set) var alert: UInt8?
    /// Why the connection is broken, in OpenSSL's words.
    package private(set) var failure: String?
    /// The server has sent close_notify.
    package private(set) var isClosed = false

    package init(_ setup: Setup = Setup()) {
        unsafe context = SSL_CTX_new(TLS_client_method())!
        if setup.version != .any {
            let version = setup.version == .tls12 ? TLS1_2_VERSION : TLS1_3_VERSION
            unsafe precondition(mock_SSL_CTX_set_min_proto_version(context, version) == 1)
            unsafe precondition(mock_SSL_CTX_set_max_proto_version(context, version) == 1)
        }
        if let suites = setup.suites { unsafe precondition(SSL_CTX_set_cipher_list(context, suites) == 1) }
        if let certificate = setup.certificate {
            let leaf = unsafe Self.reading(certificate.certificate) { unsafe PEM_read_bio_X509($0, nil, nil, nil) }
            let key = unsafe Self.reading(certificate.key) { unsafe PEM_read_bio_PrivateKey($0, nil, nil, nil) }
            unsafe precondition(SSL_CTX_use_certificate(context, leaf) == 1)
            unsafe precondition(SSL_CTX_use_PrivateKey(context, key) == 1)
            unsafe X509_free(leaf)
            unsafe EVP_PKEY_free(key)
        }
        if let authority = setup.authority {
            let root = unsafe Self.reading(authority) { unsafe PEM_read_bio_X509($0, nil, nil, nil) }
            unsafe precondition(X509_STORE_add_cert(SSL_CTX_get_cert_store(context), root) == 1)
            unsafe X509_free(root)
            unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
            if let time = setup.time { unsafe X509_VERIFY_PARAM_set_time(SSL_CTX_get0_param(context), Int(time)) }
        }
        unsafe ssl = SSL_new(context)!
        unsafe incoming = BIO_new(BIO_s_mem())!
        unsafe outgoing = BIO_new(BIO_s_mem())!
        unsafe SSL_set_bio(ssl, incoming, outgoing)
        unsafe SSL_set_connect_state(ssl)
        if let name = setup.serverName {
            unsafe precondition(mock_SSL_set_tlsext_host_name(ssl, name) == 1)
            if setup.authority != nil { unsafe precondition(SSL_set1_host(ssl, name) == 1) }
        }
        let offer = setup.protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        if !offer.isEmpty {
            unsafe precondition(SSL_set_alpn_protos(ssl, offer, UInt32(offer.count)) == 0)
        }
    }

    deinit {
        unsafe SSL_free(ssl)
        unsafe SSL_CTX_free(context)
    }

    private static func reading(_ pem: [UInt8], _ read: (OpaquePointer) -> OpaquePointer?) -> OpaquePointer? {
        let bio = unsafe BIO_new(BIO_s_mem())!
        defer { unsafe BIO_free_all(bio) }
        unsafe BIO_write(bio, pem, Int32(pem.count))
        return unsafe read(bio)
    }

    /// Bytes for the server.
    package func takeOutput() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: unsafe BIO_ctrl_pending(outgoing))
        if !bytes.isEmpty { unsafe BIO_read(outgoing, &bytes, Int32(bytes.count)) }
        return bytes
    }

    /// Takes bytes of the server and returns the plaintext that came out.
    @discardableResult
    package func receive(_ ciphertext: [UInt8]) -> [UInt8] {
        if failure != nil || isClosed { return [] }
        if !ciphertext.isEmpty { unsafe BIO_write(incoming, ciphertext, Int32(ciphertext.count)) }
        ERR_clear_error()
        if !isHandshakeComplete {
            let status = unsafe SSL_do_handshake(ssl)
            guard status == 1 else {
                note(status)
                return []
            }
            isHandshakeComplete = true
        }
        var plaintext: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let status = unsafe SSL_read(ssl, &buffer, Int32(buffer.count))
            guard status > 0 else {
                note(status)
                return plaintext
            }
            plaintext += buffer.prefix(Int(status))
        }
    }

    package func write(_ plaintext: [UInt8]) {
        let status = unsafe SSL_write(ssl, plaintext, Int32(plaintext.count))
        precondition(Int(status) == plaintext.count)
    }

    package func sendCloseNotify() {
        unsafe SSL_shutdown(ssl)
    }

    /// The subjects of the authorities that the server's CertificateRequest named.
    package var requestedAuthorities: Int { Int(unsafe mock_X509_NAME_stack_num(SSL_get0_peer_CA_list(ssl))) }

    /// PEM of the server's own certificate; empty before there is one.
    package var serverCertificate: [UInt8] {
        guard let certificate = unsafe SSL_get0_peer_certificate(ssl) else { return [] }
        let bio = unsafe BIO_new(BIO_s_mem())!
        defer { unsafe BIO_free_all(bio) }
        unsafe PEM_write_bio_X509(bio, certificate)
        var bytes = [UInt8](repeating: 0, count: unsafe BIO_ctrl_pending(bio))
        unsafe BIO_read(bio, &bytes, Int32(bytes.count))
        return bytes
    }

    package var applicationProtocol: String {
        var start: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        unsafe SSL_get0_alpn_selected(ssl, &start, &count)
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
    }

    private func note(_ status: Int32) {
        switch unsafe SSL_get_error(ssl, status) {
        case SSL_ERROR_WANT_READ: break
        case SSL_ERROR_ZERO_RETURN: isClosed = true
        default:
            let code = ERR_get_error()
            let number = mock_ERR_reason(code) - SSL_AD_REASON_OFFSET
            if number >= 0 { alert = UInt8(number) }
            failure = unsafe ERR_reason_error_string(code).map { unsafe String(cString: $0) } ?? "error \(code)"
        }
        ERR_clear_error()
    }
}

extension TLSConnection {
    /// Bytes for the client: all, or as many as there is room for.
    package func takeOutput(room: Int? = nil) -> [UInt8] {
        unsafe Array(unsafeUninitializedCapacity: room ?? outputCount) { space, count in
            var output = unsafe OutputRawSpan(buffer: UnsafeMutableRawBufferPointer(space), initializedCount: 0)
            takeOutput(into: &output)
            count = output.byteCount
        }
    }

    /// Takes bytes of the client and returns the plaintext that came out, and how it ended.
    package func take(_ ciphertext: [UInt8]) -> (plaintext: [UInt8], end: ReadResult) {
        unsafe receive(ciphertext.span.bytes)
        var plaintext: [UInt8] = []
        while true {
            let result = read(into: &plaintext, upTo: 16_384)
            guard case .plaintext = result else { return (plaintext, result) }
        }
    }
}

/// Carries bytes both ways until neither side has more to say; returns what the server read and how its reading ended.
@discardableResult
package func exchange(_ client: TestTLSClient, _ server: TLSConnection) -> (
    server: [UInt8], client: [UInt8], end: TLSConnection.ReadResult
) {
    var atServer: [UInt8] = []
    var atClient: [UInt8] = []
    var end = TLSConnection.ReadResult.needsMore
    atClient += client.receive([])
    while true {
        let up = client.takeOutput()
        let taken = server.take(up)
        atServer += taken.plaintext
        end = taken.end
        let down = server.takeOutput()
        if up.isEmpty && down.isEmpty { return (atServer, atClient, end) }
        atClient += client.receive(down)
    }
}
