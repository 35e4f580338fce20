import CMockOpenSSL

/// The client side of a TLS connection: bytes in, bytes out. It uses no socket.
///
/// A failed handshake leaves bytes to send too: take the output after every call.
@safe
package final class TLSClientConnection {
    private let context: TLSClientContext
    private let ssl: BufferedSSL

    /// Whether the handshake is complete, so that plaintext can be written.
    package private(set) var isHandshakeComplete = false
    /// Whether the server has sent close_notify.
    package private(set) var isClosed = false
    /// Why the connection is broken.
    package private(set) var failure: OpenSSLError?
    /// Whether the server has asked for a client certificate.
    package fileprivate(set) var isAskedForCertificate = false

    /// Creates a connection that begins with ``receive(_:)`` of no bytes.
    ///
    /// - Parameters:
    ///   - context: whom the client trusts, and its certificate.
    ///   - host: the name or the IP address that the server's certificate has to be for. A name is sent to the server,
    ///     an address is not (RFC 6066, section 3).
    ///   - protocols: what is offered by ALPN, in this order; if empty, ALPN is left out.
    package init(context: TLSClientContext, host: String, protocols: [String]) throws(OpenSSLError) {
        self.context = context
        ssl = unsafe try BufferedSSL(context.pointer)
        unsafe SSL_set_connect_state(ssl.pointer)
        // The callback finds this object through the pointer; it outlives the SSL, which it owns.
        unsafe SSL_set_cert_cb(ssl.pointer, noteCertificateRequest, Unmanaged.passUnretained(self).toOpaque())
        // The function fails for anything that is not an address.
        if unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl.pointer), host) != 1 {
            ERR_clear_error()
            unsafe try succeeded(mock_SSL_set_tlsext_host_name(ssl.pointer, host), "naming the server")
            unsafe try succeeded(SSL_set1_host(ssl.pointer, host), "expecting the server's name")
        }
        let offer = protocols.flatMap { [UInt8(truncatingIfNeeded: $0.utf8.count)] + Array($0.utf8) }
        if !offer.isEmpty, unsafe SSL_set_alpn_protos(ssl.pointer, offer, UInt32(offer.count)) != 0 {
            throw OpenSSLError.drain(during: "offering protocols")
        }
    }

    /// Takes bytes from the network, continues the handshake, and returns the plaintext that they contain.
    package func receive(_ ciphertext: [UInt8]) -> [UInt8] {
        if failure != nil || isClosed { return [] }
        ERR_clear_error()
        do { unsafe try ssl.receive(ciphertext.span.bytes) } catch {
            failure = error
            return []
        }
        if !isHandshakeComplete {
            let status = unsafe SSL_do_handshake(ssl.pointer)
            guard status == 1 else {
                stop(after: status)
                return []
            }
            isHandshakeComplete = true
        }
        var plaintext: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let status = unsafe SSL_read(ssl.pointer, &buffer, Int32(buffer.count))
            guard status > 0 else {
                stop(after: status)
                return plaintext
            }
            plaintext += buffer.prefix(Int(status))
        }
    }

    /// Records why OpenSSL has stopped, unless it only needs more bytes.
    private func stop(after status: Int32) {
        switch unsafe SSL_get_error(ssl.pointer, status) {
        case SSL_ERROR_WANT_READ: break
        case SSL_ERROR_ZERO_RETURN: isClosed = true
        default: failure = OpenSSLError.drain(during: isHandshakeComplete ? "reading TLS" : "the TLS handshake")
        }
        ERR_clear_error()
    }

    /// Encrypts plaintext into the output. Does nothing before the end of the handshake and on a broken connection.
    package func write(_ plaintext: [UInt8]) {
        guard isHandshakeComplete, failure == nil, !plaintext.isEmpty else { return }
        ERR_clear_error()
        // A memory BIO never blocks.
        guard unsafe SSL_write(ssl.pointer, plaintext, Int32(plaintext.count)) > 0 else {
            failure = OpenSSLError.drain(during: "writing TLS")
            return
        }
    }

    /// Adds close_notify to the output.
    package func sendCloseNotify() {
        guard isHandshakeComplete, failure == nil else { return }
        ssl.sendCloseNotify()
    }

    /// Returns the bytes for the network, which are removed.
    package func takeOutput() -> [UInt8] {
        unsafe Array(unsafeUninitializedCapacity: ssl.outputCount) { space, count in
            count = unsafe ssl.takeOutput(into: UnsafeMutableRawBufferPointer(space))
        }
    }

    /// The version in OpenSSL's words, such as `TLSv1.3`.
    package var version: String { unsafe String(cString: SSL_get_version(ssl.pointer)) }

    /// The protocol that the server has chosen by ALPN; `nil` if it chose none.
    package var applicationProtocol: String? {
        var start: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        unsafe SSL_get0_alpn_selected(ssl.pointer, &start, &count)
        guard count > 0 else { return nil }
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
    }
}

/// Called when the server's CertificateRequest has arrived.
private let noteCertificateRequest: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { _, user in
    guard let user = unsafe user else { return 1 }
    unsafe Unmanaged<TLSClientConnection>.fromOpaque(user).takeUnretainedValue().isAskedForCertificate = true
    return 1
}
