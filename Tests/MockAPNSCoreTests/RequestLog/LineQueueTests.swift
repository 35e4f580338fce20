import GatewayRigs
import Testing

@testable import MockAPNSCore

@Suite("The queue of lines for the log's file")
struct LineQueueTests {
    /// A log whose latest requests and events are queued, and the lines as they are when they are written at once.
    private struct Rig {
        var log = RequestLog(limit: 5000)
        var queue = LineQueue()
        var expected = ""

        mutating func push(_ push: RecordedPush = .ordinary()) throws {
            let sequence = push.append(to: &log)
            queue.append(sequence, of: log)
            expected += try log.line(of: sequence)
        }

        mutating func note(_ event: LogEvent) {
            let event = LoggedEvent(event, at: Timestamp(seconds: 1_795_255_200), after: log.latestSequence)
            queue.append(event)
            var line: [UInt8] = []
            event.appendLine(to: &line)
            expected += String(decoding: line, as: UTF8.self)
        }

        /// Writes what is queued with a writer that has written before.
        mutating func check(_ writer: inout RecordWriter, _ comment: Comment) {
            var lines: [UInt8] = []
            #expect(queue.isEmpty == expected.isEmpty)
            queue.writeLines(using: &writer, to: &lines)
            #expect(String(decoding: lines, as: UTF8.self) == expected, comment)
            #expect(queue.isEmpty)
            expected = ""
        }
    }

    private static func token(_ number: Int) -> ProviderToken? {
        RecordedPush.providerToken("bearer \(RecordedPush.withoutSignature).\(number)")
    }

    @Test("Requests and events are written in their order, and each batch anew")
    func order() throws {
        var rig = Rig()
        var writer = RecordWriter()
        rig.check(&writer, "nothing")
        try rig.push()
        rig.check(&writer, "one request")
        rig.note(.reset)
        try rig.push()
        try rig.push(RecordedPush(body: "{}"))
        rig.note(.clock(ClockEvent(from: Timestamp(seconds: 1), to: Timestamp(seconds: 2))))
        rig.note(.reset)
        try rig.push()
        rig.check(&writer, "both")
        for _ in 0..<20 {
            try rig.push()
            rig.note(.reset)
        }
        rig.check(&writer, "more parts than are kept")
        try rig.push()
        rig.check(&writer, "one again")
    }

    @Test("The lines of a session name it last, as a text of JSON")
    func session() throws {
        var rig = Rig()
        var writer = RecordWriter()
        try rig.push()
        rig.note(.reset)
        try rig.push()
        var lines: [UInt8] = []
        rig.queue.writeLines(using: &writer, of: #"a"b"#, to: &lines)
        let expected = rig.expected.split(separator: "\n").map { String($0.dropLast()) + #","session":"a\"b"}"# }
        #expect(String(decoding: lines, as: UTF8.self).split(separator: "\n").map(String.init) == expected)
    }

    @Test("More requests than a segment holds, with more provider tokens than are looked for")
    func manyRequests() throws {
        var rig = Rig()
        var writer = RecordWriter()
        let tokens = (0..<40).map { Self.token($0) }
        for number in 0..<2500 {
            var push = RecordedPush.ordinary()
            push.token = tokens[number % tokens.count]
            push.record.stream = UInt32(number)
            try rig.push(push)
        }
        rig.check(&writer, "2500 requests")
    }

    @Test("Where the numbers begin anew, connections are counted anew, too")
    func anotherRun() throws {
        var rig = Rig()
        var writer = RecordWriter()
        try rig.push()
        rig.log = RequestLog(limit: 10, after: 1)
        rig.log.setLatestIDBefore(1)
        try rig.push()
        rig.log = RequestLog(limit: 10)
        try rig.push()
        rig.check(&writer, "three runs")
    }

    @Test("What changes about a request afterwards is not in its line")
    func laterChange() throws {
        var rig = Rig()
        var writer = RecordWriter()
        try rig.push()
        rig.log.update(
            1, with: RequestUpdate(delivery: .storedOffline, outcome: .cancelled), at: Timestamp(milliseconds: 0))
        rig.log.explain(Array("Too late.".utf8).span)
        rig.check(&writer, "as it was")
    }
}
