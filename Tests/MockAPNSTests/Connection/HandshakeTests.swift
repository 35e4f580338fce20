import MockAPNSCore
import NIOCore
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

@Suite struct HandshakeTests {
    @Test(
        arguments: [TestTLSClient.Version.tls12, .tls13], [["h2"], ["http/1.1", "h2"], []])
    func providersOfAllKindsPush(version: TestTLSClient.Version, protocols: [String]) async throws {
        try await withServer { server in
            let provider = try await TestProvider.connect(
                to: server,
                tls: .init(version: version, protocols: protocols, authority: server.identity.certificateAuthority))
            #expect(try await provider.push(TestPush(server.authorization())).status == "200")
            let facts = try #require(server.connection(1)).facts
            #expect(facts.alpn == (protocols.isEmpty ? nil : "h2"))
            #expect(facts.tlsVersion == (version == .tls12 ? "TLSv1.2" : "TLSv1.3"))
            #expect(facts.serverName == "localhost")
            #expect(try await provider.perform { $0.tls!.applicationProtocol } == (protocols.isEmpty ? "" : "h2"))
        }
    }

    @Test(arguments: [
        "localhost", "mock-apns", "host.docker.internal", "api.push.apple.com", "api.sandbox.push.apple.com",
        "api.development.push.apple.com", "api-manage-broadcast.push.apple.com",
        "api-manage-broadcast.sandbox.push.apple.com", "api-broadcast.push.apple.com",
        "api-broadcast.sandbox.push.apple.com", "push.internal",
    ])
    func theServersCertificateIsGoodFor(name: String) async throws {
        try await withServer {
            $0.serverNames = ["push.internal"]
        } _: { server in
            let provider = try await TestProvider.connect(
                to: server, tls: .init(serverName: name, authority: server.identity.certificateAuthority))
            #expect(try await provider.perform { $0.tls!.isHandshakeComplete })
        }
    }

    @Test func bothLoopbackAddressesAreServed() async throws {
        try await withServer { server in
            #expect(server.url == "https://127.0.0.1:\(server.ports[0])")
            for host in ["127.0.0.1", "::1"] {
                // A container may have no IPv6.
                guard let provider = try? await TestProvider.connect(port: server.ports[0], host: host) else {
                    #expect(host == "::1")
                    continue
                }
                let answer = try await provider.push(TestPush(server.authorization()))
                #expect(answer.status == "200")
            }
        }
    }

    // MARK: Handshakes that fail

    @Test func clientsThatDistrustTheServerAreRecorded() async throws {
        try await withServer { server in
            let foreign = TestIdentity.provider.pair.certificate
            let careful = try await TestProvider.connect(to: server, tls: .init(authority: foreign))
            try await careful.wait { $0.hasEnded ? true : nil }
            let connection = try #require(server.connection(1))
            #expect(connection.closedBy == .handshake)
            #expect(connection.explanation?.hasSuffix("let it trust the authority, ca.pem.") == true)
            #expect(connection.counters.bytesReceived > 0)
            #expect(server.summary.connectionsOpened == 1)
        }
    }

    @Test func plainHTTPIsRecorded() async throws {
        try await withServer { server in
            let provider = try await TestProvider.connect(
                to: server, speech: .tcp, greeting: Array("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n".utf8))
            try await provider.wait { $0.hasEnded ? true : nil }
            let connection = try #require(server.connection(1))
            #expect(connection.closedBy == .handshake)
            #expect(connection.explanation?.contains("https://") == true)
        }
    }

    @Test func overlongHandshakesAreEndedAndRecorded() async throws {
        try await withServer {
            $0.timeouts.handshake = .milliseconds(200)
        } _: { server in
            // On a busy machine the bytes may come when the time is over; then the client has said nothing.
            try await until {
                let provider = try await TestProvider.connect(to: server, speech: .tcp)
                // The beginning of a TLS record.
                try? await provider.send([0x16, 0x03, 0x01])
                try await provider.wait { $0.hasEnded ? true : nil }
                return server.connection(1) != nil
            }
            let connection = try #require(server.connection(1))
            #expect(connection.closedBy == .handshake)
            #expect(connection.explanation == "The client did not finish the TLS handshake within 0.2 s.")
        }
    }

    @Test func aMerePortCheckIsNoConnection() async throws {
        try await withServer { server in
            let looker = try await TestProvider.connect(to: server, speech: .tcp)
            await looker.close()
            let provider = try await TestProvider.connect(to: server)
            #expect(try await provider.push(TestPush(server.authorization())).status == "200")
            #expect(try server.records.map(\.connection) == [1])
        }
    }

    // MARK: HTTP/1.1

    @Test(arguments: [["http/1.1"], []])
    func http1ClientsGetSettingsThenGoAway(protocols: [String]) async throws {
        try await withServer { server in
            let provider = try await TestProvider.connect(
                to: server, tls: .init(protocols: protocols), speech: .tls)
            // The server speaks before the client does.
            try await provider.wait { $0.frames.first }
            let request = "GET /3/device/ HTTP/1.1\r\nhost: localhost\r\n\r\n"
            try await provider.send(Array(request.utf8))
            let frames = try await provider.framesUntilEnd()
            #expect(frames.map(\.kind) == [.settings, .goAway])
            #expect(
                frames.goAways == [
                    GoAway(
                        lastStream: .max, errorCode: 1, text: "Unexpected HTTP/1.x request: GET /3/device/ ")
                ])
            #expect(try await provider.perform { $0.tls!.isClosed })
        }
    }

    // MARK: Client certificates

    @Test(arguments: [TestTLSClient.Version.tls12, .tls13])
    func aCertificateIsAskedForAndNotNeeded(version: TestTLSClient.Version) async throws {
        try await withServer { server in
            let provider = try await TestProvider.connect(to: server, tls: .init(version: version))
            #expect(try await provider.perform { $0.tls!.requestedAuthorities } == 1)
            #expect(try await provider.push(TestPush(server.authorization())).status == "200")
            #expect(server.connection(1)?.facts.clientCertificate == nil)
        }
    }

    @Test(arguments: [TestTLSClient.Version.tls12, .tls13])
    func withOurCertificateAPushNeedsNoToken(version: TestTLSClient.Version) async throws {
        try await withServer { server in
            let pair = server.identity.client
            let provider = try await TestProvider.connect(
                to: server, tls: .init(version: version, certificate: (pair.certificate, pair.privateKey)))
            #expect(try await provider.push(TestPush()).status == "200")
            // A token beside it is not looked at.
            #expect(try await provider.push(TestPush("bearer nonsense")).status == "200")
            let records = try server.records
            #expect(records.map(\.authentication.method) == ["certificate", "certificate"])
            // It is for the app and its VoIP and complication topics, so a push has to say which.
            #expect(try await provider.push(TestPush(nil, [("apns-topic", nil)])).reason == "MissingTopic")
            let foreign = try await provider.push(TestPush(nil, [("apns-topic", "com.example.other")]))
            #expect(foreign.status == "400")
            #expect(try server.records.last?.explanation?.contains("com.example.other") == true)
        }
    }

    @Test(arguments: [TestTLSClient.Version.tls12, .tls13])
    func certificatesOfOtherAuthoritiesFailWithAlert48(version: TestTLSClient.Version) async throws {
        try await withServer { server in
            let foreign = TestIdentity.provider.pair
            let provider = try await TestProvider.connect(
                to: server, tls: .init(version: version, certificate: foreign))
            // With TLS 1.3 the client thinks itself through before the server has looked.
            try await provider.wait { $0.hasEnded ? true : nil }
            #expect(try await provider.perform { $0.tls!.alert } == 48)
            let other = try await TestProvider.connect(to: server)
            #expect(try await other.push(TestPush(server.authorization())).status == "200")
        }
    }
}
