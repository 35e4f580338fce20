import TestClients
import Testing

@testable import MockAPNSTransport

/// Requests with neither `:authority` nor `host`, which RFC 9113 (section 8.3.1) permits and nghttp2 does not.
@Suite struct HostlessRequestsTests {
    private static let hostless = RawFrame.push.filter { $0.0 != ":authority" }
    private static let body = Array(#"{"aps":{}}"#.utf8)

    /// The bytes of three pushes, each with what may surround a header block.
    private static func pushes(_ fields: [(String, String)]) -> [RawFrame] {
        var padded = RawFrame.headers(3, fields, ends: false)
        padded.flags |= 0x28
        padded.payload = [2, 0, 0, 0, 0, 15] + padded.payload + [0, 0]
        return [
            .headers(1, fields, ends: false), .data(1, body), padded, .data(3, body), .headers(5, fields),
        ]
    }

    @Test(arguments: [hostless, RawFrame.push, hostless + [("host", "localhost")]])
    func itIsRead(fields: [(String, String)]) {
        let frames = Self.pushes(fields)
        let bytes = (frames + [.settings([(4, 70_000)])]).bytes
        for split in 0...bytes.count {
            let server = TestServer()
            server.shakeHands()
            server.receive(Array(bytes[..<split]))
            server.receive(Array(bytes[split...]))
            #expect(server.arrivals.map(\.stream) == [1, 3, 5], "split at \(split)")
            #expect(server.arrivals.allSatisfy { $0.fault == nil })
            #expect(server.arrivals.allSatisfy { $0.fields == fields.map { [$0.0, $0.1] } })
            #expect(server.arrivals.map(\.body) == [Self.body, Self.body, []])
            #expect(server.session.counters.settingsReceived == 2)
            #expect(!server.isFailed)
        }
    }

    @Test func itIsReadByteByByte() {
        let server = TestServer()
        server.shakeHands()
        for byte in Self.pushes(Self.hostless).bytes { server.receive([byte]) }
        #expect(server.arrivals.map(\.fault) == [nil, nil, nil])
        #expect(server.arrivals.map(\.body.count) == [Self.body.count, Self.body.count, 0])
    }

    @Test func theCompressionTableStaysTheClients() {
        let server = TestServer()
        let client = FieldEncoder()
        server.shakeHands()
        for stream in stride(from: Int32(1), through: 21, by: 2) {
            let fields = Self.hostless.map { ($0.0, $0.1) } + [("apns-collapse-id", "\(stream % 6)")]
            let block = client.encode(fields.map { (name: $0.0, value: $0.1) }) ?? []
            _ = server.exchange([RawFrame(.headers, flags: 5, stream: stream, block)])
            #expect(server.arrivals.last?.fields == fields.map { [$0.0, $0.1] })
        }
        #expect(server.arrivals.map(\.fault) == Array(repeating: nil, count: 11))
    }

    @Test func whatElseIsWrongIsStillMalformed() {
        let wrong = [Array(Self.hostless.dropLast(2)), [(":path", "/")] + Self.hostless, Self.hostless + [("te", "x")]]
        for fields in wrong {
            let server = TestServer()
            server.shakeHands()
            let frames = server.exchange([.headers(1, fields), .headers(3, Self.hostless)])
            #expect(frames.resets(of: 1) == [1])
            guard case .malformed = server.arrivals.first(where: { $0.stream == 1 })?.fault else {
                Issue.record("\(fields)")
                continue
            }
        }
    }

    /// Only the first request of a connection is looked at.
    @Test func hostsOnceNamedMayNotBeLeftOut() {
        let server = TestServer()
        server.shakeHands()
        #expect(server.exchange([.headers(1), .headers(3, Self.hostless), .headers(5)]).resets(of: 3) == [1])
        #expect(server.arrivals.filter { $0.fault == nil }.map(\.stream) == [1, 5])
    }
}
