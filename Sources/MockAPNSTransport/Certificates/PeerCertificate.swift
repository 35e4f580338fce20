import CMockOpenSSL

/// The contents of a provider certificate as plain values. Nothing here says whether it is trustworthy.
///
/// Apple's extensions are under 1.2.840.113635.100.6.3: `.1` development, `.2` production, `.4` VoIP bundle, `.6`
/// topics. See
/// [Establishing a certificate-based connection to APNs](https://developer.apple.com/documentation/usernotifications/establishing-a-certificate-based-connection-to-apns)
package struct PeerCertificate: Sendable, Equatable {
    /// The subject on one line: `UID = com.example.app, CN = Apple Push Services: com.example.app, …`.
    package let subject: String
    /// The serial number, in upper-case hexadecimal.
    package let serial: String
    /// The subject's user id (0.9.2342.19200300.100.1.1); for Apple, the topic.
    package let userID: String?
    /// The subject's common name: `Apple Push Services: com.example.app`.
    package let commonName: String?
    /// The subject's organizational unit; for Apple, the team id.
    package let organizationalUnit: String?
    /// The start of its validity in seconds since 1970.
    package let notBefore: Int64
    /// The end of its validity in seconds since 1970.
    package let notAfter: Int64
    /// The topics of extension `.6`, in order, without duplicates. Empty if the extension is absent or malformed: then
    /// ``userID`` is the only topic.
    package let topics: [String]
    /// The ``topics`` of the kind `app`, so without `.voip`, `.complication` and so on.
    package let appTopics: [String]
    /// Whether it has extension `.1`: valid for the sandbox.
    package let isDevelopment: Bool
    /// Whether it has extension `.2`: valid for production.
    package let isProduction: Bool
    /// Extension `.4`: the bundle of a VoIP services certificate.
    package let voipBundle: String?

    /// Reads the first certificate of a PEM text.
    package init(pem: [UInt8]) throws(OpenSSLError) {
        let certificates = try PEM.certificates(pem)
        defer { extendLifetime(certificates) }
        unsafe self.init(certificates[0].pointer)
    }

    init(_ certificate: OpaquePointer) {
        let name = unsafe X509_get_subject_name(certificate)
        subject = unsafe Self.oneLine(name)
        serial = unsafe Self.serial(of: certificate)
        userID = unsafe Self.entry(NID_userId, of: name)
        commonName = unsafe Self.entry(NID_commonName, of: name)
        organizationalUnit = unsafe Self.entry(NID_organizationalUnitName, of: name)
        notBefore = unsafe Self.seconds(X509_get0_notBefore(certificate))
        notAfter = unsafe Self.seconds(X509_get0_notAfter(certificate))
        isDevelopment = unsafe Self.contents(of: AppleExtension.development, in: certificate) != nil
        isProduction = unsafe Self.contents(of: AppleExtension.production, in: certificate) != nil
        voipBundle = unsafe Self.contents(of: AppleExtension.voipBundle, in: certificate).flatMap(Self.onlyText)
        let entries = unsafe Self.contents(of: AppleExtension.topics, in: certificate).flatMap(Self.topics) ?? []
        topics = Self.unique(entries.map(\.name))
        appTopics = Self.unique(entries.filter { $0.kinds.contains("app") }.map(\.name))
        ERR_clear_error()
    }

    // MARK: Apple's extensions

    /// Parses `SEQUENCE { UTF8String topic, SEQUENCE { UTF8String kind, … }, UTF8String topic, SEQUENCE { … }, … }`, a
    /// flat alternating list. Returns `nil` if there is anything else in it.
    static func topics(_ der: [UInt8]) -> [(name: String, kinds: [String])]? {
        var outer = DERReader(der)
        guard let list = outer.next(), list.isUniversal(V_ASN1_SEQUENCE), outer.isAtEnd else { return nil }
        var entries: [(name: String, kinds: [String])] = []
        var reader = DERReader(der, in: list)
        while !reader.isAtEnd {
            guard let element = reader.next(), let name = reader.text(element),
                let kinds = reader.next(), kinds.isUniversal(V_ASN1_SEQUENCE)
            else { return nil }
            var entry = (name: name, kinds: [String]())
            var kindReader = DERReader(der, in: kinds)
            while !kindReader.isAtEnd {
                guard let element = kindReader.next(), let kind = kindReader.text(element) else { return nil }
                entry.kinds.append(kind)
            }
            entries.append(entry)
        }
        return entries
    }

    private static func onlyText(_ der: [UInt8]) -> String? {
        var reader = DERReader(der)
        guard let element = reader.next(), reader.isAtEnd else { return nil }
        return reader.text(element)
    }

    /// Returns the bytes in an extension's OCTET STRING; `nil` if the certificate has no such extension.
    private static func contents(of extensionID: String, in certificate: OpaquePointer) -> [UInt8]? {
        guard let object = unsafe OBJ_txt2obj(extensionID, 1) else { return nil }
        defer { unsafe ASN1_OBJECT_free(object) }
        let index = unsafe X509_get_ext_by_OBJ(certificate, object, -1)
        guard index >= 0, let found = unsafe X509_get_ext(certificate, index),
            let octets = unsafe X509_EXTENSION_get_data(found)
        else { return nil }
        return unsafe bytes(octets)
    }

    private static func unique(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }

    // MARK: Plain fields

    /// Returns the serial number, in upper-case hexadecimal.
    static func serial(of certificate: OpaquePointer) -> String {
        guard let number = unsafe ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nil) else { return "" }
        defer { unsafe BN_free(number) }
        guard let text = unsafe BN_bn2hex(number) else { return "" }
        defer { unsafe mock_OPENSSL_free(text) }
        return unsafe String(cString: text)
    }

    private static func oneLine(_ name: OpaquePointer?) -> String {
        let text = unsafe try? PEM.writing { bio throws(OpenSSLError) in
            unsafe try succeeded(X509_NAME_print_ex(bio, name, 0, mock_XN_FLAG_ONELINE_UTF8), "writing a name")
        }
        return String(decoding: text ?? [], as: UTF8.self)
    }

    private static func entry(_ nid: Int32, of name: OpaquePointer?) -> String? {
        let index = unsafe X509_NAME_get_index_by_NID(name, nid, -1)
        guard index >= 0, let data = unsafe X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index)) else {
            return nil
        }
        var text: UnsafeMutablePointer<UInt8>?
        let count = unsafe ASN1_STRING_to_UTF8(&text, data)
        guard count >= 0, let text = unsafe text else { return nil }
        defer { unsafe mock_OPENSSL_free(text) }
        return unsafe String(decoding: UnsafeBufferPointer(start: text, count: Int(count)), as: UTF8.self)
    }

    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64 {
        guard let epoch = unsafe ASN1_TIME_set(nil, 0) else { return 0 }
        defer { unsafe ASN1_TIME_free(epoch) }
        var days: Int32 = 0
        var rest: Int32 = 0
        // A time that cannot be read counts as 1970: long past.
        guard unsafe ASN1_TIME_diff(&days, &rest, epoch, time) == 1 else { return 0 }
        return Int64(days) * 86_400 + Int64(rest)
    }

    static func bytes(_ string: UnsafePointer<ASN1_STRING>) -> [UInt8] {
        let start = unsafe ASN1_STRING_get0_data(string)
        return unsafe Array(UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(string))))
    }
}

/// Object identifiers of Apple's certificate extensions.
enum AppleExtension {
    static let development = "1.2.840.113635.100.6.3.1"
    static let production = "1.2.840.113635.100.6.3.2"
    static let voipBundle = "1.2.840.113635.100.6.3.4"
    static let topics = "1.2.840.113635.100.6.3.6"
}
