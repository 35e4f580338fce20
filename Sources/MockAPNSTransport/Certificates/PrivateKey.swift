import CMockOpenSSL

/// An owned `EVP_PKEY` on the curve P-256. OpenSSL counts references with atomics, and a key never changes after its
/// creation. As with certificates, code that uses ``pointer`` has to keep the object alive meanwhile.
@safe final class P256Key: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes ownership of the key if it is on P-256.
    private init(owning key: OpaquePointer) throws(OpenSSLError) {
        unsafe pointer = key
        // From here on, `self` frees the key in any case.
        guard unsafe EVP_PKEY_get_base_id(key) == EVP_PKEY_EC else {
            let type = unsafe EVP_PKEY_get0_type_name(key).map { unsafe String(cString: $0) } ?? "another"
            throw OpenSSLError("the key is \(type), not an elliptic-curve key on P-256 (prime256v1), which ES256 needs")
        }
        guard unsafe Self.isOnP256(key) else {
            let curve = unsafe Self.curve(of: key)
            throw OpenSSLError("the key is on the curve \(curve), not on P-256 (prime256v1), which ES256 needs")
        }
    }

    /// Returns whether a key is on this curve.
    static func isOnP256(_ key: OpaquePointer) -> Bool {
        let curve = unsafe curve(of: key)
        return curve == "prime256v1" || curve == "P-256"
    }

    private static func curve(of key: OpaquePointer) -> String {
        defer { ERR_clear_error() }
        var name = [CChar](repeating: 0, count: 80)
        guard unsafe EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1 else { return "without a name" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }

    /// Generates a random key.
    static func generate() throws(OpenSSLError) -> P256Key {
        ERR_clear_error()
        return unsafe try P256Key(owning: made(mock_EVP_generate_P256(), "making a key"))
    }

    /// Reads an unencrypted private key: PKCS#8 (`PRIVATE KEY`) or SEC 1 (`EC PRIVATE KEY`).
    static func reading(privatePEM pem: [UInt8]) throws(OpenSSLError) -> P256Key {
        unsafe try P256Key(owning: PEM.privateKey(pem, "reading a private key"))
    }

    /// Reads a public key (`PUBLIC KEY`).
    static func reading(publicPEM pem: [UInt8]) throws(OpenSSLError) -> P256Key {
        unsafe try P256Key(
            owning: PEM.reading(pem) { bio throws(OpenSSLError) in
                unsafe try made(PEM_read_bio_PUBKEY(bio, nil, mock_no_password, nil), "reading a public key")
            })
    }

    /// Returns the key as unencrypted PKCS#8: `-----BEGIN PRIVATE KEY-----`.
    func privatePEM() throws(OpenSSLError) -> [UInt8] { try PrivateKey(self).pem() }

    /// Returns the public key as SubjectPublicKeyInfo: `-----BEGIN PUBLIC KEY-----`.
    func publicPEM() throws(OpenSSLError) -> [UInt8] {
        unsafe try PEM.writing { bio throws(OpenSSLError) in
            unsafe try succeeded(PEM_write_bio_PUBKEY(bio, pointer), "writing a public key")
        }
    }
}

/// An owned `EVP_PKEY` of any kind with its private half: the key of a certificate.
@safe final class PrivateKey: @unchecked Sendable {
    let pointer: OpaquePointer

    private init(owning key: OpaquePointer) { unsafe pointer = key }

    /// Shares ownership of the same key.
    init(_ key: P256Key) {
        unsafe EVP_PKEY_up_ref(key.pointer)
        unsafe pointer = unsafe key.pointer
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }

    /// Generates a random RSA key with 2048 bits, like those of Apple's provider certificates. Takes a tenth of a
    /// second or more.
    static func generateRSA() throws(OpenSSLError) -> PrivateKey {
        ERR_clear_error()
        return unsafe try PrivateKey(owning: made(mock_EVP_generate_RSA_2048(), "making an RSA key"))
    }

    /// Reads an unencrypted key in PKCS#8 (`PRIVATE KEY`) or any other format known to OpenSSL.
    static func reading(pem: [UInt8]) throws(OpenSSLError) -> PrivateKey {
        unsafe try PrivateKey(owning: PEM.privateKey(pem, "reading a private key"))
    }

    /// Returns the key as unencrypted PKCS#8: `-----BEGIN PRIVATE KEY-----`.
    func pem() throws(OpenSSLError) -> [UInt8] {
        unsafe try PEM.writing { bio throws(OpenSSLError) in
            unsafe try succeeded(
                PEM_write_bio_PKCS8PrivateKey(bio, pointer, nil, nil, 0, nil, nil), "writing a private key")
        }
    }
}
