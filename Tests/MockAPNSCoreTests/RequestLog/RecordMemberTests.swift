import Foundation
import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

/// The writer, the reader and the filters have the members of the table, and no others.
@Suite struct RecordMemberTests {
    @Test func theWriterWritesTheMembersInTheirOrder() throws {
        let text = try JSONText.read(Array(try RecordedPush.ordinary().line().utf8))
        let members = try #require(text.object).map(\.key)
        #expect(members == RecordMember.allCases.filter(\.isInEveryLine).map(\.name))
        let authentication = try #require(text["authentication"]?.object).map(\.key)
        #expect(authentication == AuthenticationMember.allCases.map(\.name))
    }

    @Test func onlyNonTextBodiesHavePayloadBase64() throws {
        var push = RecordedPush.ordinary()
        push.body = [0xFF, 0x00]
        let members = try #require(try JSONText.read(Array(try push.line().utf8)).object).map(\.key)
        #expect(members == RecordMember.allCases.filter { $0.isInEveryLine || $0 == .payloadBase64 }.map(\.name))
    }

    @Test func onlyACallHasItsMembers() throws {
        var rig = BroadcastRig()
        let members = try #require(try JSONText.read(Array(rig.list().line.utf8)).object).map(\.key)
        #expect(
            members
                == RecordMember.allCases.filter { $0.isInEveryLine || $0.isOfCalls || $0 == .deliveries }.map(\.name))
    }

    @Test("A log of an older version reads: a missing member is absent", arguments: RecordMember.allCases)
    func reads(without member: RecordMember) throws {
        var rig = try RecordedRig(#"{"requests": {}, "count": 2}"#)
        rig.send(ExamplePush())
        rig.send(ExamplePush())
        let lines = try String(decoding: rig.lines, as: UTF8.self).split(separator: "\n").map { line in
            var object = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            if object["event"] as? String == "request" { object[member.name] = nil }
            return try JSONSerialization.data(withJSONObject: object) + Data("\n".utf8)
        }
        let text = lines.flatMap { Array($0) }
        // A line without `event` is no event's; it is torn, and missing.
        let isRead = (try? RecordedLog.read(text, rig.rig.gateway.scenario).input.verify().passed) ?? false
        #expect(isRead != member.isEssential)
    }

    @Test func theWriterRewritesWhatHasChanged() throws {
        var writer = RecordWriter()
        var log = RequestLog()
        var texts: [String] = []
        for delivery in [Delivery.delivered, .storedOffline, .storedOffline] {
            var push = RecordedPush.ordinary()
            push.record.delivery = delivery
            push.append(to: &log)
            var line: [UInt8] = []
            log.appendLine(of: log.latestSequence, using: &writer, to: &line)
            texts.append(try #require(try JSONText.read(line)["delivery"]?.string))
        }
        #expect(texts == [Delivery.delivered, .storedOffline, .storedOffline].map(\.name))
    }

    @Test func fieldsAreMembersOrHaveAReason() {
        let members = Set(RecordMember.allCases.map(\.name) + AuthenticationMember.allCases.map(\.name))
        // The body as it came; what the log keeps beside the members.
        let others: Set = ["body", "requestOnConnection", "serverName"]
        #expect(Set(RequestField.allCases.map(\.rawValue)).subtracting(members) == others)
    }
}
