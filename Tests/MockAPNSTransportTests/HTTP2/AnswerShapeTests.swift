import TestClients
import Testing

@testable import MockAPNSTransport

/// Unusual answers, as an nghttp2 client and as raw frames see them.
@Suite struct AnswerShapeTests {
    private static let reason = Array(#"{"reason":"InternalServerError"}"#.utf8)

    private static func fields(_ status: Int, id: String = "an id") -> FieldBlock {
        var fields = FieldBlock(status: status)
        fields.append("apns-id", Array(id.utf8).span)
        return fields
    }

    private static func trailers() -> FieldBlock {
        var trailers = FieldBlock()
        trailers.append("x-late", Array("yes".utf8).span)
        return trailers
    }

    private struct Conversation {
        let client = TestHTTP2Client()
        let server = TestServer(answers: false)
        var streams: [Int32] = []

        init(_ count: Int = 1) {
            converse(client, server)
            streams = (0..<count).map { _ in client.request(body: [1]) }
            converse(client, server)
        }

        func frames(of stream: Int32) -> [RawFrame] { client.frames.filter { $0.stream == stream } }
    }

    @Test(arguments: [
        (AnswerShape.Body.whole, [32], [1]), (.split, [16, 16], [0, 1]), (.emptyLast, [32, 0], [0, 1]),
    ])
    func aBodyIsCutAsAsked(cut: AnswerShape.Body, lengths: [Int], flags: [UInt8]) {
        let talk = Conversation()
        var shape = AnswerShape()
        shape.body = cut
        let stream = talk.streams[0]
        #expect(talk.server.session.respond(to: stream, fields: Self.fields(500), body: Self.reason, shape: shape))
        converse(talk.client, talk.server)
        let data = talk.frames(of: stream).of(.data)
        #expect(data.map(\.payload.count) == lengths)
        #expect(data.map(\.flags) == flags)
        #expect(talk.client.responses[stream]?.body == Self.reason)
        #expect(talk.client.responses[stream]?.isEnded == true)
        #expect(talk.client.responses[stream]?.fields == [":status": "500", "apns-id": "an id"])
        #expect(talk.server.session.openStreams == 0)
    }

    @Test(arguments: [AnswerShape.Body.whole, .split, .emptyLast], [1, 5, 31, 32, 33])
    func aBodyInParts(cut: AnswerShape.Body, window: UInt32) {
        // Flow control cuts as well, and what arrives is the same.
        let server = TestServer(answers: false)
        server.receive(
            RawFrame.preface + RawFrame.settings([(4, window)]).bytes + RawFrame.settingsAcknowledgement.bytes)
        _ = server.exchange([.headers(1)])
        var shape = AnswerShape()
        shape.body = cut
        shape.trailers = Self.trailers()
        server.session.respond(to: 1, fields: Self.fields(500), body: Self.reason, shape: shape)
        var frames = server.exchange([])
        for _ in 0..<32 { frames += server.exchange([RawFrame(.windowUpdate, stream: 1, RawFrame.integer(1))]) }
        #expect(frames.of(.data).flatMap(\.payload) == Self.reason)
        #expect(frames.of(.headers).map { $0.flags & RawFrame.endStream } == [0, 1])
        #expect(frames.of(.data).allSatisfy { $0.flags == 0 })
        #expect(server.session.openStreams == 0)
    }

    @Test(arguments: [nil, Self.reason])
    func trailersEndTheStream(body: [UInt8]?) {
        let talk = Conversation(3)
        for stream in talk.streams {
            var shape = AnswerShape()
            shape.trailers = Self.trailers()
            let fields = Self.fields(body == nil ? 200 : 500, id: "id \(stream)")
            talk.server.session.respond(to: stream, fields: fields, body: body, shape: shape)
        }
        converse(talk.client, talk.server)
        for stream in talk.streams {
            #expect(talk.frames(of: stream).map(\.type) == (body == nil ? [1, 1] : [1, 0, 1]))
            #expect(talk.frames(of: stream).map { $0.flags & 1 } == (body == nil ? [0, 1] : [0, 0, 1]))
            let response = talk.client.responses[stream]
            #expect(response?.list.last == ["x-late", "yes"])
            #expect(response?.fields["apns-id"] == "id \(stream)")
            #expect(response?.body == body ?? [])
            #expect(response?.isEnded == true)
        }
        #expect(talk.client.error == nil)
        #expect(talk.server.session.openStreams == 0)
    }

    @Test func trailersOfACancelledStreamAreForgotten() {
        let server = TestServer(answers: false)
        server.receive(RawFrame.preface + RawFrame.settings([(4, 5)]).bytes + RawFrame.settingsAcknowledgement.bytes)
        _ = server.exchange([.headers(1)])
        var shape = AnswerShape()
        shape.trailers = Self.trailers()
        server.session.respond(to: 1, fields: Self.fields(500), body: Self.reason, shape: shape)
        #expect(server.exchange([]).map(\.type) == [1, 0])
        #expect(server.exchange([.reset(1)]).isEmpty)
        #expect(server.session.openStreams == 0)
        #expect(unsafe server.session.intake.pointee.trailers.isEmpty)
    }

    @Test func onlyTheAnswerItselfCarriesIDs() {
        let talk = Conversation(20)
        for stream in talk.streams.reversed() {
            var shape = AnswerShape()
            shape.informationalStatus = stream % 4 == 1 ? 103 : nil
            shape.trailers = stream % 3 == 1 ? Self.trailers() : nil
            let body = stream % 5 == 0 ? Self.reason : nil
            talk.server.session.respond(
                to: stream, fields: Self.fields(200, id: "id \(stream)"), body: body, shape: shape)
        }
        converse(talk.client, talk.server)
        for stream in talk.streams {
            let informational = stream % 4 == 1 ? [[":status", "103"]] : []
            let trailers = stream % 3 == 1 ? [["x-late", "yes"]] : []
            let answer = [[":status", "200"], ["apns-id", "id \(stream)"]]
            #expect(talk.client.responses[stream]?.list == informational + answer + trailers)
            #expect(talk.client.responses[stream]?.isEnded == true)
        }
        #expect(talk.client.error == nil)
    }

    @Test func aFloodOfSettingsHasTheRealValues() {
        let talk = Conversation()
        let before = talk.client.frames.count
        var shape = AnswerShape()
        shape.settingsFrames = 100
        talk.server.session.respond(to: talk.streams[0], fields: Self.fields(200), shape: shape)
        converse(talk.client, talk.server)
        let frames = talk.client.frames.dropFirst(before)
        let settings = RawFrame.settings([(1, 4096), (3, 1000), (4, 65_535), (5, 16_384), (6, 8000)])
        #expect(Array(frames.prefix(100)) == Array(repeating: settings, count: 100))
        #expect(frames.dropFirst(100).map(\.type) == [1])
        #expect(talk.client.error == nil)
        #expect(talk.server.session.counters.settingsAcknowledged == 101)
        #expect(talk.server.session.maxConcurrentStreams == 1000)
    }

    @Test func anUnknownFrameComesBeforeTheAnswer() {
        let talk = Conversation()
        var shape = AnswerShape()
        shape.unknownFrame = true
        talk.server.session.respond(to: talk.streams[0], fields: Self.fields(200), shape: shape)
        converse(talk.client, talk.server)
        #expect(talk.frames(of: talk.streams[0]).map(\.type) == [0xBE, 1])
        #expect(talk.client.responses[talk.streams[0]]?.status == "200")
        #expect(talk.client.error == nil)
    }

    @Test func everythingAtOnceIsStillAnAnswer() {
        let talk = Conversation()
        var shape = AnswerShape()
        shape.body = .split
        shape.trailers = Self.trailers()
        shape.informationalStatus = 103
        shape.settingsFrames = 2
        shape.unknownFrame = true
        talk.server.session.respond(to: talk.streams[0], fields: Self.fields(500), body: Self.reason, shape: shape)
        converse(talk.client, talk.server)
        #expect(talk.frames(of: talk.streams[0]).map(\.type) == [0xBE, 1, 1, 0, 0, 1])
        #expect(talk.client.responses[talk.streams[0]]?.body == Self.reason)
        #expect(talk.client.error == nil)
        #expect(talk.server.session.openStreams == 0)
    }

    @Test(arguments: [200, 204, 302, 418, 429, 503, 599])
    func anyStatusAndFurtherFields(status: Int) {
        let talk = Conversation()
        var fields = FieldBlock(status: status)
        fields.append("retry-after", Array("120".utf8).span)
        fields.append(Array("x-scripted".utf8).span, Array(String(repeating: "v", count: 5000).utf8).span)
        fields.append("apns-id", Array("AN ID".utf8).span)
        talk.server.session.respond(to: talk.streams[0], fields: fields, shape: AnswerShape())
        converse(talk.client, talk.server)
        let seen = talk.client.responses[talk.streams[0]]?.fields
        #expect(seen?[":status"] == "\(status)")
        #expect(seen?["retry-after"] == "120")
        #expect(seen?["x-scripted"]?.count == 5000)
        #expect(seen?["apns-id"] == "AN ID")
    }

    @Test func shapedAnswersToCancelledStreamsAreNotSent() {
        let talk = Conversation()
        talk.client.reset(talk.streams[0])
        converse(talk.client, talk.server)
        var shape = AnswerShape()
        shape.informationalStatus = 103
        shape.settingsFrames = 5
        #expect(!talk.server.session.respond(to: talk.streams[0], fields: Self.fields(200), shape: shape))
        #expect(talk.server.output().isEmpty)
    }
}
