import Foundation
import MockAPNSCore
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

/// What refusals do to a connection beside being answered.
@Suite struct ThrottlingOnTheWireTests {
    private static let bad: [(String, String?)] = [("apns-priority", "7")]

    // MARK: afterRejection

    @Test func rejectionsLowerTheLimitAndSuccessesRaiseIt() async throws {
        try await withServer {
            $0.play(#"{"connection": {"afterRejection": 1}}"#)
        } _: { server in
            let authorization = try server.authorization()
            let provider = try await TestProvider.raw(to: server)
            _ = try await provider.exchange(TestPush(authorization), on: 1)
            _ = try await provider.exchange(TestPush(authorization, Self.bad), on: 3)
            _ = try await provider.exchange(TestPush(authorization, Self.bad), on: 5)
            _ = try await provider.exchange(TestPush(authorization), on: 7)
            let story = try await provider.story
            #expect(story.streamLimits == [1, 1000, 1, 1000])
            // Each SETTINGS leaves before the answer that it goes with.
            #expect(
                story.map(\.kind) == [
                    .settings, .settings, .headers, .settings, .headers, .data, .headers, .data, .settings, .headers,
                ])
            #expect(story.map(\.stream) == [0, 0, 1, 0, 3, 3, 5, 5, 0, 7])
        }
    }

    @Test func loweredLimitsApplyAtOnceAndRefuseTwice() async throws {
        try await withServer {
            $0.play(#"{"connection": {"afterRejection": 1}}"#)
        } _: { server in
            let authorization = try server.authorization()
            let provider = try await TestProvider.raw(to: server)
            _ = try await provider.exchange(TestPush(authorization), on: 1)
            // Open streams stay good; what opens after the fall is refused, though it was not acknowledged.
            let push = TestPush(authorization)
            try await provider.send([.headers(3, push.fields, ends: false)])
            _ = try await provider.exchange(TestPush(authorization, Self.bad), on: 5)
            try await provider.send(push.frames(on: 7))
            try await provider.ping()
            #expect(try await provider.frames.resets(of: 7) == [7, 5])
            try await provider.send([.data(3, push.body!)])
            #expect(try await provider.framesOfEnded(3).map(\.kind) == [.headers])
            // That was a success.
            #expect(try await provider.exchange(push, on: 9).map(\.kind) == [.headers])
            #expect(try await provider.frames.goAways.isEmpty)
            #expect(try server.records.map(\.outcome) == ["responded", "responded", "reset", "responded", "responded"])
        }
    }

    @Test func a410LeavesTheLimit() async throws {
        try await withServer {
            $0.play(
                """
                {"connection": {"afterRejection": 1},
                 "devices": [{"token": "\(TestPush.device)", "topic": "com.example.app", "registered": false}]}
                """)
        } _: { server in
            let provider = try await TestProvider.raw(to: server)
            let frames = try await provider.exchange(TestPush(server.authorization()), on: 1)
            #expect(String(decoding: frames.of(.data)[0].payload, as: UTF8.self).contains("Unregistered"))
            #expect(try await provider.frames.streamLimits == [1, 1000])
        }
    }

    // MARK: Wedge

    @Test func anExpiredTokenWedgesTheConnection() async throws {
        try await withServer {
            $0.play(#"{"connection": {"wedgeAfterExpiredToken": true}}"#)
        } _: { server in
            let old = try server.authorization(issuedAt: WallClock.now().seconds - 4000)
            let good = try server.authorization()
            let provider = try await TestProvider.raw(to: server)
            _ = try await provider.exchange(TestPush(good), on: 1)
            let expired = try await provider.exchange(TestPush(old), on: 3)
            #expect(
                String(decoding: expired.of(.data)[0].payload, as: UTF8.self) == #"{"reason":"ExpiredProviderToken"}"#)
            for stream: Int32 in [5, 7] {
                try await provider.send(TestPush(good).frames(on: stream))
                try await provider.wait { $0.frames.resets(of: stream).count == 2 ? true : nil }
                #expect(try await provider.frames.resets(of: stream) == [7, 5])
            }
            let story = try await provider.story
            #expect(story.streamLimits == [1, 1000, 1])
            #expect(story.goAways.isEmpty)
            #expect(try server.records.map(\.outcome) == ["responded", "responded", "reset", "reset"])
            // PING is still acknowledged, and another connection is as good as ever.
            try await provider.ping()
            let other = try await TestProvider.connect(to: server)
            #expect(try await other.push(TestPush(good)).status == "200")
        }
    }

    @Test func withoutTheSwitchAFreshTokenHelps() async throws {
        try await withProvider { provider, server in
            let old = try server.authorization(issuedAt: WallClock.now().seconds - 4000)
            #expect(try await provider.push(TestPush(old)).reason == "ExpiredProviderToken")
            #expect(try await provider.push(TestPush(server.authorization())).status == "200")
        }
    }

    // MARK: closeAfterErrors

    @Test func enoughErrorsBringGoAwayAndTheEnd() async throws {
        try await withServer {
            $0.play(#"{"connection": {"closeAfterErrors": 3}}"#)
        } _: { server in
            let authorization = try server.authorization()
            let provider = try await TestProvider.raw(to: server)
            _ = try await provider.exchange(TestPush(authorization, Self.bad), on: 1)
            // BadDeviceToken counts twice. The GOAWAY comes after its answer, then the end.
            try await provider.send(
                TestPush(authorization, [(":path", "/3/device/abc")]).frames(on: 3)
                    + TestPush(authorization).frames(on: 5))
            let frames = try await provider.framesUntilEnd()
            #expect(frames.goAways == [.reason("BadDeviceToken", lastStream: 3)])
            #expect(frames.suffix(3).map(\.kind) == [.headers, .data, .goAway])
            #expect(frames.of(.headers).map(\.stream) == [1, 3])
            #expect(try await provider.end() == (true, false))
            #expect(try await server.closer(of: 1) == .errors)
            // In the middle of a batch: what came above the last stream is not processed.
            #expect(try server.records.map(\.stream) == [1, 3, 5])
            #expect(try server.records.map(\.outcome) == ["responded", "responded", "ignored"])
        }
    }

    // MARK: TooManyRequests

    @Test func pushRatesPerDeviceAreLimited() async throws {
        try await withProvider {
            $0.play(
                """
                {"devices": [{"token": "\(TestPush.device)", "topic": "com.example.app",
                              "rate": {"allowed": 2, "per": "1h"}}]}
                """)
        } _: { provider, server in
            let push = TestPush(try server.authorization())
            #expect(try await provider.push(push).status == "200")
            #expect(try await provider.push(push).status == "200")
            let third = try await provider.push(push)
            #expect(third.status == "429")
            #expect(third.reason == "TooManyRequests")
            // Others are not concerned.
            let other = TestPush(
                try server.authorization(), [(":path", "/3/device/" + String(repeating: "cd", count: 32))])
            #expect(try await provider.push(other).status == "200")
        }
    }

    // MARK: A limit for a while

    /// An hour, which no test waits for: the push comes within it, however busy the machine is.
    @Test func aPushBeyondAnOrderedLimitIsRefused() async throws {
        try await withServer { server in
            let push = TestPush(try server.authorization())
            let provider = try await TestProvider.raw(to: server)
            _ = try await provider.exchange(push, on: 1)
            #expect(try await server.limitStreams(to: 0, for: .seconds(3600), of: .connection(id: 1)) == [1])
            try await provider.send(push.frames(on: 3))
            try await provider.wait { $0.frames.resets(of: 3).first == 7 ? true : nil }
            #expect(try await provider.frames.streamLimits == [1, 1000, 0])
        }
    }

    @Test func anOrderedLimitEndsAfterItsTime() async throws {
        try await withServer { server in
            let push = TestPush(try server.authorization())
            let provider = try await TestProvider.raw(to: server)
            _ = try await provider.exchange(push, on: 1)
            #expect(try await server.limitStreams(to: 0, for: .milliseconds(10), of: .connection(id: 1)) == [1])
            try await provider.wait { $0.frames.streamLimits.count == 4 ? true : nil }
            #expect(try await provider.frames.streamLimits == [1, 1000, 0, 1000])
            #expect(try await provider.exchange(push, on: 3).map(\.kind) == [.headers])
        }
    }
}
