import TestClients
import Testing

@testable import MockAPNSTransport

/// What is written beside nghttp2 is read by nghttp2's client.
@Suite struct UnindexedFieldsTests {
    private static func answer(_ server: TestServer, _ stream: Int32, id: String, status: Int = 200) {
        var fields = FieldBlock(status: status)
        fields.append("apns-id", Array(id.utf8).span)
        fields.append("x-other", Array("other".utf8).span)
        fields.append("apns-unique-id", Array((id + "-unique").utf8).span)
        server.session.respond(to: stream, fields: fields)
    }

    private static func ask(_ count: Int) -> (TestHTTP2Client, TestServer, [Int32]) {
        let (client, server) = (TestHTTP2Client(), TestServer(answers: false))
        converse(client, server)
        let streams = (0..<count).map { _ in client.request(body: [1]) }
        converse(client, server)
        return (client, server, streams)
    }

    @Test(arguments: [0, 1, 36, 119, 120, 126, 127, 128, 300, 4000, 5000])
    func everyLengthArrives(length: Int) {
        let (client, server, streams) = Self.ask(3)
        let id = String(repeating: "i", count: length)
        for stream in streams { Self.answer(server, stream, id: id) }
        converse(client, server)
        for stream in streams {
            let fields = client.responses[stream]?.fields
            #expect(fields == [":status": "200", "apns-id": id, "x-other": "other", "apns-unique-id": id + "-unique"])
            #expect(client.responses[stream]?.list.first == [":status", "200"])
            #expect(client.responses[stream]?.isEnded == true)
        }
    }

    @Test func answersKeepTheirOwnFieldsInAnyOrder() {
        let (client, server, streams) = Self.ask(40)
        for stream in streams.reversed() { Self.answer(server, stream, id: "id\(stream)") }
        for stream in streams.prefix(20) { client.reset(stream) }
        // Half of them are closed between the answer and its leaving.
        let resets = client.output()
        server.receive(resets)
        converse(client, server)
        for stream in streams.suffix(20) {
            #expect(client.responses[stream]?.fields["apns-id"] == "id\(stream)")
            #expect(client.responses[stream]?.fields["apns-unique-id"] == "id\(stream)-unique")
        }
        #expect(server.session.openStreams == 0)
    }

    @Test func answersThatLeaveInPartsKeepTheirFields() {
        let (client, server, streams) = Self.ask(60)
        for stream in streams { Self.answer(server, stream, id: "id\(stream)", status: stream % 4 == 1 ? 410 : 200) }
        var hasMore = true
        while hasMore {
            var part: [UInt8] = []
            hasMore = server.session.send(into: &part, limit: 100)
            client.receive(part)
            if hasMore { Self.answer(server, client.request(body: [1]), id: "never") }
        }
        for stream in streams {
            #expect(client.responses[stream]?.fields["apns-id"] == "id\(stream)")
            #expect(client.responses[stream]?.status == (stream % 4 == 1 ? "410" : "200"))
        }
    }

    @Test func aPlainAnswerBeforeHasNoneOfThem() {
        let (client, server, streams) = Self.ask(2)
        server.session.respond(to: streams[0], fields: FieldBlock(status: 200))
        Self.answer(server, streams[1], id: "second")
        converse(client, server)
        #expect(client.responses[streams[0]]?.fields == [":status": "200"])
        #expect(client.responses[streams[1]]?.fields["apns-id"] == "second")
    }
}
