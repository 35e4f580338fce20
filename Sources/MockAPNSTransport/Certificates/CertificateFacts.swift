import CMockOpenSSL

/// The contents of a certificate file that determine whether it is kept or recreated.
package struct CertificateFacts: Sendable {
    private let subjectNames: [SubjectName]
    private let certificate: X509Certificate

    /// The contents as a provider certificate.
    package let provider: PeerCertificate

    /// Reads the first certificate of a PEM text.
    package init(pem: [UInt8]) throws(OpenSSLError) {
        certificate = try PEM.certificates(pem)[0]
        subjectNames = unsafe SubjectName.all(of: certificate.pointer)
        provider = unsafe PeerCertificate(certificate.pointer)
    }

    /// The start of its validity in seconds since 1970.
    package var notBefore: Int64 { provider.notBefore }
    /// The end of its validity in seconds since 1970.
    package var notAfter: Int64 { provider.notAfter }
    /// The topics of kind `app` it was made for.
    package var topics: [String] { provider.appTopics }
    /// ``topics``, or if there are none, what it may push to otherwise.
    package var allTopics: [String] {
        if !topics.isEmpty { return topics }
        return provider.topics.isEmpty ? provider.userID.map { [$0] } ?? [] : provider.topics
    }
    /// The DNS names, in lower case, and the IP addresses. Use ``covers(_:)`` for comparing, because IPv6 addresses
    /// have many spellings.
    package var names: [String] { subjectNames.map(\.text) }

    /// Returns whether the certificate has all of these names, in any spelling.
    package func covers(_ names: [String]) -> Bool {
        let present = Set(subjectNames)
        return names.allSatisfy { name in
            guard let name = try? SubjectName(name) else { return false }
            return present.contains(name)
        }
    }

    /// Returns whether it names this authority as its issuer and is signed with its key, regardless of its dates.
    package func isIssued(by authority: CertificateAuthority) -> Bool {
        defer { ERR_clear_error() }
        return unsafe X509_check_issued(authority.certificate.pointer, certificate.pointer) == X509_V_OK
            && X509_verify(certificate.pointer, authority.key.pointer) == 1
    }

    /// Returns whether the private key matches this certificate.
    ///
    /// - Throws: if the key cannot be read.
    package func matches(privateKey pem: [UInt8]) throws(OpenSSLError) -> Bool {
        let key = try PrivateKey.reading(pem: pem)
        defer {
            extendLifetime(key)
            ERR_clear_error()
        }
        return unsafe X509_check_private_key(certificate.pointer, key.pointer) == 1
    }
}
