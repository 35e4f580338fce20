import TestClients
import Testing

@testable import MockAPNSTransport

/// Clients that cannot use the certificate on P-256. Tests/EndToEnd tries every curve and signature.
@Suite struct CertificateChoiceTests {
    private static let rsa = try! TestIdentity.authority.serverCertificate(
        names: ["localhost"], key: .rsa, now: TestIdentity.now)

    private static func identity() throws -> ServerIdentity {
        try ServerIdentity(
            certificateChain: rsa.certificatePEM + TestIdentity.authority.certificatePEM,
            privateKey: rsa.privateKeyPEM)
    }

    private static func client(suites: String?) -> TestTLSClient {
        var setup = TestTLSClient.Setup(
            version: .tls12, authority: TestIdentity.authority.certificatePEM, time: TestIdentity.now)
        setup.suites = suites
        return TestTLSClient(setup)
    }

    @Test func theOtherCertificateIsFetchedOnlyWhenNeeded() throws {
        for (suites, certificate) in [
            ("ECDHE-RSA-AES128-GCM-SHA256", Self.rsa), (nil, TestIdentity.server),
            ("ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES128-GCM-SHA256", TestIdentity.server),
        ] {
            var count = 0
            let identity = try Self.identity()
            let server = try TLSConnection(context: TestIdentity.context)
            server.rsaCertificate = {
                count += 1
                return .ready(identity)
            }
            let client = Self.client(suites: suites)
            _ = exchange(client, server)
            #expect(client.isHandshakeComplete && server.isHandshakeComplete)
            #expect(client.serverCertificate == certificate.certificatePEM)
            #expect(count == (certificate.serial == Self.rsa.serial ? 1 : 0))
            #expect(server.rsaCertificate == nil)
        }
    }

    @Test func theHandshakeContinuesWhenTheCertificateIsThere() throws {
        let identity = try Self.identity()
        var isMade = false
        let server = try TLSConnection(context: TestIdentity.context)
        server.rsaCertificate = { isMade ? .ready(identity) : .pending }
        let client = Self.client(suites: "ECDHE-RSA-AES128-GCM-SHA256")
        let first = exchange(client, server)
        #expect(first.end == .needsCertificate)
        #expect(!client.isHandshakeComplete && client.failure == nil)
        // Nothing has changed.
        #expect(server.take([]).end == .needsCertificate)
        isMade = true
        #expect(server.take([]).end == .needsMore)
        client.receive(server.takeOutput())
        _ = exchange(client, server)
        #expect(client.isHandshakeComplete && server.isHandshakeComplete)
    }

    @Test func withoutOneTheReasonIsReported() throws {
        for reason in ["there is none", nil] {
            let server = try TLSConnection(context: TestIdentity.context)
            if let reason { server.rsaCertificate = { .unavailable(OpenSSLError(reason)) } }
            let client = Self.client(suites: "ECDHE-RSA-AES128-GCM-SHA256")
            guard case .failed(let error) = exchange(client, server).end else {
                Issue.record("the handshake succeeded")
                return
            }
            #expect(error.reason == reason ?? "no shared cipher")
            #expect(client.alert == 40)
        }
    }
}
