import Testing

@testable import MockAPNSTransport

/// The client session against the server's, in memory.
@Suite struct HTTP2ClientSessionTests {
    private let client = HTTP2ClientSession()
    private let server: HTTP2Session

    init() {
        var settings = HTTP2Session.Settings()
        settings.maxConcurrentStreams = 2
        server = HTTP2Session(settings: settings)
    }

    private static func block(_ fields: [(String, String)]) -> [UInt8] {
        var block = FieldBlock()
        for (name, value) in fields { block.append(Array(name.utf8).span, Array(value.utf8).span) }
        return block.bytes
    }

    private static func copy(_ bytes: Span<UInt8>) -> [UInt8] { bytes.indices.map { bytes[$0] } }

    private func submit(_ body: String = #"{"aps":{}}"#) -> Int32? {
        let fields = Self.block([
            (":method", "POST"), (":scheme", "https"), (":authority", "api.example.com"), (":path", "/3/device/ab"),
            ("apns-topic", "com.example.app"),
        ])
        return client.submit(fields.span, body: Array(body.utf8)[...])
    }

    /// Passes on what both have to say until neither has anything; answers requests.
    private func exchange(_ answer: (ReceivedRequest) -> Void = { _ in }) -> [HTTP2ClientSession.Event] {
        var events: [HTTP2ClientSession.Event] = []
        while true {
            var (toServer, toClient): ([UInt8], [UInt8]) = ([], [])
            while client.send(into: &toServer, limit: 1 << 20) {}
            if !toServer.isEmpty {
                _ = server.receive(toServer.span)
                for request in server.requests { answer(request) }
                server.recycleRequests()
            }
            while server.send(into: &toClient, limit: 1 << 20) {}
            events += client.receive(toClient)
            if toServer.isEmpty, toClient.isEmpty { return events }
        }
    }

    private func respond(_ request: ReceivedRequest, _ status: Int, _ body: String? = nil) {
        var fields = FieldBlock(status: status)
        fields.append("apns-id", Array("6C14D775-64F1-3B19-4D59-AE429E0294AA".utf8).span)
        server.respond(to: request.streamID, fields: fields, body: body.map { Array($0.utf8) })
    }

    @Test("A server whose first SETTINGS name no stream limit has none; later ones change nothing")
    func noLimit() {
        let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
        let events = client.receive(settings + settings)
        #expect(events.count == 1)
        guard case .streamLimit(HTTP2ClientSession.noLimit)? = events.first else {
            Issue.record("\(events)")
            return
        }
    }

    @Test("Requests arrive as they are, and answers come back as they are")
    func answers() throws {
        let stream = try #require(submit(#"{"aps":{"alert":"x"}}"#))
        #expect(client.openStreams == 1)
        var seen: [[UInt8]] = []
        let events = exchange { request in
            seen.append(Self.copy(request.bytes))
            respond(request, 400, #"{"reason":"BadTopic"}"#)
        }
        let bytes = try #require(seen.first)
        #expect(String(decoding: bytes, as: UTF8.self).hasSuffix(#"com.example.app{"aps":{"alert":"x"}}"#))
        guard case .streamLimit(2)? = events.first, case .answer(let answer)? = events.last else {
            Issue.record("\(events)")
            return
        }
        #expect(answer.stream == stream && answer.status == 400)
        var fields = FieldBlock(status: 400)
        fields.append("apns-id", Array("6C14D775-64F1-3B19-4D59-AE429E0294AA".utf8).span)
        #expect(answer.fields.bytes == fields.bytes)
        #expect(String(decoding: answer.body, as: UTF8.self) == #"{"reason":"BadTopic"}"#)
        #expect(client.openStreams == 0)
    }

    @Test("A provider token of any length arrives as it is")
    func authorization() {
        for length in [0, 1, 126, 127, 128, 254, 255, 300, 4_000, 5_000, 17_000] {
            let (client, server) = (HTTP2ClientSession(), HTTP2Session(settings: HTTP2Session.Settings()))
            let token = String(repeating: "e", count: length)
            let fields = Self.block([
                (":method", "POST"), (":scheme", "https"), (":authority", "x"), (":path", "/3/device/ab"),
                ("authorization", token), ("apns-topic", "a.b"),
            ])
            let stream = client.submit(fields.span, body: [1])
            #expect(stream == 1)
            var output: [UInt8] = []
            while client.send(into: &output, limit: 1 << 20) {}
            _ = server.receive(output.span)
            let text = server.requests.first.map { String(decoding: Self.copy($0.bytes), as: UTF8.self) }
            #expect(length > 8_000 || text?.contains("authorization" + token) == true, "\(length)")
            #expect(server.fault == nil, "\(length)")
        }
    }

    @Test("A request without a body ends with its fields; beyond the limit of streams, requests wait")
    func limit() {
        _ = exchange()
        for _ in 0..<3 { _ = submit("") }
        var paused: [ReceivedRequest] = []
        var count = 0
        var events = exchange { request in
            count += 1
            if count <= 2 { paused.append(request) } else { respond(request, 200) }
        }
        #expect(paused.count == 2 && count == 2 && events.isEmpty)
        respond(paused[0], 200)
        events = exchange { request in
            count += 1
            respond(request, 200)
        }
        #expect(count == 3 && events.count == 2)
    }

    @Test("A reset and a GOAWAY are told, and nothing more is taken")
    func ends() throws {
        let first = try #require(submit())
        let reset = exchange { server.reset(stream: $0.streamID, errorCode: 7) }
        guard case .reset(first, 7)? = reset.last else {
            Issue.record("\(reset)")
            return
        }
        server.goAway(lastStream: first, errorCode: 0, debugData: Array("bye".utf8))
        let events = exchange()
        guard case .goAway(first, 0, let text)? = events.last else {
            Issue.record("\(events)")
            return
        }
        #expect(String(decoding: text, as: UTF8.self) == "bye")
    }

    @Test("An answer without an end is given up")
    func excess() throws {
        _ = try #require(submit())
        let events = exchange { respond($0, 200, String(repeating: "x", count: HTTP2ClientSession.answerLimit)) }
        let tooLong = events.filter { if case .tooLong = $0 { true } else { false } }
        #expect(tooLong.count == 1 && client.openStreams == 0)
        #expect(!client.isFailed)
    }

    @Test("A stream whose answer comes before the body was sent is reset, and the next one finds room")
    func earlyAnswer() throws {
        // SETTINGS: a window of nothing, one stream at a time.
        _ = client.receive([0, 0, 12, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1])
        _ = try #require(submit())
        _ = try #require(submit())
        var output: [UInt8] = []
        while client.send(into: &output, limit: 1 << 20) {}
        // HEADERS with :status 200 and END_STREAM.
        let events = client.receive([0, 0, 1, 1, 5, 0, 0, 0, 1, 0x88])
        guard case .answer(let answer)? = events.last else {
            Issue.record("\(events)")
            return
        }
        #expect(answer.status == 200 && client.openStreams == 1)
        output = []
        while client.send(into: &output, limit: 1 << 20) {}
        #expect(output.starts(with: [0, 0, 4, 3, 0, 0, 0, 0, 1]), "\(output)")
        #expect(output.dropFirst(13).starts(with: [0, 0]) && output[16] == 1, "the second request")
    }

    @Test("An answer that breaks a rule of HTTP is told from a reset")
    func malformedAnswer() throws {
        let stream = try #require(submit())
        _ = exchange()
        // :status 200 and content-length 5 with END_STREAM.
        _ = client.receive([0, 0, 5, 1, 5, 0, 0, 0, 1, 0x88, 0x0F, 0x0D, 1, 0x35])
        var output: [UInt8] = []
        while client.send(into: &output, limit: 1 << 20) {}
        let events = client.takeEvents()
        guard case .malformed(stream)? = events.last else {
            Issue.record("\(events)")
            return
        }
    }

    @Test("What is no HTTP/2 ends the session")
    func garbage() {
        _ = client.receive(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        var output: [UInt8] = []
        while client.send(into: &output, limit: 1 << 20) {}
        #expect(client.isFailed)
        #expect(client.receive([0]).isEmpty)
    }

    @Test("A request that is given up is reset")
    func cancel() throws {
        let stream = try #require(submit())
        _ = exchange()
        client.reset(stream: stream, errorCode: 8)
        #expect(client.openStreams == 0)
        #expect(exchange().isEmpty)
        #expect(server.counters.resetsReceived == 1)
    }
}
