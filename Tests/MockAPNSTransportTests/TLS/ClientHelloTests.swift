import TestClients
import Testing

@testable import MockAPNSTransport

/// What is decided about a connection once its ClientHello has come.
@Suite struct ClientHelloTests {
    private static let authority = TestIdentity.authority

    private static func identity(_ issued: CertificateAuthority.Issued) throws -> ServerIdentity {
        try ServerIdentity(
            certificateChain: issued.certificatePEM + authority.certificatePEM, privateKey: issued.privateKeyPEM)
    }

    private static func setup(
        _ version: TestTLSClient.Version, serverName: String? = "localhost", verifies: Bool = true
    ) -> TestTLSClient.Setup {
        TestTLSClient.Setup(
            version: version, serverName: serverName, authority: verifies ? authority.certificatePEM : nil,
            time: TestIdentity.now)
    }

    /// All numbers of RFC 8446, section 6, and some that no one has assigned.
    private static let alerts: [UInt8] = [
        0, 10, 20, 21, 22, 30, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 60, 70, 71, 80, 86, 90, 100, 109, 110,
        111, 112, 113, 114, 115, 116, 120, 121, 255,
    ]

    @Test(arguments: alerts, [TestTLSClient.Version.tls12, .tls13])
    func anyAlertEndsTheHandshake(alert: UInt8, version: TestTLSClient.Version) throws {
        for name in ["localhost", nil] {
            var asked: [String?] = []
            let server = try TLSConnection(context: TestIdentity.context) {
                asked.append($0)
                return .alert(alert)
            }
            let client = TestTLSClient(Self.setup(version, serverName: name, verifies: false))
            client.receive([])
            let taken = server.take(client.takeOutput())
            #expect(taken.end == .failed(OpenSSLError("the handshake was refused with the TLS alert \(alert)")))
            #expect(server.alertSent == alert)
            let output = server.takeOutput()
            #expect(output == [21, 3, 3, 0, 2, 2, alert])
            client.receive(output)
            #expect(!client.isHandshakeComplete && !server.isHandshakeComplete)
            if alert > 0 { #expect(client.alert == alert) } else { #expect(client.isClosed || client.failure != nil) }
            #expect(asked == [name])
            // It stays so.
            #expect(server.take([22, 3, 3, 0, 1, 0]).end == taken.end)
            #expect(server.outputCount == 0)
        }
    }

    @Test(arguments: [TestTLSClient.Version.tls12, .tls13])
    func anAbandonedHandshakeSaysNothing(version: TestTLSClient.Version) throws {
        let server = try TLSConnection(context: TestIdentity.context) { _ in .abandon }
        let client = TestTLSClient(Self.setup(version))
        let end = exchange(client, server).end
        #expect(end == .failed(OpenSSLError("the handshake was abandoned")))
        #expect(server.alertSent == nil)
        #expect(!client.isHandshakeComplete)
        #expect(client.failure == nil)
    }

    @Test(arguments: [TestTLSClient.Version.tls12, .tls13])
    func acceptingChangesNothing(version: TestTLSClient.Version) throws {
        var asked: [String?] = []
        let server = try TLSConnection(context: TestIdentity.context) {
            asked.append($0)
            return .accept
        }
        let client = TestTLSClient(Self.setup(version))
        exchange(client, server)
        #expect(client.isHandshakeComplete && server.isHandshakeComplete)
        #expect(asked == ["localhost"])
        #expect(server.facts?.serverName == "localhost")
        #expect(server.facts?.applicationProtocol == "h2")
        client.write([1, 2, 3])
        #expect(exchange(client, server).server == [1, 2, 3])
    }

    @Test func theDecisionIsReleasedOnceItWasAsked() throws {
        final class Owner {}
        weak var owner: Owner?
        let server: TLSConnection
        do {
            let strong = Owner()
            owner = strong
            server = try TLSConnection(context: TestIdentity.context) { _ in
                extendLifetime(strong)
                return .accept
            }
        }
        #expect(owner != nil)
        exchange(TestTLSClient(Self.setup(.any)), server)
        #expect(owner == nil)
    }

    @Test(
        arguments: [
            (CertificateAuthority.ServerFlaw.expired, UInt8(45)), (.otherName, 42), (.untrusted, 48),
        ], [TestTLSClient.Version.tls12, .tls13])
    func aFlawedCertificateIsRefusedByClients(
        _ flaw: (kind: CertificateAuthority.ServerFlaw, alert: UInt8), version: TestTLSClient.Version
    ) throws {
        let issued = try Self.authority.serverCertificate(names: ["localhost"], flaw: flaw.kind, now: TestIdentity.now)
        let identity = try Self.identity(issued)
        let server = try TLSConnection(context: TestIdentity.context) { _ in .present(identity) }
        let client = TestTLSClient(Self.setup(version))
        let end = exchange(client, server).end
        #expect(client.failure == "certificate verify failed")
        guard case .failed(let error) = end else {
            Issue.record("the handshake ended with \(end)")
            return
        }
        #expect(error.alertReceived == flaw.alert)
        // Other connections of the context show the usual certificate.
        let (next, usual) = (try TLSConnection(context: TestIdentity.context), TestTLSClient(Self.setup(version)))
        exchange(usual, next)
        #expect(usual.isHandshakeComplete)
    }

    @Test(arguments: [TestTLSClient.Version.tls12, .tls13])
    func carelessClientsAreServedAndStillKnown(version: TestTLSClient.Version) throws {
        let issued = try Self.authority.serverCertificate(
            names: ["localhost"], flaw: .otherName, now: TestIdentity.now)
        let identity = try Self.identity(issued)
        let server = try TLSConnection(context: TestIdentity.context) { _ in .present(identity) }
        var setup = Self.setup(version, verifies: false)
        setup.certificate = TestIdentity.provider.pair
        let client = TestTLSClient(setup)
        exchange(client, server)
        #expect(client.isHandshakeComplete)
        #expect(client.serverCertificate == issued.certificatePEM)
        #expect(server.facts?.clientVerification == .verified)
        #expect(client.requestedAuthorities == 1)
    }

    @Test func aKeyOfAnotherCertificateIsRefused() throws {
        #expect(throws: OpenSSLError.self) {
            try ServerIdentity(
                certificateChain: TestIdentity.server.certificatePEM, privateKey: TestIdentity.provider.privateKeyPEM)
        }
    }

    @Test func flawsOfServerCertificates() throws {
        let now = TestIdentity.now
        for flaw in CertificateAuthority.ServerFlaw.allCases {
            let issued = try Self.authority.serverCertificate(names: ["localhost", "::1"], flaw: flaw, now: now)
            let facts = try CertificateFacts(pem: issued.certificatePEM)
            #expect((facts.notAfter < now) == (flaw == .expired))
            #expect(facts.notBefore < facts.notAfter)
            #expect(facts.covers(["localhost", "::1"]) == (flaw != .otherName))
            #expect(facts.isIssued(by: Self.authority) == (flaw != .untrusted))
            #expect(try facts.matches(privateKey: issued.privateKeyPEM))
        }
    }
}
