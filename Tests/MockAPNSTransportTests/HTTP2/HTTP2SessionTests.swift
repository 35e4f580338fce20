import TestClients
import Testing

@testable import MockAPNSTransport

@Suite struct HTTP2SessionTests {
    @Test func settingsAreSentFirst() {
        var bytes = TestServer(streams: 1).output()
        let expected = RawFrame.settings([(1, 4096), (3, 1), (4, 65_535), (5, 16_384), (6, 8000)])
        #expect(RawFrame.take(from: &bytes) == [expected])
        #expect(bytes.isEmpty)
    }

    @Test func aPushIsReceivedAndAnswered() {
        let (client, server) = (TestHTTP2Client(), TestServer())
        let fields = RawFrame.push + [("apns-id", "x"), ("apns-id", "y")]
        let stream = client.request(fields, body: Array("{}".utf8))
        converse(client, server)
        #expect(server.arrivals.map(\.stream) == [stream])
        #expect(server.arrivals[0].fields == fields.map { [$0.0, $0.1] })
        #expect(server.arrivals[0].body == Array("{}".utf8))
        #expect(server.arrivals[0].fault == nil)
        #expect(client.responses[stream]?.status == "200")
        #expect(client.responses[stream]?.isEnded == true)
        #expect(client.frames.filter { $0.stream == stream }.map(\.type) == [1])
        #expect(client.frames.last?.flags == RawFrame.endStream | RawFrame.endHeaders)
        #expect(server.session.openStreams == 0)
    }

    @Test func anErrorIsOneDataFrame() {
        let (client, server) = (TestHTTP2Client(), TestServer())
        let stream = client.request([(":method", "POST"), (":scheme", "https"), (":path", "/"), ("host", "localhost")])
        converse(client, server)
        #expect(client.responses[stream]?.text == #"{"reason":"BadPath"}"#)
        let frames = client.frames.filter { $0.stream == stream }
        #expect(frames.map(\.type) == [1, 0])
        #expect(frames.map { $0.flags & RawFrame.endStream } == [0, 1])
    }

    @Test func answersThatDifferEachTimeAreNeverIndexed() {
        let server = TestServer()
        server.shakeHands()
        let frames = server.exchange([.headers(1), .headers(3)])
        // :status 200 is entry 8 of the static table; a literal never indexed begins with 0x10.
        #expect(frames.count == 2)
        for frame in frames { #expect(Array(frame.payload.prefix(2)) == [0x88, 0x10]) }
        #expect(frames[0].payload == frames[1].payload)
    }

    @Test func aBodyWaitsForTheClientsWindow() {
        let server = TestServer()
        server.receive(RawFrame.preface + RawFrame.settings([(4, 5)]).bytes + RawFrame.settingsAcknowledgement.bytes)
        _ = server.output()
        var frames = server.exchange([
            .headers(1, [(":method", "GET"), (":scheme", "https"), (":path", "/"), ("host", "x")])
        ])
        #expect(frames.map(\.payload.count).last == 5)
        #expect(server.session.openStreams == 1)
        frames += server.exchange([RawFrame(.windowUpdate, stream: 1, RawFrame.integer(100))])
        #expect(String(decoding: frames.of(.data).flatMap(\.payload), as: UTF8.self) == #"{"reason":"BadPath"}"#)
        #expect(frames.last?.flags == RawFrame.endStream)
        #expect(server.session.openStreams == 0)
    }

    @Test(arguments: [0, 1, 5120, 5121, 5122, 70_000, 200_000])
    func bodyStorageIsLimitedButLengthIsCounted(length: Int) {
        let (client, server) = (TestHTTP2Client(), TestServer())
        let body = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        client.request(body: body)
        client.request(body: [1])
        converse(client, server)
        let arrival = server.arrivals.first { $0.stream == 1 }
        #expect(arrival?.bodyLength == length)
        #expect(arrival?.body == Array(body.prefix(5121)))
        #expect(server.arrivals.count == 2)
    }

    @Test func withheldWindowStopsBodiesUntilReleased() {
        let (client, server) = (TestHTTP2Client(), TestServer())
        server.session.consumesBodies = false
        client.request(body: [UInt8](repeating: 7, count: 100_000))
        converse(client, server)
        #expect(server.arrivals.isEmpty)
        server.session.consumesBodies = true
        client.ping()
        converse(client, server)
        #expect(server.arrivals.map(\.bodyLength) == [100_000])
    }

    @Test(arguments: [[(":method", "CONNECT"), (":authority", "x")], [(":authority", "x"), (":method", "CONNECT")]])
    func connectIsWholeWithoutItsEnd(fields: [(String, String)]) {
        let server = TestServer()
        server.shakeHands()
        let frames = server.exchange([.headers(1, fields, ends: false)])
        #expect(server.arrivals.map(\.stream) == [1])
        // Answered, and told that there is no tunnel to send into.
        #expect(frames.map(\.kind) == [.headers, .data, .reset])
        #expect(frames.resets(of: 1) == [0])
        #expect(server.session.openStreams == 0)
        #expect(server.exchange([.data(1, [1, 2, 3]), .headers(3)]).map(\.stream) == [3])
        #expect(server.exchange([.headers(5, fields)]).map(\.kind) == [.headers, .data])
        #expect(server.arrivals.map(\.fault) == [nil, nil, nil])
    }

    @Test func rawValuesArriveAsTheyAre() {
        let server = TestServer()
        server.shakeHands()
        let odd = [
            ("apns-priority", " 5"), ("apns-collapse-id", "a\u{1}b"), ("apns-topic", "x "), ("apns-id", "a\tb"),
            ("empty", ""),
        ]
        _ = server.exchange([.headers(1, Array(RawFrame.push.prefix(4)) + odd)])
        #expect(server.arrivals.first?.fields.dropFirst(4) == ArraySlice(odd.map { [$0.0, $0.1] }))
        #expect(server.arrivals.first?.fault == nil)
    }

    @Test func trailersAreNotHeaderFields() {
        let server = TestServer()
        server.shakeHands()
        _ = server.exchange([.headers(1, ends: false), .data(1, [1, 2], ends: false), .headers(1, [("late", "1")])])
        #expect(server.arrivals.map(\.fields) == [RawFrame.push.map { [$0.0, $0.1] }])
        #expect(server.arrivals.map(\.body) == [[1, 2]])
    }

    @Test(arguments: [(7999, "200"), (8000, "200"), (8001, "431"), (40_000, "431")])
    func headerListsHaveALimit(size: Int, status: String) {
        let (client, server) = (TestHTTP2Client(), TestServer())
        let base = RawFrame.push.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count + 32 }
        let long = ("x", String(repeating: "y", count: size - base - 33))
        let stream = client.request(RawFrame.push + [long])
        let next = client.request()
        converse(client, server)
        #expect(client.responses[stream]?.status == status)
        #expect(client.responses[stream]?.isEnded == true)
        #expect(client.responses[next]?.status == "200")
        #expect(server.arrivals[0].fault == (status == "431" ? .headerListTooLarge : nil))
        #expect(client.frames.resets(of: stream) == [])
    }

    @Test func oversizedHeadersBeforeBodiesAreAnsweredThenReset() {
        let server = TestServer()
        server.shakeHands()
        let frames = server.exchange([
            .headers(1, RawFrame.push + [("x", String(repeating: "y", count: 9000))], ends: false)
        ])
        #expect(frames.map(\.type) == [1, 3])
        #expect(frames[0].flags & RawFrame.endStream == 1)
        #expect(frames.resets(of: 1) == [0])
        #expect(server.exchange([.data(1, [1]), .headers(3)]).map(\.stream) == [3])
        #expect(server.session.openStreams == 0)
    }

    @Test func pingIsAcknowledgedAndPriorityIgnored() {
        let server = TestServer()
        server.shakeHands()
        let ping = RawFrame(.ping, [1, 2, 3, 4, 5, 6, 7, 8])
        let priority = RawFrame(.priority, stream: 5, [0, 0, 0, 1, 7])
        var withPriority = RawFrame.headers(7)
        withPriority.flags |= 0x20
        withPriority.payload = [0, 0, 0, 5, 255] + withPriority.payload
        let frames = server.exchange([ping, priority, withPriority])
        #expect(frames.of(.ping).map(\.payload) == [ping.payload])
        #expect(frames.of(.ping).map(\.flags) == [RawFrame.acknowledgement])
        #expect(server.arrivals.map(\.stream) == [7])
        #expect(server.session.counters.pings == 1)
    }

    @Test func countersTellWhatHappened() {
        let server = TestServer(streams: 1)
        server.shakeHands()
        _ = server.exchange([
            .headers(1, ends: false), .headers(3), RawFrame(.ping, Array(repeating: 0, count: 8)), .reset(1),
            .settings([(3, 77), (4, 70_000)]), RawFrame(.goAway, RawFrame.integer(0) + RawFrame.integer(5)),
        ])
        let counters = server.session.counters
        #expect(counters.requests == 2)
        #expect(counters.resetsSent == 1)
        #expect(counters.resetsReceived == 1)
        #expect(counters.pings == 1)
        #expect(counters.settingsSent == 1)
        #expect(counters.settingsReceived == 2)
        #expect(counters.settingsAcknowledged == 1)
        #expect(counters.peerGoAway == 5)
        #expect(server.session.highestStream == 3)
        #expect(server.session.openStreams == 0)
    }

    @Test func aRequestResetByItsClientIsCancelled() {
        let server = TestServer(answers: false)
        server.shakeHands()
        _ = server.exchange([.headers(1, ends: false), .data(1, [9], ends: false), .headers(3), .reset(1), .reset(3)])
        #expect(server.arrivals.map(\.stream) == [3, 1])
        #expect(server.arrivals.map(\.fault) == [nil, .cancelled])
        #expect(server.arrivals[1].body == [9])
        #expect(server.cancelled == [3])
        #expect(!server.session.respond(to: 3, fields: FieldBlock(status: 200)))
        #expect(server.output().isEmpty)
    }

    @Test func theEndCancelsWhatIsUnfinished() {
        let server = TestServer()
        server.shakeHands()
        _ = server.exchange([.headers(1, ends: false), .headers(3, ends: false)])
        server.session.end()
        server.collect()
        #expect(server.arrivals.map(\.stream) == [1, 3])
        #expect(server.arrivals.map(\.fault) == [.cancelled, .cancelled])
    }

    @Test func answersMayComeLateAndInAnyOrder() {
        let (client, server) = (TestHTTP2Client(), TestServer(answers: false))
        let streams = (0..<300).map { _ in client.request(body: [1]) }
        converse(client, server)
        #expect(server.session.openStreams == 300)
        for arrival in server.arrivals.reversed() { server.answer(arrival) }
        converse(client, server)
        #expect(streams.allSatisfy { client.responses[$0]?.isEnded == true })
        #expect(server.session.openStreams == 0)
    }

    @Test func outputComesInPartsOfWholeFrames() {
        let server = TestServer(answers: false)
        server.shakeHands()
        _ = server.exchange((0..<500).map { .headers($0 * 2 + 1) })
        for arrival in server.arrivals { server.answer(arrival) }
        var (count, hasMore) = (0, true)
        while hasMore {
            var part: [UInt8] = []
            hasMore = server.session.send(into: &part, limit: 1000)
            #expect(part.count < 1100)
            count += RawFrame.take(from: &part).count
            #expect(part.isEmpty)
        }
        #expect(count == 500)
    }

    @Test func resetsAreSentAsOftenAsAsked() {
        let server = TestServer(answers: false)
        server.shakeHands()
        _ = server.exchange([.headers(1)])
        for code: UInt32 in [7, 2, 11] { server.session.reset(stream: 1, errorCode: code) }
        var bytes = server.output()
        #expect(RawFrame.take(from: &bytes).resets(of: 1) == [7, 2, 11])
        #expect(server.session.openStreams == 0)
    }

    @Test func scriptedGoAwaysFollowWhatWasQueued() {
        let server = TestServer(answers: false)
        server.shakeHands()
        _ = server.exchange([.headers(1), .headers(3)])
        server.answer(server.arrivals[0])
        server.goAway(lastStream: .max, errorCode: 0, debugData: Array("a".utf8))
        server.goAway(lastStream: 2, errorCode: 0xFFFF_FFFF, debugData: [])
        var bytes = server.output()
        let frames = RawFrame.take(from: &bytes)
        #expect(frames.map(\.type) == [1, 7, 7])
        #expect(
            frames.goAways == [
                GoAway(lastStream: .max, errorCode: 0, text: "a"),
                GoAway(lastStream: 2, errorCode: 0xFFFF_FFFF, text: ""),
            ])
        // Later streams are heard and not answered, and leave nothing behind.
        let later = server.exchange([.headers(5, ends: false), .headers(7)])
        #expect(server.exchange([.data(5, [1, 2, 3])]).isEmpty && later.isEmpty)
        #expect(server.arrivals.dropFirst(2).map(\.stream) == [7, 5])
        #expect(server.arrivals.dropFirst(2).map(\.fault) == [nil, nil])
        #expect(server.arrivals.last?.body == [1, 2, 3])
        // Nor is stream 3 answered, which was whole before: the client has been told that it is not processed.
        #expect(server.session.openStreams == 0)
        server.answer(server.arrivals[1])
        #expect(server.output().isEmpty)
    }

    @Test func goAwayLeavesAfterAllThatIsReady() {
        let server = TestServer(answers: false)
        server.shakeHands()
        _ = server.exchange([.headers(1), .headers(3), .headers(5, ends: false)])
        server.answer(server.arrivals[0])
        server.goAway(lastStream: 3, errorCode: 0, debugData: [])
        server.answer(server.arrivals[1])
        server.session.announce(maxConcurrentStreams: 5)
        // Both answers, the acknowledgement of a PING that came meanwhile, and SETTINGS.
        #expect(server.exchange([RawFrame(.ping, [1, 2, 3, 4, 5, 6, 7, 8])]).map(\.type).sorted() == [1, 1, 4, 6, 7])
        // What the client had begun above it is taken back.
        #expect(server.session.openStreams == 0)
        #expect(server.exchange([.data(5, [1])]).isEmpty)
        #expect(server.arrivals.last?.stream == 5 && server.arrivals.last?.fault == nil)
    }

    @Test func onlyDueAnswersFollowAGoAway() {
        let server = TestServer(answers: false)
        server.shakeHands()
        _ = server.exchange([.headers(1), .headers(3)])
        server.goAway(lastStream: 3, errorCode: 0, debugData: [])
        #expect(server.exchange([]).map(\.type) == [7])
        server.session.announce(maxConcurrentStreams: 5)
        #expect(server.exchange([]).isEmpty)
        var shape = AnswerShape()
        (shape.settingsFrames, shape.unknownFrame) = (100, true)
        server.session.respond(to: 1, fields: FieldBlock(status: 200), shape: shape)
        #expect(server.exchange([RawFrame(.ping, [1, 2, 3, 4, 5, 6, 7, 8])]).map(\.type).sorted() == [1, 6])
        #expect(server.session.counters.settingsSent == 1)
    }

    @Test func settingsAreAcknowledgedBeforeAGoAway() {
        let server = TestServer()
        server.goAway(lastStream: 0, errorCode: 0, debugData: [])
        let bytes = RawFrame.preface + RawFrame.settings().bytes
        server.receive(bytes)
        var output = server.output()
        let frames = RawFrame.take(from: &output)
        #expect(frames.map(\.kind) == [.settings, .settings, .goAway])
        #expect(frames.dropFirst().first == .settingsAcknowledgement)
    }

    @Test func goAwayWaitsForWhatMustLeaveFirst() {
        let server = TestServer(answers: false)
        server.shakeHands()
        _ = server.exchange([.headers(1)])
        server.goAway(lastStream: 1, errorCode: 0, debugData: [])
        var bytes: [UInt8] = []
        #expect(!server.session.send(into: &bytes, limit: 100, holdsGoAways: true))
        #expect(bytes.isEmpty && !server.session.hasSentGoAway)
        server.answer(server.arrivals[0])
        #expect(server.exchange([]).map(\.type) == [1, 7])
    }

    @Test func everySplitGivesTheSameRequests() {
        let client = TestHTTP2Client()
        client.request(body: Array("{}".utf8))
        client.request(RawFrame.push + [("apns-priority", " 5")], body: Array("[]".utf8))
        client.request()
        let bytes = client.output()
        let whole = TestServer()
        whole.receive(bytes)
        #expect(whole.arrivals.count == 3)
        for split in 0...bytes.count {
            let server = TestServer()
            server.receive(Array(bytes[..<split]))
            server.receive(Array(bytes[split...]))
            #expect(server.arrivals == whole.arrivals, "split at \(split)")
        }
        let server = TestServer()
        for byte in bytes { server.receive([byte]) }
        #expect(server.arrivals == whole.arrivals)
    }
}
