extension CallRecord {
    func append(to output: inout [UInt8]) {
        output.append(call.map { $0.code + 1 } ?? 0)
        output.append(policy.map { $0.code + 1 } ?? 0)
        output.appendNumber(subscribers.map { $0 + 1 } ?? 0)
        output.appendNumber(delivered.map { $0 + 1 } ?? 0)
        output.append(isStored.map { $0 ? 2 : 1 } ?? 0)
        for range in [channelRange, channelNameRange, requestIDRange, ignoredRange] {
            output.appendNumber(range.start &+ 1)
            if !range.isAbsent { output.appendNumber(range.count) }
        }
    }

    init(_ input: inout FrameInput) throws(FrameMistake) {
        self.init()
        call = try input.wordIfAny()
        policy = try input.wordIfAny()
        subscribers = try Self.count(&input)
        delivered = try Self.count(&input)
        let stored: UInt8 = try input.number(atMost: 2)
        isStored = stored == 0 ? nil : stored == 2
        channelRange = try Self.range(&input)
        channelNameRange = try Self.range(&input)
        requestIDRange = try Self.range(&input)
        ignoredRange = try Self.range(&input)
    }

    private static func count(_ input: inout FrameInput) throws(FrameMistake) -> Int? {
        let number: Int = try input.number(atMost: 1 << 52)
        return number > 0 ? number - 1 : nil
    }

    private static func range(_ input: inout FrameInput) throws(FrameMistake) -> RequestRecord.StoredRange {
        let start: UInt16 = try input.number()
        guard start > 0 else { return .absent }
        return RequestRecord.StoredRange(start: start - 1, count: try input.number())
    }

    /// Whether the texts are among the bytes of the record, and not longer than ``RecordWriter`` relies on.
    func isConsistent(with bytes: Span<UInt8>) -> Bool {
        var sum = 0
        for range in [channelRange, channelNameRange, requestIDRange, ignoredRange] where !range.isAbsent {
            guard range.indices.upperBound <= bytes.count else { return false }
            sum += Int(range.count)
        }
        return sum <= bytes.count
    }
}
