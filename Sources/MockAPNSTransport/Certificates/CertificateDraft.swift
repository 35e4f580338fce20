import CMockOpenSSL

/// An unsigned certificate (RFC 5280).
struct CertificateDraft {
    /// A part of the subject.
    enum NameEntry {
        case commonName(String)
        case organizationalUnit(String)
        case userID(String)
    }

    /// An extension; texts are as in an OpenSSL configuration file, bytes are DER.
    enum Extension {
        case basicConstraints(String)
        case keyUsage(String)
        case extendedKeyUsage(String)
        case subjectKeyIdentifier
        case authorityKeyIdentifier
        case subjectAlternativeName([UInt8])
        case apple(String, [UInt8])
    }

    var subject: [NameEntry]
    var notBefore: Int64
    var notAfter: Int64
    var extensions: [Extension] = []

    /// Signs the certificate; without an issuer, it is self-signed.
    func signed(
        key: PrivateKey, issuer: X509Certificate?, issuerKey: PrivateKey
    ) throws(OpenSSLError) -> X509Certificate {
        ERR_clear_error()
        let certificate = unsafe X509Certificate(owning: try made(X509_new(), "making a certificate"))
        defer {
            extendLifetime(certificate)
            extendLifetime(issuer)
            extendLifetime(key)
            extendLifetime(issuerKey)
        }
        let pointer = unsafe certificate.pointer
        unsafe try succeeded(X509_set_version(pointer, 2), "setting the version")
        unsafe try Self.setRandomSerial(pointer)
        unsafe try Self.setTime(notBefore, { unsafe X509_set1_notBefore(pointer, $0) })
        unsafe try Self.setTime(notAfter, { unsafe X509_set1_notAfter(pointer, $0) })
        let name = unsafe try made(X509_get_subject_name(pointer), "naming the subject")
        for entry in subject { unsafe try Self.add(entry, to: name) }
        let signer = unsafe issuer?.pointer ?? pointer
        unsafe try succeeded(X509_set_issuer_name(pointer, X509_get_subject_name(signer)), "naming the issuer")
        unsafe try succeeded(X509_set_pubkey(pointer, key.pointer), "setting the key")
        for part in extensions { unsafe try Self.add(part, to: pointer, issuer: signer) }
        // Keys such as Ed25519 have their own hash.
        let hash = unsafe mock_EVP_PKEY_has_own_digest(issuerKey.pointer) == 1 ? nil : EVP_sha256()
        unsafe try succeeded(X509_sign(pointer, issuerKey.pointer, hash), "signing a certificate")
        return certificate
    }

    /// Sets 127 random bits: positive, and long enough to avoid collisions.
    private static func setRandomSerial(_ certificate: OpaquePointer) throws(OpenSSLError) {
        let number = unsafe try made(BN_new(), "making a serial number")
        defer { unsafe BN_free(number) }
        unsafe try succeeded(BN_rand(number, 127, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY), "making a serial number")
        unsafe _ = try made(
            BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)), "setting the serial number")
    }

    private static func setTime(
        _ seconds: Int64, _ set: (UnsafePointer<ASN1_TIME>) -> Int32
    ) throws(OpenSSLError) {
        // UTCTime up to 2049, GeneralizedTime after that: OpenSSL chooses as RFC 5280, section 4.1.2.5, requires.
        let time = unsafe try made(ASN1_TIME_set(nil, Int(seconds)), "making a time")
        defer { unsafe ASN1_TIME_free(time) }
        unsafe try succeeded(set(time), "setting a time")
    }

    private static func add(_ entry: NameEntry, to name: OpaquePointer) throws(OpenSSLError) {
        // Common names and units have at most 64 characters (RFC 5280, appendix A.1), user ids any number.
        let (nid, text) =
            switch entry {
            case .commonName(let text): (NID_commonName, String(text.unicodeScalars.prefix(64)))
            case .organizationalUnit(let text): (NID_organizationalUnitName, String(text.unicodeScalars.prefix(64)))
            case .userID(let text): (NID_userId, text)
            }
        let bytes = Array(text.utf8)
        unsafe try succeeded(
            X509_NAME_add_entry_by_NID(name, nid, MBSTRING_UTF8, bytes, Int32(bytes.count), -1, 0),
            "writing \"\(text)\" into a subject")
    }

    private static func add(
        _ part: Extension, to certificate: OpaquePointer, issuer: OpaquePointer
    ) throws(OpenSSLError) {
        switch part {
        case .basicConstraints(let text): unsafe try add(NID_basic_constraints, text, certificate, issuer)
        case .keyUsage(let text): unsafe try add(NID_key_usage, text, certificate, issuer)
        case .extendedKeyUsage(let text): unsafe try add(NID_ext_key_usage, text, certificate, issuer)
        case .subjectKeyIdentifier: unsafe try add(NID_subject_key_identifier, "hash", certificate, issuer)
        case .authorityKeyIdentifier:
            // Some authorities have no identifier.
            guard unsafe X509_get0_subject_key_id(issuer) != nil else { return }
            unsafe try add(NID_authority_key_identifier, "keyid:always", certificate, issuer)
        case .subjectAlternativeName(let der): unsafe try add("2.5.29.17", der, certificate)
        case .apple(let objectID, let der): unsafe try add(objectID, der, certificate)
        }
    }

    private static func add(
        _ nid: Int32, _ text: String, _ certificate: OpaquePointer, _ issuer: OpaquePointer
    ) throws(OpenSSLError) {
        unsafe try succeeded(
            mock_X509_add_extension(certificate, issuer, nid, text), "adding the extension \(text)")
    }

    private static func add(_ objectID: String, _ der: [UInt8], _ certificate: OpaquePointer) throws(OpenSSLError) {
        let object = unsafe try made(OBJ_txt2obj(objectID, 1), "naming an extension")
        defer { unsafe ASN1_OBJECT_free(object) }
        let octets = unsafe try made(ASN1_OCTET_STRING_new(), "making an extension")
        defer { unsafe ASN1_OCTET_STRING_free(octets) }
        unsafe try succeeded(ASN1_OCTET_STRING_set(octets, der, Int32(der.count)), "making an extension")
        let part = unsafe try made(X509_EXTENSION_create_by_OBJ(nil, object, 0, octets), "making an extension")
        defer { unsafe X509_EXTENSION_free(part) }
        unsafe try succeeded(X509_add_ext(certificate, part, -1), "adding an extension")
    }
}

extension X509Certificate {
    /// Whether its basic constraints allow it to issue other certificates.
    var isAuthority: Bool { unsafe X509_check_ca(pointer) == 1 }

    /// The serial number, in upper-case hexadecimal.
    var serial: String { unsafe PeerCertificate.serial(of: pointer) }
}
