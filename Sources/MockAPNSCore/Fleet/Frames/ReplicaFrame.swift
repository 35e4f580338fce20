/// One shipment of a replica of a fleet to the collector: consecutive records of its log, the other events among them,
/// and the totals since its previous frame.
///
/// The binary form is for replicas and collectors of the same version; ``version`` is its first byte, and the last eight
/// are a checksum. It holds neither the signatures of provider tokens nor anything else that the log does not hold.
package struct ReplicaFrame: Sendable {
    /// The version of the binary form.
    package static let version: UInt8 = 12
    /// Maximum number of events in a frame.
    static let eventLimit = 4096

    /// When it was made, on the replica's clock.
    package var madeAt = Timestamp(milliseconds: 0)
    /// The milliseconds to add to a time of the replica for the engine's clock.
    package var clockOffset: Int64 = 0
    /// The records, with the sequence numbers of the replica.
    var records = RequestSegment(firstSequence: 1)
    /// The server names that records refer to.
    var serverNames: [[UInt8]] = []
    /// The numbers in the fleet's order of those pushes among the records that devices keep.
    var numbers: [(sequence: Int, number: Int)] = []
    /// The other events, in order.
    var events: [LoggedEvent] = []
    /// The totals since the previous frame.
    package var totals = FrameTotals()
    /// The rules that have applied; `nil` if it does not say.
    var rules: AppliedRules?
    /// The sequence number of the latest request that the replica had decided.
    package var decided = 0
    /// The number of events so far that the replica could not ship.
    package var lostEvents = 0
    /// Whether everything that the replica had decided is in this frame or an earlier one.
    package var isCurrent = false
    /// Whether the replica has ended: there is no frame after this one.
    package var isLast = false
    /// The latest mark in the control stream that the replica had seen; zero for none.
    package var mark = StreamID.zero

    /// Creates an empty frame.
    package init() {}

    /// The sequence number of the first record.
    package var firstSequence: Int { records.firstSequence }

    /// The sequence number of the latest record; one less than the first if there is none.
    package var latestSequence: Int { firstSequence + recordCount - 1 }

    /// The time of the latest record; `nil` if there is none.
    var latestTime: Timestamp? { records.records.last?.time }

    /// Returns the sequence number of the record at an index.
    func sequence(at index: Int) -> Int { firstSequence + index }

    /// The number of records.
    package var recordCount: Int { records.records.count }
}

extension ReplicaFrame {
    /// The binary form.
    package var bytes: [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(1024 + records.bytes.count + records.records.count * 128)
        output.append(Self.version)
        output.appendNumber((isCurrent ? 1 : 0) | (isLast ? 2 : 0))
        output.appendSigned(madeAt.milliseconds)
        output.appendSigned(clockOffset)
        output.appendNumber(decided)
        output.appendNumber(lostEvents)
        output.appendNumber(mark.milliseconds)
        output.appendNumber(mark.number)
        output.appendNumber(records.firstSequence)
        output.appendNumber(records.latestIDBefore)
        output.appendNumber(serverNames.count)
        for name in serverNames { output.appendText(name) }
        appendTokens(to: &output)
        appendRecords(to: &output)
        output.appendNumber(numbers.count)
        for (sequence, number) in numbers {
            output.appendNumber(sequence - records.firstSequence)
            output.appendNumber(number - FleetOrder.firstNumber)
        }
        output.appendNumber(events.count)
        for event in events { event.append(to: &output, after: firstSequence, at: madeAt) }
        totals.append(to: &output)
        output.append(rules == nil ? 0 : 1)
        rules?.append(to: &output)
        output.appendWord(output.span.checksum)
        return output
    }

    /// Reads the binary form.
    ///
    /// - Throws: ``FrameMistake`` for anything else.
    package init(_ bytes: Span<UInt8>) throws(FrameMistake) {
        self.init()
        guard bytes.count > 8 else { throw FrameMistake(offset: bytes.count, message: "the frame is cut off") }
        guard bytes[0] == Self.version else {
            throw FrameMistake(offset: 0, message: "the frame has version \(bytes[0]); expected \(Self.version)")
        }
        let length = bytes.count - 8
        guard bytes.extracting(first: length).checksum == bytes.longWord(at: length) else {
            throw FrameMistake(offset: length, message: "the checksum is wrong")
        }
        var input = FrameInput(bytes.extracting(first: length))
        _ = try input.byte()
        let flags: UInt8 = try input.number(atMost: 3)
        (isCurrent, isLast) = (flags & 1 != 0, flags & 2 != 0)
        madeAt = try input.time(after: 0)
        clockOffset = try input.signed()
        try input.expect(abs(clockOffset.clamped) < 1 << 50, "a clock offset of \(clockOffset) ms")
        decided = try input.number(atMost: 1 << 52)
        lostEvents = try input.number(atMost: 1 << 52)
        mark = StreamID(milliseconds: try input.number(), number: try input.number())
        let first: Int = try input.number(atMost: 1 << 52)
        try input.expect(first > 0, "a first record 0")
        records = RequestSegment(firstSequence: first, latestIDBefore: try input.number(atMost: Int(UInt32.max)))
        let names: Int = try input.number(atMost: RequestLog.serverNameLimit)
        for _ in 0..<names { serverNames.append(try input.text(atMost: Int(UInt16.max))) }
        try readTokens(&input)
        try readRecords(&input)
        let numberCount: Int = try input.number(atMost: latestSequence - firstSequence + 1)
        for _ in 0..<numberCount {
            let index: Int = try input.number(atMost: latestSequence - firstSequence)
            let number: Int = try input.number(atMost: FleetOrder.firstNumber)
            numbers.append((records.firstSequence + index, FleetOrder.firstNumber + number))
        }
        let count: Int = try input.number(atMost: Self.eventLimit)
        for _ in 0..<count { events.append(try LoggedEvent(&input, after: first, at: madeAt)) }
        totals = try FrameTotals(&input)
        if try input.flag() { rules = try AppliedRules(&input) }
        try input.expect(input.isAtEnd, "anything after the rules")
    }
}

extension Int64 {
    /// The value, but for the smallest, which has no absolute value.
    fileprivate var clamped: Int64 { Swift.max(self, -.max) }
}

extension ReplicaFrame {
    /// Returns the number in the fleet's order of the push with this sequence number, if it has one.
    func number(of sequence: Int) -> Int? {
        var range = numbers.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if numbers[middle].sequence == sequence { return numbers[middle].number }
            range = numbers[middle].sequence < sequence ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }
}
