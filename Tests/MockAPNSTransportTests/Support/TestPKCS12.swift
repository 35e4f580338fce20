import CMockOpenSSL

@testable import MockAPNSTransport

/// What is in a PKCS#12 store, read by OpenSSL.
struct TestPKCS12 {
    let certificate: [UInt8]
    let privateKey: [UInt8]
    /// How many certificates there are beside the key's.
    let chainCount: Int
    /// `RSA 2048`, say.
    let keyKind: String

    /// `nil`: the store cannot be read with this password.
    init?(_ bytes: [UInt8], password: String) throws {
        let store = unsafe bytes.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return unsafe d2i_PKCS12(nil, &start, buffer.count)
        }
        defer { unsafe PKCS12_free(store) }
        var key: OpaquePointer?
        var leaf: OpaquePointer?
        var chain: OpaquePointer?
        guard unsafe PKCS12_parse(store, password, &key, &leaf, &chain) == 1, let leaf = unsafe leaf else { return nil }
        certificate = try unsafe X509Certificate(owning: leaf).pem()
        privateKey = unsafe try PEM.writing { bio throws(OpenSSLError) in
            unsafe try succeeded(PEM_write_bio_PKCS8PrivateKey(bio, key, nil, nil, 0, nil, nil), "writing a key")
        }
        // Without a list it is -1.
        chainCount = max(0, Int(unsafe mock_X509_stack_num(chain)))
        let kind = unsafe EVP_PKEY_get0_type_name(key).map { unsafe String(cString: $0) } ?? "?"
        keyKind = unsafe "\(kind) \(EVP_PKEY_get_bits(key))"
        unsafe EVP_PKEY_free(key)
        unsafe mock_X509_stack_pop_free(chain)
    }
}
