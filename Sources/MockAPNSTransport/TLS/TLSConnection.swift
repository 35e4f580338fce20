import CMockOpenSSL

/// The server side of a TLS connection: bytes in, bytes out. It uses no socket.
///
/// It is used from one event loop. A failed handshake and a close leave bytes to send too: after every call that reads
/// or writes, take the ``outputCount`` bytes that wait to be sent.
@safe
package final class TLSConnection {
    /// The result of ``read(into:upTo:)``.
    package enum ReadResult: Sendable, Equatable {
        /// This number of plaintext bytes was appended; there may be more.
        case plaintext(Int)
        /// Nothing more until ``receive(_:)`` adds bytes.
        case needsMore
        /// The handshake waits for ``TLSConnection/rsaCertificate``: read again when it is no longer pending.
        case needsCertificate
        /// The peer has sent close_notify: nothing follows. Writing is still possible.
        case closed
        /// The connection is broken for good; the corresponding alert is in the output.
        case failed(OpenSSLError)
    }

    let context: TLSContext
    private let ssl: BufferedSSL
    /// How reading ended for good.
    private var end: ReadResult?
    /// Whether OpenSSL has consumed everything received, and needs more.
    private var isStarved = true
    private var closeNotifySent = false
    private var verificationCode = X509_V_OK
    /// Called once, then released.
    private var onClientHello: ((_ serverName: String?) -> HandshakeVerdict)?
    private var askedServerName: String?
    /// Why the handshake does not continue after the ClientHello.
    private var rejection: OpenSSLError?
    /// Called during the handshake with a client that cannot use the context's certificate, and again after it was
    /// pending; it must not use this connection. It is released when the handshake is complete.
    package var rsaCertificate: (() -> RSACertificate)?

    /// The first bytes of a client that does not speak TLS.
    package private(set) var foreignStart: [UInt8] = []
    private static let foreignStartLimit = 32
    /// Whether anything has been received.
    private var hasStarted = false
    /// Whether the handshake is complete: facts can be read and plaintext written.
    package private(set) var isHandshakeComplete = false
    /// The number of the last TLS alert sent (RFC 8446, section 6); 0 is close_notify.
    package private(set) var alertSent: UInt8?

    /// Creates a connection that waits for a ClientHello.
    ///
    /// - Parameters:
    ///   - context: how the server presents itself.
    ///   - onClientHello: called at most once, by the ``read(into:upTo:)`` that finds the ClientHello, with the server
    ///     name in it; it must not use this connection. It is released after the call; `nil` accepts everything.
    package init(
        context: TLSContext, onClientHello: ((_ serverName: String?) -> HandshakeVerdict)? = nil
    ) throws(OpenSSLError) {
        self.context = context
        self.onClientHello = onClientHello
        ssl = unsafe try BufferedSSL(context.pointer)
        unsafe SSL_set_accept_state(ssl.pointer)
        // The callbacks find this object through it; it outlives the SSL, which it owns.
        unsafe SSL_set_ex_data(ssl.pointer, 0, Unmanaged.passUnretained(self).toOpaque())
    }

    // MARK: Input

    /// Adds bytes from the network. They are kept until ``read(into:upTo:)`` processes them.
    package func receive(_ ciphertext: RawSpan) {
        guard end == nil, !ciphertext.isEmpty else { return }
        if !isHandshakeComplete { keepForeignStart(ciphertext) }
        do { try ssl.receive(ciphertext) } catch { end = .failed(error) }
        isStarved = false
    }

    /// Keeps the first bytes of a client that does not begin with a TLS record of a handshake (RFC 8446, section 5.1).
    private func keepForeignStart(_ bytes: RawSpan) {
        if !hasStarted {
            hasStarted = true
            guard unsafe bytes.unsafeLoad(as: UInt8.self) != 22 else { return }
        } else if foreignStart.isEmpty {
            return
        }
        for offset in 0..<min(bytes.byteCount, Self.foreignStartLimit - foreignStart.count) {
            foreignStart.append(unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
        }
    }

    /// Sends bytes instead of what OpenSSL wanted to send, to a client that does not speak TLS.
    package func replaceOutput(with bytes: [UInt8]) {
        ssl.dropOutput()
        ssl.send(bytes)
    }

    /// Continues the handshake, then decrypts as many complete records as have arrived, up to the limit.
    ///
    /// - Parameters:
    ///   - plaintext: the array to append to; with spare capacity for `limit` bytes, nothing is allocated.
    ///   - limit: the maximum number of bytes, above 0.
    /// - Returns: ``ReadResult/plaintext(_:)`` as long as there is some, so call it until it returns something else.
    package func read(into plaintext: inout [UInt8], upTo limit: Int) -> ReadResult {
        precondition(limit > 0, "reading plaintext needs space")
        if let end { return end }
        if isStarved { return .needsMore }
        mock_ERR_clear_error()
        if !isHandshakeComplete {
            let status = unsafe SSL_do_handshake(ssl.pointer)
            guard status == 1 else { return stop(after: status) ?? (isStarved ? .needsMore : .needsCertificate) }
            isHandshakeComplete = true
            rsaCertificate = nil
        }
        var filled = 0
        plaintext.append(addingCapacity: limit) { space in
            unsafe space.withUnsafeMutableBufferPointer { buffer, initialized in
                while filled < limit, !isStarved {
                    let start = unsafe buffer.baseAddress.map { unsafe $0 + filled }
                    var count = 0
                    let status = unsafe SSL_read_ex(ssl.pointer, start, limit - filled, &count)
                    guard status == 1 else {
                        _ = stop(after: status)
                        break
                    }
                    filled += count
                    // OpenSSL could only say that it needs more, and would take buffers for that.
                    if ssl.isDrained { starve() }
                }
                initialized = filled
            }
        }
        return filled > 0 ? .plaintext(filled) : end ?? .needsMore
    }

    /// Returns what stopped OpenSSL; `nil` if it only needs more bytes, or a certificate.
    private func stop(after status: Int32) -> ReadResult? {
        switch unsafe SSL_get_error(ssl.pointer, status) {
        case SSL_ERROR_WANT_READ:
            starve()
            return nil
        case SSL_ERROR_WANT_X509_LOOKUP:
            return nil
        case SSL_ERROR_ZERO_RETURN:
            end = .closed
        default:
            let error = OpenSSLError.drain(during: isHandshakeComplete ? "reading TLS" : "the TLS handshake")
            end = .failed(rejection ?? error)
        }
        ssl.dropInput()
        return end
    }

    /// Waits for the next bytes from the network.
    private func starve() {
        isStarved = true
        ssl.trimInput()
    }

    // MARK: Output

    /// Encrypts `plaintext` into the output, in records of at most 16384 bytes.
    ///
    /// - Throws: before the end of the handshake, after ``sendCloseNotify()``, and on a broken connection.
    package func write(_ plaintext: Span<UInt8>) throws(OpenSSLError) {
        guard !plaintext.isEmpty else { return }
        guard isHandshakeComplete else { throw OpenSSLError("written before the end of the TLS handshake") }
        if closeNotifySent { throw OpenSSLError("written after close_notify") }
        if case .failed(let error) = end { throw error }
        mock_ERR_clear_error()
        var written = 0
        let status = unsafe plaintext.withUnsafeBytes { bytes in
            unsafe SSL_write_ex(ssl.pointer, bytes.baseAddress, bytes.count, &written)
        }
        // A memory BIO never blocks, and there is no renegotiation: 1 or broken.
        guard status == 1 else {
            let error = OpenSSLError.drain(during: "writing TLS")
            end = .failed(error)
            throw error
        }
    }

    /// The number of bytes waiting for ``takeOutput(into:)``.
    package var outputCount: Int { ssl.outputCount }

    /// Moves bytes for the network to the end of `space`: all if there is room for ``outputCount``.
    package func takeOutput(into space: inout OutputRawSpan) {
        unsafe space.withUnsafeMutableBytes { bytes, count in
            count += unsafe ssl.takeOutput(into: UnsafeMutableRawBufferPointer(rebasing: bytes[count...]))
        }
    }

    /// Adds close_notify to the output: nothing is written after it, but reading continues. It has no effect a second
    /// time, before the end of the handshake, or on a broken connection.
    package func sendCloseNotify() {
        guard isHandshakeComplete, !closeNotifySent else { return }
        if case .failed = end { return }
        closeNotifySent = true
        ssl.sendCloseNotify()
    }

    // MARK: Facts

    /// The negotiated facts; `nil` before the handshake is complete. Computed on each call, so call it once.
    package var facts: TLSFacts? {
        isHandshakeComplete ? unsafe TLSFacts(ssl.pointer, verificationCode: verificationCode) : nil
    }

    /// OpenSSL's verdict on the client's certificate so far, even after a handshake that failed because of it.
    package var clientVerification: TLSFacts.ClientVerification {
        unsafe TLSFacts.clientVerification(ssl.pointer, verificationCode)
    }

    /// The server name the client has asked for so far, even after a failed handshake.
    package var serverName: String? { askedServerName ?? (unsafe TLSFacts.serverName(ssl.pointer)) }

    // MARK: For the context's callbacks

    static func of(_ ssl: OpaquePointer) -> TLSConnection? {
        guard let pointer = unsafe SSL_get_ex_data(ssl, 0) else { return nil }
        return unsafe Unmanaged<TLSConnection>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Keeps the first error; the rest of a chain usually repeats it.
    func noteVerification(code: Int32) {
        if verificationCode == X509_V_OK { verificationCode = code }
    }

    /// Applies the verdict on the ClientHello; returns `false` if the handshake is over.
    func judge(serverName: String?) -> Bool {
        guard let decide = onClientHello else { return rejection == nil }
        onClientHello = nil
        askedServerName = serverName
        switch decide(serverName) {
        case .accept:
            return true
        case .present(let identity):
            do {
                unsafe try identity.present(on: ssl.pointer)
                return true
            } catch {
                return refuse(alert: UInt8(SSL_AD_INTERNAL_ERROR), error)
            }
        case .alert(let number):
            return refuse(alert: number, OpenSSLError("the handshake was refused with the TLS alert \(number)"))
        case .abandon:
            rejection = OpenSSLError("the handshake was abandoned")
            return false
        }
    }

    /// Adds a certificate with an RSA key to the present one; returns `false` if the handshake has to wait for it.
    func addRSACertificate() -> Bool {
        switch rsaCertificate?() {
        case .ready(let identity):
            do { unsafe try identity.add(to: ssl.pointer) } catch { rejection = error }
        case .pending: return false
        // The handshake fails, because client and server have nothing in common.
        case .unavailable(let error): rejection = error
        case nil: break
        }
        return true
    }

    /// Writes an alert before there are keys: a record of two bytes, level and number (RFC 8446, section 6).
    private func refuse(alert number: UInt8, _ error: OpenSSLError) -> Bool {
        rejection = error
        ssl.send([21, 3, 3, 0, 2, 2, number])
        noteAlertSent(number)
        return false
    }

    func noteAlertSent(_ alert: UInt8) {
        alertSent = alert
    }
}
