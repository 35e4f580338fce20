import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

/// Pushes that another APNs answers.
@Suite struct RelayTests {
    static func rig(_ more: String = "", certificate: Bool = false) throws -> RecordedRig {
        var rig = try RecordedRig("", more)
        rig.start()
        rig.rig.gateway.beginRelaying(withCertificate: certificate)
        return rig
    }

    /// Sends a push, and answers it as the other APNs does.
    static func push(
        _ rig: inout RecordedRig, _ answer: UpstreamAnswer, _ change: (inout ExamplePush) -> Void = { _ in }
    ) -> (first: Decision, passed: [OrderedPush], last: OrderedDecision?) {
        let first = rig.rig.send { change(&$0) }
        let passed = rig.rig.gateway.takePostponed()
        let last = passed.first.flatMap { push in
            rig.rig.gateway.decideRelayed(
                push.id, by: answer, latencyMicroseconds: 7, at: rig.rig.gateway.moment(at: rig.rig.time))
        }
        rig.note(rig.rig.gateway.takeEffects())
        return (first, passed, last)
    }

    static func record(_ rig: borrowing RecordedRig, _ sequence: Int) throws -> JSONText.Value {
        try JSONText.read(try #require(rig.rig.gateway.log.snapshot.record(sequence)))
    }

    @Test("The answer of the upstream is recorded beside the own one")
    func answers() throws {
        var rig = try Self.rig()
        let id = "6C14D775-64F1-3B19-4D59-AE429E0294AA"
        let cases: [(answer: UpstreamAnswer, badPriority: Bool, own: String, agrees: Bool)] = [
            (
                UpstreamAnswer(
                    .answered(status: 200, reason: nil),
                    fields: RelayedAnswer.block(of: [.init(name: "apns-id", value: id)])),
                false, "200", true
            ),
            (UpstreamAnswer(.answered(status: 400, reason: "BadPriority")), true, "400 BadPriority", true),
            (UpstreamAnswer(.answered(status: 400, reason: "BadTopic")), true, "400 BadPriority", false),
            (UpstreamAnswer(.answered(status: 200, reason: nil)), true, "400 BadPriority", false),
            (UpstreamAnswer(.answered(status: 403, reason: "SomethingNew")), false, "200", false),
            (UpstreamAnswer(.reset(errorCode: 7)), false, "200", false),
        ]
        for (index, each) in cases.enumerated() {
            let (first, passed, last) = Self.push(&rig, each.answer) { push in
                if each.badPriority { push.fields.append(("apns-priority", "7")) }
            }
            #expect(first.answer == nil && passed.count == 1)
            let decided = try #require(last)
            #expect(decided.sequence == index + 1)
            let record = try Self.record(rig, index + 1)
            #expect(record["decidedBy"]?.string == "upstream")
            let own = RelayedAnswer.Verdict(record["own"])
            #expect(own.text == each.own)
            #expect(record["agrees"]?.bool == each.agrees, "\(index)")
            #expect(record["explanation"]?.isNull == (index == 0), "\(index)")
        }
        let snapshot = rig.rig.gateway.log.snapshot
        #expect(try Self.record(rig, 1)["apnsID"]?.string == id)
        #expect(try Self.record(rig, 5)["reason"]?.isNull == true && Self.record(rig, 5)["status"]?.int64 == 403)
        #expect(try Self.record(rig, 5)["relayed"]?["reason"]?.string == "SomethingNew")
        #expect(
            try Self.record(rig, 6)["resetCode"]?.string == "REFUSED_STREAM"
                && Self.record(rig, 6)["status"]?.isNull == true)
        #expect(snapshot.latestSequence == 6)
        let found = rig.rig.gateway.differences
        #expect((found.relayed, found.agreed, found.different) == (6, 2, 4))
        #expect(found.groups.map(\.example) == [3, 4, 5, 6])
        #expect(
            found.lines.last
                == "  RST_STREAM REFUSED_STREAM where mock-apns answers 200: 1 push, the first is push 6")
        #expect(RelayDifferences(try JSONText.read(found.json)).lines == found.lines)
    }

    @Test("Its accepted pushes reach the device, others do not")
    func devices() throws {
        var rig = try Self.rig()
        _ = Self.push(&rig, UpstreamAnswer(.answered(status: 200, reason: nil)))
        _ = Self.push(&rig, UpstreamAnswer(.answered(status: 429, reason: "TooManyRequests")))
        let found = rig.rig.gateway.devices.find(name: "alice")
        let alice = try #require(found)
        #expect(rig.rig.gateway.devices[alice].received == 1)
        #expect(try Self.record(rig, 1)["delivery"]?.string == "Delivered to Device")
        #expect(try Self.record(rig, 2)["delivery"]?.isNull == true)
    }

    @Test("What a rule decides and a push of the API are not passed on")
    func obstacles() throws {
        var rig = try Self.rig(#""rules": [{"name": "busy", "times": 1, "then": {"reject": "TooManyRequests"}}],"#)
        let ok = UpstreamAnswer(.answered(status: 200, reason: nil))
        let (first, passed, _) = Self.push(&rig, ok)
        #expect(first.answer?.reason == .tooManyRequests && passed.isEmpty)
        #expect(try Self.record(rig, 1)["relayed"] == nil)
        rig.work { $0.sendAsAdmin() }
        #expect(rig.rig.gateway.takePostponed().isEmpty && rig.rig.gateway.log.latestSequence == 2)
        #expect(Self.push(&rig, ok).passed.count == 1)
    }

    @Test("A push that the upstream does not answer is answered with 503, and counted")
    func lost() throws {
        var rig = try Self.rig()
        let (_, passed, last) = Self.push(&rig, UpstreamAnswer(.lost("It was gone.")))
        #expect(last?.decision.answer?.status == 503)
        #expect(try Self.record(rig, 1)["explanation"]?.string == "It was gone.")
        #expect(rig.rig.gateway.differences.unanswered == 1 && rig.rig.gateway.differences.relayed == 0)
        let id = try #require(passed.first).id
        let again = rig.rig.gateway.decideRelayed(
            id, by: UpstreamAnswer(.lost("Again.")), latencyMicroseconds: 0,
            at: rig.rig.gateway.moment(at: rig.rig.time))
        #expect(again == nil, "each is answered once")
    }

    @Test("The log file says the same, and is read")
    func log() throws {
        var rig = try Self.rig()
        let answer = UpstreamAnswer(
            status: 410, body: Array(#"{"reason":"Unregistered","timestamp":1}"#.utf8),
            fields: RelayedAnswer.block(of: [.init(name: "apns-id", value: "x")]), latencyMicroseconds: 12)
        _ = Self.push(&rig, answer)
        let line = try #require(String(decoding: rig.lines, as: UTF8.self).split(separator: "\n").last.map(String.init))
        #expect(
            line.contains(
                #""relayed":{"status":410,"reason":"Unregistered","latencyMicroseconds":12,"headers":[["apns-id","x"]]},"own":{"status":200,"reason":null},"agrees":false"#
            ), "\(line)")
        let request = try RequestLine(RecordedLine(Array(line.utf8), JSONText.read(Array(line.utf8), .recorded)))
        let relayed = try #require(request.relayed)
        #expect(relayed.theirs == .init(status: 410, reason: "Unregistered") && relayed.own == .init(status: 200))
        #expect(relayed.latencyMicroseconds == 12 && relayed.headers == [.init(name: "apns-id", value: "x")])
        #expect(request.record.decidedBy == .upstream)
    }

    @Test("Fields are passed on as they came, but for the host")
    func fields() throws {
        var rig = try Self.rig()
        let push = try #require(
            Self.push(&rig, UpstreamAnswer(.answered(status: 200, reason: nil))) {
                $0.fields = [("apns-collapse-id", "score"), ("host", "localhost")]
            }.passed.first)
        var bytes = Array("what was there".utf8)
        push.writeFields(for: "api.example.com:2197", to: &bytes)
        var names: [String: String] = [:]
        var fields = HeaderFields(length: bytes.count)
        while let field = fields.next(in: bytes.span) {
            names[String(decoding: bytes[field.name.range], as: UTF8.self)] = String(
                decoding: bytes[field.value.range], as: UTF8.self)
        }
        #expect(names["apns-collapse-id"] == "score" && names["host"] == "api.example.com:2197")
        #expect(names[":authority"] == "api.example.com:2197")
        #expect(names[":path"] == "/3/device/" + JudgeRig.alice)
        #expect(String(decoding: push.body, as: UTF8.self).contains("aps"))
    }

    @Test func theStreamLimitOfTheUpstreamIsToldOnce() throws {
        var rig = try Self.rig()
        let (connection, most) = (rig.rig.connection, Int(Int32.max))
        // Without a limit of the upstream, it is our own, 1000. A larger one than there can be streams is cut.
        for (limit, told) in [(5, 5), (nil, 1000), (.max, most)] as [(Int?, Int)] {
            let orders = rig.rig.gateway.relay(streamLimit: limit, on: connection)
            #expect(orders == [.settings(maxConcurrentStreams: told, for: nil)])
            let again = rig.rig.gateway.relay(streamLimit: limit, on: connection)
            #expect(again.isEmpty)
        }
        #expect(rig.rig.gateway.relay(streamLimit: 5, on: 999).isEmpty)
    }
}
