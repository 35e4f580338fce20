package import MockAPNS
import MockAPNSCore
import MockAPNSTransport

/// A server that the probe starts itself, with all that probes need.
package struct OwnServer: Sendable {
    package let server: MockAPNSServer
    /// The server as a target, with keys, certificates and device tokens of every kind.
    package let target: ProbeTarget
    /// The scenario it plays: `Data/scenario.json`, with the serial number of the certificate that is revoked.
    package let scenario: [UInt8]

    /// The ids of the keys in `Data/scenario.json`.
    private static let keys: [(kind: KeyKind, keyID: String, teamID: String)] = [
        (.provider, "ABC123DEFG", "DEF123GHIJ"), (.otherEnvironment, "PRODUCTION", "DEF123GHIJ"),
        (.topicSpecific, "TOPIC12345", "DEF123GHIJ"), (.unrelated, "UNRELATED1", "DEF123GHIJ"),
        (.revoked, "REVOKED123", "DEF123GHIJ"), (.otherTeam, "OTHERKEY12", "OTHERTEAM1"),
    ]

    /// Starts the server on the loopback interface.
    package static func start() async throws -> OwnServer {
        let scenario = String(decoding: ProbeList.all.scenario, as: UTF8.self)
        var configuration = MockAPNSServer.Configuration(scenario: .json(scenario))
        configuration.managementPorts = [.init(port: 0)]
        // The client is this process: on a busy machine one holds up the other.
        configuration.handshakeLimit = .seconds(300)
        let server = try await MockAPNSServer.start(configuration)
        do {
            var target = try target(server)
            let revoked = try addCertificates(of: server.identity, to: &target)
            let played = Array(scenario.replacing("\"revoked\": [\"00\"]", with: "\"revoked\": [\"\(revoked)\"]").utf8)
            try await server.play(played, anew: true)
            return OwnServer(server: server, target: target, scenario: played)
        } catch {
            await server.stop(waiting: .zero)
            throw error
        }
    }

    /// Returns the server as a target, with keys and device tokens of every kind.
    private static func target(_ server: MockAPNSServer) throws -> ProbeTarget {
        let identity = server.identity
        var target = ProbeTarget(host: server.host, port: server.ports[0], authorities: identity.certificateAuthority)
        target.managementAddress = .init(host: server.host, port: server.managementPorts[0])
        target.furtherTopics = [.withoutBroadcast: "com.example.second", .full: "com.example.third"]
        for (kind, keyID, teamID) in keys {
            let pem = kind == .provider ? identity.signingKey : identity.furtherKeys[keyID]
            if let pem {
                target.keys[kind] = .init(key: try ES256SigningKey(pem: pem), keyID: keyID, teamID: teamID)
            }
        }
        for device in try JSONText.read(ProbeList.all.scenario)["devices"]?.array ?? [] {
            guard let kind = device["name"]?.string.flatMap(DeviceKind.init), let token = device["token"]?.string else {
                continue
            }
            target.devices[kind, default: []].append(token)
        }
        return target
    }

    /// Adds client certificates of every kind, all with one key, since a new one takes a tenth of a second; returns the
    /// serial number of the one that has to be revoked.
    private static func addCertificates(
        of identity: borrowing Identity, to target: inout ProbeTarget
    ) throws -> String {
        target.certificates[.provider] = .init(
            chain: identity.client.certificate, privateKey: identity.client.privateKey)
        guard let key = identity.certificateAuthorityKey else { return "" }
        let authority = try CertificateAuthority(certificatePEM: identity.certificateAuthority, privateKeyPEM: key)
        var revoked = ""
        for (kind, flaw) in [
            (CertificateKind.expired, CertificateAuthority.Flaw.expired), (.otherEnvironment, .wrongEnvironment),
            (.unknownAuthority, .unknownAuthority), (.notPush, .notPush), (.revoked, .revoked), (.severalTopics, nil),
        ] {
            let topics = kind == .severalTopics ? [target.topic, "com.example.second"] : [target.topic]
            let issued = try authority.providerCertificate(
                topics: topics, teamID: identity.teamID, flaw: flaw, privateKey: identity.client.privateKey,
                now: WallClock.now().seconds)
            target.certificates[kind] = .init(chain: issued.certificatePEM, privateKey: issued.privateKeyPEM)
            if kind == .revoked { revoked = issued.serial }
        }
        return revoked
    }
}
