import TestClients
import Testing

@testable import MockAPNSTransport

@Suite struct CertificateAuthorityTests {
    static let now = TestIdentity.now
    static let topics = ["com.example.app", "com.example.other"]

    @Test func authorityIsReadAgain() throws {
        let authority = try CertificateAuthority.make(now: Self.now)
        let again = try CertificateAuthority(
            certificatePEM: authority.certificatePEM, privateKeyPEM: authority.privateKeyPEM)
        #expect(again.certificatePEM == authority.certificatePEM)
        #expect(again.privateKeyPEM == authority.privateKeyPEM)
        let facts = try CertificateFacts(pem: authority.certificatePEM)
        #expect(facts.provider.commonName == "mock-apns development authority")
        #expect(facts.notBefore == Self.now - 3600)
        #expect(facts.notAfter == Self.now + CertificateAuthority.authorityLifetime)
        #expect(facts.isIssued(by: again))
        // What the one that was read issues, one that trusts the first believes.
        let leaf = try again.serverCertificate(names: ["localhost"], now: Self.now)
        #expect(try CertificateFacts(pem: leaf.certificatePEM).isIssued(by: authority))
    }

    @Test func reusingAnAuthorityKeyKeepsIssuedCertificatesValid() throws {
        let authority = TestIdentity.authority
        let later = try CertificateAuthority.make(now: Self.now + 86_400, privateKeyPEM: authority.privateKeyPEM)
        #expect(later.privateKeyPEM == authority.privateKeyPEM)
        #expect(later.notAfter == Self.now + 86_400 + CertificateAuthority.authorityLifetime)
        #expect(try CertificateFacts(pem: TestIdentity.server.certificatePEM).isIssued(by: later))
        #expect(throws: OpenSSLError.self) { try CertificateAuthority.make(now: Self.now, privateKeyPEM: []) }
    }

    @Test func nothingOutlivesItsAuthority() throws {
        let authority = TestIdentity.authority
        let late = authority.notAfter - 100 * 86_400
        for leaf in [
            try authority.serverCertificate(names: ["localhost"], now: late),
            try authority.providerCertificate(topics: Self.topics, teamID: "DEF123GHIJ", now: late),
        ] {
            #expect(try CertificateFacts(pem: leaf.certificatePEM).notAfter == authority.notAfter)
        }
    }

    @Test func authorityWithTheWrongPartsIsRefused() throws {
        let other = try CertificateAuthority.make(now: Self.now)
        let authority = TestIdentity.authority
        #expect(throws: OpenSSLError.self) {
            try CertificateAuthority(certificatePEM: authority.certificatePEM, privateKeyPEM: other.privateKeyPEM)
        }
        let leaf = TestIdentity.server
        #expect(throws: OpenSSLError.self) {
            try CertificateAuthority(certificatePEM: leaf.certificatePEM, privateKeyPEM: leaf.privateKeyPEM)
        }
        #expect(throws: OpenSSLError.self) {
            try CertificateAuthority(certificatePEM: [], privateKeyPEM: authority.privateKeyPEM)
        }
    }

    @Test func serverCertificateHasOnlySoManyNames() throws {
        let most = CertificateAuthority.serverNameLimit
        // With names of 253 bytes, the longest there are.
        let names = (0...most).map { number in
            let label = String(repeating: "a", count: 62)
            return "\(1000 + number)\(label.dropFirst(4)).\(label).\(label).\(label).a"
        }
        #expect(names[0].utf8.count == 253)
        let authority = TestIdentity.authority
        let largest = try authority.serverCertificate(names: Array(names.dropLast()), now: Self.now)
        #expect(largest.certificatePEM.count < 65_536)
        #expect(throws: OpenSSLError.self) { try authority.serverCertificate(names: names, now: Self.now) }
    }

    @Test func serverCertificateStandsForItsNames() throws {
        let names = [
            "localhost", "127.0.0.1", "::1", "Mock-APNS", "host.docker.internal", "localhost", "*.example.com",
        ]
        let issued = try TestIdentity.authority.serverCertificate(names: names, now: Self.now)
        let facts = try CertificateFacts(pem: issued.certificatePEM)
        #expect(
            facts.names == [
                "localhost", "127.0.0.1", "0:0:0:0:0:0:0:1", "mock-apns", "host.docker.internal", "*.example.com",
            ])
        #expect(facts.covers(names))
        #expect(facts.covers(["LOCALHOST", "0000::1", "0:0:0:0:0:0:0:1"]))
        #expect(facts.covers([]))
        #expect(!facts.covers(["localhost", "127.0.0.2"]))
        #expect(!facts.covers(["not a name"]))
        #expect(try facts.matches(privateKey: issued.privateKeyPEM))
        #expect(try !facts.matches(privateKey: TestIdentity.server.privateKeyPEM))
        #expect(throws: OpenSSLError.self) { try facts.matches(privateKey: []) }
        #expect(facts.notAfter - facts.notBefore == 397 * 86_400)
        #expect(facts.provider.topics == [])
        #expect(!facts.isIssued(by: try CertificateAuthority.make(now: Self.now)))
    }

    @Test(arguments: ["", "a b", "a,DNS:evil", "127.0.0.1\0", "ex\u{E4}mple.com", String(repeating: "a", count: 254)])
    func namesThatAreNoneAreRefused(name: String) {
        #expect(throws: OpenSSLError("\"\(name)\" is neither a host name nor an IP address")) {
            try TestIdentity.authority.serverCertificate(names: [name], now: Self.now)
        }
    }

    @Test func longFirstNameStillMakesACertificate() throws {
        let name = Array(repeating: "abcdefghij", count: 12).joined(separator: ".")
        let issued = try TestIdentity.authority.serverCertificate(names: [name], now: Self.now)
        #expect(try CertificateFacts(pem: issued.certificatePEM).names == [name])
    }

    @Test func clientsBelieveTheServer() throws {
        let server = try TLSConnection(context: TestIdentity.context)
        let client = TestTLSClient(.init(authority: TestIdentity.authority.certificatePEM, time: Self.now))
        exchange(client, server)
        #expect(client.failure == nil)
        #expect(client.isHandshakeComplete)
    }

    @Test func providerCertificateSaysWhatApplesDo() throws {
        let issued = try TestIdentity.authority.providerCertificate(
            topics: Self.topics, teamID: "DEF123GHIJ", now: Self.now)
        let provider = try PeerCertificate(pem: issued.certificatePEM)
        #expect(
            provider.subject
                == "UID = com.example.app, CN = Apple Push Services: com.example.app, OU = DEF123GHIJ")
        #expect(provider.userID == "com.example.app")
        #expect(provider.commonName == "Apple Push Services: com.example.app")
        #expect(provider.organizationalUnit == "DEF123GHIJ")
        #expect(provider.isDevelopment && provider.isProduction)
        #expect(
            provider.topics == [
                "com.example.app", "com.example.app.voip", "com.example.app.complication", "com.example.app.voip-ptt",
                "com.example.other", "com.example.other.voip", "com.example.other.complication",
                "com.example.other.voip-ptt",
            ])
        #expect(provider.appTopics == Self.topics)
        #expect(try CertificateFacts(pem: issued.certificatePEM).topics == Self.topics)
        #expect(provider.voipBundle == nil)
        #expect(provider.serial == issued.serial)
        #expect(provider.serial.count == 32)
        #expect(provider.serial.allSatisfy { $0.isHexDigit && !$0.isLowercase })
        #expect(provider.notBefore == Self.now - 3600)
        #expect(provider.notAfter == Self.now - 3600 + CertificateAuthority.leafLifetime)
    }

    @Test(arguments: [43, 44, 64, 255])
    func aTopicMayBeLong(length: Int) throws {
        let topic = String(repeating: "a", count: length)
        let provider = try PeerCertificate(
            pem: TestIdentity.authority.providerCertificate(
                topics: [topic], teamID: String(repeating: "T", count: 65),
                privateKey: TestIdentity.provider.privateKeyPEM, now: Self.now
            ).certificatePEM)
        #expect(provider.userID == topic)
        #expect(provider.commonName == String("Apple Push Services: \(topic)".prefix(64)))
        #expect(provider.organizationalUnit?.count == 64)
        #expect(provider.appTopics == [topic])
    }

    static let services: [(PushService, name: String, topic: String, commonName: String)] = [
        (.voip, "a.b", "a.b.voip", "VoIP Services: a.b"), (.voip, "a.b.voip", "a.b.voip", "VoIP Services: a.b"),
        (.watchkit, "a.b", "a.b.complication", "WatchKit Services: a.b"),
        (.pass, "a.b", "pass.a.b", "Pass Type ID: pass.a.b"),
        (.pass, "pass.a.b", "pass.a.b", "Pass Type ID: pass.a.b"),
        (.website, "a.b", "web.a.b", "Website Push ID: web.a.b"),
        (.mdm, "com.apple.mgmt.External.1-2", "com.apple.mgmt.External.1-2", "APSP:1-2"),
    ]

    @Test(arguments: services)
    func aServiceHasOneTopic(row: (PushService, name: String, topic: String, commonName: String)) throws {
        let topic = try #require(row.0.topic(for: row.name))
        #expect(topic == row.topic)
        let provider = try PeerCertificate(
            pem: TestIdentity.authority.providerCertificate(
                for: row.0, topic: topic, teamID: "T", privateKey: TestIdentity.provider.privateKeyPEM, now: Self.now
            ).certificatePEM)
        #expect(provider.userID == topic)
        #expect(provider.commonName == row.commonName)
        #expect(provider.topics == [])
        #expect(provider.voipBundle == (row.0 == .voip ? "a.b" : nil))
        #expect(provider.isDevelopment && provider.isProduction)
    }

    @Test(arguments: ["a.b", "com.apple.mgmt.", "com.apple.mgm.External.1"])
    func otherTopicsAreNotOfMDM(name: String) {
        #expect(PushService.mdm.topic(for: name) == nil)
    }

    @Test func anAuthoritysKeyMayBeRSA() throws {
        let key = try PrivateKey.generateRSA().pem()
        let authority = try CertificateAuthority.make(now: Self.now, privateKeyPEM: key)
        let again = try CertificateAuthority(certificatePEM: authority.certificatePEM, privateKeyPEM: key)
        let leaf = try again.serverCertificate(names: ["localhost"], now: Self.now)
        #expect(try CertificateFacts(pem: leaf.certificatePEM).isIssued(by: authority))
    }

    @Test(arguments: CertificateAuthority.Flaw.allCases)
    func flawsAreWhatTheyAreCalled(flaw: CertificateAuthority.Flaw) throws {
        let issued = try TestIdentity.authority.providerCertificate(
            topics: ["com.example.app"], teamID: "DEF123GHIJ", flaw: flaw, now: Self.now)
        let facts = try CertificateFacts(pem: issued.certificatePEM)
        #expect((facts.notAfter < Self.now) == (flaw == .expired))
        #expect(facts.isIssued(by: TestIdentity.authority) == (flaw != .unknownAuthority))
        #expect(facts.provider.isDevelopment == ![.wrongEnvironment, .notPush].contains(flaw))
        #expect(facts.provider.isProduction == (flaw != .notPush))
        #expect(facts.topics == (flaw == .notPush ? [] : ["com.example.app"]))
        #expect(try facts.matches(privateKey: issued.privateKeyPEM))
    }

    @Test func wrongEnvironmentCanBeEither() throws {
        let issued = try TestIdentity.authority.providerCertificate(
            topics: ["a.b"], teamID: "T", flaw: .wrongEnvironment, environment: .development, now: Self.now)
        let provider = try PeerCertificate(pem: issued.certificatePEM)
        #expect(provider.isDevelopment && !provider.isProduction)
    }

    @Test func serialNumbersDiffer() throws {
        let serials = try (0..<20).map { _ in
            try TestIdentity.authority.serverCertificate(names: ["a"], now: Self.now).serial
        }
        #expect(Set(serials).count == 20)
    }

    @Test func datesAfter2050AreWritten() throws {
        let late: Int64 = 2_600_000_000
        let authority = try CertificateAuthority.make(now: late)
        #expect(try CertificateFacts(pem: authority.certificatePEM).notBefore == late - 3600)
    }

    // MARK: The topics extension, from anybody

    static func utf8(_ text: String) -> [UInt8] { DERWriter.utf8(text) }
    static func sequence(_ parts: [[UInt8]]) -> [UInt8] { DERWriter.sequence(parts) }

    @Test func topicListsOfOtherShapesAreNone() {
        let good = Self.sequence([Self.utf8("a"), Self.sequence([Self.utf8("app")])])
        #expect(PeerCertificate.topics(good)?.count == 1)
        #expect(PeerCertificate.topics(Self.sequence([]))?.count == 0)
        let several = Self.sequence([Self.utf8("a"), Self.sequence([Self.utf8("app"), Self.utf8("voip")])])
        #expect(PeerCertificate.topics(several)?.first?.kinds == ["app", "voip"])
        let bad: [[UInt8]] = [
            [], [0x30], [0x30, 0x80, 0, 0], good + [0], Array(good.dropLast()),
            Self.utf8("a"),
            Self.sequence([Self.utf8("a")]),
            Self.sequence([Self.sequence([Self.utf8("app")]), Self.utf8("a")]),
            Self.sequence([Self.utf8("a"), Self.utf8("app")]),
            Self.sequence([Self.sequence([Self.utf8("a"), Self.sequence([Self.utf8("app")])])]),
            Self.sequence([[0x0C, 1, 0xFF], Self.sequence([Self.utf8("app")])]),
            Self.sequence([Self.utf8("a"), Self.sequence([DERWriter.null])]),
            [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 0x0C], [0x30, 0x88, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
        ]
        for der in bad { #expect(PeerCertificate.topics(der) == nil, "\(der)") }
    }

    @Test func damagedTopicListsNeverCrash() {
        let good = Self.sequence(
            ["a", "b", "c"].flatMap { [Self.utf8("com.example.\($0)"), Self.sequence([Self.utf8("app")])] })
        for index in good.indices {
            for value in UInt8.min...UInt8.max {
                var damaged = good
                damaged[index] = value
                _ = PeerCertificate.topics(damaged)
            }
            _ = PeerCertificate.topics(Array(good.prefix(index)))
        }
    }

    @Test func damagedCertificatesNeverCrash() throws {
        var random = SeededRandom(state: 5)
        let pem = TestIdentity.provider.certificatePEM
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
        for _ in 0..<1000 {
            var damaged = pem
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                damaged[Int.random(in: 28..<(damaged.count - 26), using: &random)] =
                    letters.randomElement(using: &random)!
            }
            _ = try? CertificateFacts(pem: damaged)
        }
    }

    // MARK: PKCS#12

    @Test func storeIsMadeAndTwiceDiffers() throws {
        let first = try PKCS12.export(
            certificate: TestIdentity.provider.certificatePEM, privateKey: TestIdentity.provider.privateKeyPEM,
            name: "mock-apns", password: "mock-apns")
        let content = try #require(try TestPKCS12(first, password: "mock-apns"))
        #expect(content.certificate == TestIdentity.provider.certificatePEM)
        #expect(content.privateKey == TestIdentity.provider.privateKeyPEM)
        #expect(content.chainCount == 0)
        #expect(content.keyKind == "RSA 2048")
        #expect(try TestPKCS12(first, password: "mock-apn") == nil)
    }

    @Test func furtherCertificatesAreLeftOutOfAStore() throws {
        let store = try PKCS12.export(
            certificate: TestIdentity.provider.certificatePEM + TestIdentity.authority.certificatePEM,
            privateKey: TestIdentity.provider.privateKeyPEM, name: "mock-apns", password: "mock-apns")
        let content = try #require(try TestPKCS12(store, password: "mock-apns"))
        #expect(content.certificate == TestIdentity.provider.certificatePEM)
        #expect(content.chainCount == 0)
    }

    @Test func aP256KeyIsStoredToo() throws {
        let server = TestIdentity.server
        let store = try PKCS12.export(
            certificate: server.certificatePEM, privateKey: server.privateKeyPEM, name: "s", password: "mock-apns")
        #expect(try TestPKCS12(store, password: "mock-apns")?.keyKind == "EC 256")
    }

    @Test func storeRefusesKeyOfAnotherCertificate() {
        #expect(throws: OpenSSLError.self) {
            try PKCS12.export(
                certificate: TestIdentity.provider.certificatePEM, privateKey: TestIdentity.server.privateKeyPEM,
                name: "mock-apns", password: "mock-apns")
        }
    }
}
