import MockAPNSTransport
import TestClients
import Testing

@Suite struct TLSConnectionTests {
    // MARK: The handshake

    @Test(
        arguments: [
            (TestTLSClient.Version.tls12, ["h2"], "h2"),
            (.tls13, ["h2"], "h2"),
            (.tls12, ["http/1.1", "h2"], "h2"),
            (.tls13, ["http/1.1", "h2"], "h2"),
            (.tls12, ["http/1.1"], nil),
            (.tls13, ["http/1.1", "h3", "h2c"], nil),
            (.tls12, [], nil),
            (.tls13, [], nil),
        ] as [(TestTLSClient.Version, [String], String?)])
    func handshakeAgreesOnVersionAndProtocol(
        version: TestTLSClient.Version, offered: [String], agreed: String?
    ) throws {
        let server = try TLSConnection(context: TestIdentity.context)
        let client = TestTLSClient(
            .init(version: version, protocols: offered, authority: nil))
        #expect(server.facts == nil)
        exchange(client, server)
        #expect(client.isHandshakeComplete && server.isHandshakeComplete)
        let facts = try #require(server.facts)
        #expect(facts.protocolVersion == (version == .tls12 ? "TLSv1.2" : "TLSv1.3"))
        #expect(facts.applicationProtocol == agreed)
        #expect(client.applicationProtocol == agreed ?? "")
        #expect(facts.serverName == "localhost")
        #expect(facts.cipher.contains("GCM") || facts.cipher.contains("CHACHA20"))
        #expect(facts.clientCertificate == nil)
        #expect(facts.clientVerification == .noCertificate)
        // Everybody is asked for a certificate of our authority.
        #expect(client.requestedAuthorities == 1)
        #expect(server.alertSent == nil)
        #expect(server.outputCount == 0)
    }

    @Test(arguments: [nil, "127.0.0.1", "api.push.apple.com"] as [String?])
    func serverNameIsReported(name: String?) throws {
        let server = try TLSConnection(context: TestIdentity.context)
        exchange(TestTLSClient(.init(serverName: name)), server)
        #expect(server.isHandshakeComplete)
        #expect(server.facts?.serverName == name)
    }

    @Test(arguments: [TestTLSClient.Version.tls12, .tls13])
    func providerCertificateIsReported(version: TestTLSClient.Version) throws {
        let server = try TLSConnection(context: TestIdentity.context)
        let client = TestTLSClient(.init(version: version, certificate: TestIdentity.provider.pair))
        exchange(client, server)
        let facts = try #require(server.facts)
        #expect(facts.clientVerification == .verified)
        #expect(facts.clientCertificate?.serial == TestIdentity.provider.serial)
        #expect(facts.clientCertificate?.appTopics == ["com.example.app"])
        #expect(client.alert == nil)
    }

    static let refusals: [(CertificateAuthority.Flaw, UInt8, Int32)] = [
        (.expired, 45, 10), (.revoked, 44, 23), (.unknownAuthority, 48, 20),
    ]

    @Test(arguments: [TestTLSClient.Version.tls12, .tls13], refusals)
    func badProviderCertificateGetsItsAlert(
        version: TestTLSClient.Version, rejection: (flaw: CertificateAuthority.Flaw, alert: UInt8, code: Int32)
    ) throws {
        let bad = try TestIdentity.authority.providerCertificate(
            topics: ["com.example.app"], teamID: "DEF123GHIJ", flaw: rejection.flaw, now: TestIdentity.now)
        let context = try TestIdentity.context(revoked: rejection.flaw == .revoked ? [bad.serial] : [])
        let server = try TLSConnection(context: context)
        let client = TestTLSClient(.init(version: version, certificate: bad.pair))
        let end = exchange(client, server).end
        #expect(client.alert == rejection.alert)
        #expect(server.alertSent == rejection.alert)
        #expect(!server.isHandshakeComplete)
        guard case .failed(let error) = end else {
            Issue.record("the handshake went on: \(end)")
            return
        }
        #expect(error.reason == "certificate verify failed")
        guard case .unverified(rejection.code, _) = server.clientVerification else {
            Issue.record("\(server.clientVerification)")
            return
        }
    }

    @Test(arguments: refusals)
    func badProviderCertificateCanBeAcceptedAndReported(
        rejection: (flaw: CertificateAuthority.Flaw, alert: UInt8, code: Int32)
    ) throws {
        let bad = try TestIdentity.authority.providerCertificate(
            topics: ["com.example.app"], teamID: "DEF123GHIJ", flaw: rejection.flaw, now: TestIdentity.now)
        let context = try TestIdentity.context(
            revoked: rejection.flaw == .revoked ? [bad.serial] : [], unverified: .accepted)
        let server = try TLSConnection(context: context)
        exchange(TestTLSClient(.init(certificate: bad.pair)), server)
        #expect(server.isHandshakeComplete)
        guard case .unverified(rejection.code, let reason)? = server.facts?.clientVerification else {
            Issue.record("\(server.clientVerification)")
            return
        }
        #expect(!reason.isEmpty)
        #expect(server.facts?.clientCertificate?.serial == bad.serial)
    }

    @Test(arguments: [CertificateAuthority.Flaw.wrongEnvironment, .notPush])
    func certificatesOnlyTheApplicationRefusesPassTLS(flaw: CertificateAuthority.Flaw) throws {
        let bad = try TestIdentity.authority.providerCertificate(
            topics: ["com.example.app"], teamID: "DEF123GHIJ", flaw: flaw, now: TestIdentity.now)
        let server = try TLSConnection(context: TestIdentity.context)
        exchange(TestTLSClient(.init(certificate: bad.pair)), server)
        #expect(server.facts?.clientVerification == .verified)
    }

    @Test func clientThatDoesNotTrustUsIsHeard() throws {
        let stranger = try CertificateAuthority.make(now: TestIdentity.now)
        let server = try TLSConnection(context: TestIdentity.context)
        let client = TestTLSClient(.init(version: .tls13, authority: stranger.certificatePEM))
        let end = exchange(client, server).end
        #expect(client.failure == "certificate verify failed")
        guard case .failed(let error) = end else {
            Issue.record("\(end)")
            return
        }
        #expect(error.alertReceived == 48)
    }

    @Test func contextRefusesKeyOfAnotherCertificate() throws {
        #expect(throws: OpenSSLError.self) {
            try TLSContext(
                certificateChain: TestIdentity.server.certificatePEM, privateKey: TestIdentity.provider.privateKeyPEM)
        }
        #expect(throws: OpenSSLError("no certificate in the PEM text")) {
            try TLSContext(certificateChain: [], privateKey: TestIdentity.server.privateKeyPEM)
        }
    }

    // MARK: Data

    @Test(arguments: [TestTLSClient.Version.tls12, .tls13])
    func largeWritesArriveWhole(version: TestTLSClient.Version) throws {
        let server = try TLSConnection(context: TestIdentity.context)
        let client = TestTLSClient(.init(version: version))
        exchange(client, server)
        var random = SeededRandom(state: 1)
        let message = (0..<1_048_576).map { _ in UInt8.random(in: 0...255, using: &random) }
        try server.write(message.span)
        #expect(server.outputCount > message.count)
        client.write(message)
        let (atServer, atClient, end) = exchange(client, server)
        #expect(atServer == message)
        #expect(atClient == message)
        #expect(end == .needsMore)
        #expect(server.outputCount == 0)
        #expect(server.takeOutput().isEmpty)
    }

    @Test func noMoreOutputIsTakenThanFits() throws {
        let server = try TLSConnection(context: TestIdentity.context)
        let client = TestTLSClient()
        exchange(client, server)
        let message = [UInt8](repeating: 7, count: 10_000)
        try server.write(message.span)
        let count = server.outputCount
        let first = server.takeOutput(room: 4000)
        #expect(first.count == 4000)
        #expect(server.outputCount == count - 4000)
        #expect(server.takeOutput(room: 0).isEmpty)
        let rest = server.takeOutput(room: 20_000)
        #expect(rest.count == count - 4000)
        #expect(client.receive(first + rest) == message)
    }

    @Test func bytesMayArriveOneByOne() throws {
        let server = try TLSConnection(context: TestIdentity.context)
        let client = TestTLSClient()
        client.receive([])
        var plaintext: [UInt8] = []
        for round in 0..<4 {
            if round == 3 { client.write(Array("one by one".utf8)) }
            for byte in client.takeOutput() {
                let (bytes, end) = server.take([byte])
                plaintext += bytes
                #expect(end == .needsMore)
            }
            client.receive(server.takeOutput())
        }
        #expect(server.isHandshakeComplete)
        #expect(plaintext == Array("one by one".utf8))
    }

    @Test func readStopsAtItsLimit() throws {
        let server = try TLSConnection(context: TestIdentity.context)
        let client = TestTLSClient()
        exchange(client, server)
        client.write([1, 2, 3])
        client.write([4, 5])
        unsafe server.receive(client.takeOutput().span.bytes)
        var plaintext: [UInt8] = [0]
        #expect(server.read(into: &plaintext, upTo: 2) == .plaintext(2))
        #expect(server.read(into: &plaintext, upTo: 100) == .plaintext(3))
        #expect(server.read(into: &plaintext, upTo: 100) == .needsMore)
        #expect(plaintext == [0, 1, 2, 3, 4, 5])
    }

    @Test func writingTooEarlyOrTooLateThrows() throws {
        let server = try TLSConnection(context: TestIdentity.context)
        let client = TestTLSClient()
        let bytes: [UInt8] = [1]
        #expect(throws: OpenSSLError.self) { try server.write(bytes.span) }
        exchange(client, server)
        try server.write(bytes.span)
        server.sendCloseNotify()
        #expect(throws: OpenSSLError.self) { try server.write(bytes.span) }
    }

    // MARK: The end

    @Test(arguments: [TestTLSClient.Version.tls12, .tls13])
    func closeNotifyEndsReading(version: TestTLSClient.Version) throws {
        let server = try TLSConnection(context: TestIdentity.context)
        let client = TestTLSClient(.init(version: version))
        exchange(client, server)
        client.write([7])
        client.sendCloseNotify()
        let (plaintext, end) = server.take(client.takeOutput())
        #expect(plaintext == [7])
        #expect(end == .closed)
        #expect(server.take([1, 2, 3]).end == .closed)
    }

    @Test func closeNotifyIsSentOnceAndReadingContinues() throws {
        let server = try TLSConnection(context: TestIdentity.context)
        let client = TestTLSClient()
        server.sendCloseNotify()
        #expect(server.outputCount == 0)
        exchange(client, server)
        server.sendCloseNotify()
        let count = server.outputCount
        #expect(count > 0)
        server.sendCloseNotify()
        #expect(server.outputCount == count)
        #expect(server.alertSent == 0)
        client.receive(server.takeOutput())
        #expect(client.isClosed)
        client.write([9])
        #expect(server.take(client.takeOutput()).plaintext == [9])
    }

    @Test func damagedRecordBreaksTheConnectionForGood() throws {
        let server = try TLSConnection(context: TestIdentity.context)
        let client = TestTLSClient()
        exchange(client, server)
        client.write([1, 2, 3])
        var record = client.takeOutput()
        record[record.count - 1] ^= 1
        let end = server.take(record).end
        guard case .failed = end else {
            Issue.record("\(end)")
            return
        }
        #expect(server.alertSent == 20)  // bad_record_mac
        #expect(server.outputCount > 0)
        client.write([4])
        #expect(server.take(client.takeOutput()).end == end)
        client.receive(server.takeOutput())
        #expect(client.alert == 20)
    }

    // MARK: Hostile bytes

    @Test func randomBytesFailTheHandshake() throws {
        var random = SeededRandom(state: 2)
        for round in 0..<500 {
            let server = try TLSConnection(context: TestIdentity.context)
            let count = Int.random(in: 5...2000, using: &random)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            // Every other one gets a plausible record header, every fourth that of a ClientHello.
            if round % 2 == 0 { bytes.replaceSubrange(0..<4, with: [22, 3, 1, 0]) }
            if round % 4 == 0, bytes.count > 5 { bytes[5] = 1 }
            _ = server.take(bytes)
            #expect(!server.isHandshakeComplete)
        }
    }

    @Test(arguments: [TestTLSClient.Version.tls12, .tls13])
    func mutatedHandshakesNeverCrash(version: TestTLSClient.Version) throws {
        var random = SeededRandom(state: 3)
        for _ in 0..<150 {
            let server = try TLSConnection(context: TestIdentity.context)
            let client = TestTLSClient(.init(version: version, certificate: TestIdentity.provider.pair))
            client.receive([])
            for _ in 0..<4 {
                var up = client.takeOutput()
                if !up.isEmpty, Bool.random(using: &random) {
                    up[Int.random(in: up.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                _ = server.take(up)
                client.receive(server.takeOutput())
            }
        }
    }

    @Test(arguments: [TestTLSClient.Version.tls12, .tls13])
    func truncatedHandshakeOnlyWaits(version: TestTLSClient.Version) throws {
        let client = TestTLSClient(.init(version: version))
        client.receive([])
        let hello = client.takeOutput()
        for count in 0..<hello.count {
            let server = try TLSConnection(context: TestIdentity.context)
            #expect(server.take(Array(hello.prefix(count))).end == .needsMore)
            #expect(!server.isHandshakeComplete)
        }
    }

    @Test func plainHTTPIsRefused() throws {
        let server = try TLSConnection(context: TestIdentity.context)
        let end = server.take(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)).end
        guard case .failed(let error) = end else {
            Issue.record("\(end)")
            return
        }
        #expect(error.reason == "http request")
    }
}
