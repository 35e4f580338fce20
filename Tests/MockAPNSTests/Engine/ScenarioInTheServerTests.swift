import Foundation
import MockAPNSCore
import SystemPackage
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

/// A scenario as a whole in the server: its clock, its timeline, its files, and that it can be repeated.
@Suite struct ScenarioInTheServerTests {
    // MARK: The real clock

    @Test func whatIsStoredIsDeliveredByTheTimeline() async throws {
        try await withProvider {
            $0.play(
                """
                {"devices": [{"name": "alice", "token": "\(TestPush.device)", "online": false}],
                 "timeline": [{"after": {"requests": {}, "count": 1}, "at": "50ms",
                               "do": {"device": "alice", "online": true}}]}
                """)
        } _: { provider, server in
            try await provider.push(TestPush(server.authorization(), [("apns-expiration", "4000000000")]))
            try await server.until { try $0.records.first?.delivery == "Delivered to Device (From Storage)" }
        }
    }

    @Test func whatIsStoredExpiresByItself() async throws {
        try await withProvider {
            $0.play(#"{"devices": [{"name": "alice", "token": "\#(TestPush.device)", "online": false}]}"#)
        } _: { provider, server in
            let expiration = Int(Date().timeIntervalSince1970) + 2
            try await provider.push(TestPush(server.authorization(), [("apns-expiration", "\(expiration)")]))
            try await server.until { try $0.records.first?.delivery == "Discarded - Expired" }
            #expect(Int(Date().timeIntervalSince1970) >= expiration)
        }
    }

    @Test func theTimelineSteersConnections() async throws {
        try await withServer {
            $0.play(
                """
                {"timeline": [{"after": {"requests": {}, "count": 1}, "at": "50ms",
                               "do": [{"settings": {"maxConcurrentStreams": 7}}, {"goAway": {"reason": "Shutdown"}}]}]}
                """)
        } _: { server in
            let provider = try await TestProvider.raw(to: server)
            _ = try await provider.exchange(TestPush(server.authorization()), on: 1)
            let frames = try await provider.framesUntilEnd()
            #expect(frames.streamLimits == [1, 1000, 7])
            #expect(frames.goAways == [.reason("Shutdown", lastStream: 1)])
        }
    }

    @Test func theTimelineRevokesAKey() async throws {
        try await withProvider {
            $0.play(
                """
                {"timeline": [{"after": {"requests": {"status": 200}, "count": 2},
                               "do": {"key": "ABC123DEFG", "revoked": true}}]}
                """)
        } _: { provider, server in
            let push = TestPush(try server.authorization())
            #expect(try await provider.push(push).status == "200")
            #expect(try await provider.push(push).status == "200")
            #expect(try await provider.push(push).reason == "InvalidProviderToken")
        }
    }

    // MARK: Files

    @Test func aFileIsPlayedAndReadAgain() async throws {
        try await withFolder { folder in
            let file = folder.appending("it.json")
            func write(_ text: String) throws { try TestSupport.write(Array(text.utf8), to: file) }
            try write(#"{"rules": [{"then": {"reject": "TooManyRequests"}}]}"#)
            try await withProvider {
                $0.scenario = .file(file)
            } _: { provider, server in
                let push = TestPush(try server.authorization())
                #expect(try await provider.push(push).status == "429")

                try write(#"{"rules": [{"then": {"rejct": "Shutdown"}}]}"#)
                let error = try #require(throws: StartError.self) { try server.reload() }
                #expect("\(error)".hasPrefix("\(file):1:22: rules[0].then.rejct "))
                #expect("\(error)".contains(#"did you mean "reject"?"#))
                #expect(try await provider.push(push).status == "429")

                try write(#"{"rules": [{"then": {"reject": "Shutdown"}}]}"#)
                try server.reload()
                #expect(try await provider.push(push).status == "503")
                #expect(try server.records.count == 3)
            }
        }
    }

    @Test func readingAnUnchangedFileAgainChangesNothing() async throws {
        try await withFolder { folder in
            let file = folder.appending("it.json")
            try write(Array(#"{"rules": [{"times": 1, "then": {"reject": "Shutdown"}}]}"#.utf8), to: file)
            try await withProvider {
                $0.scenario = .file(file)
            } _: { provider, server in
                let push = TestPush(try server.authorization())
                #expect(try await provider.push(push).status == "503")
                try server.reload()
                #expect(try await provider.push(push).status == "200")
            }
        }
    }

    @Test func startingReportsEveryMistakeInAFile() async throws {
        var configuration = Configuration(scenario: .json("{\n  \"seed\": -1,\n  \"devics\": []\n}"))
        configuration.host = "127.0.0.1"
        do {
            let server = try await MockAPNSServer.start(configuration)
            await server.stop()
            Issue.record("it started")
        } catch let error as StartError {
            let lines = "\(error)".split(separator: "\n")
            #expect(lines.count == 2)
            #expect(lines.first?.contains(": scenario:2:11: seed is -1; expected ") == true)
            #expect(lines.last?.contains(": scenario:3:3: devics ") == true)
        }
    }

    @Test func optionsWinOverTheScenario() async throws {
        try await withProvider {
            $0.environment = .sandbox
            $0.seed = 7
            $0.play(#"{"environment": "production", "seed": 8}"#)
        } _: { provider, server in
            let answer = try await provider.push(TestPush(server.authorization()))
            #expect(answer["apns-unique-id"] != nil)
            #expect(server.seed == 7)
        }
    }

    @Test func devicesAreOfTheEnvironmentThatIsPlayed() async throws {
        try await withProvider {
            $0.environment = .production
            $0.play(#"{"unknownDevices": "reject", "devices": [{"name": "alice", "token": "\#(TestPush.device)"}]}"#)
        } _: { provider, server in
            let push = TestPush(try server.authorization())
            #expect(try await provider.push(push).status == "200")
        }
    }

    @Test func aResetBeginsAnew() async throws {
        try await withProvider {
            $0.play(#"{"seed": 3, "rules": [{"times": 1, "then": {"reject": "Shutdown"}}]}"#)
        } _: { provider, server in
            let push = TestPush(try server.authorization())
            var ids: [[String?]] = []
            for _ in 0..<2 {
                var run: [String?] = []
                for status in ["503", "200"] {
                    let answer = try await provider.push(push)
                    #expect(answer.status == status)
                    run.append(answer["apns-id"])
                }
                ids.append(run)
                #expect(try server.records.map(\.sequence) == [1, 2])
                server.reset()
                #expect(try server.records.isEmpty)
            }
            #expect(ids[0] == ids[1])
        }
    }

    // MARK: Repeatability

    /// The log of a run with chance in everything that may have it.
    private func log(seed: Int) async throws -> String {
        try await withFolder { folder in
            let file = folder.appending("log.jsonl")
            try await withServer {
                $0.log = .file(file)
                $0.play(
                    """
                    {"seed": \(seed), "clock": {"manual": "2026-01-01T00:00:00.000Z"},
                     "devices": [{"name": "alice", "token": "\(TestPush.device)", "online": false}],
                     "rules": [
                       {"name": "odd", "probability": 0.4, "then": {"reject": "TooManyRequests"}, "repeat": "cycle"},
                       {"name": "late", "probability": 0.5, "repeat": "cycle",
                        "then": {"pass": true, "delay": {"uniform": ["1ms", "3ms"]}}}],
                     "timeline": [{"after": {"requests": {}, "count": 20}, "do": {"advance": "1h"}},
                                  {"at": "30m", "do": {"device": "alice", "online": true}}]}
                    """)
            } _: { server in
                let authorization = try server.authorization(issuedAt: Int64(Date().timeIntervalSince1970))
                let provider = try await TestProvider.connect(to: server)
                for number in 0..<40 {
                    let fields = [("apns-expiration", "1767229200"), ("apns-collapse-id", "c\(number % 3)")]
                    try await provider.push(TestPush(authorization, fields))
                }
                await provider.close()
                _ = try await server.closer(of: 1)
            }
            return String(decoding: try read(file), as: UTF8.self)
        }
    }

    /// A log without what comes from the machine: the time of day and what is measured in it, ports and keys.
    private func withoutRealTime(_ log: String) -> String {
        log.replacing(#/"time":"[^"]*"/#, with: "")
            .replacing(#/"latencyMicroseconds":[0-9]+/#, with: "")
            .replacing(#/"issuedAt":[0-9]+/#, with: "")
            .replacing(#/"remoteAddress":"[^"]*"/#, with: "")
            .replacing(#/bearer [^"]*"/#, with: "")
            .replacing(#/"bytes(Received|Sent)":[0-9]+/#, with: "")
    }

    @Test func theSameSeedGivesTheSameLog() async throws {
        let first = try await withoutRealTime(log(seed: 11))
        #expect(try await withoutRealTime(log(seed: 11)) == first)
        #expect(try await withoutRealTime(log(seed: 12)) != first)
        for part in [#""decidedBy":"rule:odd""#, #""decidedBy":"rule:late""#, "From Storage", #""event":"clock""#] {
            #expect(first.contains(part), "\(part)")
        }
    }
}
