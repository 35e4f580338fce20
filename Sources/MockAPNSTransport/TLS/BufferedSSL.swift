import CMockOpenSSL

/// An `SSL` on two memory BIOs, which it owns: one for ciphertext that has arrived, one for ciphertext to be sent.
@safe
struct BufferedSSL: ~Copyable {
    /// Empty buffers of memory BIOs up to this size are kept, larger ones released.
    private static let keptCapacity = 4096

    let pointer: OpaquePointer
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer

    /// - Parameter context: the `SSL_CTX`.
    init(_ context: OpaquePointer) throws(OpenSSLError) {
        ERR_clear_error()
        let ssl = unsafe try made(SSL_new(context), "making a TLS connection")
        let (incoming, outgoing) = unsafe (BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()))
        guard let incoming = unsafe incoming, let outgoing = unsafe outgoing else {
            unsafe BIO_free_all(incoming)
            unsafe BIO_free_all(outgoing)
            unsafe SSL_free(ssl)
            throw OpenSSLError.drain(during: "making a memory BIO")
        }
        unsafe SSL_set_bio(ssl, incoming, outgoing)
        unsafe self.pointer = ssl
        unsafe self.incoming = incoming
        unsafe self.outgoing = outgoing
    }

    deinit {
        unsafe SSL_free(pointer)
    }

    // MARK: Input

    /// Keeps bytes from the network until OpenSSL reads them.
    func receive(_ ciphertext: RawSpan) throws(OpenSSLError) {
        let isKept = unsafe ciphertext.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let count = min(bytes.count - offset, Int(Int32.max))
                // A memory BIO accepts everything unless memory is exhausted.
                let written = unsafe BIO_write(incoming, bytes.baseAddress.map { unsafe $0 + offset }, Int32(count))
                guard written > 0 else { return false }
                offset += Int(written)
            }
            return true
        }
        guard isKept else { throw OpenSSLError.drain(during: "keeping received bytes") }
    }

    /// Whether OpenSSL has taken all input, and all plaintext that it has made of it was read.
    var isDrained: Bool { unsafe BIO_ctrl_pending(incoming) == 0 && SSL_pending(pointer) == 0 }

    /// Releases the buffer of input if it is large and all has been read.
    func trimInput() { unsafe Self.trim(incoming) }

    private static func trim(_ bio: OpaquePointer) {
        if unsafe mock_BIO_capacity(bio) > keptCapacity && BIO_ctrl_pending(bio) == 0 { unsafe mock_BIO_release(bio) }
    }

    /// Drops all input.
    func dropInput() { unsafe mock_BIO_release(incoming) }

    // MARK: Output

    /// The number of bytes for the network.
    var outputCount: Int { unsafe BIO_ctrl_pending(outgoing) }

    /// Moves bytes for the network, as many as fit into `space`; returns their number.
    func takeOutput(into space: UnsafeMutableRawBufferPointer) -> Int {
        let count = unsafe BIO_read(outgoing, space.baseAddress, Int32(clamping: space.count))
        unsafe Self.trim(outgoing)
        return max(0, Int(count))
    }

    /// Drops the bytes for the network.
    func dropOutput() { unsafe mock_BIO_release(outgoing) }

    /// Adds bytes for the network that OpenSSL does not know of.
    func send(_ ciphertext: [UInt8]) { unsafe BIO_write(outgoing, ciphertext, Int32(ciphertext.count)) }

    /// Adds close_notify to the output.
    func sendCloseNotify() {
        ERR_clear_error()
        unsafe SSL_shutdown(pointer)
        ERR_clear_error()
    }
}
