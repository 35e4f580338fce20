import GatewayRigs
import Testing

@testable import MockAPNSCore

/// Which pushes go to another APNs, and what their records have of its answers.
@Suite struct RelayedPushTests {
    private static func answer(_ status: Int, _ fields: (name: String, value: String)...) -> UpstreamAnswer {
        let headers = fields.map { RelayedAnswer.Field(name: $0.name, value: $0.value) }
        return UpstreamAnswer(.answered(status: status, reason: nil), fields: RelayedAnswer.block(of: headers))
    }

    // MARK: What is passed on

    @Test(arguments: [
        (#"{"pass": true}"#, true), (#"[{"pass": true}, {"reject": "Shutdown"}]"#, true),
        (#"{"pass": true, "delay": "1s"}"#, false), (#"{"pass": true, "device": {"online": false}}"#, false),
        (#"{"pass": true, "settings": {"maxConcurrentStreams": 5}}"#, false), (#"{"reject": "Shutdown"}"#, false),
        (#"{"pass": true, "drip": {"bytes": 1, "every": "1ms"}}"#, false),
        (#"{"hostile": "\#(Hostility.trailers.rawValue)"}"#, false),
        (#"{"goAway": {"reason": "Shutdown", "then": "stayOpen"}}"#, false),
    ])
    func pushesAreRelayedPastRulesThatOnlyPass(_ then: String, isPassedOn: Bool) throws {
        var rig = try RelayTests.rig(#""rules": [{"name": "through", "then": \#(then)}],"#)
        let (first, passed, _) = RelayTests.push(&rig, Self.answer(200))
        #expect(passed.count == (isPassedOn ? 1 : 0) && (first.answer == nil) == isPassedOn)
        let record = try RelayTests.record(rig, 1)
        #expect(record["decidedBy"]?.string == (isPassedOn ? "upstream" : "rule:through"))
    }

    /// Sends a push on the connection of a provider with a client certificate.
    private static func sendWithCertificate(_ rig: inout RecordedRig) -> Decision {
        var facts = ConnectionFacts.example
        facts.clientCertificate = .init(
            subject: "CN = Apple Push Services", serial: "1F", topics: TopicList(["com.example.app"]))
        let connection = rig.open(facts)
        return rig.rig.send(on: connection, token: nil) { $0.token = nil }
    }

    @Test func certificatesNeedOneForTheUpstream() throws {
        var rig = try RelayTests.rig()
        let decision = Self.sendWithCertificate(&rig)
        #expect(decision.answer?.status == 403 && decision.answer?.reason == .forbidden)
        let waiting = rig.rig.gateway.takePostponed()
        #expect(waiting.isEmpty)
        let record = try RelayTests.record(rig, 1)
        #expect(record["decidedBy"]?.string == "upstream" && record["relayed"] == nil)
        #expect(record["explanation"]?.string?.contains("--upstream-certificate") == true)
        #expect(rig.rig.gateway.differences.unanswered == 1 && rig.rig.gateway.differences.relayed == 0)

        var other = try RelayTests.rig(certificate: true)
        #expect(Self.sendWithCertificate(&other).answer == nil)
        let passed = other.rig.gateway.takePostponed()
        #expect(passed.count == 1)
    }

    /// Of a longer body, only the beginning is stored.
    @Test func truncatedBodiesAreNotRelayed() throws {
        var rig = try RelayTests.rig()
        rig.send(ExamplePush { $0.bodyLength = 65_537 })
        let waiting = rig.rig.gateway.takePostponed()
        #expect(waiting.isEmpty)
        let record = try RelayTests.record(rig, 1)
        #expect(record["status"]?.int64 == 413 && record["reason"]?.string == "PayloadTooLarge")
        #expect(record["decidedBy"]?.string == "upstream")
        #expect(record["explanation"]?.string?.contains("65537 bytes") == true)
        #expect(rig.rig.gateway.differences.unanswered == 1)
    }

    // MARK: What is recorded

    @Test func unansweredPushesCountAsUpstream() throws {
        var rig = try RelayTests.rig()
        _ = RelayTests.push(&rig, UpstreamAnswer(.lost("It was gone.")))
        #expect(try RelayTests.record(rig, 1)["decidedBy"]?.string == "upstream")
    }

    @Test func aRelayedPushIsRecordedOnItsConnection() throws {
        var rig = try RelayTests.rig()
        let other = rig.open()
        rig.rig.send(on: other) { _ in }
        let waiting = rig.rig.gateway.takePostponed()
        let push = try #require(waiting.first)
        let decided = rig.rig.gateway.decideRelayed(
            push.id, by: Self.answer(200), latencyMicroseconds: 7, at: rig.rig.gateway.moment(at: rig.rig.time))
        #expect(push.connection == other && decided?.decision.answer?.status == 200)
        let record = try RelayTests.record(rig, 1)
        #expect(record["connectionID"]?.int64 == Int64(other) && record["outcome"]?.string == "responded")
    }

    @Test func recordsHaveTheProvidersIDs() throws {
        var rig = try RelayTests.rig()
        let (sent, made) = ("eabeae54-14a8-11e5-b60b-1697f925ec7b", "6C14D775-64F1-3B19-4D59-AE429E0294AA")
        let unique = "4084a6e4-9ea8-6d2a-ca49-9a344a152da7"
        let answer = Self.answer(200, ("x", "y"), ("apns-unique-id", unique), ("apns-id", made))
        _ = RelayTests.push(&rig, answer)
        _ = RelayTests.push(&rig, answer) { $0.fields = [("apns-id", sent)] }
        _ = RelayTests.push(&rig, Self.answer(200, ("x", unique)))
        let records = try (1...3).map { try RelayTests.record(rig, $0) }
        #expect(records[0]["apnsID"]?.string == made && records[1]["apnsID"]?.string == sent)
        #expect(records.map { $0["uniqueID"]?.string } == [unique, unique, nil])
    }

    /// Else it is a date, or nothing that HTTP knows (RFC 9110, section 10.2.3).
    @Test(
        arguments: [
            ("120", 120), ("0", 0), ("+5", nil), ("Wed, 21 Oct 2026 07:28:00 GMT", nil), ("4294967296", nil),
        ] as [(String, UInt32?)])
    func retryAfterIsRecordedInSeconds(_ value: String, seconds: UInt32?) throws {
        var rig = try RelayTests.rig()
        _ = RelayTests.push(&rig, Self.answer(429, ("apns-id", "x"), ("retry-after", value)))
        #expect(rig.rig.gateway.log.open.records.last?.retryAfter == seconds)
    }

    @Test func anAcceptedPushHasNoReason() {
        let body = Array(#"{"reason":"BadTopic"}"#.utf8)
        for (status, reason) in [(200, nil), (400, "BadTopic")] as [(Int, String?)] {
            let answer = UpstreamAnswer(status: status, body: body, fields: [], latencyMicroseconds: 0)
            #expect(answer.verdict == .init(status: status, reason: reason))
        }
        #expect(UpstreamAnswer(.reset(errorCode: 7)).latencyMicroseconds == 0)
    }
}
