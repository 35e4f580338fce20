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
        for (index, record) in records.records.enumerated() {
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
    /// Maximum number of bytes that a record takes in a frame, without those it refers to.
    static let frameLimit = 512

    /// - Parameters:
    ///   - count: the number of bytes that it refers to.
    ///   - before: the time of the previous record, in milliseconds.
    @_lifetime(output: copy output)
    fileprivate func append(to output: inout OutputSpan<UInt8>, _ count: Int, after before: Int64) {
        output.appendSigned(time.milliseconds - before)
        output.appendSigned(clock.milliseconds - time.milliseconds)
        output.appendNumber(connectionID)
        output.appendNumber(stream)
        output.appendNumber(requestOnConnection)
        output.appendNumber(inFlight)
        output.appendNumber(payloadBytes)
        output.appendNumber(latencyMicroseconds)
        output.appendNumber(providerToken)
        output.appendNumber(serverName)
        output.append(outcome.rawValue)
        output.append(decidedBy.rawValue)
        output.append(authentication.rawValue)
        output.append(verdictByte)
        output.append(reason.map { $0.rawValue + 1 } ?? 0)
        output.append(delivery.map { $0.rawValue + 1 } ?? 0)
        output.append(checksByte)
        output.append(flags.rawValue)
        output.append(
            (storedExpiration == .min ? 0 : 1) | (madeID == .zero ? 0 : 2) | (storedUniqueID == .zero ? 0 : 4)
                | (callIndex == nil ? 0 : 8))
        output.appendNumber(storedStatus)
        output.appendNumber(storedPriority &+ 1)
        if storedExpiration != .min { output.appendSigned(storedExpiration) }
        if let detail = retryAfter ?? resetCode { output.appendNumber(detail) }
        output.appendNumber(replacedBy ?? 0)
        for id in [madeID, storedUniqueID] where id != .zero {
            output.appendWord(id.high)
            output.appendWord(id.low)
        }
        appendRange(methodRange, &output)
        appendRange(pathRange, &output)
        appendRange(tokenRange, &output)
        appendRange(topicRange, &output)
        appendRange(pushTypeRange, &output)
        appendRange(collapseIDRange, &output)
        appendRange(sentIDRange, &output)
        appendRange(deviceRange, &output)
        appendRange(explanationRange, &output)
        appendRange(ruleRange, &output)
        output.appendNumber(count)
        output.appendNumber(headerCount)
        output.appendNumber(bodyCount)
        output.appendNumber(tokenIndex &+ 1)
        output.appendNumber(authorizationOffset &+ 1)
    }

    @inline(__always)
    @_lifetime(output: copy output)
    private func appendRange(_ range: StoredRange, _ output: inout OutputSpan<UInt8>) {
        output.appendNumber(range.start &+ 1)
        if !range.isAbsent { output.appendNumber(range.count) }
    }

    /// - Returns: the number of bytes that it refers to.
    fileprivate mutating func read(
        _ input: inout FrameInput, after before: Int64, tokens: Int, serverNames: Int
    ) throws(FrameMistake) -> Int {
        time = try input.time(after: before)
        clock = try input.time(after: time.milliseconds)
        connectionID = try input.number()
        stream = try input.number()
        requestOnConnection = try input.number()
        inFlight = try input.number()
        payloadBytes = try input.number()
        latencyMicroseconds = try input.number()
        providerToken = try input.number()
        serverName = try input.number(atMost: UInt16(serverNames))
        outcome = try input.word()
        decidedBy = try input.word()
        authentication = try input.word()
        try setVerdict(input.byte(), input)
        reason = try input.wordIfAny()
        delivery = try input.wordIfAny()
        try setChecks(input.byte(), input)
        let flags = Flags(rawValue: try input.number(atMost: 63))
        (isDeleted, isPathPlain) = (flags.contains(.deleted), flags.contains(.plainPath))
        isMinified = flags.contains(.minified)
        let present: UInt8 = try input.number(atMost: 15)
        storedStatus = try input.number()
        storedPriority = try input.number() &- 1
        if present & 1 != 0 { storedExpiration = try input.signed() }
        if flags.contains(.retryAfter) { retryAfter = try input.number() }
        if flags.contains(.resetCode) { resetCode = try input.number() }
        let replacedBy: Int = try input.number(atMost: 1 << 52)
        if present & 8 != 0 { callIndex = 0 } else { self.replacedBy = replacedBy == 0 ? nil : replacedBy }
        if present & 2 != 0 { madeID = MadeID(high: try input.word(), low: try input.word()) }
        if present & 4 != 0 { storedUniqueID = MadeID(high: try input.word(), low: try input.word()) }
        methodRange = try Self.range(&input)
        pathRange = try Self.range(&input)
        tokenRange = try Self.range(&input)
        topicRange = try Self.range(&input)
        pushTypeRange = try Self.range(&input)
        collapseIDRange = try Self.range(&input)
        sentIDRange = try Self.range(&input)
        deviceRange = try Self.range(&input)
        explanationRange = try Self.range(&input)
        ruleRange = try Self.range(&input)
        let count: Int = try input.number(atMost: Int(UInt16.max))
        headerCount = try input.number()
        bodyCount = try input.number()
        tokenIndex = try input.number(atMost: UInt16(tokens)) &- 1
        authorizationOffset = try input.number() &- 1
        return count
    }

    private static func range(_ input: inout FrameInput) throws(FrameMistake) -> StoredRange {
        let start: UInt16 = try input.number()
        guard start > 0 else { return .absent }
        return StoredRange(start: start - 1, count: try input.number())
    }

    /// Whether everything that the record says about its bytes is possible.
    ///
    /// The limits on the sums are those that ``RecordWriter`` relies on: texts of a request do not overlap, except for
    /// the token, which is part of the path.
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
        func isWithin(_ range: StoredRange, _ end: Int) -> Bool { range.isAbsent || range.indices.upperBound <= end }
        for range in [methodRange, pathRange, tokenRange, pushTypeRange, collapseIDRange, sentIDRange] {
            guard isWithin(range, header) else { return false }
        }
        for range in [topicRange, deviceRange, explanationRange, ruleRange] {
            guard isWithin(range, bytes.count) else { return false }
        }
        let names = Int(methodRange.count) + Int(pathRange.count) + Int(sentIDRange.count) + Int(deviceRange.count)
        let others = Int(topicRange.count) + Int(pushTypeRange.count) + Int(collapseIDRange.count)
        guard names <= bytes.count, Int(tokenRange.count) <= Int(pathRange.count), others <= bytes.count,
            Int(explanationRange.count) + Int(ruleRange.count) <= bytes.count
        else { return false }
        guard isPathPlain, !pathRange.isAbsent else { return !isPathPlain || tokenRange.isAbsent }
        return isPlain(bytes, pathRange) && (tokenRange.isAbsent || isPlain(bytes, tokenRange))
    }

    private func isPlain(_ bytes: Span<UInt8>, _ range: StoredRange) -> Bool {
        let text = bytes.extracting(range.indices)
        for index in text.indices {
            let byte = text[index]
            guard 0x20..<0x7F ~= byte, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else { return false }
        }
        return true
    }

    // MARK: Words with values

    private var verdictByte: UInt8 {
        switch verdict {
        case .notJudged: 0
        case .valid: 1
        case .refused(let reason): reason.rawValue + 2
        }
    }

    private mutating func setVerdict(_ byte: UInt8, _ input: borrowing FrameInput) throws(FrameMistake) {
        switch byte {
        case 0: verdict = .notJudged
        case 1: verdict = .valid
        default:
            guard let reason = Reason(rawValue: byte - 2) else { throw input.mistake("a verdict is unknown") }
            verdict = .refused(reason)
        }
    }

    private var checksByte: UInt8 {
        switch checksResult {
        case .derived: 0
        case .passed: 1
        case .failed(let check): check.rawValue + 2
        }
    }

    private mutating func setChecks(_ byte: UInt8, _ input: borrowing FrameInput) throws(FrameMistake) {
        switch byte {
        case 0: checksResult = .derived
        case 1: checksResult = .passed
        default:
            guard let check = Check(rawValue: byte - 2) else { throw input.mistake("a check is unknown") }
            checksResult = .failed(check)
        }
    }
}
