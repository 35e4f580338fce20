import TestClients
import Testing

@testable import MockAPNSTransport

/// Answers that come late or never, windows that stay shut, drops, and a connection without SETTINGS.
@Suite struct StallTests {
    @Test func lateAnswersComeInAnyOrderBetweenOthers() {
        let (client, server) = (TestHTTP2Client(), TestServer(answers: false))
        let late = (0..<50).map { _ in client.request(body: [1]) }
        converse(client, server)
        for _ in 0..<200 {
            let stream = client.request(body: [1])
            converse(client, server)
            #expect(server.session.respond(to: stream, fields: FieldBlock(status: 200)))
            converse(client, server)
        }
        client.reset(late[7])
        converse(client, server)
        #expect(server.cancelled == [late[7]])
        for stream in late.reversed() {
            var fields = FieldBlock(status: 503)
            fields.append("apns-id", Array("\(stream)".utf8).span)
            let isSent = server.session.respond(to: stream, fields: fields, body: [2])
            #expect(isSent == (stream != late[7]))
            #expect(!server.session.respond(to: stream, fields: fields))
        }
        converse(client, server)
        for stream in late where stream != late[7] {
            #expect(client.responses[stream]?.fields == [":status": "503", "apns-id": "\(stream)"])
            #expect(client.responses[stream]?.isEnded == true)
        }
        #expect(server.session.openStreams == 0)
    }

    @Test func aStalledStreamIsFreedByItsReset() {
        let (client, server) = (TestHTTP2Client(), TestServer(answers: false))
        let streams = (0..<100).map { _ in client.request(body: [1]) }
        converse(client, server)
        #expect(server.session.openStreams == 100)
        for stream in streams { client.reset(stream) }
        converse(client, server)
        #expect(server.session.openStreams == 0)
        #expect(server.cancelled == streams)
        #expect(!server.session.isFailed)
    }

    @Test func theEndOfTheConnectionFreesStalledStreams() {
        weak var session: HTTP2Session?
        do {
            let (client, server) = (TestHTTP2Client(), TestServer(answers: false))
            client.request(body: [1])
            converse(client, server)
            session = server.session
            server.session.end()
            server.collect()
            #expect(server.arrivals.map(\.fault) == [nil])
        }
        #expect(session == nil)
    }

    @Test(arguments: [false, true])
    func aWithheldWindowStallsTheClient(isByAnswer: Bool) {
        let (client, server) = (TestHTTP2Client(), TestServer(answers: false))
        let first = client.request()
        converse(client, server)
        if isByAnswer {
            var shape = AnswerShape()
            shape.stallsWindow = true
            server.session.respond(to: first, fields: FieldBlock(status: 200), shape: shape)
        } else {
            server.session.consumesBodies = false
        }
        let before = client.frames.count
        let streams = (0..<20).map { _ in client.request(body: [UInt8](repeating: 7, count: 10_000)) }
        let others = (0..<5).map { _ in client.request() }
        converse(client, server)
        // Six bodies fit into 65535 bytes, and requests without a body need no window.
        #expect(Set(server.arrivals.dropFirst().map(\.stream)) == Set(others + streams.prefix(6)))
        #expect(client.frames.dropFirst(before).map(\.kind).contains(.windowUpdate) == false)
        server.session.consumesBodies = true
        // Without a byte from the client.
        let update = server.output()
        #expect(!update.isEmpty)
        client.receive(update)
        converse(client, server)
        #expect(Set(server.arrivals.dropFirst().map(\.stream)) == Set(others + streams))
        #expect(server.arrivals.allSatisfy { $0.bodyLength == (streams.contains($0.stream) ? 10_000 : 0) })
    }

    @Test(arguments: [UInt32(100), 1000, 16_000, 70_000, 1_000_000])
    func anyInitialWindowLetsWholeBodiesThrough(window: UInt32) {
        var settings = HTTP2Session.Settings()
        settings.initialWindowSize = window
        let (client, server) = (TestHTTP2Client(), TestServer(settings))
        converse(client, server)
        client.request(body: [UInt8](repeating: 7, count: 300_000))
        converse(client, server)
        #expect(server.arrivals.map(\.bodyLength) == [300_000])
    }

    @Test(arguments: [1, 2, 7, 9, 100, 20_000])
    func dropsAreTheSameBytes(size: Int) {
        let (client, server) = (TestHTTP2Client(), TestServer())
        converse(client, server)
        let streams = (0..<40).map { _ in client.request(body: [1]) }
        server.receive(client.output())
        var queue = DripQueue()
        queue.append(server.output())
        let count = queue.count
        var drops: [Int] = []
        while !queue.isEmpty {
            let drop = queue.next(size)
            drops.append(drop.count)
            client.receive(drop)
        }
        #expect(drops.dropLast().allSatisfy { $0 == size })
        #expect(drops.reduce(0, +) == count)
        #expect(streams.allSatisfy { client.responses[$0]?.isEnded == true })
        #expect(queue.next(size) == [])
    }

    @Test func aDripQueueTakesMoreMeanwhile() {
        var queue = DripQueue()
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 31) }
        var (given, taken) = (0, [UInt8]())
        while given < bytes.count {
            queue.append(Array(bytes[given..<given + 1000]))
            given += 1000
            taken += queue.next(777)
            #expect(queue.count == given - taken.count)
        }
        while !queue.isEmpty { taken += queue.next(777) }
        #expect(taken == bytes)
    }

    private static func withoutSettings() -> TestServer {
        let server = TestServer(HTTP2Session.Settings(), sendsSettings: false)
        server.goAway(lastStream: 0, errorCode: 0, debugData: Array("a".utf8))
        server.goAway(lastStream: 0, errorCode: 2, debugData: [])
        return server
    }

    @Test func goAwayIsTheFirstFrameWithoutSettings() {
        let server = Self.withoutSettings()
        var bytes = server.output()
        let frames = RawFrame.take(from: &bytes)
        #expect(frames.map(\.type) == [7, 7])
        #expect(frames.goAways.map(\.text) == ["a", ""])
        server.receive(RawFrame.preface + RawFrame.settings().bytes)
        bytes = server.output()
        // The acknowledgement of the client's, nothing else.
        #expect(RawFrame.take(from: &bytes) == [RawFrame.settingsAcknowledgement])
        #expect(server.session.counters.settingsSent == 0)
    }

    @Test func requestsOnAConnectionWithoutSettingsAreIgnored() {
        let server = Self.withoutSettings()
        server.receive(RawFrame.preface + RawFrame.settings().bytes)
        _ = server.output()
        #expect(server.exchange([.headers(1)]).isEmpty)
        #expect(server.arrivals.map(\.fault) == [nil])
    }

    @Test func clientsRejectGoAwayBeforeSettings() {
        let (client, server) = (TestHTTP2Client(), Self.withoutSettings())
        client.receive(server.output())
        #expect(client.frames.goAways.count == 2)
        // RFC 9113, section 3.4: SETTINGS must be the first frame.
        var answer = client.output()
        answer.removeFirst(RawFrame.preface.count)
        #expect(RawFrame.take(from: &answer).goAways.map(\.errorCode) == [1])
    }
}
