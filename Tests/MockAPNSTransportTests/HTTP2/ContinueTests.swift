import TestClients
import Testing

@testable import MockAPNSTransport

/// Clients that wait for 100 before they send the body (RFC 9110, section 10.1.1).
@Suite struct ContinueTests {
    private static let expecting = RawFrame.push + [("expect", "100-continue")]

    private static func statuses(_ frames: [RawFrame]) -> [String] {
        let decoder = FieldDecoder()
        return frames.of(.headers).compactMap { (try? decoder.decode($0.payload, atMost: 1 << 16))?.first?.value }
    }

    @Test(arguments: ["100-continue", "100-Continue"])
    func waitingClientsAreToldToContinue(value: String) {
        let server = TestServer()
        server.shakeHands()
        let first = server.exchange([.headers(1, RawFrame.push + [("expect", value)], ends: false)])
        #expect(first.map(\.kind) == [.headers])
        #expect(first.first?.flags == RawFrame.endHeaders)
        #expect(server.arrivals.isEmpty)
        let second = server.exchange([.data(1, Array("{}".utf8))])
        #expect(Self.statuses(first + second) == ["100", "200"])
        #expect(server.arrivals.map(\.fields.last) == [["expect", value]])
        #expect(server.session.openStreams == 0)
    }

    @Test func whoDoesNotWaitIsNotTold() {
        let server = TestServer()
        server.shakeHands()
        let body = Array("{}".utf8)
        // Begun already, ended without a body, other fields.
        var frames = server.exchange([.headers(1, Self.expecting, ends: false), .data(1, body)])
        frames += server.exchange([.headers(3, Self.expecting)])
        for (stream, name, value) in [(5, "expect", "100-contimue"), (7, "accept", "100-continue")]
            as [(Int32, String, String)]
        {
            frames += server.exchange([.headers(stream, RawFrame.push + [(name, value)], ends: false)])
            frames += server.exchange([.data(stream, body)])
        }
        #expect(frames.map(\.stream) == [1, 3, 5, 7])
        #expect(Self.statuses(frames) == ["200", "200", "200", "200"])
    }

    @Test func requestsRefusedBeforeTheirBodyGetNothingElse() {
        let server = TestServer(streams: 1)
        server.shakeHands()
        _ = server.exchange([.headers(1, ends: false)])
        let refused = server.exchange([.headers(3, Self.expecting, ends: false)])
        #expect(refused.map(\.kind) == [.reset, .reset])
        let other = TestServer()
        other.shakeHands()
        let long = other.exchange([
            .headers(1, Self.expecting + [("x", String(repeating: "x", count: 9000))], ends: false)
        ])
        #expect(Self.statuses(long) == ["431"])
        let third = TestServer()
        third.shakeHands()
        third.goAway(lastStream: 0, errorCode: 0, debugData: [])
        #expect(third.exchange([.headers(1, Self.expecting, ends: false)]).of(.headers).isEmpty)
    }
}
