import CMockOpenSSL

/// The server's end of one TLS connection: one `SSL` on two memory BIOs. Bytes in, bytes out; it knows no socket.
///
/// Used from one event loop. A failed handshake and a close leave bytes to send too: after every call that reads or
/// writes, look at ``hasOutput``.
@safe
package final class TLSConnection {
    /// What ``read(into:upTo:)`` found.
    package enum ReadResult: Sendable, Equatable {
        /// This number of bytes of plaintext was appended; there may be more.
        case plaintext(Int)
        /// Nothing more until ``receive(_:)`` brings new bytes.
        case needsMore
        /// The peer has sent close_notify: nothing follows. Writing is still possible.
        case closed
        /// The connection is broken and stays so; the alert that says so is in the output.
        case failed(OpenSSLError)
    }

    /// Buffers of memory BIOs up to this size are kept while empty, larger ones given back.
    private static let keptCapacity = 4096

    let context: TLSContext
    private let ssl: OpaquePointer
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    /// How reading ended for good.
    private var end: ReadResult?
    /// OpenSSL has taken all that was received, and wants more.
    private var isStarved = true
    private var closeNotifySent = false
    private var verificationCode = X509_V_OK
    /// Asked once, then let go.
    private var onClientHello: ((_ serverName: String?) -> HandshakeVerdict)?
    private var askedServerName: String?
    /// Why the handshake does not go on after the ClientHello.
    private var refusal: OpenSSLError?

    /// The handshake is done: facts can be read and plaintext written.
    package private(set) var isHandshakeComplete = false
    /// The number of the last TLS alert sent (RFC 8446 section 6), 0 being close_notify.
    package private(set) var alertSent: UInt8?

    /// Makes a connection that waits for a ClientHello.
    ///
    /// - Parameters:
    ///   - context: how the server presents itself.
    ///   - onClientHello: called at most once, by the ``read(into:upTo:)`` that finds the ClientHello, with the server
    ///     name that it asks for; it must not use this connection. It is let go when it was called; `nil` accepts
    ///     everything.
    package init(
        context: TLSContext, onClientHello: ((_ serverName: String?) -> HandshakeVerdict)? = nil
    ) throws(OpenSSLError) {
        ERR_clear_error()
        self.context = context
        self.onClientHello = onClientHello
        unsafe ssl = try made(SSL_new(context.pointer), "making a TLS connection")
        guard let incoming = unsafe BIO_new(BIO_s_mem()) else {
            unsafe SSL_free(ssl)
            throw OpenSSLError.drain(during: "making a memory BIO")
        }
        guard let outgoing = unsafe BIO_new(BIO_s_mem()) else {
            unsafe BIO_free_all(incoming)
            unsafe SSL_free(ssl)
            throw OpenSSLError.drain(during: "making a memory BIO")
        }
        unsafe self.incoming = incoming
        unsafe self.outgoing = outgoing
        unsafe SSL_set_bio(ssl, incoming, outgoing)
        unsafe SSL_set_accept_state(ssl)
        // The callbacks find this object through it; it lives longer than the SSL, which it owns.
        unsafe SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        unsafe SSL_free(ssl)
    }

    // MARK: Bytes in

    /// Takes bytes from the network. They are kept until ``read(into:upTo:)`` works on them.
    package func receive(_ ciphertext: RawSpan) {
        guard end == nil, !ciphertext.isEmpty else { return }
        unsafe ciphertext.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let count = min(bytes.count - offset, Int(Int32.max))
                // A memory BIO takes everything, unless there is no memory left at all.
                let written = unsafe BIO_write(incoming, bytes.baseAddress.map { unsafe $0 + offset }, Int32(count))
                guard written > 0 else {
                    end = .failed(OpenSSLError.drain(during: "keeping received bytes"))
                    return
                }
                offset += Int(written)
            }
        }
        isStarved = false
    }

    /// Goes on with the handshake, then decrypts as many records as have arrived whole, up to the limit.
    ///
    /// - Parameters:
    ///   - plaintext: gets the bytes appended; with spare capacity for `limit` of them nothing is allocated.
    ///   - limit: at most so many bytes, above 0.
    /// - Returns: ``ReadResult/plaintext(_:)`` as long as there is some, so call it until it says something else.
    package func read(into plaintext: inout [UInt8], upTo limit: Int) -> ReadResult {
        precondition(limit > 0, "reading plaintext needs space")
        if let end { return end }
        if isStarved { return .needsMore }
        ERR_clear_error()
        if !isHandshakeComplete {
            let status = unsafe SSL_do_handshake(ssl)
            guard status == 1 else { return stop(after: status) ?? .needsMore }
            isHandshakeComplete = true
        }
        var filled = 0
        plaintext.append(addingCapacity: limit) { space in
            unsafe space.withUnsafeMutableBufferPointer { buffer, initialized in
                while filled < limit {
                    let start = unsafe buffer.baseAddress.map { unsafe $0 + filled }
                    var count = 0
                    let status = unsafe SSL_read_ex(ssl, start, limit - filled, &count)
                    guard status == 1 else {
                        _ = stop(after: status)
                        break
                    }
                    filled += count
                }
                initialized = filled
            }
        }
        return filled > 0 ? .plaintext(filled) : end ?? .needsMore
    }

    /// What stopped OpenSSL; `nil` when it only wants more bytes.
    private func stop(after status: Int32) -> ReadResult? {
        switch unsafe SSL_get_error(ssl, status) {
        case SSL_ERROR_WANT_READ:
            isStarved = true
            if unsafe mock_BIO_capacity(incoming) > Self.keptCapacity {
                unsafe mock_BIO_empty(incoming, Self.keptCapacity)
            }
            return nil
        case SSL_ERROR_ZERO_RETURN:
            end = .closed
        default:
            let error = OpenSSLError.drain(during: isHandshakeComplete ? "reading TLS" : "the TLS handshake")
            end = .failed(refusal ?? error)
        }
        unsafe mock_BIO_empty(incoming, 0)
        return end
    }

    // MARK: Bytes out

    /// Encrypts `plaintext` into the output, in records of at most 16384 bytes.
    ///
    /// - Throws: before the end of the handshake, after ``sendCloseNotify()``, and on a broken connection.
    package func write(_ plaintext: Span<UInt8>) throws(OpenSSLError) {
        guard !plaintext.isEmpty else { return }
        guard isHandshakeComplete else { throw OpenSSLError("written before the end of the TLS handshake") }
        if closeNotifySent { throw OpenSSLError("written after close_notify") }
        if case .failed(let error) = end { throw error }
        ERR_clear_error()
        var written = 0
        let status = unsafe plaintext.withUnsafeBytes { bytes in
            unsafe SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &written)
        }
        // A memory BIO never makes it wait, and there is no renegotiation: 1 or broken.
        guard status == 1 else {
            let error = OpenSSLError.drain(during: "writing TLS")
            end = .failed(error)
            throw error
        }
    }

    /// There are bytes for the network.
    package var hasOutput: Bool { outputCount > 0 }

    /// How many bytes wait for ``withOutput(_:)``.
    package var outputCount: Int { unsafe BIO_ctrl_pending(outgoing) }

    /// Lends the bytes for the network, all of them (no bytes when there are none), then forgets them.
    package func withOutput<Result: ~Copyable>(_ body: (RawSpan) -> Result) -> Result {
        var count = 0
        let start = unsafe mock_BIO_get_mem_data(outgoing, &count)
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : max(count, 0))
        let result = unsafe body(bytes.bytes)
        if count > 0 { unsafe mock_BIO_empty(outgoing, Self.keptCapacity) }
        return result
    }

    /// Puts close_notify into the output: nothing is written after it, reading goes on. A second call does nothing, nor
    /// does one before the end of the handshake or on a broken connection.
    package func sendCloseNotify() {
        guard isHandshakeComplete, !closeNotifySent else { return }
        if case .failed = end { return }
        ERR_clear_error()
        closeNotifySent = true
        unsafe SSL_shutdown(ssl)
        ERR_clear_error()
    }

    // MARK: Facts

    /// What the handshake agreed on; `nil` before it is complete. Made anew at each call, so ask once.
    package var facts: TLSFacts? {
        isHandshakeComplete ? unsafe TLSFacts(ssl, verificationCode: verificationCode) : nil
    }

    /// What OpenSSL thinks of the client's certificate so far; also after a handshake that it made fail.
    package var clientVerification: TLSFacts.ClientVerification {
        unsafe TLSFacts.clientVerification(ssl, verificationCode)
    }

    /// The server name that the client has asked for so far; also after a handshake that failed.
    package var serverName: String? { askedServerName ?? (unsafe TLSFacts.serverName(ssl)) }

    // MARK: For the context's callbacks

    static func of(_ ssl: OpaquePointer) -> TLSConnection? {
        guard let pointer = unsafe SSL_get_ex_data(ssl, 0) else { return nil }
        return unsafe Unmanaged<TLSConnection>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Keeps the first complaint; the rest of a chain usually repeats it.
    func noteVerification(code: Int32) {
        if verificationCode == X509_V_OK { verificationCode = code }
    }

    /// Does what was decided about the ClientHello; `false` when the handshake is over.
    func judge(serverName: String?) -> Bool {
        guard let decide = onClientHello else { return refusal == nil }
        onClientHello = nil
        askedServerName = serverName
        switch decide(serverName) {
        case .accept:
            return true
        case .present(let identity):
            do {
                unsafe try identity.present(on: ssl)
                return true
            } catch {
                return refuse(alert: UInt8(SSL_AD_INTERNAL_ERROR), error)
            }
        case .alert(let number):
            return refuse(alert: number, OpenSSLError("the handshake was refused with the TLS alert \(number)"))
        case .abandon:
            refusal = OpenSSLError("the handshake was abandoned")
            return false
        }
    }

    /// Writes an alert before there are keys: a record of two bytes, level and number (RFC 8446, section 6).
    private func refuse(alert number: UInt8, _ error: OpenSSLError) -> Bool {
        refusal = error
        let record: [UInt8] = [21, 3, 3, 0, 2, 2, number]
        unsafe BIO_write(outgoing, record, Int32(record.count))
        noteAlertSent(number)
        return false
    }

    func noteAlertSent(_ alert: UInt8) {
        alertSent = alert
    }
}
