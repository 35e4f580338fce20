/// A development certificate authority: issues the certificates of the server and of providers, in memory, from PEM to
/// PEM.
///
/// Keys are on P-256, except those of providers and of servers for clients that cannot use P-256: RSA with 2048 bits,
/// like Apple's. Serial numbers are random. Times are seconds since 1970, provided by the caller.
package final class CertificateAuthority: Sendable {
    /// A certificate and its private key.
    package struct Issued: Sendable {
        /// The certificate alone, in PEM.
        package let certificatePEM: [UInt8]
        /// Its key, PKCS#8 in PEM.
        package let privateKeyPEM: [UInt8]
        /// The serial number, in upper-case hexadecimal.
        package let serial: String
    }

    /// The flaw of a provider certificate that is made to be refused.
    package enum Flaw: String, Sendable, CaseIterable {
        /// None in itself: its serial number is listed as revoked.
        case revoked
        /// Expired yesterday.
        case expired
        /// Only the extension of the given environment.
        case wrongEnvironment = "wrong-environment"
        /// Signed by an otherwise unknown authority.
        case unknownAuthority = "unknown-authority"
        /// A client certificate without any of Apple's extensions.
        case notPush = "not-push"
    }

    /// The flaw of a server certificate that clients should refuse.
    package enum ServerFlaw: String, Sendable, CaseIterable {
        /// Expired yesterday.
        case expired
        /// For a nonexistent host: `other-name.invalid`.
        case otherName
        /// Signed by an otherwise unknown authority.
        case untrusted
    }

    /// An APNs environment, as in a certificate extension.
    package enum Environment: Sendable {
        case development
        case production
    }

    /// The validity of a leaf certificate in seconds: 397 days, the most that clients accept.
    package static let leafLifetime: Int64 = 397 * 86_400
    /// The validity of an authority in seconds: ten years.
    package static let authorityLifetime: Int64 = 3652 * 86_400
    /// How many seconds before now certificates become valid, for clients whose clock is behind.
    static let clockTolerance: Int64 = 3600

    /// The authority's own certificate in PEM, which clients have to trust.
    package let certificatePEM: [UInt8]
    /// Its key, PKCS#8 in PEM.
    package let privateKeyPEM: [UInt8]
    /// The end of its validity in seconds since 1970; nothing it issues is valid longer.
    package let notAfter: Int64
    let certificate: X509Certificate
    let key: PrivateKey

    private init(certificate: X509Certificate, key: PrivateKey) throws(OpenSSLError) {
        self.certificate = certificate
        self.key = key
        certificatePEM = try certificate.pem()
        privateKeyPEM = try key.pem()
        notAfter = unsafe PeerCertificate(certificate.pointer).notAfter
    }

    /// Reads an existing authority; its key may be of any kind.
    ///
    /// - Throws: if a text cannot be read, the key does not match the certificate, or the certificate is not an
    ///   authority's.
    package convenience init(certificatePEM: [UInt8], privateKeyPEM: [UInt8]) throws(OpenSSLError) {
        let certificate = try PEM.certificates(certificatePEM)[0]
        guard certificate.isAuthority else {
            throw OpenSSLError("the certificate is not that of an authority (basic constraints CA:TRUE)")
        }
        guard try CertificateFacts(pem: certificatePEM).matches(privateKey: privateKeyPEM) else {
            throw OpenSSLError("the private key is not that of the authority's certificate")
        }
        try self.init(certificate: certificate, key: .reading(pem: privateKeyPEM))
    }

    /// Creates a new authority.
    ///
    /// - Parameter privateKeyPEM: the key of an earlier authority, so that the new one also vouches for its
    ///   certificates; `nil` creates a key.
    package static func make(now: Int64, privateKeyPEM: [UInt8]? = nil) throws(OpenSSLError) -> CertificateAuthority {
        let key =
            if let privateKeyPEM { try PrivateKey.reading(pem: privateKeyPEM) } else {
                PrivateKey(try P256Key.generate())
            }
        var draft = CertificateDraft(
            subject: [.commonName("mock-apns development authority")],
            notBefore: now - clockTolerance, notAfter: now + authorityLifetime)
        draft.extensions = [
            .basicConstraints("critical,CA:TRUE,pathlen:0"), .keyUsage("critical,keyCertSign,cRLSign"),
            .subjectKeyIdentifier,
        ]
        return try CertificateAuthority(
            certificate: draft.signed(key: key, issuer: nil, issuerKey: key), key: key)
    }

    /// The key of a server certificate.
    package enum ServerKey: Sendable {
        /// A new one on P-256.
        case p256
        /// A new RSA key. Generating it takes a tenth of a second or more.
        case rsa
        /// An existing one, as PEM.
        case existing([UInt8])
    }

    /// Maximum number of names in a server certificate: with the longest ones, it is still in the 64 KB that every
    /// client accepts from a server in its handshake.
    package static let serverNameLimit = 128

    /// Issues a server certificate.
    ///
    /// - Parameters:
    ///   - names: host names and IP addresses as text, 1 to ``serverNameLimit``.
    ///   - flaw: the flaw to include.
    /// - Throws: if a name is neither, or if there are too many.
    package func serverCertificate(
        names: [String], key: ServerKey = .p256, flaw: ServerFlaw? = nil, now: Int64
    ) throws(OpenSSLError) -> Issued {
        let names = flaw == .otherName ? ["other-name.invalid"] : names
        guard let first = names.first else { throw OpenSSLError("a server certificate needs a name") }
        guard names.count <= Self.serverNameLimit else {
            throw OpenSSLError(
                "the server's certificate would have \(names.count) names; it can have \(Self.serverNameLimit)")
        }
        var alternatives: [SubjectName] = []
        for name in names {
            let name = try SubjectName(name)
            if !alternatives.contains(name) { alternatives.append(name) }
        }
        // Clients use the alternative names.
        var draft = leafDraft(subject: [.commonName(first)], purpose: "serverAuth", now: now)
        draft.extensions.append(.subjectAlternativeName(DERWriter.sequence(alternatives.map(\.der))))
        if flaw == .expired { draft.expire(now: now) }
        let issuer = flaw == .untrusted ? try Self.make(now: now) : self
        let leafKey: PrivateKey =
            switch key {
            case .p256: PrivateKey(try .generate())
            case .rsa: try .generateRSA()
            case .existing(let pem): try .reading(pem: pem)
            }
        return try issuer.issue(draft, for: leafKey)
    }

    /// Issues a provider certificate, universal like those Apple issues today: valid for both environments, and for
    /// each topic also with `.voip`, `.complication` and `.voip-ptt`. Generating its RSA key takes a tenth of a second
    /// or more.
    ///
    /// - Parameters:
    ///   - topics: at least one; the first is that of the subject.
    ///   - teamID: the organizational unit.
    ///   - flaw: the flaw to include.
    ///   - environment: the only environment of a certificate with ``Flaw/wrongEnvironment``.
    ///   - privateKey: the key, as PEM; a new one by default.
    package func providerCertificate(
        topics: [String], teamID: String, flaw: Flaw? = nil, environment: Environment = .production,
        privateKey: [UInt8]? = nil, now: Int64
    ) throws(OpenSSLError) -> Issued {
        guard let first = topics.first else { throw OpenSSLError("a provider certificate needs a topic") }
        var draft = leafDraft(
            subject: [.userID(first), .commonName("Apple Push Services: \(first)"), .organizationalUnit(teamID)],
            purpose: "clientAuth", now: now)
        if flaw == .expired { draft.expire(now: now) }
        if flaw != .notPush {
            let onlyOne = flaw == .wrongEnvironment
            if !onlyOne || environment == .development {
                draft.extensions.append(.apple(AppleExtension.development, DERWriter.null))
            }
            if !onlyOne || environment == .production {
                draft.extensions.append(.apple(AppleExtension.production, DERWriter.null))
            }
            draft.extensions.append(.apple(AppleExtension.topics, Self.topicList(topics)))
        }
        let issuer = flaw == .unknownAuthority ? try Self.make(now: now) : self
        return try issuer.issue(draft, for: Self.providerKey(privateKey))
    }

    /// Issues a provider certificate for one topic, which is that of a push without `apns-topic`. Generating its RSA
    /// key takes a tenth of a second or more.
    ///
    /// - Parameters:
    ///   - service: what the topic is for.
    ///   - topic: the topic, as ``PushService/topic(for:)`` returns it.
    ///   - teamID: the organizational unit.
    ///   - privateKey: the key, as PEM; a new one by default.
    package func providerCertificate(
        for service: PushService, topic: String, teamID: String, privateKey: [UInt8]? = nil, now: Int64
    ) throws(OpenSSLError) -> Issued {
        let name = service.commonName(of: topic)
        var draft = leafDraft(
            subject: [.userID(topic), .commonName(name), .organizationalUnit(teamID)], purpose: "clientAuth", now: now)
        draft.extensions += [
            .apple(AppleExtension.development, DERWriter.null), .apple(AppleExtension.production, DERWriter.null),
        ]
        if service == .voip {
            draft.extensions.append(.apple(AppleExtension.voipBundle, DERWriter.utf8(service.bundle(of: topic))))
        }
        return try issue(draft, for: Self.providerKey(privateKey))
    }

    private static func providerKey(_ pem: [UInt8]?) throws(OpenSSLError) -> PrivateKey {
        if let pem { try .reading(pem: pem) } else { try .generateRSA() }
    }

    /// Returns a flat list: topic, sequence of its kinds, topic, sequence, …
    private static func topicList(_ topics: [String]) -> [UInt8] {
        let kinds = [("", "app"), (".voip", "voip"), (".complication", "complication"), (".voip-ptt", "voip-ptt")]
        return DERWriter.sequence(
            topics.flatMap { topic in
                kinds.flatMap { suffix, kind in
                    [DERWriter.utf8(topic + suffix), DERWriter.sequence([DERWriter.utf8(kind)])]
                }
            })
    }

    private func leafDraft(subject: [CertificateDraft.NameEntry], purpose: String, now: Int64) -> CertificateDraft {
        let notBefore = now - Self.clockTolerance
        var draft = CertificateDraft(subject: subject, notBefore: notBefore, notAfter: notBefore + Self.leafLifetime)
        draft.extensions = [
            .basicConstraints("critical,CA:FALSE"), .keyUsage("critical,digitalSignature"),
            .extendedKeyUsage(purpose), .subjectKeyIdentifier, .authorityKeyIdentifier,
        ]
        return draft
    }

    private func issue(_ draft: CertificateDraft, for leafKey: PrivateKey) throws(OpenSSLError) -> Issued {
        var draft = draft
        draft.notAfter = min(draft.notAfter, notAfter)
        let leaf = try draft.signed(key: leafKey, issuer: certificate, issuerKey: key)
        return Issued(certificatePEM: try leaf.pem(), privateKeyPEM: try leafKey.pem(), serial: leaf.serial)
    }
}

extension CertificateDraft {
    /// Makes the certificate expire yesterday.
    fileprivate mutating func expire(now: Int64) {
        notAfter = now - 86_400
        notBefore = notAfter - CertificateAuthority.leafLifetime
    }
}
