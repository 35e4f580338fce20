import TestClients
import Testing

@testable import MockAPNSTransport

@Suite struct HostileFramesTests {
    @Test(arguments: [
        ("GET /3/device/ HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /3/device/ "),
        ("POST /3/device/00 HTTP/1.1\r\n", "POST /3/device/00 "),
        ("PRI / HTTP/1.0\r\n\r\n", "PRI / "),
    ])
    func http1IsToldSo(request: String, shown: String) {
        for split in 0...8 {
            let server = TestServer(streams: 1)
            server.receive(Array(request.utf8.prefix(split)))
            #expect(!server.isFailed)
            server.receive(Array(request.utf8.dropFirst(split)))
            var bytes = server.output()
            let frames = RawFrame.take(from: &bytes)
            #expect(frames.map(\.type) == [4, 7])
            let text = "Unexpected HTTP/1.x request: \(shown)"
            #expect(frames.goAways == [GoAway(lastStream: .max, errorCode: 1, text: text)])
            #expect(server.isFailed)
        }
    }

    @Test(arguments: [
        "hello\r\n", "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n", "\u{16}\u{3}\u{1}", "GET /nothing\r\n",
        String(repeating: "A", count: 2000),
    ])
    func otherGarbageEndsTheConnection(garbage: String) {
        let server = TestServer()
        server.receive(Array(garbage.utf8))
        server.receive(Array("more and more and more".utf8))
        var bytes = server.output()
        #expect(RawFrame.take(from: &bytes).goAways.map(\.errorCode) == [1])
        #expect(server.isFailed)
    }

    @Test(arguments: [":method", ":path", ":authority"])
    func pseudoHeadersAfterRegularOnesEndTheConnection(name: String) {
        let server = TestServer(answers: true)
        server.shakeHands()
        var fields = RawFrame.push
        fields.append(fields.remove(at: fields.firstIndex { $0.0 == name }!))
        let frames = server.exchange([.headers(1), .headers(3, fields), .headers(5)])
        let text = "Pseudo-header field '\(name)' found after regular header."
        #expect(frames.goAways == [GoAway(lastStream: .max, errorCode: 1, text: text)])
        #expect(frames.of(.reset).isEmpty)
        #expect(frames.of(.headers).map(\.stream) == [1])
        let rule =
            "HEADERS on stream 3 with the pseudo-header field \(name) after a regular field (RFC 9113, section 8.3)"
        #expect(server.arrivals.map(\.fault) == [nil, .broken(.frame(rule))])
        #expect(server.isFailed)
        #expect(server.session.receive(RawFrame.headers(7).bytes.span) == .failed)
    }

    @Test(arguments: [
        ("two paths", [RawFrame.headers(1, [(":path", "/")] + RawFrame.push)]),
        ("upper-case name", [RawFrame.headers(1, RawFrame.push + [("Apns-Id", "1")])]),
        ("unknown pseudo-header field", [RawFrame.headers(1, [(":x", "/")] + RawFrame.push)]),
        ("connection-specific field", [RawFrame.headers(1, RawFrame.push + [("connection", "close")])]),
        ("body too short", [.headers(1, RawFrame.push + [("content-length", "5")], ends: false), .data(1, [1])]),
        ("body too long", [.headers(1, RawFrame.push + [("content-length", "1")], ends: false), .data(1, [1, 2])]),
        ("no body", [.headers(1, RawFrame.push + [("content-length", "1")])]),
        ("pseudo-header field in trailers", [.headers(1, ends: false), .headers(1, [(":path", "/")])]),
    ])
    func aMalformedRequestIsResetAndReported(name: String, frames: [RawFrame]) {
        let server = TestServer()
        server.shakeHands()
        let answer = server.exchange(frames)
        #expect(answer.resets(of: 1) == [1])
        #expect(server.arrivals.map(\.stream) == [1])
        guard case .malformed(let text) = server.arrivals.first?.fault else {
            Issue.record("\(String(describing: server.arrivals.first?.fault))")
            return
        }
        #expect(!text.isEmpty)
        if name.hasPrefix("body") {
            #expect(text.contains("content-length"))
            #expect(server.arrivals[0].fields.count == RawFrame.push.count + 1)
        }
        #expect(!server.isFailed)
        #expect(server.exchange([.headers(3)]).map(\.stream) == [3])
        #expect(server.session.openStreams == 0)
    }

    @Test(arguments: [
        ("DATA on a closed stream", [RawFrame.data(1, [1])], 5, "DATA on stream 1, which the client had ended", "5.1"),
        ("HEADERS on a closed stream", [.headers(1)], 5, "HEADERS on stream 1, which the client had ended", "5.1"),
        ("DATA on an idle stream", [.data(9, [1])], 1, "DATA on stream 9, which does not exist", "5.1"),
        ("even stream", [.headers(2)], 1, "HEADERS on stream 2", ""),
        ("CONTINUATION alone", [RawFrame(.continuation, stream: 1)], 1, "CONTINUATION", ""),
        ("PING of five bytes", [RawFrame(.ping, [1, 2, 3, 4, 5])], 6, "PING", "4.2"),
        ("SETTINGS on a stream", [RawFrame(.settings, stream: 1)], 1, "SETTINGS on stream 1", "6.5"),
        ("window over the edge", [RawFrame(.windowUpdate, RawFrame.integer(0x7FFF_FFFF))], 3, "WINDOW_UPDATE", "6.9.1"),
        (
            "bad compression", [RawFrame(.headers, flags: 5, stream: 9, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])], 9,
            "HEADERS on stream 9", "4.3"
        ),
        ("frame too long", [RawFrame(.ping, Array(repeating: 0, count: 16_385))], 6, "PING", "4.2"),
        ("PUSH_PROMISE", [RawFrame(.pushPromise, flags: 4, stream: 1, [0, 0, 0, 2])], 1, "PUSH_PROMISE", ""),
    ])
    func anErrorOfTheConnectionEndsIt(
        name: String, frames: [RawFrame], errorCode: UInt32, broken: String, section: String
    ) {
        for isSplit in [false, true] {
            let server = TestServer()
            server.shakeHands()
            _ = server.exchange([.headers(1), .headers(3, ends: false)])
            // What follows in the same read is not to blame.
            let bytes = (frames + [RawFrame.data(3, [1]), .headers(11)]).bytes
            let split = isSplit ? frames.bytes.count : bytes.count
            server.receive(Array(bytes[..<split]))
            var output = server.output()
            let answer = RawFrame.take(from: &output)
            #expect(answer.goAways.map(\.errorCode) == [errorCode])
            #expect(server.isFailed)
            #expect(server.session.counters.goAwaysSent == 1)
            let fault = server.session.fault
            #expect(server.arrivals.first { $0.stream == 3 }?.fault == fault.map { .broken($0) })
            guard case .frame(let text) = fault else {
                Issue.record("\(name): \(String(describing: fault))")
                continue
            }
            #expect(text.hasPrefix(broken), "\(text)")
            #expect(text.contains("(RFC 9113, section \(section)"), "\(text)")
        }
    }

    @Test(
        "What a client speaks instead of HTTP/2 is known",
        arguments: [
            ("GET / HTTP/1.1\r\n\r\n", ProtocolFault.http1("GET / ")), ("\u{0}\u{0}\u{20}token", .binary),
            ("\u{1}\u{0}", .binary), ("\u{2}\u{0}\u{0}\u{0}\u{1}", .binary), ("hello\r\n", .preface),
            ("CONNECT api.push.apple.com:443 HTTP/1.1\r\n", .http1("CONNECT api.push.apple.com:443 ")),
        ])
    func foreignProtocols(said: String, fault: ProtocolFault) {
        let server = TestServer()
        server.receive(Array(said.utf8))
        server.receive(Array("more and more and more".utf8))
        #expect(server.session.fault == fault)
    }

    @Test func theHighestStreamsEndNothingButTheConnection() {
        for streams: [Int32] in [[.max, 1], [1, .max - 1, .max]] {
            let server = TestServer()
            server.shakeHands()
            let answer = server.exchange(streams.map { RawFrame.headers($0) })
            #expect(answer.goAways.map(\.errorCode) == [1])
            #expect(server.isFailed)
        }
    }

    /// RFC 9113, section 5.1.1.
    @Test func openingALowerStreamEndsTheConnection() {
        let stories: [([Int32], Int32, Int32)] = [
            ([5], 3, 7), ([1, 5, 7], 3, 9), ([1, 3, 9], 5, 11), ([3, 5], 1, 7),
        ]
        for (opened, late, next) in stories {
            let bytes = (opened.map { RawFrame.headers($0) } + [.headers(late)]).bytes
            for split in 0...bytes.count {
                let server = TestServer()
                server.shakeHands()
                server.receive(Array(bytes[..<split]))
                server.receive(Array(bytes[split...]))
                var output = server.output()
                let frames = RawFrame.take(from: &output)
                let text = "Request stream \(late) is behind the next expected stream \(next)"
                #expect(frames.goAways == [GoAway(lastStream: .max, errorCode: 1, text: text)])
                #expect(server.arrivals.map(\.stream) == opened)
            }
        }
    }

    @Test func streamsThatWereOpenedMayHaveTrailers() {
        let server = TestServer(answers: true)
        server.shakeHands()
        let trailers = [("late", "1")]
        _ = server.exchange([.headers(1, ends: false), .headers(3, ends: false), .headers(7, ends: false)])
        _ = server.exchange([.headers(3, trailers), .headers(1, trailers), .headers(7, trailers)])
        #expect(server.arrivals.map(\.stream) == [3, 1, 7])
        #expect(!server.isFailed)
    }

    @Test(arguments: [RawFrame.headers(1), .data(1, [1])])
    func framesOnCancelledStreamsEndTheConnection(late: RawFrame) {
        let bytes = [.headers(1, ends: false), .reset(1), .headers(3), late, .headers(5)].bytes
        for split in 0...bytes.count {
            let server = TestServer()
            server.shakeHands()
            server.receive(Array(bytes[..<split]))
            server.receive(Array(bytes[split...]))
            var output = server.output()
            #expect(RawFrame.take(from: &output).goAways.map(\.errorCode) == [5], "split at \(split)")
            #expect(server.arrivals.map(\.stream) == [1, 3])
        }
    }

    @Test(arguments: [
        ([RawFrame.data(5, [1])], "Stream 5 does not exist"), ([.headers(1)], ""),
        (
            [.headers(5, [("apns-topic", "x")] + RawFrame.push)],
            "Pseudo-header field ':method' found after regular header."
        ),
    ])
    func readyAnswersLeaveBeforeAnErrorsGoAway(frames: [RawFrame], text: String) {
        let server = TestServer()
        server.shakeHands()
        _ = server.exchange([.headers(1)])
        let answer = server.exchange([.headers(3)] + frames)
        #expect(answer.map(\.kind) == [.headers, .goAway])
        #expect(answer.map(\.stream) == [3, 0])
        #expect(answer.goAways.map(\.text) == [text])
    }

    @Test func memoryOfClosedStreamsDoesNotGrow() {
        let server = TestServer()
        server.shakeHands()
        for round in 0..<2000 {
            _ = server.exchange((0..<10).map { .headers(Int32(round * 10 + $0) * 2 + 1) })
            server.arrivals = []
        }
        #expect(server.session.counters.requests == 20_000)
        #expect(server.session.openStreams == 0)
    }

    /// Each story has one mutated frame and comes behind a valid preface; a session that fails is followed by a new one.
    @Test func mutatedFramesNeverCrash() {
        var random = SplitMix64(state: 20_260_101)
        var (sent, reached) = (0, 0)
        while sent < 100_000 {
            let server = TestServer(streams: 10)
            server.shakeHands()
            var stream: Int32 = 1
            while !server.isFailed && stream < 400 && sent < 100_000 {
                let before = (server.arrivals.count, server.session.counters.resetsSent)
                let story = HostileFrames.story(stream: stream, random: &random)
                sent += 1
                let answer = server.exchange(story)
                let after = (server.arrivals.count, server.session.counters.resetsSent)
                if after.0 > before.0 || after.1 > before.1 || !answer.of(.reset).isEmpty { reached += 1 }
                stream += 2
            }
            server.session.end()
            server.collect()
        }
        #expect(reached * 2 >= sent, "\(reached) of \(sent) frames reached a request or a stream error")
    }
}

/// Frames of one request, with a few bytes changed in one of them.
enum HostileFrames {
    static func story(stream: Int32, random: inout SplitMix64) -> [RawFrame] {
        var frames = [
            RawFrame.headers(stream, ends: false), .data(stream, Array(#"{"aps":{"alert":"x"}}"#.utf8), ends: false),
            RawFrame(.priority, stream: stream, [0, 0, 0, 0, 15]), RawFrame(.ping, Array(repeating: 7, count: 8)),
            .settings([(4, 65_535), (3, 100)]), RawFrame(.windowUpdate, stream: stream, RawFrame.integer(1000)),
        ]
        let others = frames.dropFirst().shuffled(using: &random).prefix(.random(in: 1...4, using: &random))
        frames = [frames[0]] + others
        if Bool.random(using: &random) {
            // The header block in two parts.
            let block = frames[0].payload
            let cut = Int.random(in: 0...block.count, using: &random)
            frames[0] = RawFrame(.headers, stream: stream, Array(block[..<cut]))
            let rest = RawFrame(.continuation, flags: RawFrame.endHeaders, stream: stream, Array(block[cut...]))
            frames.insert(rest, at: 1)
        }
        frames.append(Bool.random(using: &random) ? .data(stream, [1, 2, 3]) : .reset(stream))
        let victim = Int.random(in: frames.indices, using: &random)
        for _ in 0..<Int.random(in: 1...3, using: &random) where !frames[victim].payload.isEmpty {
            let index = Int.random(in: frames[victim].payload.indices, using: &random)
            frames[victim].payload[index] = .random(in: 0...255, using: &random)
        }
        if Int.random(in: 0..<20, using: &random) == 0 { frames[victim].flags = .random(in: 0...255, using: &random) }
        return frames
    }
}

/// A small generator whose sequence is the same each time (Steele, Lea, Flood 2014).
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
