import MockAPNSCore
import MockAPNSTransport
import NIOCore
import SystemPackage

extension Engine.Trust {
    /// Reads, or makes, the identity and the keys that the configuration names.
    ///
    /// - Parameter inMemory: the identity to keep where no folder holds one; `nil` makes one.
    static func read(_ configuration: Configuration, inMemory: Identity? = nil) throws(StartError) -> Self {
        let identity: Identity
        if let folder = configuration.certificates {
            identity = try CertificateFolder(folder).prepare(serverNames: configuration.serverNames).identity
        } else if let inMemory {
            identity = inMemory
        } else {
            do {
                identity = try Identity.inMemory(serverNames: configuration.serverNames, now: WallClock.now().seconds)
            } catch {
                throw .unavailable("The identity cannot be made: \(error).")
            }
        }
        do {
            var keys = [identity.keyID: try ES256PublicKey(pem: identity.signingKey)]
            for key in configuration.trustedKeys { keys[key.keyID] = try publicKey(key.file) }
            return Self(
                identity: identity,
                tls: try TLSContext(
                    certificateChain: identity.server.certificate, privateKey: identity.server.privateKey,
                    clientCertificates: .init(authorities: identity.certificateAuthority)),
                keys: keys, verifies: configuration.authentication == .verify)
        } catch let error as StartError {
            throw error
        } catch {
            throw .malformed("The certificates cannot be used: \(error). `mock-apns certs --renew` makes new ones.")
        }
    }

    private static func publicKey(_ file: FilePath) throws(StartError) -> ES256PublicKey {
        let pem = try FolderFiles.read(file)
        do { return try ES256PublicKey(pem: pem) } catch {
            throw .malformed(
                "\(file):1:1: this is no P-256 key in PEM (\(error)); --trust-key expects a .p8 file, or its public half."
            )
        }
    }
}

extension GatewayConfiguration {
    /// What the gateway has to know of the server's configuration.
    init(_ configuration: Configuration, seed: UInt64) {
        var teams = [Authentication.Team(teamID: Identity.defaultTeamID, keys: [.init(keyID: Identity.defaultKeyID)])]
        for key in configuration.trustedKeys {
            let known = Authentication.Key(keyID: key.keyID)
            if let index = teams.firstIndex(where: { $0.teamID == key.teamID }) {
                teams[index].keys.append(known)
            } else {
                teams.append(.init(teamID: key.teamID, keys: [known]))
            }
        }
        self.init(seed: seed, authentication: Authentication(mode: configuration.authentication, teams: teams))
        environment = configuration.environment
        connection.beforeAuthentication = configuration.initialStreams
        connection.maxConcurrentStreams = max(connection.maxConcurrentStreams, configuration.initialStreams)
        logLimit = configuration.logLimit
        // Which devices collide must not be known to a client, so it does not follow from the seed, which is printed.
        hashSeed = UInt64.random(in: .min ... .max)
    }
}

extension ConnectionFacts {
    /// What TLS has found out about a connection.
    init(_ tls: TLSFacts, remoteAddress: SocketAddress?) {
        self.init(
            remoteAddress: remoteAddress.map { "\($0.ipAddress ?? ""):\($0.port ?? 0)" } ?? "",
            tlsVersion: tls.protocolVersion, cipher: tls.cipher, alpn: tls.applicationProtocol,
            serverName: tls.serverName, clientCertificate: tls.clientCertificate.map(ClientCertificate.init))
    }
}
