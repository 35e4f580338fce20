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
}
