import MockAPNSTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

private let alice = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"

/// What a test says in Swift instead of JSON, by public names only.
@Suite(.mockAPNS(scenario: .json(#"{"clock": {"manual": "2026-01-01T00:00:00Z"}}"#)))
struct SaidInSwiftTests {
    @Test("Every outcome can be said, with what goes with it")
    func rules() throws {
        let apns = try MockAPNSServer.current
        let steps: [MockAPNSServer.Step] = [
            .pass, .reject(.tooManyRequests).retryAfter(.seconds(2)), .reject(.unregistered, timestamp: Date()),
            .reject(.badTopic, status: 499).delay(.milliseconds(250)),
            .respond(status: 500, headers: ["retry-after": "1"], body: ["reason": "Odd", "list": [1, 2.5, true]]),
            .stall.deliver(), .resetStream(.refusedStream, 99), .goAway(.shutdown),
            .goAway(.init(lastStream: .all), .init(text: "bye", errorCode: .enhanceYourCalm, then: .close)),
            .close(.reset), .outage(.serviceUnavailable, for: .seconds(60)).delay(uniform: .seconds(1) ... .seconds(2)),
            .hostile(.trailers).drip(bytes: 1, every: .milliseconds(10)),
            .pass.settings(maxConcurrentStreams: 1, for: .seconds(1)).device(.init(online: false)),
            .pass.delay(median: .milliseconds(40), p99: .seconds(2)),
        ]
        for step in steps { try apns.addRule(step, times: 1) }
        try apns.addRule(.tlsAlert(.certificateExpired), on: .connect)
        try apns.addRule(.serverCertificate(.otherName), .pass, on: .connect)
        try apns.addRule(.ignore, on: .ping)
        let name = try apns.addRule(
            .reject(.tooManyRequests), .pass, when: .token(alice).header("apns-topic", .prefix("com.")), name: "busy",
            counting: .init(skip: 1, every: 2, probability: 0.5, repetition: .cycle, countPer: .token))
        #expect(name == "busy")
        #expect(throws: MockAPNSServer.ControlError.self) { try apns.addRule(.pass, name: "busy") }
        try apns.removeRule(name)
    }

    @Test("What cannot be is told in the words of a scenario")
    func mistakes() async throws {
        let apns = try MockAPNSServer.current
        let step = #expect(throws: MockAPNSServer.ControlError.self) { try apns.addRule(.respond(status: 99)) }
        #expect(step?.description.contains("then.respond.status is 99; expected an HTTP status") == true)
        try apns.addDevice(.device(name: "alice", token: alice))
        let device = #expect(throws: MockAPNSServer.ControlError.self) {
            try apns.addRule(.pass, when: .device("alcie"))
        }
        #expect(device?.description.contains(#"did you mean "alice"?"#) == true)
        await #expect(throws: MockAPNSServer.ControlError.self) {
            try await apns.requests(matching: .payload("aps", "x"))
        }
        await #expect(throws: MockAPNSServer.ControlError.self) { try await apns.verify(.inOrder()) }
        #expect(throws: MockAPNSServer.ControlError.self) { try apns.addDevice(.device(token: "12")) }
    }

    @Test("A device is added, changed and asked for")
    func devices() async throws {
        let apns = try MockAPNSServer.current
        try apns.addDevice(.device(name: "alice", token: alice, topic: "com.example.app", online: false))
        var phone = MockAPNSServer.Device(name: "phone", token: String(alice.reversed()))
        phone.registered = .unregistered(at: Date(timeIntervalSince1970: 1_767_225_000), acceptFor: .seconds(1))
        phone.environment = .production
        phone.rate = .init(allowed: 1, per: .seconds(60))
        try apns.addDevice(phone)
        try apns.update(device: "alice", online: true, registered: false)
        let state = try #require(await apns.device("alice"))
        #expect(state.isOnline && !state.isRegistered && state.topics == ["com.example.app"])
        #expect(await apns.device("phone")?.isRegistered == false)
        try apns.removeDevice("alice")
        #expect(await apns.device("alice") == nil)
        #expect(throws: MockAPNSServer.ControlError.self) { try apns.removeDevice("alice") }
    }

    private static let bob = String(repeating: "b0", count: 32)

    @Test(
        "A scenario is said in Swift, with its timeline",
        .mockAPNS(
            scenario: .swift(
                .manualClock(from: Date(timeIntervalSince1970: 1_767_225_600)),
                .devices(.device(name: "alice", token: alice, online: false), .device(name: "bob", token: bob)),
                .rules(.rule(.reject(.tooManyRequests), .pass, when: .device("alice"), name: "busy")),
                .timeline(
                    .at(.seconds(60), do: .device("alice", online: true), .device("bob", registered: false)),
                    .at(
                        .seconds(120), do: .goAway(), .goAway(.init(lastStream: .all), .shutdown, connection: 2),
                        .close(.reset), .close(.end, connection: 1),
                        .settings(maxConcurrentStreams: 10, for: .seconds(5)), .key("ABC123DEFG", revoked: true),
                        .outage(.serviceUnavailable, for: .seconds(60)), .advance(by: .seconds(30))),
                    .after(.status(410), do: .advance(by: .seconds(1))),
                    .after(
                        .device("alice").reason(.tooManyRequests), count: 2, delay: .seconds(1),
                        do: .key("ABC123DEFG", revoked: false))),
                .expect(.requests(.rule("busy"), count: 0).named("no push was refused")),
                .member("unknownDevices", "reject"), .member("seed", 7))))
    func scenario() async throws {
        let apns = try MockAPNSServer.current
        #expect(apns.seed == 7)
        #expect(await apns.device("alice")?.isOnline == false)
        try await apns.advance(by: .seconds(60))
        #expect(await apns.device("alice")?.isOnline == true)
        #expect(await apns.device("bob")?.isRegistered == false)
        try await apns.advance(by: .seconds(3600))
        #expect(await apns.verify().results.map(\.name) == ["no push was refused"])
    }

    @Test("A mistake of a scenario that is said in Swift is told with its line and its path")
    func scenarioMistakes() async throws {
        let source: MockAPNSServer.ScenarioSource = .swift(
            .timeline(.at(.seconds(1), do: .device("alcie", online: true))),
            .devices(.device(name: "alice", token: alice)))
        let line = #line - 3
        let error = await #expect(throws: MockAPNSServer.StartError.self) {
            try await MockAPNSServer.withServer(.init(scenario: source)) { _ in }
        }
        #expect(
            error?.description.hasPrefix(
                "ConsumerTests/SaidInSwiftTests.swift:\(line): scenario: timeline[0].do.device is \"alcie\"") == true)
        #expect(error?.description.hasSuffix("did you mean \"alice\"?") == true, "\(error?.description ?? "")")
    }

    @Test("Expectations are judged, in Swift or those of the scenario")
    func expectations() async throws {
        let apns = try MockAPNSServer.current
        try apns.addDevice(.device(name: "alice", token: alice))
        let verification = try await apns.verify(
            .requests(.status(200), count: 0), .requests(count: .atMost(1), distinct: "apnsID", each: .token),
            .inOrder(.status(429), .status(200), each: .device), .spacing(.device("alice"), atLeast: .seconds(1)),
            .spacing(.all, atLeast: [.seconds(1), .seconds(2)], each: .token),
            .connectionSpacing(atLeast: .milliseconds(100)),
            .device("alice", displayed: [], badge: 0, stored: 0, received: .atLeast(0)),
            .history(of: "alice", [.woke: 0, .shown: 0]),
            .connections(0), .providerTokens(.between(0...1)), .pings(.exactly(0)),
            .lint(severity: .warning, count: 0), .lint(rule: "badge-type", count: .atMost(1)),
            .nothingElse.named("and nothing else"))
        #expect(verification.results.count == 14)
        let nothing = "0 lint findings, as there was no push to judge"
        #expect(verification.results[11...12].map(\.seen) == [nothing, nothing])
        let error = await #expect(throws: MockAPNSServer.ControlError.self) {
            try await apns.verify(.requests(.device("alcie"), count: 1))
        }
        #expect(error?.description.hasPrefix("expect[0].requests.device is \"alcie\"") == true)
        let lacking = verification.results.filter { $0.seen.hasPrefix("nothing to judge: ") }
        #expect(lacking.map(\.passed) == [false, false, false, false, false])
        let allowed = try await apns.verify(
            .requests(count: 1, each: .token, orNone: true), .inOrder(.status(200), orNone: true),
            .spacing(.all, atMost: .seconds(1), each: .device, orNone: true),
            .spacing(.all, atLeast: [.seconds(1)], orNone: true), .connectionSpacing(atLeast: .seconds(1), orNone: true)
        )
        #expect(allowed.passed)
        #expect(try await apns.lint(severity: .note).isEmpty)
        let unknown = await #expect(throws: MockAPNSServer.ControlError.self) {
            try await apns.lint(rule: "bagde-type")
        }
        #expect(unknown?.description.hasSuffix("did you mean \"badge-type\"?") == true)
        let failed = try await apns.verify(.requests(.status(200), count: 2).named("two"))
        #expect(!failed.passed && failed.results.map(\.name) == ["two"])
        #expect(await apns.verify().results.isEmpty)
    }

    @Test("Times are dates and durations")
    func times() async throws {
        let apns = try MockAPNSServer.current
        #expect(!(try apns.providerToken(issuedAt: Date(timeIntervalSinceNow: -4000))).isEmpty)
        try await apns.advance(by: .seconds(60))
        #expect(try await apns.goAway(.init(.idleTimeout)).isEmpty)
        #expect(try await apns.limitStreams(to: 1, for: .seconds(1)).isEmpty)
        #expect(await apns.close(.all).isEmpty)
    }
}

/// Without the trait there is no server.
@Suite struct NoServerTests {
    @Test func whoAsksIsTold() {
        #expect(throws: NoServer.self) { try MockAPNSServer.current }
    }
}
