import MockAPNSCore
import MockAPNSTransport
package import SystemPackage

/// The mock's identity: its authority, its server certificate, and the provider certificate and signing key that it
/// trusts.
///
/// The members are PEM, so that a test can pass them to its client without a file.
package struct Identity: Sendable {
    /// A certificate, with its chain if it has one, and its private key; PEM.
    package struct Pair: Sendable {
        /// The certificate, followed by its chain.
        package var certificate: [UInt8]
        /// Its private key, PKCS#8.
        package var privateKey: [UInt8]

        /// Creates a pair from PEM.
        package init(certificate: [UInt8], privateKey: [UInt8]) {
            self.certificate = certificate
            self.privateKey = privateKey
        }

        /// Creates a pair from a certificate just issued.
        ///
        /// - Parameter chain: the authority whose certificate follows, if any.
        init(_ issued: CertificateAuthority.Issued, chain: CertificateAuthority? = nil) {
            self.init(
                certificate: issued.certificatePEM + (chain?.certificatePEM ?? []), privateKey: issued.privateKeyPEM)
        }

        /// Returns the pair as a key store, with the password ``CertificateFolder/password``.
        ///
        /// - Parameter name: the name that readers show.
        package func store(name: String) throws(StartError) -> [UInt8] {
            try made("\(name).p12") { () throws(OpenSSLError) in
                try PKCS12.export(
                    certificate: certificate, privateKey: privateKey, name: name, password: CertificateFolder.password)
            }
        }
    }

    /// The certificate that a provider has to trust, PEM.
    package var certificateAuthority: [UInt8]
    /// The authority's key, PEM; `nil` in a folder without `ca.key`.
    package var certificateAuthorityKey: [UInt8]?
    /// The server's own certificate and key, on P-256.
    package var server: Pair
    /// The server's certificate with an RSA key.
    let rsaServer: RSAServerCertificate
    /// A universal provider certificate for the topic. In memory, its RSA key is generated on first use.
    package var client: Pair { lazyClient.value }
    /// The provider certificate with its key as a key store, `client.p12`.
    package var clientStore: [UInt8] { get throws(StartError) { try lazyClient.store } }
    var lazyClient: LazyPair
    /// The topics of the provider certificate, without those that differ by a suffix.
    package var clientTopics: [String] = []
    /// Whether the provider certificate is the one in the folder.
    package var hasClientFile = false
    /// The PKCS#8 key that a provider signs its tokens with, PEM.
    package var signingKey: [UInt8]
    /// Where ``signingKey`` comes from.
    package var signingKeyOrigin = KeyOrigin.made
    /// The key's id, `kid` in a provider token.
    package var keyID = Self.defaultKeyID
    /// The team's id, `iss` in a provider token.
    package var teamID = Self.defaultTeamID
    /// The topic used by examples, which the provider certificate is valid for.
    package var topic = Self.defaultTopic
    /// Other signing keys created in memory for a scenario, by key id; PEM.
    package var furtherKeys: [String: [UInt8]] = [:]

    init(
        certificateAuthority: [UInt8], certificateAuthorityKey: [UInt8]?, server: Pair,
        rsaServer: RSAServerCertificate, client: LazyPair, signingKey: [UInt8]
    ) {
        self.certificateAuthority = certificateAuthority
        self.certificateAuthorityKey = certificateAuthorityKey
        self.server = server
        self.rsaServer = rsaServer
        lazyClient = client
        self.signingKey = signingKey
    }

    /// The origin of a signing key.
    package enum KeyOrigin: Sendable, Equatable {
        /// Created by the server, as `AuthKey_KEYID.p8` in the folder of certificates, or in memory.
        case made
        /// Provided by the user in a file named by the scenario.
        case file(FilePath)
        /// Provided by the user in the text of the scenario.
        case scenario
    }

    /// The default key id.
    package static let defaultKeyID = "ABC123DEFG"
    /// The default team id.
    package static let defaultTeamID = "DEF123GHIJ"
    /// The default topic.
    package static let defaultTopic = "com.example.app"

    /// The names in a server certificate: those of this machine, of a container, and Apple's own, for providers whose
    /// host can only be changed in a hosts file.
    package static let serverNames =
        ["localhost", "127.0.0.1", "::1", "mock-apns", "host.docker.internal"] + namesOfAPNs

    /// Apple's own among them.
    package static let namesOfAPNs =
        [
            "api.push.apple.com", "api.sandbox.push.apple.com", "api.development.push.apple.com",
            "api-manage-broadcast.push.apple.com", "api-manage-broadcast.sandbox.push.apple.com",
        ] + laterServerNames

    /// The names of ``serverNames`` that certificates of earlier versions lack.
    static let laterServerNames = ["api-broadcast.push.apple.com", "api-broadcast.sandbox.push.apple.com"]

    /// Creates an identity in memory, without reading or writing files.
    ///
    /// - Parameters:
    ///   - serverNames: additional names for the server certificate.
    ///   - topics: the topics of the provider certificate; empty for the default topic.
    ///   - now: the start of the certificates' validity, in seconds since 1970.
    static func inMemory(
        serverNames: [String], topics: [String] = [], now: Int64
    ) throws(OpenSSLError) -> Identity {
        let authority = try CertificateAuthority.make(now: now)
        let names = Self.serverNames + serverNames
        let topics = topics.isEmpty ? [defaultTopic] : topics
        var identity = Identity(
            certificateAuthority: authority.certificatePEM, certificateAuthorityKey: authority.privateKeyPEM,
            server: Pair(try authority.serverCertificate(names: names, now: now), chain: authority),
            rsaServer: RSAServerCertificate { _ throws(StartError) in
                try made("A server certificate") { () throws(OpenSSLError) in
                    Pair(try authority.serverCertificate(names: names, key: .rsa, now: now), chain: authority)
                }
            },
            client: LazyPair {
                Pair(try authority.providerCertificate(topics: topics, teamID: defaultTeamID, now: now))
            },
            signingKey: try ES256SigningKey.generate().pem)
        identity.topic = topics[0]
        identity.clientTopics = topics
        return identity
    }

    /// Returns the authority, for issuing certificates.
    ///
    /// - Throws: if its key is missing.
    func authority() throws(OpenSSLError) -> CertificateAuthority {
        guard let key = certificateAuthorityKey else {
            throw OpenSSLError("ca.key is missing, so no certificate can be issued")
        }
        return try CertificateAuthority(certificatePEM: certificateAuthority, privateKeyPEM: key)
    }

    /// Returns a provider certificate with the same key, since generating another takes time.
    ///
    /// - Parameters:
    ///   - kind: its kind; `nil` for a universal one.
    ///   - topics: its topics; empty for those of the examples.
    package func clientCertificate(_ kind: CertificateKind?, topics: [String]) throws(StartError) -> Pair {
        try made("A client certificate") { () throws(OpenSSLError) in
            Pair(
                try authority().certificate(
                    kind, topics: topics, teamID: teamID, privateKey: client.privateKey, now: WallClock.now().seconds))
        }
    }

    /// Makes the provider certificate cover further topics, if it can be issued anew.
    mutating func addClientTopics(_ topics: [String]) {
        guard !topics.isEmpty, certificateAuthorityKey != nil else { return }
        let (before, all) = (self, clientTopics + topics)
        lazyClient = LazyPair { (try? before.clientCertificate(nil, topics: all)) ?? before.client }
        clientTopics = all
        hasClientFile = false
    }
}

/// A certificate and its key, created on first use and then kept.
final class LazyPair: Sendable {
    private let made: Guarded<Identity.Pair?>
    private let madeStore: Guarded<[UInt8]?>
    private let make: @Sendable () throws -> Identity.Pair

    /// Wraps an existing pair, and its key store if there is one.
    init(_ pair: Identity.Pair, store: [UInt8]? = nil) {
        made = Guarded(pair)
        madeStore = Guarded(store)
        make = { pair }
    }

    /// Creates the pair on first use.
    init(_ make: @escaping @Sendable () throws -> Identity.Pair) {
        made = Guarded(nil)
        madeStore = Guarded(nil)
        self.make = make
    }

    /// The pair as a key store.
    var store: [UInt8] {
        get throws(StartError) {
            let pair = value
            return try madeStore.withLock { made throws(StartError) in
                let store = if let made { made } else { try pair.store(name: "client") }
                made = store
                return store
            }
        }
    }

    var value: Identity.Pair {
        made.withLock { made in
            if let made { return made }
            // OpenSSL fails to generate a key only if memory is exhausted, and then nothing else works either.
            guard let pair = try? make() else { fatalError("OpenSSL cannot create a certificate") }
            made = pair
            return pair
        }
    }
}
