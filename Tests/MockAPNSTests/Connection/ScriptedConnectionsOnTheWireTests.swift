import MockAPNSCore
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

/// What rules do when connections begin, to GOAWAY steps and to PING, as a provider sees it.
@Suite struct ScriptedConnectionsOnTheWireTests {
    // MARK: Handshakes

    @Test(arguments: [
        ("certificate_expired", 45), ("certificate_revoked", 44), ("unknown_ca", 48), ("handshake_failure", 40),
        ("internal_error", 80),
    ])
    func aHandshakeFailsWithTheAlert(name: String, number: UInt8) async throws {
        try await withServer {
            $0.play(#"{"rules": [{"when": {"on": "connect"}, "then": {"tlsAlert": "\#(name)"}, "times": 1}]}"#)
        } _: { server in
            let refused = try await TestProvider.connect(to: server)
            #expect(try await refused.perform { $0.tls!.alert } == number)
            // The number is taken all the same.
            let provider = try await TestProvider.connect(to: server)
            #expect(try await provider.push(TestPush(server.authorization())).status == "200")
            #expect(try server.records.map(\.connection) == [2])
        }
    }

    @Test func connectionsThatAreRefusedAreRecordedAndCounted() async throws {
        try await withServer {
            $0.play(
                """
                {"rules": [{"name": "expired", "when": {"on": "connect"}, "then": {"tlsAlert": "certificate_expired"},
                            "times": 2}],
                 "expect": [{"connections": 3}, {"spacing": {"connections": true, "atLeast": ["0ms", "0ms"]}}]}
                """)
        } _: { server in
            for _ in 0..<2 {
                _ = try await TestProvider.connect(to: server, tls: .init(serverName: "api.push.apple.com"))
            }
            let provider = try await TestProvider.connect(to: server)
            #expect(try await provider.push(TestPush(server.authorization())).status == "200")
            let refused = try #require(server.connection(2))
            #expect(refused.closedBy == .handshake)
            #expect(refused.explanation == #"The rule "expired" ended the TLS handshake with the alert 45."#)
            #expect(refused.facts.serverName == "api.push.apple.com")
            #expect(refused.facts.tlsVersion == nil)
            let results = await server.verify().results
            #expect(results.map(\.passed) == [true, true], "\(results)")
        }
    }

    @Test(arguments: ["expired", "otherName", "untrusted"])
    func anUntrustworthyCertificateIsShown(fault: String) async throws {
        try await withServer {
            $0.play(
                #"{"rules": [{"when": {"on": "connect"}, "then": {"serverCertificate": "\#(fault)"}, "times": 2}]}"#)
        } _: { server in
            let authority = server.identity.certificateAuthority
            for _ in 0..<2 {
                let careful = try await TestProvider.connect(to: server, tls: .init(authority: authority))
                #expect(try await careful.perform { !$0.tls!.isHandshakeComplete })
            }
            let provider = try await TestProvider.connect(to: server, tls: .init(authority: authority))
            #expect(try await provider.perform { $0.tls!.isHandshakeComplete })
        }
    }

    @Test func onlyTheNameThatIsMeantIsRefused() async throws {
        try await withServer {
            $0.play(
                """
                {"rules": [{"when": {"on": "connect", "serverName": "api.push.apple.com"},
                            "then": {"tlsAlert": "unrecognized_name"}}]}
                """)
        } _: { server in
            let refused = try await TestProvider.connect(to: server, tls: .init(serverName: "api.push.apple.com"))
            #expect(try await refused.perform { $0.tls!.alert } == 112)
            let other = try await TestProvider.connect(to: server)
            #expect(try await other.perform { $0.tls!.isHandshakeComplete })
        }
    }

    @Test(arguments: [("end", true, false), ("truncate", false, false), ("reset", false, true)])
    func aConnectionEndsAtOnce(word: String, saidGoodbye: Bool, wasReset: Bool) async throws {
        try await withServer {
            $0.play(#"{"rules": [{"when": {"on": "connect"}, "then": {"close": "\#(word)"}}]}"#)
        } _: { server in
            let provider = try await TestProvider.connect(to: server, speech: .tls)
            #expect(try await provider.end() == (saidGoodbye, wasReset))
        }
    }

    @Test func aConnectionIsSilentFromTheStart() async throws {
        try await withServer {
            $0.play(#"{"rules": [{"when": {"on": "connect"}, "then": {"close": "silent"}, "times": 1}]}"#)
        } _: { server in
            let silent = try await TestProvider.connect(to: server, speech: .tls)
            try await silent.send(RawFrame.preface + RawFrame.settings().bytes)
            // As long as another one takes to connect, push and get its answer, nothing comes.
            let other = try await TestProvider.connect(to: server)
            #expect(try await other.push(TestPush(server.authorization())).status == "200")
            #expect(try await silent.frames.isEmpty)
            await silent.close()
        }
    }

    // MARK: GOAWAY

    @Test func goAwayComesInsteadOfSettings() async throws {
        try await withServer {
            $0.play(
                """
                {"rules": [{"when": {"on": "connect"},
                            "then": {"goAway": {"reason": "Shutdown", "beforeSettings": true}}}]}
                """)
        } _: { server in
            let provider = try await TestProvider.connect(to: server, speech: .tls)
            let frames = try await provider.framesUntilEnd()
            #expect(frames.map(\.kind) == [.goAway])
            #expect(frames.goAways == [.reason("Shutdown", lastStream: 0)])
        }
    }

    @Test func aConnectionThatBeginsWithoutSettingsStaysOpen() async throws {
        try await withServer {
            $0.play(
                """
                {"rules": [{"when": {"on": "connect"},
                            "then": {"goAway": {"reason": "Shutdown", "beforeSettings": true, "then": "stayOpen"}}}]}
                """)
        } _: { server in
            let provider = try await TestProvider.connect(to: server, speech: .tls)
            try await provider.wait { $0.frames.goAways.isEmpty ? nil : true }
            try await provider.send(RawFrame.preface + [RawFrame.settings()].bytes)
            try await provider.send(TestPush(try server.authorization()).frames(on: 1))
            try await provider.ping()
            #expect(try await provider.frames.of(.headers).isEmpty)
            #expect(try server.records.map(\.outcome) == ["ignored"])
            await provider.close()
        }
    }

    static let steps: [(lastStream: String, then: String, number: Int32, isAnswered: Bool)] = [
        ("this", "stayOpen", 5, true), ("all", "stayOpen", .max, true), ("previous", "stayOpen", 3, false),
        ("zero", "stayOpen", 0, false), ("this", "drain", 5, true), ("previous", "drain", 3, false),
        ("this", "close", 5, true), ("zero", "close", 0, false),
    ]

    @Test(arguments: steps.indices)
    func aPushBringsGoAway(index: Int) async throws {
        let (lastStream, then, number, isAnswered) = Self.steps[index]
        try await withServer {
            $0.play(
                """
                {"rules": [{"skip": 2, "times": 1, "then":
                    {"goAway": {"reason": "Shutdown", "lastStream": "\(lastStream)", "then": "\(then)"}}}]}
                """)
        } _: { server in
            let push = TestPush(try server.authorization())
            let provider = try await TestProvider.raw(to: server)
            _ = try await provider.exchange(push, on: 1)
            _ = try await provider.exchange(push, on: 3)
            try await provider.send(push.frames(on: 5))
            let frames: [RawFrame]
            if then == "stayOpen" {
                try await provider.ping()
                frames = try await provider.frames
                await provider.close()
            } else {
                frames = try await provider.framesUntilEnd()
            }
            #expect(frames.goAways == [.reason("Shutdown", lastStream: number)])
            #expect(frames.of(.headers).map(\.stream) == (isAnswered ? [1, 3, 5] : [1, 3]))
            let record = try #require(server.records.last)
            #expect(record.outcome == (isAnswered ? "responded" : "goAway"))
            #expect(record.decidedBy == "rule:rules[0]")
        }
    }

    // MARK: PING

    @Test func theRuleSaysHowOftenPingsAreIgnored() async throws {
        try await withServer {
            $0.play(#"{"rules": [{"when": {"on": "ping"}, "skip": 1, "times": 2, "then": {"ignore": true}}]}"#)
        } _: { server in
            // The first PING is that of connecting.
            let provider = try await TestProvider.raw(to: server)
            for number: UInt8 in 1...3 {
                try await provider.send([RawFrame(.ping, [0, 0, 0, 0, 0, 0, 0, number])])
            }
            let acknowledged = try await provider.wait { client in
                let frames = client.frames.of(.ping).filter { $0.flags & RawFrame.acknowledgement != 0 }
                return frames.count == 2 ? frames.map { $0.payload[7] } : nil
            }
            #expect(acknowledged == [8, 3])
            #expect(await server.connections().first?.counters.pings == 4)
            await provider.close()
        }
    }

    @Test func silenceToRequestsLeavesPingAnswered() async throws {
        try await withServer {
            $0.play(#"{"rules": [{"then": {"stall": true}}]}"#)
        } _: { server in
            let provider = try await TestProvider.raw(to: server)
            let push = TestPush(try server.authorization())
            for stream: Int32 in [1, 3, 5] { try await provider.send(push.frames(on: stream)) }
            try await provider.ping()
            #expect(try await provider.frames.of(.headers).isEmpty)
            await provider.close()
        }
    }
}
