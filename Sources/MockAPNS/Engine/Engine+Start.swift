import Logging
import MockAPNSCore
import MockAPNSTransport
import NIOCore
import SystemPackage

extension Engine.Trust {
    /// Reads or creates the identity and the keys named by configuration and scenario.
    ///
    /// - Parameters:
    ///   - inMemory: the identity in force, kept if no folder has one; `nil` at the start.
    ///   - revoked: serial numbers of further certificates that are revoked.
    ///   - logger: gets warnings about what expires soon.
    static func read(
        _ configuration: Configuration, _ loaded: LoadedScenario, inMemory: Identity? = nil,
        revoked: Set<String> = [], logger: Logger
    ) throws(StartError) -> Self {
        var identity = try ownIdentity(configuration, inMemory: inMemory, logger)
        do {
            let files = ScenarioFiles(loaded, certificates: configuration.certificates)
            var keys = [identity.keyID: try ES256PublicKey(pem: identity.signingKey)]
            var own = identity
            if !loaded.scenario.authentication.teams.isEmpty {
                keys = try files.signingKeys(replacing: &identity)
                own.furtherKeys = identity.furtherKeys
                if let topic = configuration.topics.first { identity.topic = topic }
            }
            let topics = loaded.scenario.topics(besides: identity.clientTopics)
            if !topics.isEmpty, identity.certificateAuthorityKey == nil {
                logger.warning(
                    "The client certificate is not for \(topics[0]), which the scenario names, and without ca.key no other can be issued."
                )
            }
            identity.addClientTopics(topics)
            for key in configuration.trustedKeys {
                guard keys[key.keyID] == nil else {
                    throw StartError.malformed(
                        "The key id \(key.keyID), given to \(key.file) by --trust-key, already belongs to another key; a token identifies its key by id alone, so each key needs its own."
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
                        revokedSerials: try revoked.union(rules.clientCertificates.revoked).union(
                            files.revokedSerials()),
                        isRequired: rules.clientCertificates.isRequired)),
                keys: keys, verifies: (configuration.chosen.authentication ?? rules.mode) == .verify)
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
                // No running provider would trust another one.
                logger.warning(
                    "There is no longer a ca.pem in \(folder); the current certificates and signing key stay in use. A restart creates new ones, which providers then have to trust."
                )
                return inMemory
            }
            var request = CertificateFolder.Request()
            request.serverNames = configuration.serverNames
            if !configuration.topics.isEmpty { request.topics = configuration.topics }
            let outcome = try CertificateFolder(folder).prepare(request)
            for warning in outcome.warnings { logger.warning("\(warning)") }
            return outcome.identity
        }
        if let inMemory { return inMemory }
        do {
            return try Identity.inMemory(
                serverNames: configuration.serverNames, topics: configuration.topics, now: WallClock.now().seconds)
        } catch {
            throw .unavailable("The identity cannot be created: \(error).")
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
    /// Creates the gateway's settings from a scenario and the configuration, which takes precedence.
    ///
    /// - Parameter drawn: the seed if neither has one.
    init(_ configuration: Configuration, _ scenario: Scenario, seed drawn: UInt64) {
        self = scenario.configuration(
            seed: drawn,
            defaultTeams: [.init(teamID: Identity.defaultTeamID, keys: [.init(keyID: Identity.defaultKeyID)])])
        if let seed = configuration.seed { (self.seed, tokenSeed) = (seed, seed) }
        for key in configuration.trustedKeys { authentication.trust(key) }
        if let mode = configuration.chosen.authentication { authentication.mode = mode }
        if let environment = configuration.chosen.environment { self.environment = environment }
        if let streams = configuration.chosen.initialStreams {
            connection.beforeAuthentication = streams
            connection.maxConcurrentStreams = max(connection.maxConcurrentStreams, streams)
        }
        logLimit = configuration.logLimit
        isCollector = configuration.isCollector
        if let replica = configuration.replica { replicaSeed = Digest.number(of: Array(replica.utf8)) }
        // Clients must not know which devices collide, so this does not depend on the seed, which is printed.
        hashSeed = UInt64.random(in: .min ... .max)
    }
}

extension Authentication {
    /// Adds a provider's own key, replacing any with the same id.
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
    /// Creates the facts of a connection from those of TLS.
    init(_ tls: TLSFacts, remoteAddress: SocketAddress?) {
        self.init(
            remoteAddress: HostText.withPort(remoteAddress),
            tlsVersion: tls.protocolVersion, cipher: tls.cipher, alpn: tls.applicationProtocol,
            serverName: tls.serverName, clientCertificate: tls.clientCertificate.map(ClientCertificate.init))
    }
}
