import GatewayRigs
import Testing

@testable import MockAPNSCore

/// Records of answers that were not sent as they were decided.
@Suite struct UnsentAnswerTests {
    private static let respond = #"{"name": "it", "then": {"respond": {"status": 200}}}"#

    private static func line(_ sequence: Int, of gateway: borrowing Gateway) -> String {
        String(decoding: gateway.log.snapshot.record("\(sequence)") ?? [], as: UTF8.self)
    }

    @Test func aRefusedAnswerIsAReset() throws {
        var rig = ScriptRig(Self.respond)
        let first = rig.send()
        rig.send()
        let response = try #require(first.response)
        let answer = UnsentAnswer(stream: response.stream, .refused("it is too long"), of: response)
        _ = rig.gateway.takeEffects()
        rig.gateway.noteUnsent([answer], on: rig.connection, at: GatewayRig.now)
        let changes = rig.gateway.takeUpdates()
        #expect(changes.map(\.sequence) == [1])
        #expect(changes[0].change.outcome == .reset)
        let line = Self.line(1, of: rig.gateway)
        #expect(line.contains(#""outcome":"reset""#))
        #expect(
            line.contains(
                #"Rule \"it\" answers with status 200. The answer could not be sent: it is too long. The stream was reset with INTERNAL_ERROR."#
            ), "\(line)")
        #expect(Self.line(2, of: rig.gateway).contains(#""outcome":"responded""#))
        #expect(rig.gateway.statistics.count(of: Outcome.responded) == 1)
        #expect(rig.gateway.statistics.count(of: Outcome.reset) == 1)
    }

    @Test func anOrdinaryAnswerIsFoundByItsStream() {
        var rig = ScriptRig("")
        let other = rig.gateway.openConnection(.example, at: GatewayRig.now)
        for number in 0..<3000 { rig.send(on: number.isMultiple(of: 3) ? other : nil) }
        let answers = [UInt32(3), 2999, 6001].map { UnsentAnswer(stream: $0, .connectionEnded) }
        // Streams of the other connection, and those that never were, are not found.
        rig.gateway.noteUnsent(answers, on: rig.connection, at: GatewayRig.now)
        let changes = rig.gateway.takeUpdates()
        #expect(changes.map(\.sequence) == [2, 1500])
        #expect(changes.allSatisfy { $0.change.outcome == .closed })
        #expect(Self.line(2, of: rig.gateway).contains(#""explanation":"The connection was ended before the answer"#))
        #expect(rig.gateway.statistics.count(of: Outcome.closed) == 2)
    }

    @Test func afterAResetNothingIsChanged() throws {
        var rig = ScriptRig(Self.respond)
        let response = try #require(rig.send().response)
        rig.gateway.reset(at: rig.now.real)
        rig.send()
        let answers = [
            UnsentAnswer(stream: response.stream, .refused("r"), of: response),
            UnsentAnswer(stream: response.stream, .connectionEnded),
        ]
        rig.gateway.noteUnsent(answers, on: rig.connection, at: GatewayRig.now)
        #expect(rig.gateway.takeUpdates().isEmpty)
        #expect(Self.line(rig.gateway.log.latestSequence, of: rig.gateway).contains(#""outcome":"responded""#))
    }

    @Test func aDroppedRecordIsReportedAllTheSame() throws {
        var rig = ScriptRig(Self.respond)
        let response = try #require(rig.send().response)
        _ = rig.gateway.deleteAllRecords()
        let answer = UnsentAnswer(stream: response.stream, .refused("r"), of: response)
        _ = rig.gateway.takeEffects()
        rig.gateway.noteUnsent([answer], on: rig.connection, at: GatewayRig.now)
        let changes = rig.gateway.takeUpdates()
        #expect(changes.map(\.change.outcome) == [.reset])
        #expect(changes[0].change.explanation?.isEmpty == false)
    }

    // MARK: Explanations of earlier records

    @Test(arguments: [[1], [500], [1024], [1025], [3000], [1, 2, 3], [1, 1024, 1025, 2048, 3000]])
    func anExplanationLeavesAllElseAsItWas(sequences: [Int]) throws {
        var log = RequestLog(limit: 10_000)
        let push = RecordedPush.ordinary()
        push.append(to: &log, times: 3000)
        let before = log.snapshot
        for round in 1...2 {
            log.explain(sequences.map { ($0, Array("Sentence \(round) of \($0).".utf8)) })
            for sequence in 1...3000 {
                let line = String(decoding: log.snapshot.record("\(sequence)") ?? [], as: UTF8.self)
                let old = String(decoding: before.record("\(sequence)") ?? [], as: UTF8.self)
                if sequences.contains(sequence) {
                    #expect(line.contains(#""explanation":"Sentence \#(round) of \#(sequence).""#))
                    let expected = old.replacing(
                        #""explanation":null"#, with: #""explanation":"Sentence \#(round) of \#(sequence).""#)
                    #expect(line == expected)
                } else if line != old {
                    Issue.record("record \(sequence) changed: \(line)")
                }
            }
        }
        push.append(to: &log)
        #expect(log.snapshot.record("3001") != nil)
    }

    @Test func explanationsAreCutToFitARecord() throws {
        var log = RequestLog(limit: 10)
        RecordedPush.ordinary().append(to: &log, times: 3)
        log.explain([(2, Array(repeating: UInt8(ascii: "e"), count: 100_000)), (9, [1])])
        let text = try #require(log.snapshot.record("2"))
        #expect(65_000...67_000 ~= text.count)
        #expect(log.snapshot.record("3") != nil)
    }

    // MARK: Its forms

    @Test func anUpdateHasItsExplanationInEveryForm() throws {
        var update = RequestUpdate(outcome: .reset)
        update.explanation = Array(#"Rule "ü" did it."#.utf8)
        var line: [UInt8] = []
        let event = LogEvent.update(UpdateEvent(of: 3, update, clock: GatewayRig.now))
        event.appendLine(at: GatewayRig.now, to: &line)
        #expect(
            String(decoding: line, as: UTF8.self).contains(#""outcome":"reset","explanation":"Rule \"ü\" did it.""#))
        var frame = ReplicaFrame()
        frame.madeAt = GatewayRig.now
        frame.events = [
            LoggedEvent(event, at: GatewayRig.now, after: 3)
        ]
        let copy = try ReplicaFrame(frame.bytes.span)
        guard case .update(let read)? = copy.events.first?.event else {
            Issue.record("another event")
            return
        }
        #expect(read.sequence == 3 && read.change.explanation == update.explanation && read.change.outcome == .reset)
    }
}
