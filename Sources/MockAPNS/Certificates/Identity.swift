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
    }

    /// The certificate that a provider has to trust, PEM.
    package var certificateAuthority: [UInt8]
    /// The authority's key, PEM; `nil` in a folder without `ca.key`.
    package var certificateAuthorityKey: [UInt8]?
    /// The server's own certificate and key.
    package var server: Pair
    /// A universal provider certificate for the topic. In memory, its RSA key is generated on first use.
    package var client: Pair {
        get { lazyClient.value }
        set { lazyClient = LazyPair(newValue) }
    }
    private var lazyClient: LazyPair
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
        certificateAuthority: [UInt8], certificateAuthorityKey: [UInt8]?, server: Pair, client: LazyPair,
        signingKey: [UInt8]
    ) {
        self.certificateAuthority = certificateAuthority
        self.certificateAuthorityKey = certificateAuthorityKey
        self.server = server
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
        [
            "localhost", "127.0.0.1", "::1", "mock-apns", "host.docker.internal",
            "api.push.apple.com", "api.sandbox.push.apple.com", "api.development.push.apple.com",
            "api-manage-broadcast.push.apple.com", "api-manage-broadcast.sandbox.push.apple.com",
        ] + laterServerNames

    /// Those of ``serverNames`` that certificates of earlier versions lack.
    static let laterServerNames = ["api-broadcast.push.apple.com", "api-broadcast.sandbox.push.apple.com"]

    /// Creates an identity in memory, without reading or writing files.
    ///
    /// - Parameters:
    ///   - serverNames: additional names for the server certificate.
    ///   - now: the start of the certificates' validity, in seconds since 1970.
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

/// A certificate and its key, created on first use and then kept.
final class LazyPair: Sendable {
    private let made: Guarded<Identity.Pair?>
    private let make: @Sendable () throws -> Identity.Pair

    /// Wraps an existing pair.
    init(_ pair: Identity.Pair) {
        made = Guarded(pair)
        make = { pair }
    }

    /// Creates the pair on first use.
    init(_ make: @escaping @Sendable () throws -> Identity.Pair) {
        made = Guarded(nil)
        self.make = make
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
