import TestClients
import Testing

@testable import MockAPNSTransport

/// Answers that cannot be sent, and what a client does not acknowledge or read: the session reports and bounds it.
@Suite struct AnswerFaultTests {
    private static func block(_ fields: [(name: String, value: String)], status: Int = 200) -> FieldBlock {
        var block = FieldBlock(status: status)
        for field in fields { block.append(Array(field.name.utf8).span, Array(field.value.utf8).span) }
        return block
    }

    private static let long = String(repeating: "v", count: 65_536)

    /// Answers that nghttp2 refuses when it is to send them, or that have no place in a block at all.
    static let unsendable: [(name: String, block: FieldBlock)] = [
        ("ten values", block((0..<10).map { ("x-\($0)", String(repeating: "v", count: 8000)) })),
        ("a long name", block([(String(repeating: "x", count: 65_536), "1")])),
        ("a long value", block([("x", long)])),
        ("a status of two digits", block([], status: 99)),
        ("a status of four digits", block([("x", "1")], status: 1000)),
    ]

    @Test(arguments: unsendable.indices, [nil, Array("body".utf8)])
    func unsendableAnswersResetTheirStreams(index: Int, body: [UInt8]?) throws {
        let server = TestServer(answers: false)
        server.shakeHands()
        #expect(server.exchange([.headers(1), .headers(3)]).isEmpty)
        var shaped = AnswerShape()
        shaped.body = .split
        server.session.respond(to: 1, fields: Self.unsendable[index].block, body: body)
        server.session.respond(to: 3, fields: Self.unsendable[index].block, body: body, shape: shaped)
        let frames = server.exchange([])
        #expect(frames.map(\.kind) == [.reset, .reset])
        #expect(frames.resets(of: 1) == [2] && frames.resets(of: 3) == [2])
        #expect(server.session.hasAnswerFaults)
        let faults = server.session.takeAnswerFaults()
        #expect(faults.map(\.stream) == [1, 3])
        for fault in faults {
            guard case .refused(let reason) = fault.kind else {
                Issue.record("\(fault)")
                continue
            }
            #expect(!reason.isEmpty)
        }
        #expect(!server.session.hasAnswerFaults)
        #expect(server.session.openStreams == 0)
        // The connection goes on, and its compression table is that of the client.
        let arrivals = server.arrivals.count
        _ = server.exchange([.headers(5)])
        try #require(server.arrivals.count == arrivals + 1)
        server.answer(server.arrivals[arrivals])
        let answer = server.exchange([])
        #expect(answer.map(\.kind) == [.headers])
        #expect((try? FieldDecoder().decode(answer[0].payload, atMost: 1 << 16))?.first?.value == "200")
    }

    @Test func aBlockLackingFieldsIsWholeAfterReset() {
        var block = Self.block([("x", Self.long)])
        #expect(block.lacksFields && block.count == 1)
        block.reset(status: 200)
        #expect(!block.lacksFields)
        block.append(Array("x".utf8).span, Array(Self.long.utf8.dropLast()).span)
        #expect(!block.lacksFields && block.count == 2)
    }

    @Test func answeringACancelledStreamIsNoFault() {
        let server = TestServer(answers: false)
        server.shakeHands()
        _ = server.exchange([.headers(1)])
        server.session.respond(to: 1, fields: Self.block([]))
        server.receive(RawFrame.reset(1).bytes)
        _ = server.output()
        #expect(!server.session.hasAnswerFaults)
    }

    // MARK: SETTINGS

    private static let most = HTTP2Session.unacknowledgedSettingsLimit

    private static func flood(_ server: TestServer, _ streams: some Sequence<Int>) -> [RawFrame] {
        var frames: [RawFrame] = []
        for stream in streams {
            server.receive(RawFrame.headers(Int32(stream)).bytes)
            var shape = AnswerShape()
            shape.settingsFrames = 100
            server.session.respond(to: Int32(stream), fields: block([]), shape: shape)
            frames += server.exchange([])
        }
        return frames
    }

    @Test func unacknowledgedSettingsAreBounded() {
        let server = TestServer(answers: false)
        server.shakeHands(acknowledges: false)
        let streams = stride(from: 1, to: 800, by: 2)
        let frames = Self.flood(server, streams)
        // The first SETTINGS of the connection is not acknowledged either.
        let floods = (Self.most - 1) / 100
        #expect(frames.of(.settings).count == floods * 100)
        #expect(frames.of(.headers).map(\.stream) == streams.map { Int32($0) })
        let faults = server.session.takeAnswerFaults()
        #expect(faults.map(\.stream) == streams.dropFirst(floods).map { Int32($0) })
        #expect(faults.allSatisfy { $0.kind == .settingsLeftOut })
        // Once they are acknowledged, it goes on.
        _ = server.exchange(Array(repeating: .settingsAcknowledgement, count: floods * 100 + 1))
        #expect(Self.flood(server, [801]).of(.settings).count == 100)
        #expect(!server.session.hasAnswerFaults)
    }

    @Test func aClientThatAcknowledgesGetsEveryFlood() {
        let server = TestServer(answers: false)
        server.shakeHands()
        for stream in stride(from: 1, to: 800, by: 2) {
            let settings = Self.flood(server, [stream]).of(.settings)
            #expect(settings.count == 100)
            _ = server.exchange(settings.map { _ in .settingsAcknowledgement })
        }
        #expect(!server.session.hasAnswerFaults)
    }

    @Test func aStreamLimitWaitsForAcknowledgements() {
        let server = TestServer(streams: 1000, answers: false)
        server.shakeHands(acknowledges: false)
        for limit in 1...3 * Self.most { server.session.announce(maxConcurrentStreams: limit) }
        let limits = server.exchange([]).announced
        #expect(limits.count == Self.most - 1)
        #expect(limits.last == UInt32(Self.most - 1))
        #expect(server.session.maxConcurrentStreams == 3 * Self.most)
        server.session.announce(maxConcurrentStreams: 7)
        #expect(server.exchange([]).isEmpty)
        #expect(server.exchange([.settingsAcknowledgement]).announced == [7])
        #expect(server.session.maxConcurrentStreams == 7)
        #expect(server.exchange([.settingsAcknowledgement]).isEmpty)
    }

    @Test func aPendingLowerStreamLimitAppliesAtOnce() {
        let server = TestServer(streams: 1000, answers: false)
        server.shakeHands()
        for _ in 1...Self.most { server.session.announce(maxConcurrentStreams: 1000) }
        _ = server.exchange([])
        server.session.announce(maxConcurrentStreams: 1)
        #expect(server.exchange([.headers(1), .headers(3)]).resets(of: 3) == [7])
    }

    // MARK: GOAWAY

    @Test(arguments: [16_375, 16_376, 16_377, 1 << 24])
    func goAwayTextFitsIntoAFrame(count: Int) {
        let server = TestServer()
        server.shakeHands()
        server.session.goAway(lastStream: 0, errorCode: 0, debugData: Array(repeating: 0x74, count: count))
        let frames = server.exchange([])
        #expect(frames.map(\.kind) == [.goAway])
        #expect(frames[0].payload.count == 8 + min(count, 16_376))
    }

    @Test func goAwaysThatWaitAreBounded() {
        let server = TestServer()
        server.shakeHands()
        let text = [UInt8](repeating: 0x74, count: 16_376)
        for _ in 0..<10_000 { server.session.goAway(lastStream: .max, errorCode: 0, debugData: text) }
        #expect(server.session.goAways.count <= 1 << 21 + 16_393)
        let frames = server.exchange([])
        #expect(frames.count >= 100)
        #expect(frames.count == server.session.counters.goAwaysSent)
    }

    @Test func aLongPseudoFieldIsNotRepeatedWhole() throws {
        let server = TestServer()
        server.shakeHands()
        let name = ":" + String(repeating: "x", count: 15_000)
        let frames = server.exchange([.headers(1, RawFrame.push + [(name, "1")])])
        let goAway = try #require(frames.of(.goAway).first)
        #expect(goAway.payload.count < 2000)
    }
}

extension [RawFrame] {
    /// The limits of streams in SETTINGS frames, whose second entry they are.
    fileprivate var announced: [UInt32] {
        of(.settings).filter { $0.flags == 0 }.map { RawFrame.value($0.payload[8..<12]) }
    }
}
