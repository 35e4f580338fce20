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
        let (known, count) = engine.revokedCertificates.withLock { ($0[topics], $0.count) }
        if let known { return known }
        guard count < Engine.revokedLimit else {
            throw ControlError.taken(
                "There are \(count) revoked certificates, the maximum; use one of them, or start the server anew.")
        }
        let made = try identity.clientCertificate(.revoked, topics: topics)
        let pair = engine.revokedCertificates.withLock { known in
            // Another call may have been faster.
            let pair = known[topics] ?? made
            known[topics] = pair
            return pair
        }
        engine.replace(try trust(for: loaded.withLock { $0 }))
        return pair
    }
}

extension Engine {
    /// Maximum number of revoked certificates issued through the API.
    static let revokedLimit = 100

    /// The serial numbers of the revoked certificates issued through the API.
    var revokedSerials: Set<String> {
        Set(
            revokedCertificates.withLock { Array($0.values) }.compactMap { pair in
                try? PeerCertificate(pem: pair.certificate).serial
            })
    }
}
