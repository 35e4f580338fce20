// The records of a frame, and the provider tokens that they refer to.

extension ReplicaFrame {
    // MARK: Provider tokens

    func appendTokens(to output: inout [UInt8]) {
        output.appendNumber(records.tokens.count)
        for (token, number) in zip(records.tokens, records.tokenNumbers) {
            let isCut = token.lengthWithoutSignature < token.authorization.count
            output.appendText(token.authorization[..<token.lengthWithoutSignature] + (isCut ? [UInt8(ascii: ".")] : []))
            output.appendWord(token.hash)
            output.appendNumber(number)
            output.appendText(token.keyID)
            output.appendText(token.teamID)
            output.append(token.signatureForm.map { $0.rawValue + 1 } ?? 0)
            output.append(token.issuedAt == nil ? 0 : 1)
            if let time = token.issuedAt { output.appendSigned(time.milliseconds) }
        }
    }

    mutating func readTokens(_ input: inout FrameInput) throws(FrameMistake) {
        let count: Int = try input.number(atMost: RequestSegment.length)
        for _ in 0..<count {
            let authorization = try input.text(atMost: Int(UInt16.max))
            let hash = try input.word()
            records.tokenNumbers.append(try input.number())
            let (keyID, teamID) = (try input.textIfAny(), try input.textIfAny())
            let form: ProviderToken.SignatureForm? = try input.wordIfAny()
            let issuedAt = try input.flag() ? Timestamp(milliseconds: try input.signed()) : nil
            try input.expect(issuedAt.map { Timestamp.countableSeconds ~= $0.milliseconds / 1000 } ?? true, "a time")
            records.tokens.append(
                ProviderToken(
                    recorded: authorization, hash: hash, keyID: keyID, teamID: teamID, issuedAt: issuedAt,
                    signatureForm: form))
        }
    }

    // MARK: Records

    func appendRecords(to output: inout [UInt8]) {
        output.appendNumber(records.records.count)
        var before = madeAt.milliseconds
        for (index, latest) in records.records.enumerated() {
            var record = latest
            // As it was decided; the updates in the frames say what came of it.
            if let first = records.steps[index]?.first { record.delivery = first.state }
            let count = records.bytes(of: record, at: index).count
            output.append(addingCapacity: RequestRecord.frameLimit) { record.append(to: &$0, count, after: before) }
            if let index = record.callIndex { records.calls[index].append(to: &output) }
            before = record.time.milliseconds
        }
        output.append(records.bytes.span)
    }

    mutating func readRecords(_ input: inout FrameInput) throws(FrameMistake) {
        let count: Int = try input.number(atMost: RequestSegment.length)
        records.records.reserveCapacity(count)
        var before = madeAt.milliseconds
        var start = 0
        for _ in 0..<count {
            var record = RequestRecord()
            let length = try record.read(
                &input, after: before, tokens: records.tokens.count, serverNames: serverNames.count)
            if record.callIndex != nil {
                record.callIndex = records.calls.count
                records.calls.append(try CallRecord(&input))
            }
            record.start = UInt32(truncatingIfNeeded: start)
            start += length
            before = record.time.milliseconds
            records.records.append(record)
        }
        records.bytes = try input.bytes(start)
        for (index, record) in records.records.enumerated() {
            let bytes = records.bytes(of: record, at: index)
            let isRight =
                record.isConsistent(with: bytes)
                && record.callIndex.map { records.calls[$0].isConsistent(with: bytes) } ?? true
            try input.expect(isRight, "the content of record \(records.firstSequence + index)")
        }
    }
}

extension RequestRecord {
    /// Whether everything that the record says about its bytes is possible.
    fileprivate func isConsistent(with bytes: Span<UInt8>) -> Bool {
        let (header, body) = (Int(headerCount), Int(bodyCount))
        guard header + body <= bytes.count else { return false }
        var offset = 0
        while offset < header {
            guard offset + 4 <= header else { return false }
            offset +=
                4 + Int(bytes[offset]) + Int(bytes[offset + 1]) << 8
                + Int(bytes[offset + 2]) + Int(bytes[offset + 3]) << 8
        }
        guard offset == header else { return false }
        guard hasKnownCheck, hasRangesWithin(header: header, all: bytes.count), hasRoomInLines(of: bytes.count) else {
            return false
        }
        guard isPathPlain, !pathRange.isAbsent else { return !isPathPlain || tokenRange.isAbsent }
        // The device token is a part of the path, except in a forged frame.
        let isInPath =
            tokenRange.isAbsent
            || pathRange.indices.lowerBound <= tokenRange.indices.lowerBound
                && tokenRange.indices.upperBound <= pathRange.indices.upperBound
        return isPlain(bytes, pathRange) && (isInPath || isPlain(bytes, tokenRange))
    }

    private var hasKnownCheck: Bool {
        guard case .failed(let check) = checksResult else { return true }
        return callIndex == nil ? Check(rawValue: check) != nil : CallCheck(rawValue: check) != nil
    }

    private func hasRangesWithin(header: Int, all: Int) -> Bool {
        var (record, isRight) = (self, true)
        record.forEachRange { isRight = isRight && $0.isWithin(all) }
        // The topic alone may be either: one from a certificate is attached.
        record.topicRange = .absent
        record.forEachFieldRange { isRight = isRight && $0.isWithin(header) }
        return isRight
    }

    /// Whether the texts are not longer than ``RecordWriter`` relies on: those of a request do not overlap, except for
    /// the token, which is part of the path.
    private func hasRoomInLines(of count: Int) -> Bool {
        var (record, fields, all) = (self, 0, 0)
        record.forEachFieldRange { fields += Int($0.count) }
        record.forEachRange { all += Int($0.count) }
        let (token, device) = (Int(tokenRange.count), Int(deviceRange.count))
        let names = Int(methodRange.count) + Int(pathRange.count) + Int(sentIDRange.count)
        // A new range counts for the text of the fields, or for that of the decision if it is attached.
        let (ofFields, ofDecision) = (fields - names - token, all - fields - device)
        return names + device <= count && token <= Int(pathRange.count) && ofFields <= count && ofDecision <= count
    }

    private func isPlain(_ bytes: Span<UInt8>, _ range: StoredRange) -> Bool {
        let text = bytes.extracting(range.indices)
        for index in text.indices {
            let byte = text[index]
            guard 0x20..<0x7F ~= byte, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else { return false }
        }
        return true
    }
}

extension RequestRecord.StoredRange {
    fileprivate func isWithin(_ end: Int) -> Bool { isAbsent || indices.upperBound <= end }
}
