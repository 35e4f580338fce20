import GatewayRigs
import Testing

@testable import MockAPNSCore

@Suite("The frames in which a replica ships its log")
struct ReplicaFrameTests {
    /// A replica with all kinds of requests and events.
    ///
    /// - Parameter isShort: whether there is no request with a long body.
    private static func replica(isShort: Bool = false) throws -> ReplicaFrame {
        var replica = try ReplicaRig(
            #""rules": [{"name": "busy", "when": {"payload": {"/n": 1}}, "then": {"reject": "TooManyRequests"}}],"#,
            expectations: #"{"requests": {"status": 200}, "count": 1, "distinct": "/aps", "each": "token"}"#)
        var facts = ConnectionFacts.example
        facts.serverName = "api.push.apple.com"
        facts.clientCertificate = .init(subject: "CN=x", serial: "01", topics: ["com.example.app", "com.example.b"])
        let other = replica.open(facts)
        replica.work { rig in
            rig.send(id: 1)
            rig.send(body: #"{"n":1}"#, after: 3)
            rig.send(to: JudgeRig.bob, body: "not JSON", after: 20)
            rig.send(to: JudgeRig.bob, after: 1)
            rig.send(to: "none", topic: nil, on: other, token: nil)
            rig.send(token: "bearer nonsense", fault: .headerListTooLarge)
            rig.send(body: String(repeating: "x", count: isShort ? 9 : 9000))
            rig.send(.publish(to: "none"))
        }
        try replica.change("bob") { $0.isOnline = true }
        replica.close(other, pings: 3)
        let frames = replica.frames(offset: -5)
        #expect(frames.count == 1)
        return try #require(frames.first)
    }

    private static func lines(_ segment: RequestSegment) -> [String] {
        var writer = RecordWriter()
        return segment.records.indices.map { index in
            var line: [UInt8] = []
            writer.append(segment, at: index, to: &line)
            return String(decoding: line, as: UTF8.self)
        }
    }

    @Test func framesHaveTheLogsLines() throws {
        let frame = try Self.replica()
        let bytes = frame.bytes
        let read = try ReplicaFrame(bytes.span)
        // Updates say what has become of stored pushes since.
        var decided = frame.records
        for (index, steps) in decided.steps { decided.records[index].delivery = steps.first?.state }
        #expect(!decided.steps.isEmpty && Self.lines(read.records) == Self.lines(decided))
        #expect(read.serverNames == frame.serverNames && !read.serverNames.isEmpty)
        #expect(read.totals == frame.totals && read.totals.requests == 8)
        #expect(read.bytes == bytes)
        #expect((read.madeAt, read.clockOffset, read.decided) == (frame.madeAt, -5, 8))
        #expect(read.isCurrent && !read.isLast && read.mark == StreamID(milliseconds: 7, number: 8))
        #expect(frame.events.count >= 5)
    }

    @Test func rulesOfAFrameAreBounded() throws {
        for (count, mistake) in [(1 << 20, "the frame is cut off"), (1 << 20 + 1, "a number is out of range")] {
            var bytes: [UInt8] = []
            bytes.appendWord(UInt64(7))
            bytes.appendNumber(count)
            let span = bytes.span
            var input = FrameInput(span)
            do throws(FrameMistake) {
                _ = try AppliedRules(&input)
                Issue.record("There are none.")
            } catch {
                #expect(error.message == mistake)
            }
        }
    }

    @Test func aFrameHoldsNoSignature() throws {
        let bytes = try Self.replica().bytes
        let signature = Array(base64(Array(repeating: 7, count: 64)).utf8)
        #expect(!bytes.indices.contains { bytes[$0...].starts(with: signature) })
    }

    @Test func logsOfManySegmentsAreSplitWithoutLoss() throws {
        var replica = try ReplicaRig(logLimit: 10_000)
        var expected: [String] = []
        var shipped: [String] = []
        for count in [1, 1023, 1024, 1, 2500, 7] {
            for _ in 0..<count { replica.work { _ = $0.send(after: 1) } }
            for frame in replica.frames() {
                #expect(frame.recordCount <= 1024)
                shipped += Self.lines(try ReplicaFrame(frame.bytes.span).records)
            }
        }
        for sequence in 1...replica.rig.gateway.log.latestSequence {
            expected.append(String(try replica.rig.gateway.log.line(of: sequence).dropLast()))
        }
        #expect(shipped == expected)
        #expect(replica.frames().isEmpty)
        #expect(replica.frames(isNeeded: true).count == 1)
    }

    @Test func recordsThatTheLogHasDroppedAreCounted() throws {
        var replica = try ReplicaRig(logLimit: 10)
        for _ in 0..<25 { replica.work { _ = $0.send() } }
        let frames = replica.frames()
        #expect(frames.map(\.firstSequence) == [16] && frames.map(\.recordCount) == [10])
        #expect(replica.source.lost.records == 15)
        #expect(frames[0].totals.requests == 25)
    }

    @Test func aFrameHasCallsAboutChannels() throws {
        var replica = try ReplicaRig(
            #""channels": [{"name": "final", "topic": "com.example.app", "channelID": "AAAA"}],"#)
        replica.work { rig in
            rig.send(id: 1)
            rig.send(.publish(to: "AAAA"))
            rig.send(.publish(to: "BBBB"))
            rig.send(.call("PUT", "/1/apps/com.example.app/channels"))
            rig.send(id: 2)
        }
        let frames = replica.frames()
        let frame = try #require(frames.first)
        let read = try ReplicaFrame(frame.bytes.span)
        let lines = Self.lines(frame.records)
        #expect(Self.lines(read.records) == lines)
        #expect(lines[1].contains(#""channelName":"final""#) && lines[2].contains(#""call":"publish""#))
        var collector = try CollectorRig(#"{"requests": {"call": "publish"}, "count": 2}"#, replicas: ["a"])
        try collector.take(frames, of: 0)
        collector.proceed()
        #expect(collector.passed == [true])
    }

    /// A record in which every member differs from its default and from others of its type, with its bytes.
    private static func unusualRecord(after start: Int, isReset: Bool) -> (record: RequestRecord, bytes: [UInt8]) {
        var record = RequestRecord()
        (record.time, record.clock) = (Timestamp(milliseconds: 5000), Timestamp(milliseconds: 7000))
        (record.connectionID, record.stream, record.requestOnConnection, record.inFlight) = (11, 12, 13, 14)
        (record.payloadBytes, record.latencyMicroseconds, record.providerToken, record.serverName) = (15, 16, 17, 1)
        (record.outcome, record.decidedBy, record.authentication) = (.delayed, .rule, .token)
        (record.verdict, record.reason, record.delivery) = (.valid, .tooManyRequests, .storedOffline)
        (record.storedStatus, record.storedPriority, record.storedExpiration, record.storedReference) = (429, 5, 18, 19)
        record.storedUniqueID = .init(high: 22, low: 23)
        // A field of the record holds either of these.
        if isReset {
            (record.sentIDRange, record.resetCode) = (.init(start: 12, count: 1), 7)
        } else {
            (record.madeID, record.retryAfter) = (.init(high: 20, low: 21), 30)
        }
        // One field of a letter and 20 more, a body of 3, and 4 texts.
        (record.headerCount, record.bodyCount) = (25, 3)
        record.methodRange = .init(start: 5, count: 1)
        record.pathRange = .init(start: 6, count: 4)
        record.tokenRange = .init(start: 7, count: 2)
        record.pushTypeRange = .init(start: 10, count: 1)
        record.collapseIDRange = .init(start: 11, count: 1)
        record.topicRange = .init(start: 28, count: 1)
        record.deviceRange = .init(start: 29, count: 1)
        record.explanationRange = .init(start: 30, count: 1)
        record.ruleRange = .init(start: 31, count: 1)
        (record.start, record.tokenIndex, record.authorizationOffset) = (UInt32(start), 0, 24)
        (record.isDeleted, record.isPathPlain, record.isMinified, record.checksResult) = (true, true, true, .passed)
        return (record, [1, 0, 20, 0] + Array(repeating: UInt8(ascii: "x"), count: 28))
    }

    /// The bytes of a frame with an empty record, four bytes and this record, which may have a token and a server name of
    /// the other frame.
    private static func frame(_ other: ReplicaFrame, _ record: RequestRecord, _ bytes: [UInt8]) -> [UInt8] {
        var frame = ReplicaFrame()
        (frame.serverNames, frame.decided) = (other.serverNames, 2)
        (frame.records.tokens, frame.records.tokenNumbers) = (other.records.tokens, other.records.tokenNumbers)
        frame.records.records = [RequestRecord(), record]
        if record.callIndex != nil { frame.records.calls = [CallRecord()] }
        frame.records.bytes = Array(repeating: 0, count: Int(record.start)) + bytes
        return frame.bytes
    }

    @Test(arguments: [false, true]) func aFrameHasEveryMemberOfARecord(isReset: Bool) throws {
        let (record, bytes) = Self.unusualRecord(after: 4, isReset: isReset)
        let read = try ReplicaFrame(Self.frame(try Self.replica(), record, bytes).span)
        func members(_ record: RequestRecord) -> [(name: String, value: String)] {
            Mirror(reflecting: record).children.map { ($0.label ?? "", String(reflecting: $0.value)) }
        }
        try #require(read.recordCount == 2)
        let (defaults, found) = (members(RequestRecord()), members(read.records.records[1]))
        for (index, (name, value)) in members(record).enumerated() {
            #expect(value != defaults[index].value, "unusualRecord leaves \(name) as it is")
            #expect(found[index].value == value, "\(name) is not in a frame")
        }
        #expect(read.records.records[1].resetCode == (isReset ? 7 : nil))
        #expect(read.records.records[1].retryAfter == (isReset ? nil : 30))
    }

    // MARK: Hostile bytes

    /// Returns which ranges of the record, in the order of a frame, a frame may have changed like this.
    private static func acceptedRanges(
        of record: RequestRecord, _ bytes: [UInt8], changed change: (inout RequestRecord.StoredRange) -> Void
    ) throws -> [Int] {
        let other = try replica()
        var count = 0
        var copy = record
        copy.forEachRange { _ in count += 1 }
        return (0..<count).filter { index in
            var (forged, place) = (record, 0)
            forged.forEachRange { range in
                if place == index { change(&range) }
                place += 1
            }
            return (try? ReplicaFrame(frame(other, forged, bytes).span)) != nil
        }
    }

    @Test func theListOfRangesHasEveryColumn() {
        var (record, _) = Self.unusualRecord(after: 4, isReset: true)
        let columns = Mirror(reflecting: record).children.compactMap { $0.value as? RequestRecord.StoredRange }
        // That of the client's id has no column of its own.
        let expected = Set(columns + [record.sentIDRange])
        var listed: [RequestRecord.StoredRange] = []
        record.forEachRange { listed.append($0) }
        #expect(listed.count == columns.count + 1 && Set(listed) == expected)
    }

    @Test func everyRangeIsWithinTheBytes() throws {
        let (record, bytes) = Self.unusualRecord(after: 4, isReset: true)
        func accepted(endingAt end: Int) throws -> [Int] {
            try Self.acceptedRanges(of: record, bytes) { $0.start = UInt16(end) - $0.count }
        }
        #expect(try accepted(endingAt: Int(record.headerCount)) == Array(0..<10))
        // The topic, and the three that are always attached.
        #expect(try accepted(endingAt: Int(record.headerCount) + 1) == [3, 7, 8, 9])
        #expect(try accepted(endingAt: bytes.count) == [3, 7, 8, 9])
        #expect(try accepted(endingAt: bytes.count + 1) == [])
    }

    @Test func noTextIsAsLongAsAllBytesBesideOthers() throws {
        var (record, bytes) = Self.unusualRecord(after: 4, isReset: true)
        bytes.removeLast(bytes.count - Int(record.headerCount))
        record.bodyCount = 0
        for range in [\RequestRecord.topicRange, \.deviceRange, \.explanationRange, \.ruleRange] {
            record[keyPath: range] = .init(start: 5, count: 1)
        }
        let count = UInt16(bytes.count)
        #expect(try Self.acceptedRanges(of: record, bytes) { _ in } == Array(0..<10))
        #expect(try Self.acceptedRanges(of: record, bytes) { $0 = .init(start: 0, count: count) } == [])
    }

    @Test(
        "A frame is refused whose record failed a check that its list does not have",
        arguments: [(Check.allCases.count, false), (CallCheck.allCases.count, true)])
    func unknownChecks(count: Int, isCall: Bool) throws {
        func isAccepted(_ check: Int) throws -> Bool {
            var (record, bytes) = Self.unusualRecord(after: 4, isReset: true)
            record.checksResult = .failed(UInt8(check))
            if isCall { record.callIndex = 0 }
            return (try? ReplicaFrame(Self.frame(try Self.replica(), record, bytes).span)) != nil
        }
        #expect(try isAccepted(count - 1))
        #expect(try !isAccepted(count))
    }

    @Test func aFrameCutAnywhereIsAnError() throws {
        let bytes = try Self.replica(isShort: true).bytes
        for length in bytes.indices {
            #expect(throws: FrameMistake.self) { _ = try ReplicaFrame(bytes.span.extracting(first: length)) }
        }
    }

    @Test func anyChangedByteMakesAFrameInvalid() throws {
        var bytes = try Self.replica(isShort: true).bytes
        for index in bytes.indices {
            let byte = bytes[index]
            for change: UInt8 in [1, 0x80, 0xFF] {
                bytes[index] = byte ^ change
                #expect(throws: FrameMistake.self) { _ = try ReplicaFrame(bytes.span) }
            }
            bytes[index] = byte
        }
    }

    /// With a checksum that is right, a wrong frame may be read; nothing that is made of it traps.
    @Test func forgedFramesAreRefusedOrUsable() throws {
        var random = SeededRandom(seed: 1)
        let bytes = try Self.replica(isShort: true).bytes
        var forged = Array(bytes.dropLast(8))
        let original = forged
        var used = 0
        func use() throws {
            var sealed = forged
            sealed.appendWord(forged.span.checksum)
            guard let frame = try? ReplicaFrame(sealed.span) else { return }
            used += 1
            for line in Self.lines(frame.records) { _ = try JSONText.read(Array(line.utf8)) }
            var collector = try CollectorRig(
                #"{"requests": {"status": 200}, "count": 1, "distinct": "/aps", "each": "token"}"#, replicas: ["a"])
            try collector.take([frame], of: 0)
            collector.proceed()
            _ = collector.passed
            _ = collector.gateway.summary(at: GatewayRig.now).json
            _ = frame.bytes
        }
        for index in original.indices {
            forged[index] = original[index] ^ UInt8.random(in: 1...255, using: &random)
            try use()
            forged[index] = original[index]
        }
        for length in stride(from: 0, to: original.count, by: 7) {
            forged = Array(original.prefix(length))
            try use()
        }
        #expect(used > 100)
    }
}
