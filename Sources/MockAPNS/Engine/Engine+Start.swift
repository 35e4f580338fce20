import Logging
import MockAPNSCore
import MockAPNSTransport
import NIOCore
import SystemPackage

extension Engine.Trust {
    /// Reads, or makes, the identity and the keys that configuration and scenario name.
    ///
    /// - Parameters:
    ///   - inMemory: the identity in force, to be kept where no folder holds one; `nil` at the start.
    ///   - logger: gets what is not good for long any more.
    static func read(
        _ configuration: Configuration, _ loaded: LoadedScenario, inMemory: Identity? = nil, logger: Logger
    ) throws(StartError) -> Self {
        var identity = try ownIdentity(configuration, inMemory: inMemory, logger)
        do {
            let files = ScenarioFiles(loaded, certificates: configuration.certificates)
            var keys = [identity.keyID: try ES256PublicKey(pem: identity.signingKey)]
            var own = identity
            if !loaded.scenario.authentication.teams.isEmpty {
                keys = try files.signingKeys(replacing: &identity)
                own.furtherKeys = identity.furtherKeys
            }
            for key in configuration.trustedKeys {
                guard keys[key.keyID] == nil else {
                    throw StartError.malformed(
                        "\(key.file):1:1: key id \(key.keyID) is another key's already; a token names its key by the id alone, so each needs one of its own."
                    )
                }
                keys[key.keyID] = try publicKey(key.file)
            }
            let rules = loaded.scenario.authentication
            return Self(
                identity: identity, ownIdentity: own,
                tls: try TLSContext(
                    certificateChain: identity.server.certificate, privateKey: identity.server.privateKey,
                    clientCertificates: .init(
                        authorities: identity.certificateAuthority + files.authorities(),
                        revokedSerials: try Set(rules.clientCertificates.revoked).union(files.revokedSerials()),
                        isRequired: rules.clientCertificates.isRequired)),
                keys: keys, verifies: (configuration.chosen.authentication?.core ?? rules.mode) == .verify)
        } catch let error as StartError {
            throw error
        } catch {
            throw .malformed("The certificates cannot be used: \(error). `mock-apns certs --renew` makes new ones.")
        }
    }

    private static func ownIdentity(
        _ configuration: Configuration, inMemory: Identity?, _ logger: Logger
    ) throws(StartError) -> Identity {
        if let folder = configuration.certificates {
            if let inMemory, !CertificateFolder(folder).hasAuthority {
                // Another one would be trusted by no provider that runs now.
                logger.warning(
                    "There is no ca.pem in \(folder) any more; the certificates and the signing key from before stay in force. A restart makes others, which providers have to trust then."
                )
                return inMemory
            }
            let outcome = try CertificateFolder(folder).prepare(serverNames: configuration.serverNames)
            for warning in outcome.warnings { logger.warning("\(warning)") }
            return outcome.identity
        }
        if let inMemory { return inMemory }
        do {
            return try Identity.inMemory(serverNames: configuration.serverNames, now: WallClock.now().seconds)
        } catch {
            throw .unavailable("The identity cannot be made: \(error).")
        }
    }

    private static func publicKey(_ file: FilePath) throws(StartError) -> ES256PublicKey {
        let pem = try FolderFiles.read(file)
        do { return try ES256PublicKey(pem: pem) } catch {
            throw .malformed(
                "\(file):1:1: this is not a P-256 key in PEM (\(error)); --trust-key expects a .p8 file, or its public half."
            )
        }
    }
}

extension GatewayConfiguration {
    /// What the gateway has to know of a scenario and of the configuration, which wins.
    ///
    /// - Parameter drawn: the seed where neither has one.
    init(_ configuration: Configuration, _ scenario: Scenario, seed drawn: UInt64) {
        self = scenario.configuration(
            seed: drawn,
            defaultTeams: [.init(teamID: Identity.defaultTeamID, keys: [.init(keyID: Identity.defaultKeyID)])])
        if let seed = configuration.seed { self.seed = seed }
        for key in configuration.trustedKeys { authentication.trust(key) }
        if let mode = configuration.chosen.authentication { authentication.mode = mode.core }
        if let environment = configuration.chosen.environment { self.environment = environment.core }
        if let streams = configuration.chosen.initialStreams {
            connection.beforeAuthentication = streams
            connection.maxConcurrentStreams = max(connection.maxConcurrentStreams, streams)
        }
        logLimit = configuration.logLimit
        // Which devices collide must not be known to a client, so it does not follow from the seed, which is printed.
        hashSeed = UInt64.random(in: .min ... .max)
    }
}

extension Authentication {
    /// Adds a key of a provider's own; it replaces one of the same id.
    fileprivate mutating func trust(_ key: TrustedKey) {
        for index in teams.indices { teams[index].keys.removeAll { $0.keyID == key.keyID } }
        let trusted = Key(keyID: key.keyID)
        if let index = teams.firstIndex(where: { $0.teamID == key.teamID }) {
            teams[index].keys.append(trusted)
        } else {
            teams.append(.init(teamID: key.teamID, keys: [trusted]))
        }
    }
}

extension ConnectionFacts {
    /// What TLS has found out about a connection.
    init(_ tls: TLSFacts, remoteAddress: SocketAddress?) {
        self.init(
            remoteAddress: HostText.withPort(remoteAddress),
            tlsVersion: tls.protocolVersion, cipher: tls.cipher, alpn: tls.applicationProtocol,
            serverName: tls.serverName, clientCertificate: tls.clientCertificate.map(ClientCertificate.init))
    }
}
