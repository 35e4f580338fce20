import MockAPNSTransport

/// A kind of provider certificate, beside the universal one for all of a provider's topics.
package enum CertificateKind: String, Sendable, CaseIterable {
    // Accepted, for one topic.
    case voip
    case pass
    case website
    case watchkit
    case mdm
    // Rejected.
    case expired
    case revoked
    case wrongEnvironment = "wrong-environment"
    case unknownAuthority = "unknown-authority"
    case notPush = "not-push"

    /// The service that the topic of such a certificate is for; `nil` for a rejected kind.
    var service: PushService? { PushService(rawValue: rawValue) }

    /// Why such a certificate is rejected; `nil` for one that is accepted.
    var flaw: CertificateAuthority.Flaw? { CertificateAuthority.Flaw(rawValue: rawValue) }

    /// Returns the topics for names given by the user, with what the service adds to them.
    ///
    /// - Throws: a sentence about what is wrong.
    package func topics(for names: [String]) throws(UnusableTopics) -> [String] {
        guard let service else { return names }
        guard names.count <= 1 else {
            throw UnusableTopics("A certificate of kind \(rawValue) is for one topic; give one, not \(names.count).")
        }
        guard let name = names.first else { return [] }
        guard let topic = service.topic(for: name) else {
            throw UnusableTopics("The topic is \(name); those of MDM begin with \"\(PushService.mdmPrefix)\".")
        }
        return [topic]
    }

    /// Topics that a certificate cannot be made for.
    package struct UnusableTopics: Error, CustomStringConvertible {
        package let description: String

        init(_ description: String) { self.description = description }
    }
}

extension CertificateAuthority {
    /// Issues a provider certificate.
    ///
    /// - Parameters:
    ///   - kind: its kind; `nil` for a universal one.
    ///   - topics: from ``CertificateKind/topics(for:)``; empty for those of the examples.
    ///   - teamID: the team that it is for.
    ///   - privateKey: the key, as PEM; a new one by default.
    func certificate(
        _ kind: CertificateKind?, topics: [String], teamID: String = Identity.defaultTeamID,
        privateKey: [UInt8]? = nil, now: Int64
    ) throws(OpenSSLError) -> Issued {
        if let service = kind?.service {
            let topic = topics.first ?? service.defaultTopic(bundle: Identity.defaultTopic)
            return try providerCertificate(
                for: service, topic: topic, teamID: teamID, privateKey: privateKey, now: now)
        }
        return try providerCertificate(
            topics: topics.isEmpty ? [Identity.defaultTopic] : topics, teamID: teamID, flaw: kind?.flaw,
            privateKey: privateKey, now: now)
    }
}
