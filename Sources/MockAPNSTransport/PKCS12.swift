import CMockOpenSSL

/// Key stores in the format of RFC 7292, as Java, .NET and key chains import them.
public enum PKCS12 {
    /// A store of one certificate with its key and its chain.
    ///
    /// Encrypted with triple DES and sealed with HMAC-SHA-1: weak, but the one choice that every reader knows, from old
    /// macOS and Java to OpenSSL 3 without its legacy provider. It holds development keys only.
    /// - Parameters:
    ///   - certificate: PEM; the first certificate in it is the key's, further ones and `chain` come with it.
    ///   - privateKey: PEM, P-256.
    ///   - chain: PEM of the authorities above it, may be empty.
    ///   - name: what readers show (`friendlyName`).
    ///   - password: ASCII.
    public static func export(
        certificate: [UInt8], privateKey: [UInt8], chain: [UInt8] = [], name: String, password: String
    ) throws(OpenSSLError) -> [UInt8] {
        let own = try PEM.certificates(certificate)
        let above = own.dropFirst() + (chain.isEmpty ? [] : try PEM.certificates(chain))
        let key = try P256Key.reading(privatePEM: privateKey)
        // OpenSSL gets bare pointers to them.
        defer {
            extendLifetime(own)
            extendLifetime(above)
            extendLifetime(key)
        }
        let stack = unsafe try made(mock_X509_stack_new(), "listing the chain")
        defer { unsafe mock_X509_stack_free(stack) }
        for certificate in above {
            unsafe try succeeded(mock_X509_stack_push(stack, certificate.pointer), "listing the chain")
        }
        ERR_clear_error()
        let cipher = NID_pbe_WithSHA1And3_Key_TripleDES_CBC
        let rounds: Int32 = 2048
        // -1: not sealed yet, because it would be with SHA-256.
        let store = unsafe try made(
            PKCS12_create(password, name, key.pointer, own[0].pointer, stack, cipher, cipher, rounds, -1, 0),
            "making a PKCS#12 store")
        defer { unsafe PKCS12_free(store) }
        unsafe try succeeded(
            PKCS12_set_mac(store, password, -1, nil, 0, rounds, EVP_sha1()), "sealing a PKCS#12 store")
        return unsafe try PEM.writing { bio throws(OpenSSLError) in
            unsafe try succeeded(i2d_PKCS12_bio(bio, store), "writing a PKCS#12 store")
        }
    }
}
