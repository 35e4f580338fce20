import MockAPNSCore
import SystemPackage
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

/// What the steps of rules do to pushes, as a provider sees it.
@Suite struct ScriptedAnswersOnTheWireTests {
    /// A server with one rule, and a provider that has sent nothing yet.
    private func withStep<Result>(
        _ step: String, _ more: String = "",
        _ body: (TestProvider, MockAPNSServer, TestPush) async throws -> Result
    ) async throws -> Result {
        try await withProvider {
            $0.play(#"{"seed": 1, "rules": [{"name": "it", "then": \#(step)}]\#(more)}"#)
        } _: { provider, server in
            try await body(provider, server, TestPush(server.authorization()))
        }
    }

    // MARK: Answers

    static let answers: [(step: String, status: String, body: String, fields: [String: String])] = [
        (#"{"pass": true}"#, "200", "", [:]),
        (#"{"reject": "TooManyRequests"}"#, "429", #"{"reason":"TooManyRequests"}"#, [:]),
        (#"{"reject": "ServiceUnavailable", "retryAfter": 7}"#, "503", "", ["retry-after": "7"]),
        (#"{"reject": "BadDeviceToken", "status": 418}"#, "418", #"{"reason":"BadDeviceToken"}"#, [:]),
        (
            #"{"reject": "Unregistered", "timestamp": "2026-01-01T00:00:00.000Z"}"#, "410",
            #"{"reason":"Unregistered","timestamp":1767225600000}"#, [:]
        ),
        (
            #"{"respond": {"status": 502, "headers": {"x-proxy": "yes"}, "body": "<html>"}}"#, "502", "<html>",
            ["x-proxy": "yes"]
        ),
        (#"{"respond": {"status": 200}, "retryAfter": 1}"#, "200", "", ["retry-after": "1"]),
        (#"{"outage": {"reason": "Shutdown", "for": "1h"}}"#, "503", #"{"reason":"Shutdown"}"#, [:]),
        (#"{"reject": "InternalServerError", "delay": "20ms"}"#, "500", #"{"reason":"InternalServerError"}"#, [:]),
        (#"{"reject": "InternalServerError", "deliver": true}"#, "500", #"{"reason":"InternalServerError"}"#, [:]),
    ]

    @Test(arguments: answers.indices)
    func itIsAnsweredAsTheStepSays(index: Int) async throws {
        let (step, status, body, fields) = Self.answers[index]
        try await withStep(step) { provider, server, push in
            let answer = try await provider.push(push)
            #expect(answer.status == status)
            if !body.isEmpty { #expect(answer.body == body) }
            for (name, value) in fields { #expect(answer[name] == value) }
            let record = try #require(server.records.first)
            #expect(record.status == Int(status))
            #expect(record.decidedBy == "rule:it")
            #expect(record.outcome == "responded")
        }
    }

    @Test func nothingIsAddedToCustomAnswers() async throws {
        try await withStep(#"{"respond": {"status": 404, "headers": {"server": "nginx"}, "body": "gone"}}"#) {
            provider, _, push in
            let answer = try await provider.push(push)
            #expect(answer.fields == [[":status", "404"], ["server", "nginx"]])
            #expect(answer.body == "gone")
        }
    }

    @Test func contentTypeIsSaidWhereItIsWanted() async throws {
        try await withStep(#"{"reject": "BadTopic"}"#, #", "responses": {"contentType": true}"#) {
            provider, _, push in
            let answer = try await provider.push(push)
            #expect(answer["content-type"] == "application/json")
        }
        try await withStep(#"{"reject": "BadTopic"}"#) { provider, _, push in
            let answer = try await provider.push(push)
            #expect(answer["content-type"] == nil)
        }
    }

    // MARK: Hostile ones

    @Test func errorsWithoutABodyEndWithTheirHeaders() async throws {
        try await withStep(#"{"hostile": "emptyBody"}"#) { provider, _, push in
            let answer = try await provider.push(push)
            #expect(answer.status == "500")
            #expect(answer.frames.map(\.kind) == [.headers])
            #expect(answer.frames[0].flags & RawFrame.endStream != 0)
        }
    }

    @Test func aBodyIsSplit() async throws {
        try await withStep(#"{"hostile": "splitBody"}"#) { provider, _, push in
            let answer = try await provider.push(push)
            #expect(answer.body == #"{"reason":"InternalServerError"}"#)
            #expect(answer.frames.map(\.kind) == [.headers, .data, .data])
            #expect(answer.frames.allSatisfy { !$0.payload.isEmpty })
        }
    }

    @Test func anEmptyFrameIsTheLast() async throws {
        try await withStep(#"{"hostile": "emptyLastData"}"#) { provider, _, push in
            let answer = try await provider.push(push)
            #expect(answer.frames.map(\.kind) == [.headers, .data, .data])
            #expect(answer.frames[2].payload.isEmpty)
        }
    }

    @Test func anErrorsBodyIsText() async throws {
        try await withStep(#"{"hostile": "notJSON"}"#) { provider, _, push in
            let answer = try await provider.push(push)
            #expect(answer.status == "500")
            #expect(!answer.body.isEmpty && !answer.body.contains("{"))
        }
    }

    @Test func trailersFollow() async throws {
        try await withStep(#"{"hostile": "trailers"}"#) { provider, _, push in
            let answer = try await provider.push(push)
            #expect(answer.status == "200")
            #expect(answer.frames.map(\.kind) == [.headers, .headers])
            #expect(answer["x-mock-apns"] == "trailers")
        }
    }

    @Test func theIDIsMissing() async throws {
        try await withStep(#"{"hostile": "noAPNsID"}"#) { provider, _, push in
            let answer = try await provider.push(push)
            #expect(answer.status == "200")
            #expect(answer["apns-id"] == nil)
            #expect(answer["apns-unique-id"] != nil)
        }
    }

    @Test(arguments: [
        "eabe17a2-1f5f-4a0b-9c6e-0123456789ab", "EABE17A2-1F5F-4A0B-9C6E-0123456789AB",
    ])
    func theIDIsInTheOtherCase(id: String) async throws {
        try await withStep(#"{"hostile": "otherCaseAPNsID"}"#) { provider, server, push in
            let answer = try await provider.push(TestPush(server.authorization(), [("apns-id", id)]))
            #expect(answer["apns-id"] == (id == id.lowercased() ? id.uppercased() : id.lowercased()))
            #expect(try server.records.first?.apnsID == id)
        }
    }

    @Test func earlyHintsComeFirst() async throws {
        try await withStep(#"{"hostile": "informational"}"#) { provider, _, push in
            let answer = try await provider.push(push)
            #expect(answer.fields.filter { $0[0] == ":status" } == [[":status", "103"], [":status", "200"]])
        }
    }

    @Test func settingsAreRepeated() async throws {
        try await withStep(#"{"hostile": "settingsFlood"}"#) { provider, _, push in
            let before = try await provider.frames.of(.settings).count
            #expect(try await provider.push(push).status == "200")
            #expect(try await provider.frames.of(.settings).count >= before + 100)
        }
    }

    @Test func aFrameOfAnUnknownTypeComesFirst() async throws {
        try await withStep(#"{"hostile": "unknownFrame"}"#) { provider, _, push in
            let answer = try await provider.push(push)
            #expect(answer.status == "200")
            #expect(answer.frames.count == 2)
            #expect(![.headers, .data, .settings, .reset].contains(answer.frames[0].kind))
        }
    }

    @Test func bodiesGetNoMoreWindow() async throws {
        try await withStep(#"[{"hostile": "windowStall"}, {"pass": true}]"#) { provider, server, push in
            #expect(try await provider.push(push).status == "200")
            let before = try await provider.frames.of(.windowUpdate).count
            var large = push
            large.body = Array(repeating: UInt8(ascii: " "), count: 4000)
            for _ in 0..<16 { _ = try await provider.start(large) }
            try await provider.ping()
            try await provider.ping()
            #expect(try await provider.frames.of(.windowUpdate).count == before)
        }
    }

    // MARK: No answer

    @Test func stalledStreamsStayOpenWhilePingsAreAnswered() async throws {
        try await withStep(#"[{"pass": true}, {"stall": true}, {"pass": true}]"#) { provider, server, push in
            #expect(try await provider.push(push).status == "200")
            let stalled = try await provider.start(push)
            #expect(try await provider.push(push).status == "200")
            try await provider.ping()
            #expect(try await provider.frames.filter { $0.stream == stalled }.isEmpty)
            #expect(try server.records.map(\.outcome) == ["responded", "stalled", "responded"])
            await provider.close()
        }
    }

    @Test func theStepSaysHowOftenStreamsAreReset() async throws {
        try await withServer {
            $0.play(#"{"rules": [{"then": {"resetStream": ["REFUSED_STREAM", "STREAM_CLOSED"]}}]}"#)
        } _: { server in
            let provider = try await TestProvider.raw(to: server)
            let push = TestPush(try server.authorization())
            try await provider.send(push.frames(on: 1))
            try await provider.ping()
            #expect(try await provider.frames.resets(of: 1) == [7, 5])
            #expect(try server.records.map(\.outcome) == ["reset"])
            await provider.close()
        }
    }

    @Test(arguments: [("end", true, false), ("truncate", false, false), ("reset", false, true)])
    func theConnectionEndsInsteadOfAnAnswer(word: String, saidGoodbye: Bool, wasReset: Bool) async throws {
        try await withServer {
            $0.play(#"{"rules": [{"then": {"close": "\#(word)"}}]}"#)
        } _: { server in
            let provider = try await TestProvider.raw(to: server)
            try await provider.send(TestPush(try server.authorization()).frames(on: 1))
            #expect(try await provider.end() == (saidGoodbye, wasReset))
            #expect(try server.records.map(\.outcome) == ["closed"])
        }
    }

    // MARK: Late answers

    @Test func clientsCanCancelDelayedAnswers() async throws {
        try await withStep(#"[{"pass": true}, {"pass": true, "delay": "1h"}, {"pass": true}]"#) {
            provider, server, push in
            try await provider.push(push)
            let stream = try await provider.start(push)
            try await provider.ping()
            #expect(try server.records.map(\.outcome) == ["responded", "delayed"])
            try await provider.perform { $0.http2!.reset(stream) }
            try await provider.ping()
            #expect(try server.records.map(\.outcome) == ["responded", "cancelled"])
            #expect(try await provider.push(push).status == "200")
        }
    }

    @Test func closingAConnectionEndsItsLateAnswers() async throws {
        try await withFolder { folder in
            let file = folder.appending("log.jsonl")
            try await withServer {
                $0.log = .file(file)
                $0.play(#"{"rules": [{"then": {"pass": true, "delay": "1h"}}]}"#)
            } _: { server in
                let provider = try await TestProvider.connect(to: server)
                _ = try await provider.start(TestPush(server.authorization()))
                try await provider.ping()
                await provider.close()
                _ = try await server.closer(of: 1)
                #expect(try server.records.map(\.outcome) == ["cancelled"])
            }
            let lines = try String(decoding: read(file), as: UTF8.self).split(separator: "\n")
            #expect(lines.count { $0.contains(#""event":"update","sequence":1,"#) } == 1)
        }
    }

    @Test func laterPushesOvertakeADelayedOne() async throws {
        try await withStep(#"[{"pass": true}, {"reject": "Shutdown", "delay": "1h"}, {"pass": true}]"#) {
            provider, _, push in
            try await provider.push(push)
            let late = try await provider.start(push)
            #expect(try await provider.push(push).status == "200")
            #expect(try await provider.perform { $0.http2!.responses[late]?.status } == nil)
            await provider.close()
        }
    }

    @Test func aDelayedAnswerComes() async throws {
        try await withStep(#"{"reject": "Shutdown", "delay": "50ms"}"#) { provider, server, push in
            #expect(try await provider.push(push).status == "503")
            let record = try #require(server.records.first)
            #expect(record.outcome == "responded")
            #expect(record.latencyMicroseconds >= 50_000)
        }
    }

    @Test func settingsComeBeforeTheAnswerAndGoBack() async throws {
        try await withStep(
            #"[{"pass": true}, {"reject": "TooManyRequests", "settings": {"maxConcurrentStreams": 1, "for": "50ms"}}]"#
        ) { provider, _, push in
            try await provider.push(push)
            let answer = try await provider.push(push)
            #expect(answer.status == "429")
            let limits = try await provider.wait { $0.frames.streamLimits.count >= 4 ? $0.frames.streamLimits : nil }
            #expect(limits == [1, 1000, 1, 1000])
        }
    }

    // MARK: Drops

    @Test func anAnswerDrips() async throws {
        try await withStep(
            #"[{"pass": true}, {"reject": "TooManyRequests", "drip": {"bytes": 3, "every": "1ms"}}, {"pass": true}]"#
        ) { provider, server, push in
            try await provider.push(push)
            let dripping = try await provider.start(push)
            let answer = try await provider.answer(to: dripping)
            #expect(answer.status == "429")
            #expect(answer.body == #"{"reason":"TooManyRequests"}"#)
            // A record of TLS 1.3 holds one drop of 3 bytes, its type and its tag (RFC 8446, section 5.2).
            let sent = try #require(await server.connections().first).counters.bytesSent
            #expect(sent > (9 + answer.body.utf8.count) / 3 * (5 + 3 + 1 + 16))
            #expect(try await provider.push(push).status == "200")
        }
    }

    @Test func answersBehindADrippingOneDoNotDrip() async throws {
        try await withStep(
            #"[{"pass": true}, {"reject": "TooManyRequests", "drip": {"bytes": 20, "every": "20ms"}}, {"pass": true}]"#
        ) { provider, server, push in
            try await provider.push(push)
            let before = try #require(await server.connections().first).counters.bytesSent
            let answers = try await provider.push([push, push, push, push, push, push])
            #expect(answers.map(\.status) == ["429", "200", "200", "200", "200", "200"])
            // Five answers in drops of 20 bytes would take a record of TLS for each drop, 22 bytes more.
            let sent = try #require(await server.connections().first).counters.bytesSent - before
            #expect(sent < 1100, "\(sent)")
        }
    }

    @Test func theServersEndIsNotTheClients() async throws {
        try await withFolder { folder in
            let file = folder.appending("log.jsonl")
            let provider = try await withServer(stoppingWithin: .zero) {
                $0.log = .file(file)
                $0.play(#"{"rules": [{"then": {"pass": true, "delay": "1h"}}]}"#)
            } _: { server in
                let provider = try await TestProvider.connect(to: server)
                _ = try await provider.start(TestPush(server.authorization()))
                try await provider.ping()
                return provider
            }
            let lines = try String(decoding: read(file), as: UTF8.self)
            #expect(lines.contains(#""outcome":"closed""#) && !lines.contains(#""outcome":"cancelled""#))
            #expect(lines.contains(#""closedBy":"server""#))
            await provider.close()
        }
    }

    @Test func answersOmittedByGoAwayAreRecordedUnsent() async throws {
        let goAway = #"{"goAway": {"reason": "Shutdown", "lastStream": "zero", "then": "stayOpen"}}"#
        try await withServer {
            $0.play(#"{"rules": [{"then": [{"pass": true}, {"pass": true, "delay": "100ms"}, \#(goAway)]}]}"#)
        } _: { server in
            // nghttp2 would take its requests back at such a GOAWAY.
            let provider = try await TestProvider.raw(to: server)
            let push = TestPush(try server.authorization())
            _ = try await provider.exchange(push, on: 1)
            // In one piece, so that the third comes before the second is due.
            try await provider.send(push.frames(on: 3) + push.frames(on: 5))
            try await server.until { try $0.records.count == 3 && $0.records.allSatisfy { $0.outcome != "delayed" } }
            #expect(try server.records.map(\.outcome) == ["responded", "goAway", "goAway"])
            #expect(try await provider.frames.of(.headers).map(\.stream) == [1])
            await provider.close()
        }
    }

    @Test func aDripIsOutlivedByNoConnection() async throws {
        try await withStep(#"{"reject": "TooManyRequests", "drip": {"bytes": 1, "every": "1h"}}"#) {
            provider, _, push in
            _ = try await provider.start(push)
            try await provider.perform { _ in }
            await provider.close()
        }
    }
}
