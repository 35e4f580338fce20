import CMockOpenSSL

/// Conversion between PEM and OpenSSL objects (RFC 7468), in memory only.
enum PEM {
    /// Calls `body` with a read-only memory BIO over `bytes`.
    static func reading<Result>(
        _ bytes: [UInt8], _ body: (OpaquePointer) throws(OpenSSLError) -> Result
    ) throws(OpenSSLError) -> Result {
        // A BIO that copies, so that no pointer into the array is kept.
        let bio = unsafe try made(BIO_new(BIO_s_mem()), "making a memory BIO")
        defer { unsafe BIO_free_all(bio) }
        if !bytes.isEmpty {
            let written = unsafe bytes.withUnsafeBytes { unsafe BIO_write(bio, $0.baseAddress, Int32($0.count)) }
            try succeeded(written, "copying PEM")
        }
        ERR_clear_error()
        return unsafe try body(bio)
    }

    /// Reads an unencrypted private key in any format known to OpenSSL; it belongs to the caller.
    ///
    /// - Parameter action: what an error message calls it.
    static func privateKey(_ pem: [UInt8], _ action: String) throws(OpenSSLError) -> OpaquePointer {
        do throws(OpenSSLError) {
            return unsafe try reading(pem) { bio throws(OpenSSLError) in
                unsafe try made(PEM_read_bio_PrivateKey(bio, nil, mock_no_password, nil), action)
            }
        } catch {
            // As PKCS#8 says it, and as OpenSSL said it of old (RFC 1421).
            let text = String(decoding: pem, as: UTF8.self)
            guard text.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----") || text.contains("Proc-Type: 4,ENCRYPTED")
            else { throw error }
            throw OpenSSLError(
                "the key is encrypted with a password; write it without: openssl pkey -in KEY -out PLAIN.pem")
        }
    }

    /// Returns what `body` writes to a memory BIO.
    static func writing(_ body: (OpaquePointer) throws(OpenSSLError) -> Void) throws(OpenSSLError) -> [UInt8] {
        let bio = unsafe try made(BIO_new(BIO_s_mem()), "making a memory BIO")
        defer { unsafe BIO_free_all(bio) }
        ERR_clear_error()
        unsafe try body(bio)
        var count = 0
        guard let data = unsafe mock_BIO_get_mem_data(bio, &count), count > 0 else { return [] }
        return unsafe Array(UnsafeBufferPointer(start: data, count: count))
    }

    /// Returns all certificates of a PEM text in order. A text without any is an error.
    static func certificates(_ pem: [UInt8]) throws(OpenSSLError) -> [X509Certificate] {
        unsafe try reading(pem) { bio throws(OpenSSLError) in
            var found: [X509Certificate] = []
            while let certificate = unsafe PEM_read_bio_X509(bio, nil, mock_no_password, nil) {
                found.append(unsafe X509Certificate(owning: certificate))
            }
            // For OpenSSL, the end of the text is an error too ("no start line"), distinct from that for a damaged
            // block.
            let last = ERR_peek_last_error()
            let ended = mock_ERR_lib(last) == ERR_LIB_PEM && mock_ERR_reason(last) == PEM_R_NO_START_LINE
            guard ended else { throw OpenSSLError.drain(during: "reading a certificate") }
            ERR_clear_error()
            if found.isEmpty { throw OpenSSLError("no certificate in the PEM text") }
            return found
        }
    }
}

/// An owned `X509`. OpenSSL counts references with atomics, and a certificate never changes after its creation.
///
/// Code that passes ``pointer`` to OpenSSL has to keep the object alive meanwhile, with `extendLifetime` if nothing
/// else holds it: Swift may destroy an object after its last use.
@safe final class X509Certificate: @unchecked Sendable {
    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe X509_free(pointer)
    }

    func pem() throws(OpenSSLError) -> [UInt8] {
        unsafe try PEM.writing { bio throws(OpenSSLError) in
            unsafe try succeeded(PEM_write_bio_X509(bio, pointer), "writing a certificate")
        }
    }
}
