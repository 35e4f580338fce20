import MockAPNSCore
import MockAPNSTransport
import SystemPackage
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

@Suite struct ClientCertificatesOnTheWireTests {
    typealias Pair = (certificate: [UInt8], key: [UInt8])

    private static let versions = [TestTLSClient.Version.tls12, .tls13]

    /// A provider certificate of a kind, made as `mock-apns certs --kind` makes it, and what the folder then holds.
    private func made(_ kind: CertificateKind, in folder: FilePath) throws -> Pair {
        _ = try CertificateFolder(folder).make(kind, topics: ["com.example.app"])
        let name = "client-\(kind.rawValue)"
        return (try read(folder.appending("\(name).pem")), try read(folder.appending("\(name).key")))
    }

    /// A certificate of another authority, good for the sandbox and these topics.
    private static func foreign(topics: [String] = ["com.example.app"]) throws -> (authority: [UInt8], pair: Pair) {
        let now = WallClock.now().seconds
        let authority = try CertificateAuthority.make(now: now)
        let issued = try authority.providerCertificate(topics: topics, teamID: "TEAM123456", now: now)
        return (authority.certificatePEM, issued.pair)
    }

    // MARK: Refused in the handshake

    @Test(arguments: [(CertificateKind.expired, UInt8(45)), (.revoked, 44), (.unknownAuthority, 48)], versions)
    func badCertificatesFailWithTheMatchingAlert(kind: (CertificateKind, alert: UInt8), version: TestTLSClient.Version)
        async throws
    {
        try await withMadeCertificates { folder in
            let pair = try made(kind.0, in: folder)
            try await withServer {
                $0.certificates = folder
            } _: { server in
                let provider = try await TestProvider.connect(
                    to: server, tls: .init(version: version, certificate: pair))
                // With TLS 1.3 the client thinks itself through before the server has looked.
                try await provider.wait { $0.hasEnded ? true : nil }
                #expect(try await provider.perform { $0.tls!.alert } == kind.alert)
                #expect(try await provider.frames.isEmpty)
                let refused = try #require(server.connection(1))
                #expect(refused.closedBy == .handshake)
                #expect(refused.explanation?.contains("the client's certificate was rejected") == true)
                let other = try await TestProvider.connect(to: server)
                #expect(try await other.push(TestPush(server.authorization())).status == "200")
            }
        }
    }

    @Test func serialsRevokedByAScenarioGetAlert44() async throws {
        let (authority, pair) = try Self.foreign()
        let serial = try PeerCertificate(pem: pair.certificate).serial
        try await withFolder { folder in
            try write(authority, to: folder.appending("theirs.pem"))
            try await withServer {
                $0.play(
                    """
                    {"authentication": {"clientCertificates": {"authorities": ["theirs.pem"], "revoked": ["\(serial)"]}}}
                    """, in: folder)
            } _: { server in
                let provider = try await TestProvider.connect(to: server, tls: .init(certificate: pair))
                try await provider.wait { $0.hasEnded ? true : nil }
                #expect(try await provider.perform { $0.tls!.alert } == 44)
            }
        }
    }

    @Test func revokedCertificateFilesAreKnownAfterReload() async throws {
        try await withMadeCertificates { folder in
            try await withServer {
                $0.certificates = folder
            } _: { server in
                let pair = try made(.revoked, in: folder)
                try server.reload()
                let provider = try await TestProvider.connect(to: server, tls: .init(certificate: pair))
                try await provider.wait { $0.hasEnded ? true : nil }
                #expect(try await provider.perform { $0.tls!.alert } == 44)
            }
        }
    }

    @Test func revokedCertificatesAreIssuedWithoutReadingTheFolder() async throws {
        try await withMadeCertificates { folder in
            try await withServer {
                $0.certificates = folder
            } _: { server in
                try write(Array("nonsense".utf8), to: folder.appending("server.pem"))
                let (revoked, _) = try server.clientCertificate(.revoked, topics: ["com.example.app"])
                let provider = try await TestProvider.connect(
                    to: server, tls: .init(certificate: (revoked.certificate, revoked.privateKey)))
                try await provider.wait { $0.hasEnded ? true : nil }
                #expect(try await provider.perform { $0.tls!.alert } == 44)
            }
        }
    }

    @Test func revokedCertificatesStayRevokedWhateverIsPlayed() async throws {
        try await withServer { server in
            let scenarios = [true, false].map {
                Array(#"{"authentication": {"clientCertificates": {"required": \#($0)}}}"#.utf8)
            }
            try await withThrowingTaskGroup { tasks in
                tasks.addTask { for round in 0..<40 { try await server.play(scenarios[round % 2]) } }
                tasks.addTask { for _ in 0..<40 { try await server.reloadApart() } }
                tasks.addTask {
                    for number in 0..<40 {
                        _ = try server.clientCertificate(.revoked, topics: ["com.example.n\(number)"])
                    }
                }
                try await tasks.waitForAll()
            }
            let (clients, played) = (server.engine.tls.clientCertificates, server.scenario.authentication)
            #expect(clients.revokedSerials == server.engine.revokedSerials && clients.revokedSerials.count == 40)
            #expect(clients.isRequired == played.clientCertificates.isRequired)
        }
    }

    @Test(arguments: [(TestTLSClient.Version.tls12, UInt8(40)), (.tls13, 116)])
    func clientsWithoutARequiredCertificateAreTurnedAway(version: TestTLSClient.Version, alert: UInt8) async throws {
        try await withServer {
            $0.play(#"{"authentication": {"clientCertificates": {"required": true}}}"#)
        } _: { server in
            let provider = try await TestProvider.connect(to: server, tls: .init(version: version))
            try await provider.wait { $0.hasEnded ? true : nil }
            #expect(try await provider.perform { $0.tls!.alert } == alert)
            let pair = server.identity.client
            let good = try await TestProvider.connect(
                to: server, tls: .init(version: version, certificate: (pair.certificate, pair.privateKey)))
            #expect(try await good.push(TestPush()).status == "200")
        }
    }

    // MARK: Refused with GOAWAY

    static let goAways: [(CertificateKind, MockAPNSServer.Configuration.Environment, String)] = [
        (.wrongEnvironment, .sandbox, "BadCertificateEnvironment"), (.notPush, .sandbox, "BadCertificate"),
        (.notPush, .production, "BadCertificate"), (.wrongEnvironment, .serverName, "BadCertificateEnvironment"),
    ]

    @Test(arguments: goAways, versions)
    func unsuitableCertificatesGetGoAwayAndTheEnd(
        row: (CertificateKind, MockAPNSServer.Configuration.Environment, String), version: TestTLSClient.Version
    ) async throws {
        try await withMadeCertificates { folder in
            let pair = try made(row.0, in: folder)
            try await withServer {
                $0.certificates = folder
                $0.environment = row.1
            } _: { server in
                let provider = try await TestProvider.connect(
                    to: server, tls: .init(version: version, certificate: pair), speech: .tls)
                let frames = try await provider.framesUntilEnd()
                // Nothing was asked yet: SETTINGS, then GOAWAY without white space in its JSON, then close_notify.
                #expect(frames.map(\.kind) == [.settings, .goAway])
                #expect(frames.goAways == [.reason(row.2, lastStream: 0)])
                #expect(frames[1].payload.count == 8 + #"{"reason":""}"#.utf8.count + row.2.utf8.count)
                #expect(try await provider.end() == (true, false))
                #expect(try await server.closer(of: 1) == .certificate)
                let explanation = server.connection(1)?.explanation ?? ""
                #expect(explanation.hasPrefix("The client's certificate \"UID = com.example.app, "), "\(explanation)")
                #expect(explanation.contains("refused with \(row.2);"))
            }
        }
    }

    @Test(arguments: versions)
    func earlySettingsAreAcknowledgedBeforeTheGoAway(version: TestTLSClient.Version) async throws {
        try await withMadeCertificates { folder in
            let pair = try made(.wrongEnvironment, in: folder)
            try await withServer {
                $0.certificates = folder
            } _: { server in
                let provider = try await TestProvider.connect(
                    to: server, tls: .init(version: version, certificate: pair), speech: .tls,
                    greeting: RawFrame.preface + RawFrame.settings().bytes)
                let frames = try await provider.framesUntilEnd()
                #expect(frames.last?.kind == .goAway)
                // Under TLS 1.2 the server has the last word in the handshake, so nothing comes along.
                if version == .tls13 { #expect(frames.map(\.kind) == [.settings, .settings, .goAway]) }
            }
        }
    }

    @Test func pushesWithUnsuitableCertificatesAreRecordedAsIgnored() async throws {
        try await withMadeCertificates { folder in
            let pair = try made(.notPush, in: folder)
            try await withServer {
                $0.certificates = folder
            } _: { server in
                let provider = try await TestProvider.connect(
                    to: server, tls: .init(certificate: pair), speech: .tls)
                // Sent with the end of the handshake, so it comes before the server's end is seen.
                try? await provider.send(RawFrame.preface + RawFrame.settings().bytes + TestPush().frames(on: 1).bytes)
                #expect(try await provider.framesUntilEnd().of(.headers).isEmpty)
                #expect(try server.records.allSatisfy { $0.outcome == "ignored" && $0.status == nil })
                #expect(try server.records.allSatisfy { $0.explanation?.contains("BadCertificate") == true })
            }
        }
    }

    @Test func theSameCertificateIsGoodWhereItBelongs() async throws {
        try await withMadeCertificates { folder in
            let pair = try made(.wrongEnvironment, in: folder)
            try await withServer {
                $0.certificates = folder
                $0.environment = .serverName
            } _: { server in
                let provider = try await TestProvider.connect(
                    to: server, tls: .init(serverName: "api.push.apple.com", certificate: pair))
                #expect(try await provider.push(TestPush()).status == "200")
            }
        }
    }

    // MARK: Trusted

    @Test func aProviderKeepsTheCertificateThatItHas() async throws {
        let (authority, pair) = try Self.foreign()
        try await withFolder { folder in
            try write(authority, to: folder.appending("theirs.pem"))
            try await withServer {
                $0.play(#"{"authentication": {"clientCertificates": {"authorities": ["theirs.pem"]}}}"#, in: folder)
            } _: { server in
                let provider = try await TestProvider.connect(to: server, tls: .init(certificate: pair))
                #expect(try await provider.push(TestPush()).status == "200")
                #expect(try await provider.perform { $0.tls!.requestedAuthorities } == 2)
                // Ours is trusted beside it.
                let ours = server.identity.client
                let other = try await TestProvider.connect(
                    to: server, tls: .init(certificate: (ours.certificate, ours.privateKey)))
                #expect(try await other.push(TestPush()).status == "200")
            }
        }
    }

    @Test(arguments: ["missing.pem", "garbage.pem"])
    func anAuthorityThatCannotBeReadIsNamed(file: String) async throws {
        try await withFolder { folder in
            try write(Array("garbage".utf8), to: folder.appending("garbage.pem"))
            var configuration = Configuration()
            configuration.play(
                #"{"authentication": {"clientCertificates": {"authorities": ["\#(file)"]}}}"#, in: folder)
            do {
                _ = try await MockAPNSServer.start(configuration)
                Issue.record("it started")
            } catch let error as StartError {
                #expect(error.description.contains(file))
            }
        }
    }

    @Test(arguments: versions)
    func allStreamsAreAllowedAtOnce(version: TestTLSClient.Version) async throws {
        try await withServer { server in
            let pair = server.identity.client
            let provider = try await TestProvider.raw(
                to: server, tls: .init(version: version, certificate: (pair.certificate, pair.privateKey)))
            let streams = stride(from: Int32(1), to: 2001, by: 2)
            try await provider.send(streams.map { .headers($0, TestPush().fields, ends: false) })
            try await provider.ping()
            let frames = try await provider.frames
            #expect(frames.streamLimits == [1000])
            #expect(frames.of(.reset).isEmpty)
            try await provider.send([.headers(2001, TestPush().fields, ends: false)])
            try await provider.ping()
            #expect(try await provider.frames.resets(of: 2001).first == 7)
            await provider.close()
        }
    }

    @Test(arguments: [("TopicDisallowed", "TopicDisallowed"), ("BadTopic", "BadTopic")])
    func aForeignTopicEarnsWhatTheSwitchSays(setting: String, reason: String) async throws {
        try await withServer {
            $0.play(#"{"responses": {"foreignTopic": "\#(setting)"}}"#)
        } _: { server in
            let pair = server.identity.client
            let provider = try await TestProvider.connect(
                to: server, tls: .init(certificate: (pair.certificate, pair.privateKey)))
            let answer = try await provider.push(TestPush(nil, [("apns-topic", "com.example.other")]))
            #expect(answer.status == "400")
            #expect(answer.reason == reason)
            // Neither type is for certificates, whatever the topic.
            for type in ["location", "liveactivity"] {
                let topic = type == "location" ? ".location-query" : ".push-type.liveactivity"
                let push = TestPush(nil, [("apns-push-type", type), ("apns-topic", "com.example.app" + topic)])
                #expect(try await provider.push(push).status == "400")
            }
            #expect(
                try await provider.push(
                    TestPush(
                        nil,
                        [
                            ("apns-topic", "com.example.app.voip"), ("apns-push-type", "voip"),
                            (":path", "/3/device/" + String(repeating: "cd", count: 32)),
                        ])
                ).status == "200")
        }
    }
}
