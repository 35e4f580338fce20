// What a frame says of the records that it leaves out.

extension ReplicaFrame {
    private static let countLimit = 1 << 52

    func appendUnshipped(to output: inout [UInt8]) {
        guard let unshipped else { return output.append(0) }
        output.append(1)
        output.appendNumber(unshipped.latestSequence + 1 - firstSequence)
        output.appendSigned(unshipped.latestTime.milliseconds - madeAt.milliseconds)
        var before = firstSequence
        for sequence in sequences {
            output.appendNumber(sequence - before)
            before = sequence
        }
        output.appendNumber(unshipped.count)
        output.appendNumber(unshipped.special)
        output.appendNumber(unshipped.connections.count)
        for (id, count) in unshipped.connections {
            output.appendNumber(id)
            output.appendNumber(count)
        }
        output.appendNumber(unshipped.seconds.count)
        for (second, count) in unshipped.seconds {
            output.appendSigned(second - madeAt.seconds)
            output.appendNumber(count)
        }
        output.appendWord(unshipped.scenario)
        unshipped.tallies.append(to: &output)
    }

    mutating func readUnshipped(_ input: inout FrameInput) throws(Mistake) {
        guard try input.flag() else { return }
        var unshipped = UnshippedRecords()
        let covered: Int = try input.number(atMost: UnshippedRecords.coverLimit)
        unshipped.latestSequence = firstSequence + covered - 1
        unshipped.latestTime = try input.time(after: madeAt.milliseconds)
        var before = firstSequence
        for index in 0..<recordCount {
            let distance: Int = try input.number(atMost: covered)
            try input.expect(index == 0 || distance > 0, "a record twice")
            before += distance
            sequences.append(before)
        }
        try input.expect(before <= unshipped.latestSequence || sequences.isEmpty, "a record \(before)")
        unshipped.count = try input.number(atMost: covered - recordCount)
        unshipped.special = try input.number(atMost: unshipped.count)
        let connections: Int = try input.number(atMost: unshipped.count)
        for _ in 0..<connections {
            let id: UInt32 = try input.number()
            try input.expect(id > 0, "a connection 0")
            unshipped.connections[id] = try input.number(atMost: unshipped.count)
        }
        let seconds: Int = try input.number(atMost: unshipped.count)
        for _ in 0..<seconds {
            let second = try input.signed()
            try input.expect(-(1 << 40)...1 << 40 ~= second, "a second \(second)")
            unshipped.seconds[madeAt.seconds + second] = try input.number(atMost: unshipped.count)
        }
        unshipped.scenario = try input.word()
        unshipped.tallies = try ExpectationJudge.Tallies(&input)
        self.unshipped = unshipped
    }
}

extension ExpectationJudge.Tallies {
    private static let countLimit: Int64 = 1 << 52
    private static let itemLimit = 1 << 20

    fileprivate func append(to output: inout [UInt8]) {
        output.appendNumber(expectations.count)
        for tally in expectations {
            output.append(tally.counts == nil ? 0 : 1)
            output.appendSigned(Int64(tally.others))
            output.appendSigned(Int64(tally.undecided.count))
            output.appendNumber(tally.unshipped)
            guard let counts = tally.counts else { continue }
            counts.all.append(to: &output)
            output.appendNumber(counts.groups.count)
            for (value, group) in counts.groups.sorted(by: { $0.value.index < $1.value.index }) {
                value.append(to: &output)
                group.tally.append(to: &output)
            }
        }
        output.appendNumber(providerTokens.count)
        for hash in providerTokens { output.appendWord(hash) }
        output.appendNumber(olderConnections.count)
        for id in olderConnections { output.appendNumber(id) }
    }

    fileprivate init(_ input: inout FrameInput) throws(ReplicaFrame.Mistake) {
        self.init(expectations: [])
        let count: Int = try input.number(atMost: Self.itemLimit)
        for _ in 0..<count {
            var tally = ExpectationJudge.Tally()
            let hasCounts = try input.flag()
            tally.others = try Self.count(&input)
            tally.undecided.add(try Self.count(&input))
            tally.unshipped = try input.number(atMost: UnshippedRecords.coverLimit)
            if hasCounts {
                var counts = Grouped(CountTally(), each: nil)
                let all = try CountTally(&input)
                counts.with(nil) { $0 = all }
                let groups: Int = try input.number(atMost: Self.itemLimit)
                for _ in 0..<groups {
                    let value = try RecordValue(&input)
                    let group = try CountTally(&input)
                    counts.with(value) { $0 = group }
                }
                tally.counts = counts
            }
            expectations.append(tally)
        }
        let tokens: Int = try input.number(atMost: Self.itemLimit)
        for _ in 0..<tokens { providerTokens.insert(try input.word()) }
        let connections: Int = try input.number(atMost: Self.itemLimit)
        for _ in 0..<connections { olderConnections.insert(try input.number()) }
    }

    fileprivate static func count(_ input: inout FrameInput) throws(ReplicaFrame.Mistake) -> Int {
        let count = try input.signed()
        try input.expect(-countLimit...countLimit ~= count, "a count of \(count)")
        return Int(count)
    }
}

extension CountTally {
    fileprivate func append(to output: inout [UInt8]) {
        output.appendSigned(Int64(requests))
        output.appendNumber(values.count)
        for (value, count) in values {
            value.append(to: &output)
            output.appendSigned(Int64(count))
        }
    }

    fileprivate init(_ input: inout FrameInput) throws(ReplicaFrame.Mistake) {
        self.init()
        add(requests: try ExpectationJudge.Tallies.count(&input))
        let count: Int = try input.number(atMost: 1 << 20)
        for _ in 0..<count {
            add(try RecordValue(&input), times: try ExpectationJudge.Tallies.count(&input))
        }
    }
}

extension RecordValue {
    fileprivate func append(to output: inout [UInt8]) {
        switch self {
        case .number(let number):
            output.append(0)
            output.appendSigned(number)
        case .text(let text):
            output.append(1)
            output.appendText(text)
        case .json(let text):
            output.append(2)
            output.appendText(text)
        }
    }

    fileprivate init(_ input: inout FrameInput) throws(ReplicaFrame.Mistake) {
        let kind: UInt8 = try input.number(atMost: 2)
        switch kind {
        case 0: self = .number(try input.signed())
        case 1: self = .text(try input.text(atMost: ReplicaFrame.textLimit))
        default: self = .json(try input.text(atMost: ReplicaFrame.textLimit))
        }
    }
}
