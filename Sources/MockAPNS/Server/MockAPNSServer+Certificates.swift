import MockAPNSTransport

// Client certificates issued while the server runs.

extension MockAPNSServer {
    /// Returns a client certificate of a kind.
    ///
    /// - Parameters:
    ///   - kind: its kind; `nil` for a universal one.
    ///   - names: its topics; empty for those of the examples, and for ``Identity/client`` if there is no kind.
    /// - Returns: the certificate and its topics; a rejected one may have none.
    /// - Throws: ``ControlError`` for topics that it cannot have, and ``StartError`` if the authority's key is missing.
    package func clientCertificate(
        _ kind: CertificateKind?, topics names: [String]
    ) throws -> (pair: Identity.Pair, topics: [String]) {
        let identity = identity
        var topics = names
        if let kind {
            do { topics = try kind.topics(for: names) } catch { throw ControlError.malformed(error.description) }
        } else if topics.isEmpty {
            return (identity.client, identity.clientTopics)
        }
        if topics.isEmpty, kind?.service == nil { topics = [identity.topic] }
        let pair = try kind == .revoked ? revokedCertificate(topics) : identity.clientCertificate(kind, topics: topics)
        return (pair, kind == .notPush ? [] : try CertificateFacts(pem: pair.certificate).allTopics)
    }

    /// Returns a certificate that connections opened from now on find revoked. It is the same for the same topics.
    private func revokedCertificate(_ topics: [String]) throws -> Identity.Pair {
        if let known = engine.revokedCertificates.withLock({ $0[topics] }) { return known.pair }
        let made = try identity.clientCertificate(.revoked, topics: topics)
        let serial = try PeerCertificate(pem: made.certificate).serial
        let pair = try engine.revokedCertificates.withLock { known throws(ControlError) in
            // Another call may have been faster.
            if let pair = known[topics]?.pair { return pair }
            guard known.count < Engine.revokedLimit else {
                throw .taken(
                    "There are \(known.count) revoked certificates, the maximum; use one of them, or start the server anew."
                )
            }
            known[topics] = Engine.RevokedCertificate(pair: made, serial: serial)
            return made
        }
        try engine.refuseRevoked()
        return pair
    }
}

extension Engine {
    /// Maximum number of revoked certificates issued through the API.
    static let revokedLimit = 100

    /// A revoked certificate issued through the API.
    struct RevokedCertificate: Sendable {
        let pair: Identity.Pair
        let serial: String
    }

    /// The serial numbers of the revoked certificates issued through the API.
    var revokedSerials: Set<String> { Set(revokedCertificates.withLock { $0.values.map(\.serial) }) }

    /// Refuses the revoked certificates issued so far, on connections opened from now on.
    func refuseRevoked() throws(OpenSSLError) {
        try trust.withLock { trust throws(OpenSSLError) in try trust.revoke(revokedSerials) }
    }
}

extension Engine.Trust {
    /// Revokes client certificates besides those that are revoked already.
    mutating func revoke(_ serials: Set<String>) throws(OpenSSLError) {
        var clients = tls.clientCertificates
        guard !serials.isSubset(of: clients.revokedSerials) else { return }
        clients.revokedSerials.formUnion(serials)
        tls = try TLSContext(
            certificateChain: identity.server.certificate, privateKey: identity.server.privateKey,
            clientCertificates: clients)
    }
}
