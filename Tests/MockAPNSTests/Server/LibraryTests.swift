import Foundation
import MockAPNS
import MockAPNSAdmin
import TestClients
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The library as a user's test suite uses it: public names only.
@Suite struct LibraryTests {
    static let alice = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"

    static let twoScores = """
        {"clock": {"manual": "now"}, "unknownDevices": "reject",
         "devices": [{"name": "alice", "token": "\(alice)", "topic": "com.example.app", "online": false}],
         "rules": [{"name": "busy", "times": 1, "then": {"reject": "TooManyRequests"}}],
         "timeline": [{"at": "10m", "do": {"device": "alice", "online": true}}],
         "expect": [{"name": "two scores", "requests": {"device": "alice", "status": 200}, "count": 2},
                    {"device": "alice", "displayed": [{"/aps/alert/title": "2-1"}]}]}
        """

    /// What a provider would do: pushes twice, trying again when told to wait.
    private func sendTwoScores(to apns: MockAPNSServer) async throws {
        let provider = try await TestProvider.connect(
            port: apns.ports[0], tls: .init(authority: Array(apns.certificateAuthority.pem.utf8)))
        let expiration = "\(Int(Date().timeIntervalSince1970) + 86_400)"
        for score in ["1-1", "2-1"] {
            let push = TestPush(
                "bearer " + (try apns.providerToken()),
                [("apns-collapse-id", "score"), ("apns-expiration", expiration)],
                body: #"{"aps":{"alert":{"title":"\#(score)"}}}"#)
            while try await provider.push(push).status != "200" {}
        }
        await provider.close()
    }

    @Test func noPushesAreWaitedFor() async throws {
        try await MockAPNSServer.withServer { apns in
            let device = try apns.addDevice(.device(name: "alice"))
            #expect(await apns.device("alice")?.token == device)
            let provider = try await TestProvider.connect(
                port: apns.ports[0], tls: .init(authority: Array(apns.certificateAuthority.pem.utf8)))
            let push = TestPush("bearer " + (try apns.providerToken()), [(":path", "/3/device/\(device)")])
            #expect(try await provider.push(push).status == "200")
            try await apns.noRequests(matching: .device("alice"), for: .milliseconds(10))
            let pushing = Task { while !Task.isCancelled { try await provider.push(push) } }
            let error = await #expect(throws: MockAPNSServer.UnexpectedRequests.self) {
                try await apns.noRequests(matching: .device("alice"), for: .seconds(300))
            }
            pushing.cancel()
            _ = await pushing.result
            #expect(error?.requests.first?.device == "alice")
            #expect(error?.description.contains("was expected for 300.0 seconds; 1 arrived.") == true, "\(error!)")
            await provider.close()
        }
    }

    @Test func aResetEndsAWaitForNoPushes() async throws {
        try await MockAPNSServer.withServer { apns in
            let waiting = Task { try await apns.noRequests(for: .seconds(300)) }
            while apns.waitCount == 0 { await Task.yield() }
            apns.reset()
            let error = await #expect(throws: MockAPNSServer.UnexpectedRequests.self) { try await waiting.value }
            #expect(error?.requests.isEmpty == true)
            #expect(error?.description.contains("the server was reset meanwhile") == true, "\(error!)")
        }
    }

    @Test func theScenariosClockJudgesProviderTokens() async throws {
        let start = Date(timeIntervalSince1970: 1_767_225_600)
        let scenario = ScenarioSource.swift(.manualClock(from: start, judgesProviderTokens: true))
        try await MockAPNSServer.withServer(.init(scenario: scenario)) { apns in
            let provider = try await TestProvider.connect(
                port: apns.ports[0], tls: .init(authority: Array(apns.certificateAuthority.pem.utf8)))
            func push(_ issuedAt: Date? = nil) async throws -> String? {
                try await provider.push(TestPush("bearer " + apns.providerToken(issuedAt: issuedAt))).status
            }
            #expect(try await push() == "200")
            #expect(try await push(Date()) == "403")
            // Each is a new token, of which two are allowed within twenty minutes.
            try await apns.advance(by: .seconds(3601))
            #expect(try await push(start) == "403")
            #expect(try await push() == "200")
            await provider.close()
        }
    }

    @Test func aStoryFromPushToDisplay() async throws {
        try await MockAPNSServer.withServer(.init(scenario: .json(Self.twoScores))) { apns in
            try await sendTwoScores(to: apns)
            try await apns.advance(by: .seconds(600))
            let pushes = try await apns.requests(matching: .device("alice").status(200), count: 2)
            #expect(pushes.map(\.collapseID) == ["score", "score"])
            #expect(pushes[1].payload(at: "/aps/alert/title") == "2-1")
            #expect(pushes[0].replacedBy == pushes[1].sequence)
            #expect(pushes[1].delivery == .deliveredFromStorage)
            #expect(pushes[1].header("apns-topic") == "com.example.app")
            #expect(pushes[1].authentication.keyID == apns.keyID)
            #expect(pushes[1].authentication.verdict == .valid)
            #expect(pushes[1].authentication.method == .token && pushes[1].sentBy == .provider)
            #expect(pushes[0].pushType == .alert)
            let refused = try await apns.requests(matching: .rule("busy"))
            #expect(refused.map(\.reason) == [.tooManyRequests])
            #expect(refused.map(\.decidedBy) == [.rule] && refused.map(\.rule) == ["busy"])
            #expect(try await apns.requests(matching: .decidedBy(.rule)).map(\.sequence) == refused.map(\.sequence))
            #expect(pushes.map(\.decidedBy) == [.checks, .checks] && pushes.map(\.rule) == [nil, nil])
            #expect(await apns.verify().passed)
            try await apns.verify().check()
        }
    }

    @Test func whatLintFindsIsTyped() async throws {
        try await MockAPNSServer.withServer { apns in
            let provider = try await TestProvider.connect(
                port: apns.ports[0], tls: .init(authority: Array(apns.certificateAuthority.pem.utf8)))
            let token = try apns.providerToken()
            for body in [#"{"aps":{"badge":"1"}}"#, #"{"aps":{"alert":"Hello"}}"#, #"{"aps":{"badge":"2"}}"#] {
                _ = try await provider.push(TestPush("bearer " + token, body: body))
            }
            await provider.close()
            let findings = try await apns.lint()
            #expect(findings.map(\.rule) == ["badge-type", "alert-is-string"])
            #expect(findings.map(\.severity) == [.error, .note] && findings[0].severity > findings[1].severity)
            #expect(findings[0].pointer == "/aps/badge" && findings[0].count == 2)
            #expect(findings[0].firstSequence == 1 && findings[0].lastSequence == 3)
            #expect(findings[0].message.hasPrefix(#"/aps/badge is the string "1"; expected a number."#))
            #expect(
                findings[0].description
                    == "push 1: error: \(findings[0].message) (2 times, last in push 3) [badge-type]")
            #expect(findings[0].source.hasPrefix("Generating a remote notification"))
            #expect(try await apns.lint(severity: .warning) == [findings[0]])
            #expect(try await apns.lint(sequence: 2) == [findings[1]])
            #expect(try await apns.lint(rule: "badge-not-whole").isEmpty)
            await #expect(
                throws: MockAPNSServer.ControlError.malformed(#"rule is "bagde-type"; did you mean "badge-type"?"#)
            ) { try await apns.lint(rule: "bagde-type") }
            let verification = try await apns.verify(
                .lint(rule: "badge-type", severity: .error, count: 1), .lint(severity: .note, count: .between(1...2)),
                .lint(count: 0))
            #expect(verification.results.map(\.passed) == [true, true, false])
        }
    }

    @Test func whatAPersonReadsIsAsked() async throws {
        let german =
            #"{"apps": [{"topic": "com.example.app", "name": "Chess", "strings": {"de": {"WON": "Gewonnen"}}}]}"#
        try await MockAPNSServer.withServer(.init(scenario: .json(german))) { apns in
            let provider = try await TestProvider.connect(
                port: apns.ports[0], tls: .init(authority: Array(apns.certificateAuthority.pem.utf8)))
            let authorization = "bearer " + (try apns.providerToken())
            try await provider.push(
                TestPush(
                    authorization,
                    body: #"{"aps":{"alert":{"title-loc-key":"WON"},"interruption-level":"time-sensitive","badge":2}}"#)
            )
            try await provider.push(
                TestPush(
                    authorization,
                    [
                        (":path", "/3/device/" + String(repeating: "a1", count: 32)),
                        ("apns-topic", "com.example.app.push-type.liveactivity"), ("apns-push-type", "liveactivity"),
                    ],
                    body: #"{"aps":{"event":"update","timestamp":1,"content-state":{"score":"2-1"}}}"#))
            let shown = try #require(await apns.device(Self.alice)?.displayed.first?.shown)
            #expect(shown.app == "Chess" && shown.title == "Gewonnen" && shown.body == nil)
            #expect(shown.level == .timeSensitive && shown.badge == 2 && shown.notes.isEmpty && shown.actions.isEmpty)
            let activities = try #require(await apns.device(String(repeating: "a1", count: 32))?.activities)
            #expect(activities.map(\.event) == [.update] && activities[0].state?["score"] == "2-1")
            #expect(!activities[0].isStale && activities[0].ignored.isEmpty && activities[0].attributesType == nil)
            await provider.close()
        }
    }

    @Test func aFailedExpectationSaysWhatIsMissing() async throws {
        try await MockAPNSServer.withServer(.init(scenario: .json(Self.twoScores))) { apns in
            let failed = await apns.verify()
            #expect(!failed.passed)
            let error = try #require(throws: MockAPNSServer.ExpectationsFailed.self) { try failed.check() }
            #expect("\(error)".contains("FAILED  two scores"))
        }
    }

    @Test func requestsAreAwaited() async throws {
        try await MockAPNSServer.withServer { apns in
            async let waiting = apns.requests(matching: .token(Self.alice.uppercased()), count: 3, within: .patience)
            let provider = try await TestProvider.connect(port: apns.ports[0])
            for _ in 0..<3 { try await provider.push(TestPush("bearer " + (try apns.providerToken()))) }
            #expect(try await waiting.map(\.sequence) == [1, 2, 3])
            await provider.close()
        }
    }

    @Test func missingRequestsAreNamedWithTheNearest() async throws {
        try await MockAPNSServer.withServer { apns in
            let provider = try await TestProvider.connect(port: apns.ports[0])
            try await provider.push(TestPush("bearer " + (try apns.providerToken()), [("apns-priority", "7")]))
            let error = try await #require(throws: MockAPNSServer.RequestsMissing.self) {
                try await apns.requests(matching: .status(200), count: 2, within: .milliseconds(20))
            }
            let text = "\(error)"
            #expect(text.contains("2 requests with status 200 were expected within 0.02 seconds; 0 arrived."))
            let one = await #expect(throws: MockAPNSServer.RequestsMissing.self) {
                try await apns.requests(matching: .status(200), count: 1, within: .milliseconds(20))
            }
            #expect(one?.description.contains("1 request with status 200 was expected within") == true)
            #expect(text.contains(#"nearest: request 1: status is 400, not 200; BadPriority: apns-priority is "7""#))
            let request = try await apns.requests()[0]
            #expect("\(request)".hasPrefix(#"request 1: 400 BadPriority: apns-priority is "7""#))
            await provider.close()
        }
    }

    @Test("A wait in vain says what became of the provider's connection")
    func providersWithoutTLS() async throws {
        try await MockAPNSServer.withServer { apns in
            let provider = try await TestProvider.connect(to: apns, speech: .tcp, greeting: [22, 3, 1, 2, 0, 1])
            await provider.close()
            try await until { try await apns.verify(.connections(.atLeast(1))).passed }
            let error = await #expect(throws: MockAPNSServer.RequestsMissing.self) {
                try await apns.requests(count: 1, within: .milliseconds(1))
            }
            let why = "a provider has connected in vain: The client left the TLS handshake unfinished"
            #expect(error?.description.contains(why) == true, "\(error?.description ?? "")")
        }
    }

    @Test func aWaitEndsWithItsTask() async throws {
        try await MockAPNSServer.withServer { apns in
            let waiting = Task { try await apns.requests(count: 1, within: .seconds(3600)) }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            #expect(!apns.hasWaiters)
        }
    }

    @Test func aWaitEndsWithTheServer() async throws {
        let apns = try await MockAPNSServer.start()
        let waiting = Task { try await apns.requests(count: 1, within: .seconds(3600)) }
        try await apns.until { $0.hasWaiters }
        await apns.stop()
        await #expect(throws: MockAPNSServer.RequestsMissing.self) { try await waiting.value }
        await #expect(throws: MockAPNSServer.RequestsMissing.self) {
            try await apns.requests(count: 1, within: .seconds(3600))
        }
    }

    @Test func serversEndWhenTheirBodyThrows() async throws {
        struct Mine: Error {}
        var (port, authority) = (0, [UInt8]())
        await #expect(throws: Mine.self) {
            try await MockAPNSServer.withServer { apns in
                (port, authority) = (apns.ports[0], Array(apns.certificateAuthority.pem.utf8))
                #expect(await isServing(port: port, authority: authority))
                throw Mine()
            }
        }
        #expect(await !isServing(port: port, authority: authority))
    }

    @Test func theAdminListenerRunsDuringABody() async throws {
        try await MockAPNSServer.withServer { apns in
            try await apns.withAdmin { url in
                let address = try #require(URL(string: url + "/api/v1/summary"))
                let (data, _) = try await URLSession.shared.data(from: address)
                #expect(String(decoding: data, as: UTF8.self).hasPrefix("{"))
            }
        }
    }

    @Test func connectionsAreToldToGo() async throws {
        try await MockAPNSServer.withServer { apns in
            let provider = try await TestProvider.connect(port: apns.ports[0])
            try await provider.push(TestPush("bearer " + (try apns.providerToken())))
            #expect(try await apns.goAway() == [1])
            #expect(try await provider.framesUntilEnd().goAways == [.reason("Shutdown", lastStream: 1)])
        }
    }

    @Test func aScenarioComesFromAFile() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "mock apns \(UUID()).json")
        try Data(#"{"seed": 77}"#.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await MockAPNSServer.withServer(.init(scenario: .file(file))) { #expect($0.seed == 77) }
    }

    @Test func aScenarioIsOneThatIsBuiltIn() async throws {
        try await MockAPNSServer.withServer(.init(scenario: .story("tour"))) { apns in
            #expect(await apns.device("alice")?.isOnline == false)
            #expect(await apns.verify().results.map(\.name).contains("tried again until it worked"))
        }
        await #expect {
            try await MockAPNSServer.withServer(.init(scenario: .story("toru"))) { _ in }
        } throws: {
            "\($0)".contains("built-in scenario \"toru\"; did you mean \"tour\"?")
        }
    }

    /// In a process of their own, so that what other tests hold is not counted.
    @Test(.withoutSanitizer) func aThousandServersLeaveNothingBehind() async {
        await #expect(processExitsWith: .success) {
            try await LibraryTests.twentyServers()
            let before = LibraryTests.resources()
            for _ in 0..<50 { try await LibraryTests.twentyServers() }
            // The last sockets may close a moment later.
            try await until { LibraryTests.resources().descriptors <= before.descriptors }
            let after = LibraryTests.resources()
            #expect(after.threads <= before.threads + 2)
            // One that stayed would hold more than 100 KB.
            #expect(after.kilobytes < before.kilobytes + 80_000)
        }
    }

    /// Twenty servers at once, with a push to each.
    private static func twentyServers() async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    try await MockAPNSServer.withServer { apns in
                        let provider = try await TestProvider.connect(port: apns.ports[0])
                        try await provider.push(TestPush("bearer " + (try apns.providerToken())))
                        await provider.close()
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// What this process holds now; on systems without /proc nothing can be said.
    private static func resources() -> (descriptors: Int, threads: Int, kilobytes: Int) {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let resident = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (descriptors, threads, resident.flatMap { Int($0.filter(\.isNumber)) } ?? 0)
    }
}
