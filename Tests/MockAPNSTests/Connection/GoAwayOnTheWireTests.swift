import MockAPNSCore
import TestClients
import TestSupport
import Testing

@testable import MockAPNS
@testable import MockAPNSScenario

/// GOAWAY of every shape that was seen from APNs, as the very frames.
@Suite struct GoAwayOnTheWireTests {
    /// A value of the step `goAway`, as a scenario or the API holds it.
    static func plan(_ text: String) throws -> GoAwayPlan {
        let (plan, mistakes) = Scenario().goAway(from: try JSONText.read(Array(text.utf8)))
        #expect(mistakes.isEmpty)
        return try #require(plan)
    }

    /// A connection on which streams 1 and 3 were answered and 5 and 7 are half sent.
    private func withOpenStreams(
        _ body: (TestProvider, MockAPNSServer, TestPush) async throws -> Void
    ) async throws {
        try await withServer { server in
            let push = TestPush(try server.authorization())
            let provider = try await TestProvider.raw(to: server)
            _ = try await provider.exchange(push, on: 1)
            _ = try await provider.exchange(push, on: 3)
            try await provider.send([.headers(5, push.fields, ends: false), .headers(7, push.fields, ends: false)])
            try await provider.ping()
            try await body(provider, server, push)
            await provider.close()
        }
    }

    // MARK: The frame

    static let frames: [(String, [TestClients.GoAway])] = [
        (#"{"reason": "Shutdown"}"#, [.reason("Shutdown", lastStream: 3)]),
        ("{}", [GoAway(lastStream: 3, errorCode: 0, text: "")]),
        (
            #"{"text": "Maximum active streams violated for this endpoint.", "errorCode": "REFUSED_STREAM"}"#,
            [GoAway(lastStream: 3, errorCode: 7, text: "Maximum active streams violated for this endpoint.")]
        ),
        (
            #"{"text": "Stream 5 does not exist", "errorCode": "PROTOCOL_ERROR"}"#,
            [GoAway(lastStream: 3, errorCode: 1, text: "Stream 5 does not exist")]
        ),
        (#"{"errorCode": 1234, "lastStream": "zero"}"#, [GoAway(lastStream: 0, errorCode: 1234, text: "")]),
        (
            #"{"reason": "BadCertificate", "lastStream": "previous"}"#,
            [.reason("BadCertificate", lastStream: 1)]
        ),
        (#"{"reason": "Shutdown", "lastStream": "all"}"#, [.reason("Shutdown", lastStream: .max)]),
        (
            #"[{"reason": "Shutdown"}, {"lastStream": "previous", "then": "stayOpen"}]"#,
            [.reason("Shutdown", lastStream: 3), GoAway(lastStream: 1, errorCode: 0, text: "")]
        ),
    ]

    @Test(arguments: frames.indices)
    func itCarriesWhatItIsTold(index: Int) async throws {
        let (text, expected) = Self.frames[index]
        try await withOpenStreams { provider, server, _ in
            #expect(await server.goAway(plan: try Self.plan(text), to: .connection(id: 1)) == [1])
            try await provider.wait { $0.frames.goAways.count == expected.count ? true : nil }
            #expect(try await provider.frames.goAways == expected)
            #expect(await server.connections().first?.counters.goAwaysSent == expected.count)
        }
    }

    // MARK: What follows

    @Test func stayOpenIgnoresLaterStreamsForEver() async throws {
        try await withOpenStreams { provider, server, push in
            await server.goAway(plan: try Self.plan(#"{"reason": "Shutdown", "then": "stayOpen"}"#), to: .all)
            // Half sent ones are above the last stream too, and so is whatever comes now; PING is acknowledged.
            try await provider.send([.data(5, push.body!), .data(7, push.body!)])
            for stream: Int32 in [9, 11] { try await provider.send(push.frames(on: stream)) }
            try await provider.ping()
            try await provider.ping()
            let frames = try await provider.frames
            #expect(frames.of(.headers).map(\.stream) == [1, 3])
            #expect(frames.of(.reset).isEmpty)
            #expect(frames.goAways.count == 1)
            #expect(try server.records.map(\.stream).sorted() == [1, 3, 5, 7, 9, 11])
            #expect(try server.records.suffix(4).allSatisfy { $0.outcome == "ignored" && $0.status == nil })
            #expect(server.connection(1)?.closedAt == nil)
        }
    }

    @Test func drainAnswersThroughTheLastStreamThenEnds() async throws {
        try await withOpenStreams { provider, server, push in
            await server.goAway(
                plan: try Self.plan(#"{"reason": "Shutdown", "lastStream": "all"}"#), to: .connection(id: 1))
            try await provider.send([.data(7, push.body!), .data(5, push.body!)])
            let frames = try await provider.framesUntilEnd()
            #expect(frames.of(.headers).map(\.stream) == [1, 3, 7, 5])
            #expect(try await provider.end() == (true, false))
            #expect(try await server.closer(of: 1) == .goAway)
        }
    }

    @Test func drainEndsImmediatelyWithOnlyHigherStreamsOpen() async throws {
        try await withOpenStreams { provider, server, push in
            await server.goAway(
                plan: try Self.plan(#"{"reason": "Shutdown", "lastStream": "zero"}"#), to: .connection(id: 1))
            let frames = try await provider.framesUntilEnd()
            #expect(frames.of(.headers).map(\.stream) == [1, 3])
            #expect(try await provider.end() == (true, false))
            #expect(try await server.closer(of: 1) == .goAway)
            #expect(try server.records.map(\.outcome) == ["responded", "responded", "ignored", "ignored"])
        }
    }

    @Test func closeEndsAtOnceWhateverIsOpen() async throws {
        try await withOpenStreams { provider, server, _ in
            let text =
                #"{"text": "Maximum active streams violated for this endpoint.", "errorCode": 7, "then": "close"}"#
            await server.goAway(plan: try Self.plan(text), to: .connection(id: 1))
            let frames = try await provider.framesUntilEnd()
            #expect(frames.last?.kind == .goAway)
            #expect(try await provider.end() == (true, false))
            #expect(try await server.closer(of: 1) == .goAway)
        }
    }

    @Test func aSecondGoAwayLowersTheLastStream() async throws {
        try await withOpenStreams { provider, server, push in
            await server.goAway(
                plan: try Self.plan(#"{"reason": "Shutdown", "lastStream": "all", "then": "stayOpen"}"#), to: .all)
            try await provider.send([.data(5, push.body!)])
            #expect(try await provider.framesOfEnded(5).map(\.kind) == [.headers])
            await server.goAway(plan: try Self.plan(#"{"then": "stayOpen"}"#), to: .all)
            try await provider.send([.data(7, push.body!)])
            try await provider.send(push.frames(on: 9))
            try await provider.ping()
            let frames = try await provider.frames
            #expect(frames.goAways.map(\.lastStream) == [.max, 5])
            #expect(frames.of(.headers).map(\.stream) == [1, 3, 5])
            #expect(
                try server.records.map(\.outcome) == Array(repeating: "responded", count: 3) + ["ignored", "ignored"])
        }
    }

    @Test func aGoAwayMidBatchStopsHigherStreams() async throws {
        try await withServer { server in
            let push = TestPush(try server.authorization())
            let provider = try await TestProvider.raw(to: server)
            _ = try await provider.exchange(push, on: 1)
            // Thirty pushes are half sent when it comes; then all bodies come in one write.
            let streams = stride(from: Int32(3), to: 63, by: 2)
            try await provider.send(streams.prefix(15).flatMap { push.frames(on: $0) })
            try await provider.send(streams.dropFirst(15).map { .headers($0, push.fields, ends: false) })
            try await provider.ping()
            await server.goAway(
                plan: try Self.plan(#"{"reason": "Shutdown", "then": "stayOpen"}"#), to: .connection(id: 1))
            try await provider.send(streams.dropFirst(15).map { .data($0, push.body!) })
            try await provider.ping()
            let frames = try await provider.frames
            let last = try #require(frames.goAways.first).lastStream
            #expect(last == 31)
            #expect(frames.of(.headers).map(\.stream).max() == last)
            #expect(frames.of(.headers).count == 16)
            #expect(try server.records.count { $0.outcome == "ignored" } == 15)
            #expect(try server.records.allSatisfy { ($0.outcome == "responded") == ($0.stream <= last) })
        }
    }

    @Test func itIsForOneConnectionOrForAll() async throws {
        try await withServer { server in
            let first = try await TestProvider.raw(to: server)
            let second = try await TestProvider.raw(to: server)
            #expect(try await server.goAway(.shutdown, to: .connection(id: 2)) == [2])
            #expect(try await second.framesUntilEnd().goAways == [.reason("Shutdown", lastStream: 0)])
            #expect(try await server.goAway(.shutdown, to: .connection(id: 7)) == [])
            #expect(try await server.closer(of: 2) == .goAway)
            #expect(try await server.goAway(.shutdown, to: .all) == [1])
            #expect(try await first.framesUntilEnd().goAways.count == 1)
            #expect(try await server.closer(of: 1) == .goAway)
            #expect(try await server.goAway(.shutdown, to: .all) == [])
        }
    }

    // MARK: By itself

    @Test(arguments: [
        RawFrame.data(5, [1]), RawFrame.reset(5), RawFrame(.windowUpdate, stream: 5, RawFrame.integer(1)),
    ])
    func framesOnNonexistentStreamsEndTheConnection(frame: RawFrame) async throws {
        try await withServer { server in
            let provider = try await TestProvider.raw(to: server)
            _ = try await provider.exchange(TestPush(server.authorization()), on: 1)
            try await provider.send([frame])
            let frames = try await provider.framesUntilEnd()
            #expect(frames.goAways == [GoAway(lastStream: .max, errorCode: 1, text: "Stream 5 does not exist")])
            #expect(try await provider.end() == (true, false))
            #expect(try await server.closer(of: 1) == .fault)
        }
    }

    @Test func pseudoHeadersAfterRegularOnesEndTheConnection() async throws {
        try await withServer { server in
            let provider = try await TestProvider.raw(to: server)
            var fields = TestPush(try server.authorization()).fields
            fields.append(fields.removeFirst())
            try await provider.send([.headers(1, fields)])
            let frames = try await provider.framesUntilEnd()
            let text = "Pseudo-header field ':method' found after regular header."
            #expect(frames.goAways == [GoAway(lastStream: .max, errorCode: 1, text: text)])
            #expect(try await provider.end() == (true, false))
        }
    }
}
