import CMockOpenSSL

/// The public half of an ES256 key (RFC 7518, section 3.4: ECDSA on P-256 with SHA-256). Can be used from any thread.
package final class ES256PublicKey: Sendable {
    /// The encoding of a signature. APNs accepts both.
    package enum SignatureForm: Sendable, Equatable {
        /// R and S, 32 bytes each, as RFC 7518 requires.
        case raw
        /// ASN.1 `SEQUENCE { INTEGER r, INTEGER s }`, as OpenSSL writes it; sent by Pushy, apnotic and Apple's own
        /// script.
        case der
    }

    private let key: P256Key
    private let contexts: SignatureContexts

    init(_ key: P256Key) throws(OpenSSLError) {
        self.key = key
        contexts = try SignatureContexts(key, for: .verifying)
    }

    /// Reads a key from PEM: a public one (`PUBLIC KEY`), or a private one (`PRIVATE KEY` as in Apple's `.p8` files, or
    /// `EC PRIVATE KEY`), of which it uses the public half.
    ///
    /// - Throws: if the text cannot be read, or the key is not on P-256.
    package convenience init(pem: [UInt8]) throws(OpenSSLError) {
        // The label shows which of the two it is, so that an error message is about the right one.
        let isPublic = String(decoding: pem, as: UTF8.self).contains("-----BEGIN PUBLIC KEY-----")
        try self.init(isPublic ? P256Key.reading(publicPEM: pem) : P256Key.reading(privatePEM: pem))
    }

    /// Verifies a signature over the SHA-256 of `message`.
    ///
    /// 64 bytes are raw. Anything else has to be DER exactly as an encoder writes it, without extra bytes.
    /// - Returns: the encoding of the signature, or `nil` if it is not this key's signature of this message.
    package func verify(signature: Span<UInt8>, of message: Span<UInt8>) -> SignatureForm? {
        let digest = SHA256.digest(message)
        if signature.count == ECDSASignature.rawCount {
            let der = ECDSASignature.der(fromRaw: signature)
            if isValid(der.span, of: digest.span) { return .raw }
        }
        // A DER signature of exactly 64 bytes is possible: both numbers would be tiny.
        return isValid(signature, of: digest.span) ? .der : nil
    }

    /// Returns whether a DER signature is valid. OpenSSL refuses DER that differs from what it would write itself.
    private func isValid(_ der: Span<UInt8>, of digest: Span<UInt8>) -> Bool {
        guard der.count >= 8, der.count <= ECDSASignature.maximumDERCount, der[0] == 0x30 else { return false }
        let status = unsafe try? contexts.lend { context in
            unsafe der.withUnsafeBufferPointer { signature in
                unsafe digest.withUnsafeBufferPointer { digest in
                    unsafe EVP_PKEY_verify(
                        context, signature.baseAddress, signature.count, digest.baseAddress, digest.count)
                }
            }
        }
        ERR_clear_error()
        return status == 1
    }

    /// The key in PEM, `-----BEGIN PUBLIC KEY-----`.
    package var pem: [UInt8] {
        get throws(OpenSSLError) { try key.publicPEM() }
    }
}

/// A complete ES256 key, for signing provider tokens and certificates. Can be used from any thread.
package final class ES256SigningKey: Sendable {
    let key: P256Key
    private let contexts: SignatureContexts

    init(_ key: P256Key) throws(OpenSSLError) {
        self.key = key
        contexts = try SignatureContexts(key, for: .signing)
    }

    /// Reads an unencrypted private key from PEM: PKCS#8 (`PRIVATE KEY`, Apple's `.p8`) or SEC 1 (`EC PRIVATE KEY`).
    ///
    /// - Throws: if the text cannot be read, or the key is not on P-256.
    package convenience init(pem: [UInt8]) throws(OpenSSLError) {
        try self.init(P256Key.reading(privatePEM: pem))
    }

    /// Generates a random key.
    package static func generate() throws(OpenSSLError) -> ES256SigningKey {
        try ES256SigningKey(P256Key.generate())
    }

    /// The key as PKCS#8 in PEM, `-----BEGIN PRIVATE KEY-----`.
    package var pem: [UInt8] {
        get throws(OpenSSLError) { try key.privatePEM() }
    }

    /// The public half.
    package var publicKey: ES256PublicKey {
        get throws(OpenSSLError) { try ES256PublicKey(key) }
    }

    /// Signs the SHA-256 of `message`; returns R and S, 64 bytes, as in a JSON Web Token.
    package func sign(_ message: Span<UInt8>) throws(OpenSSLError) -> [UInt8] {
        guard let raw = ECDSASignature.raw(fromDER: try signDER(message)) else {
            throw OpenSSLError("a signature that is not DER")
        }
        return raw
    }

    /// Signs the SHA-256 of `message`; returns an ASN.1 sequence, as many client libraries send it.
    package func signDER(_ message: Span<UInt8>) throws(OpenSSLError) -> [UInt8] {
        let digest = SHA256.digest(message)
        var count = ECDSASignature.maximumDERCount
        var der = [UInt8](repeating: 0, count: count)
        let status = unsafe try contexts.lend { context in
            unsafe EVP_PKEY_sign(context, &der, &count, digest, digest.count)
        }
        try succeeded(status, "signing")
        return Array(der.prefix(count))
    }
}

/// The two encodings of an ECDSA signature on P-256.
enum ECDSASignature {
    static let rawCount = 64
    /// Two integers of 33 bytes with headers of two bytes each, and two more for the sequence.
    static let maximumDERCount = 72

    /// Returns DER from `R || S`, 64 bytes: unsigned numbers without leading zeros, except for one before a set top
    /// bit.
    static func der(fromRaw raw: Span<UInt8>) -> [UInt8] {
        var integers: [UInt8] = []
        integers.reserveCapacity(maximumDERCount)
        for half in [0..<32, 32..<64] {
            let first = half.first { raw[$0] != 0 } ?? half.upperBound - 1
            let padding = raw[first] >= 0x80 ? 1 : 0
            integers.append(UInt8(V_ASN1_INTEGER))
            integers.append(UInt8(half.upperBound - first + padding))
            if padding == 1 { integers.append(0) }
            for index in first..<half.upperBound { integers.append(raw[index]) }
        }
        return [0x30, UInt8(integers.count)] + integers
    }

    /// Returns `R || S` from DER; `nil` if it is not a sequence of two numbers of at most 32 bytes.
    static func raw(fromDER der: [UInt8]) -> [UInt8]? {
        var outer = DERReader(der)
        guard let sequence = outer.next(), sequence.isUniversal(V_ASN1_SEQUENCE), outer.isAtEnd else { return nil }
        var reader = DERReader(der, in: sequence)
        var raw: [UInt8] = []
        while let integer = reader.next() {
            let number = der[integer.contents].drop { $0 == 0 }
            guard integer.isUniversal(V_ASN1_INTEGER), number.count <= 32 else { return nil }
            raw += [UInt8](repeating: 0, count: 32 - number.count) + number
        }
        return raw.count == rawCount ? raw : nil
    }
}
