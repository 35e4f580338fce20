import TestClients
import TestSupport
import Testing

@testable import MockAPNS

/// Nothing follows a GOAWAY that could have gone before it: Python's h2 takes any frame behind it for an error, and loses
/// its reason.
@Suite struct GoAwayOrderTests {
    private func play(
        _ rules: String, initialStreams: Int? = nil, _ body: (MockAPNSServer, TestPush) async throws -> Void
    ) async throws {
        try await withServer {
            $0.initialStreams = initialStreams ?? $0.initialStreams
            $0.play(#"{"rules": [\#(rules)]}"#)
        } _: { server in
            try await body(server, TestPush(try server.authorization()))
        }
    }

    /// What a connection hears until it ends, but for its first SETTINGS and the acknowledgements of ``TestProvider/raw``.
    private func heard(_ provider: TestProvider) async throws -> [RawFrame.Kind?] {
        _ = try await provider.framesUntilEnd()
        return try await provider.story.dropFirst().map(\.kind)
    }

    @Test(arguments: ["drain", "close"], ["this", "all", "previous", "zero"])
    func onAConnectionsFirstPush(then: String, lastStream: String) async throws {
        try await play(#"{"then": {"goAway": {"lastStream": "\#(lastStream)", "then": "\#(then)"}}}"#) { server, push in
            let provider = try await TestProvider.raw(to: server)
            try await provider.send(push.frames(on: 1))
            let isAnswered = lastStream == "this" || lastStream == "all"
            // The push shows who sends it, so the limit of streams rises; then its answer.
            #expect(try await heard(provider) == (isAnswered ? [.settings, .headers, .goAway] : [.settings, .goAway]))
        }
    }

    @Test func ofABatch() async throws {
        let rule = #"{"times": 1, "then": {"goAway": {"lastStream": "all"}, "settings": {"maxConcurrentStreams": 9}}}"#
        try await play(rule, initialStreams: 1000) { server, push in
            let provider = try await TestProvider.raw(to: server)
            try await provider.send([1, 3, 5].flatMap { push.frames(on: $0) })
            let story = try await heard(provider)
            #expect(story == [.settings, .headers, .headers, .headers, .goAway])
        }
    }

    @Test func afterADelay() async throws {
        try await play(#"{"then": {"goAway": {}, "delay": "10ms"}}"#) { server, push in
            let provider = try await TestProvider.raw(to: server)
            try await provider.send(push.frames(on: 1))
            #expect(try await heard(provider) == [.settings, .headers, .goAway])
        }
    }

    @Test func whenTheAnswerLeavesInDrops() async throws {
        try await play(#"{"then": {"goAway": {}, "drip": {"bytes": 10, "every": "1ms"}}}"#) { server, push in
            let provider = try await TestProvider.raw(to: server)
            try await provider.send(push.frames(on: 1))
            #expect(try await heard(provider) == [.settings, .headers, .goAway])
        }
    }

    @Test func temporaryLimitsStayAfterAGoAway() async throws {
        let limit = #""settings": {"maxConcurrentStreams": 3, "for": "20ms"}"#
        let rules =
            #"{"countPer": "connection", "then": [{"pass": true, \#(limit)}, {"goAway": {"then": "stayOpen"}}]}"#
        try await play(rules, initialStreams: 1000) { server, push in
            let first = try await TestProvider.raw(to: server)
            try await first.send([1, 3].flatMap { push.frames(on: $0) })
            try await first.wait { $0.frames.goAways.isEmpty ? nil : true }
            // On another connection it is put back, and that is due later.
            let second = try await TestProvider.raw(to: server)
            _ = try await second.exchange(push, on: 1)
            try await second.wait { $0.frames.streamLimits == [1000, 3, 1000] ? true : nil }
            try await first.ping()
            let frames = try await first.frames
            #expect(frames.streamLimits == [1000, 3])
            #expect(frames.drop { $0.kind != .goAway }.map(\.kind) == [.goAway, .ping])
            for provider in [first, second] { await provider.close() }
        }
    }

    @Test(arguments: ["drain", "close"])
    func aGoAwayInsteadOfSettingsStandsAlone(then: String) async throws {
        let rule = #"{"when": {"on": "connect"}, "then": {"goAway": {"beforeSettings": true, "then": "\#(then)"}}}"#
        try await play(rule) { server, push in
            let provider = try await TestProvider.connect(
                to: server, speech: .tls,
                greeting: RawFrame.preface + RawFrame.settings().bytes + push.frames(on: 1).bytes)
            #expect(try await provider.framesUntilEnd().map(\.kind) == [.goAway])
            #expect(try await provider.end() == (true, false))
            #expect(try server.records.map(\.outcome) == ["ignored"])
        }
    }
}
