import MockAPNSCore
import MockAPNSTransport
package import SystemPackage

/// Who the mock is: its authority, its server certificate, the provider certificate and the signing key that it trusts.
///
/// The members are PEM texts, so that a test can hand them to its client without a file.
package struct Identity: Sendable {
    /// A certificate, with its chain where there is one, and its private key; PEM.
    package struct Pair: Sendable {
        /// The certificate, and what comes above it.
        package var certificate: [UInt8]
        /// Its private key, PKCS#8.
        package var privateKey: [UInt8]

        /// A pair of PEM texts.
        package init(certificate: [UInt8], privateKey: [UInt8]) {
            self.certificate = certificate
            self.privateKey = privateKey
        }
    }

    /// The certificate that a provider has to trust, PEM.
    package var certificateAuthority: [UInt8]
    /// The authority's key, PEM; `nil` in a folder without `ca.key`.
    package var certificateAuthorityKey: [UInt8]?
    /// The server's own certificate.
    package var server: Pair
    /// A universal provider certificate for the topic; in memory its RSA key is made when it is first asked for.
    package var client: Pair {
        get { lazyClient.value }
        set { lazyClient = LazyPair(newValue) }
    }
    private var lazyClient: LazyPair
    /// The PKCS#8 key with which a provider signs its tokens, PEM.
    package var signingKey: [UInt8]
    /// Where ``signingKey`` comes from.
    package var signingKeyOrigin = KeyOrigin.made
    /// The key's id, `kid` of a provider token.
    package var keyID = Self.defaultKeyID
    /// The team's id, `iss` of a provider token.
    package var teamID = Self.defaultTeamID
    /// The topic that examples use, and for which the provider certificate is good.
    package var topic = Self.defaultTopic
    /// Signing keys beside ``signingKey`` that were made in memory for a scenario, by key id; PEM.
    package var furtherKeys: [String: [UInt8]] = [:]

    init(
        certificateAuthority: [UInt8], certificateAuthorityKey: [UInt8]?, server: Pair, client: LazyPair,
        signingKey: [UInt8]
    ) {
        self.certificateAuthority = certificateAuthority
        self.certificateAuthorityKey = certificateAuthorityKey
        self.server = server
        lazyClient = client
        self.signingKey = signingKey
    }

    /// Who made a signing key.
    package enum KeyOrigin: Sendable, Equatable {
        /// The server, as `AuthKey_KEYID.p8` in the folder of certificates, or in memory.
        case made
        /// Somebody else; the scenario names its file.
        case file(FilePath)
        /// Somebody else; its text is in the scenario.
        case scenario
    }

    /// The key's id unless told otherwise.
    package static let defaultKeyID = "ABC123DEFG"
    /// The team's id unless told otherwise.
    package static let defaultTeamID = "DEF123GHIJ"
    /// The topic unless told otherwise.
    package static let defaultTopic = "com.example.app"

    /// The names in a server certificate: this machine's, a container's, and Apple's own, for providers whose host cannot
    /// be changed but in a hosts file.
    package static let serverNames = [
        "localhost", "127.0.0.1", "::1", "mock-apns", "host.docker.internal",
        "api.push.apple.com", "api.sandbox.push.apple.com", "api.development.push.apple.com",
        "api-manage-broadcast.push.apple.com", "api-manage-broadcast.sandbox.push.apple.com",
    ]

    /// An identity made in memory: nothing is read, nothing is written.
    ///
    /// - Parameters:
    ///   - serverNames: further names in the server's certificate.
    ///   - now: the moment from which the certificates are good, seconds since 1970.
    static func inMemory(serverNames: [String], now: Int64) throws(OpenSSLError) -> Identity {
        let authority = try CertificateAuthority.make(now: now)
        let server = try authority.serverCertificate(names: Self.serverNames + serverNames, now: now)
        return Identity(
            certificateAuthority: authority.certificatePEM, certificateAuthorityKey: authority.privateKeyPEM,
            server: Pair(
                certificate: server.certificatePEM + authority.certificatePEM, privateKey: server.privateKeyPEM),
            client: LazyPair {
                let client = try authority.providerCertificate(topics: [defaultTopic], teamID: defaultTeamID, now: now)
                return Pair(certificate: client.certificatePEM, privateKey: client.privateKeyPEM)
            },
            signingKey: try ES256SigningKey.generate().pem)
    }
}

/// A certificate with its key that is made when it is first asked for, and then stays.
final class LazyPair: Sendable {
    private let made: Guarded<Identity.Pair?>
    private let make: @Sendable () throws -> Identity.Pair

    /// One that is there.
    init(_ pair: Identity.Pair) {
        made = Guarded(pair)
        make = { pair }
    }

    /// One that is still to be made.
    init(_ make: @escaping @Sendable () throws -> Identity.Pair) {
        made = Guarded(nil)
        self.make = make
    }

    var value: Identity.Pair {
        made.withLock { made in
            if let made { return made }
            // Only without memory does OpenSSL fail to make a key, and then nothing else works either.
            guard let pair = try? make() else { fatalError("OpenSSL cannot make a certificate") }
            made = pair
            return pair
        }
    }
}
