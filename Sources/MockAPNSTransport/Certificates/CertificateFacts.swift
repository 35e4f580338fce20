import CMockOpenSSL

/// What a certificate file says that decides whether it is kept or made again.
package struct CertificateFacts: Sendable {
    private let subjectNames: [SubjectName]
    private let certificate: X509Certificate

    /// All that a provider's certificate says.
    package let provider: PeerCertificate

    /// Reads the first certificate of a PEM text.
    package init(pem: [UInt8]) throws(OpenSSLError) {
        certificate = try PEM.certificates(pem)[0]
        subjectNames = unsafe SubjectName.all(of: certificate.pointer)
        provider = unsafe PeerCertificate(certificate.pointer)
    }

    /// Seconds since 1970 from which it is valid.
    package var notBefore: Int64 { provider.notBefore }
    /// Seconds since 1970 up to which it is valid.
    package var notAfter: Int64 { provider.notAfter }
    /// The topics of kind `app` for which it was made.
    package var topics: [String] { provider.appTopics }
    /// The DNS names in lower case and the IP addresses for which it stands; to compare use ``covers(_:)``, for IPv6
    /// addresses have many spellings.
    package var names: [String] { subjectNames.map(\.text) }

    /// Every one of the names is in the certificate, however written.
    package func covers(_ names: [String]) -> Bool {
        let present = Set(subjectNames)
        return names.allSatisfy { name in
            guard let name = try? SubjectName(name) else { return false }
            return present.contains(name)
        }
    }

    /// It names this authority as its issuer and was signed with its key, whatever its dates.
    package func isIssued(by authority: CertificateAuthority) -> Bool {
        defer { ERR_clear_error() }
        return unsafe X509_check_issued(authority.certificate.pointer, certificate.pointer) == X509_V_OK
            && X509_verify(certificate.pointer, authority.key.key.pointer) == 1
    }

    /// The private key is this certificate's.
    package func matches(privateKey pem: [UInt8]) -> Bool {
        guard let key = try? PrivateKey.reading(pem: pem) else { return false }
        defer {
            extendLifetime(key)
            ERR_clear_error()
        }
        return unsafe X509_check_private_key(certificate.pointer, key.pointer) == 1
    }
}
