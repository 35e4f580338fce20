import CMockOpenSSL

/// What a certificate says about a provider, in plain values. Nothing here tells whether it is to be believed.
///
/// Apple's extensions are below 1.2.840.113635.100.6.3: `.1` development, `.2` production, `.4` VoIP bundle, `.6` topics.
public struct PeerCertificate: Sendable, Equatable {
    /// The subject on one line, `UID = com.example.app, CN = Apple Push Services: com.example.app, …`.
    public var subject = ""
    /// The serial number, hexadecimal, upper case.
    public var serial = ""
    /// The subject's user id (0.9.2342.19200300.100.1.1): with Apple the topic.
    public var userID: String?
    /// The subject's common name, `Apple Push Services: com.example.app`.
    public var commonName: String?
    /// The subject's organizational unit: with Apple the team id.
    public var organizationalUnit: String?
    /// Seconds since 1970 from which it is valid.
    public var notBefore: Int64 = 0
    /// Seconds since 1970 up to which it is valid.
    public var notAfter: Int64 = 0
    /// Extension `.6`: a topic and its kinds, in the certificate's order. Empty when absent or malformed.
    public var topics: [Topic] = []
    /// Extension `.1` is there: the sandbox believes it.
    public var isDevelopment = false
    /// Extension `.2` is there: production believes it.
    public var isProduction = false
    /// Extension `.4`: the bundle of a VoIP services certificate.
    public var voipBundle: String?
    /// DNS names and IP addresses of the subject alternative name, as text.
    public var alternativeNames: [String] = []

    /// One entry of the topics extension.
    public struct Topic: Sendable, Equatable {
        /// `com.example.app.voip`
        public var name: String
        /// `app`, `voip`, `complication`
        public var kinds: [String]

        /// Makes an entry.
        public init(name: String, kinds: [String]) {
            self.name = name
            self.kinds = kinds
        }
    }

    /// Reads the first certificate of a PEM text.
    public init(pem: [UInt8]) throws(OpenSSLError) {
        unsafe self.init(try PEM.certificates(pem)[0].pointer)
    }

    init(_ certificate: OpaquePointer) {
        serial = unsafe Self.serial(of: certificate)
        ERR_clear_error()
    }

    /// The serial number, hexadecimal, upper case.
    static func serial(of certificate: OpaquePointer) -> String {
        guard let number = unsafe ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nil) else { return "" }
        defer { unsafe BN_free(number) }
        guard let text = unsafe BN_bn2hex(number) else { return "" }
        defer { unsafe mock_OPENSSL_free(text) }
        return unsafe String(cString: text)
    }
}
