import CMockOpenSSL

/// Key stores in the format of RFC 7292, as imported by Java, .NET and key chains.
package enum PKCS12 {
    /// Returns a store with one certificate and its key, and nothing else: Go's `pkcs12.Decode` requires exactly these
    /// two.
    ///
    /// It is encrypted with triple DES and sealed with HMAC-SHA-1: weak, but the only choice that every reader
    /// supports, from old macOS and Java to OpenSSL 3 without its legacy provider. It holds development keys only.
    /// - Parameters:
    ///   - certificate: PEM; the first certificate is that of the key, further ones are ignored.
    ///   - privateKey: PEM.
    ///   - name: the name that readers show (`friendlyName`).
    ///   - password: ASCII.
    package static func export(
        certificate: [UInt8], privateKey: [UInt8], name: String, password: String
    ) throws(OpenSSLError) -> [UInt8] {
        let own = try PEM.certificates(certificate)[0]
        let key = try PrivateKey.reading(pem: privateKey)
        // OpenSSL gets bare pointers to them.
        defer {
            extendLifetime(own)
            extendLifetime(key)
        }
        ERR_clear_error()
        let cipher = NID_pbe_WithSHA1And3_Key_TripleDES_CBC
        let rounds: Int32 = 2048
        // -1: not sealed yet, because that would use SHA-256.
        let store = unsafe try made(
            PKCS12_create(password, name, key.pointer, own.pointer, nil, cipher, cipher, rounds, -1, 0),
            "making a PKCS#12 store")
        defer { unsafe PKCS12_free(store) }
        unsafe try succeeded(
            PKCS12_set_mac(store, password, -1, nil, 0, rounds, EVP_sha1()), "sealing a PKCS#12 store")
        return unsafe try PEM.writing { bio throws(OpenSSLError) in
            unsafe try succeeded(i2d_PKCS12_bio(bio, store), "writing a PKCS#12 store")
        }
    }
}
