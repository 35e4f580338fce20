import TestClients

@testable import MockAPNSTransport

/// A copy of what a session said about one request.
struct Arrival: Equatable {
    var stream: Int32
    var fields: [[String]]
    var body: [UInt8]
    var bodyLength: Int
    var fault: ReceivedRequest.Fault?

    init(_ request: ReceivedRequest) {
        (stream, fault, bodyLength) = (request.streamID, request.fault, request.bodyLength)
        let bytes = request.bytes.indices.map { request.bytes[$0] }
        body = Array(bytes[request.headerLength...])
        fields = []
        var start = 0
        while start < request.headerLength {
            let name = start + 4..<start + 4 + Int(bytes[start]) + Int(bytes[start + 1]) << 8
            let value = name.upperBound..<name.upperBound + Int(bytes[start + 2]) + Int(bytes[start + 3]) << 8
            fields.append([name, value].map { String(decoding: bytes[$0], as: UTF8.self) })
            start = value.upperBound
        }
    }

    /// The values of a field, in order.
    func values(_ name: String) -> [String] {
        fields.filter { $0[0] == name }.map { $0[1] }
    }
}

/// A session with the simplest of servers behind it.
final class TestServer {
    let session: HTTP2Session
    var arrivals: [Arrival] = []
    var cancelled: [Int32] = []
    var isFailed = false
    /// Whether it answers by itself; the answer is 200, or 400 with a body for a path that is not a device's.
    var answers = true

    convenience init(streams: Int = 1000, answers: Bool = true) {
        var settings = HTTP2Session.Settings()
        settings.maxConcurrentStreams = streams
        self.init(settings)
        self.answers = answers
    }

    init(_ settings: HTTP2Session.Settings, sendsSettings: Bool = true) {
        session = HTTP2Session(settings: settings, sendsSettings: sendsSettings)
    }

    func receive(_ bytes: [UInt8]) {
        if session.receive(bytes.span) == .failed { isFailed = true }
        collect()
    }

    func collect() {
        for request in session.requests {
            arrivals.append(Arrival(request))
            if answers && request.fault == nil { answer(arrivals[arrivals.count - 1]) }
        }
        cancelled += session.cancelledStreams.map(\.stream)
        session.recycleRequests()
    }

    func answer(_ arrival: Arrival) {
        let isDevice = arrival.values(":path").first?.hasPrefix("/3/device/") ?? false
        var fields = FieldBlock(status: isDevice ? 200 : 400)
        fields.append("apns-id", Array("eabeae54-14a8-11e5-b60b-1697f925ec7b".utf8).span)
        let body = isDevice ? nil : Array(#"{"reason":"BadPath"}"#.utf8)
        session.respond(to: arrival.stream, fields: fields, body: body)
    }

    /// Sends GOAWAY, and ignores later streams.
    func goAway(lastStream: Int32, errorCode: UInt32 = 0, debugData: [UInt8] = []) {
        session.goAway(lastStream: lastStream, errorCode: errorCode, debugData: debugData)
        session.ignoreStreams(above: lastStream)
    }

    /// All that is pending.
    func output(limit: Int = 16_384) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            var part: [UInt8] = []
            let hasMore = session.send(into: &part, limit: limit)
            bytes += part
            if !hasMore { return bytes }
        }
    }

    /// Takes raw frames and returns the frames that follow from them.
    func exchange(_ frames: [RawFrame]) -> [RawFrame] {
        receive(frames.bytes)
        var bytes = output()
        return RawFrame.take(from: &bytes)
    }

    /// Both prefaces, and by default both acknowledgements.
    func shakeHands(acknowledges: Bool = true) {
        receive(RawFrame.preface + RawFrame.settings().bytes)
        if acknowledges { receive(RawFrame.settingsAcknowledgement.bytes) }
        _ = output()
    }
}

/// Lets client and server talk until both are silent.
func converse(_ client: TestHTTP2Client, _ server: TestServer) {
    while true {
        let upstream = client.output()
        if !upstream.isEmpty { server.receive(upstream) }
        let downstream = server.output()
        if !downstream.isEmpty { client.receive(downstream) }
        if upstream.isEmpty && downstream.isEmpty { return }
    }
}
