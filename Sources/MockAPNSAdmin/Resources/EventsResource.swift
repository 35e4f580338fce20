import MockAPNS
import MockAPNSCore
import NIOCore
import NIOHTTP1

/// `/api/v1/events`: live events, as server-sent events.
///
/// Nothing waits for a stream: each checks a copy of the log periodically, and formats its own lines.
struct EventsResource {
    let server: MockAPNSServer
    let streams: EventStreams

    /// The interval between two checks.
    private static let pause = Duration.milliseconds(50)
    /// After this time without events, a comment is sent: it keeps the connection open, or shows that it is not.
    private static let silence = Duration.seconds(15)

    func add(to api: inout CallRoutes) {
        api.on(.events) { request in
            let events = server.events
            let stream = EventStream(
                after: try Self.position(request) ?? events.latest, in: events,
                as: try request.asksForRows ? .row : .record, atMost: try Self.rate(request))
            guard streams.hasRoom() else {
                throw APIError(
                    status: .serviceUnavailable, code: "tooManyStreams",
                    message: "\(EventStreams.limit) streams of events are open, which is the maximum; close one first.")
            }
            return Response(
                .ok, ["Content-Type": "text/event-stream"],
                .pieces { writer in
                    // A client that does not read makes some MB of lines wait.
                    defer { server.giveBackMemorySoon() }
                    try await streams.during {
                        try await request.whileConnected { try await tell(stream, writer) }
                    }
                })
        }
    }

    private func tell(_ stream: EventStream, _ writer: any Response.Writer) async throws {
        var stream = stream
        let start = ContinuousClock.now
        var latestWrite = start
        try await writer.write(ByteBuffer(string: "retry: 1000\nid: \(stream.position)\n\n"))
        while true {
            // Once more after the end has begun, so that nothing is lost.
            let isLast = streams.areEnding
            let now = ContinuousClock.now
            var bytes: [UInt8] = []
            let time = Int64((now - start) / .milliseconds(1))
            if isLast || stream.hasMore || stream.canAppend(upTo: server.latestEvent, at: time) {
                stream.append(from: server.events, at: time, in: server.scenario.apps, to: &bytes)
            }
            if bytes.isEmpty, now - latestWrite >= Self.silence { bytes = Array(":\n\n".utf8) }
            if !bytes.isEmpty {
                try await writer.write(ByteBuffer(bytes: bytes))
                latestWrite = now
            }
            if stream.hasMore { continue }
            if isLast { return }
            try await Task.sleep(for: Self.pause)
        }
    }

    /// Returns the maximum number of events per second.
    private static func rate(_ request: Request) throws -> Int {
        guard let text = try request.parameter("rate") else { return EventStream.limit }
        guard let rate = Int(text), 1...EventStream.limit ~= rate else {
            throw APIError.badRequest(
                "badParameter",
                "rate is \"\(text.prefix(80))\"; expected a number of events a second, 1 to \(EventStream.limit).",
                pointer: "/rate")
        }
        return rate
    }

    /// Returns where the stream continues, if the client has seen one before.
    private static func position(_ request: Request) throws -> EventPosition? {
        guard let id = request.fields.first(name: "Last-Event-ID"), !id.isEmpty else { return nil }
        guard let position = EventPosition(id) else {
            throw APIError.badRequest(
                "badHeader",
                "Last-Event-ID is \"\(id.prefix(80))\"; expected the id of an event of this stream, such as \"17-3\".",
                pointer: "")
        }
        return position
    }
}
