/// The log event `update`: the record of a request changed after it was decided.
package struct UpdateEvent: Sendable {
    /// The sequence number of the record.
    package var sequence: Int
    /// The change.
    package var change: RequestUpdate
    /// The time on the scenario's clock.
    package var clock: Timestamp

    /// Creates the change of a record.
    package init(of sequence: Int, _ change: RequestUpdate, clock: Timestamp) {
        (self.sequence, self.change, self.clock) = (sequence, change, clock)
    }
}

// MARK: The JSON line

extension UpdateEvent: LogEventBody {
    func appendMembers(to line: inout [UInt8]) {
        line.appendMember("clock", clock)
        if let outcome = change.outcome { line.appendMember(.outcome, outcome.name) }
        if let code = change.resetCode {
            line.appendKey(.resetCode)
            line.appendJSON(errorCode: code)
        }
        if let delivery = change.delivery { line.appendMember(.delivery, delivery.name) }
        if let other = change.replacedBy { line.appendMember(.replacedBy, other) }
        if let latency = change.latencyMicroseconds { line.appendMember(.latencyMicroseconds, Int(latency)) }
        if let explanation = change.explanation {
            line.appendMember(.explanation, String(decoding: explanation, as: UTF8.self))
        }
        if let delivered = change.delivered { line.appendMember(.delivered, delivered) }
    }

    init(_ line: RecordedLine) throws(JSONText.Mistake) {
        self.init(of: try line.count("sequence"), RequestUpdate(), clock: try line.clock)
        for member in line.members {
            switch RecordMember(named: member.key) {
            case .delivery: change.delivery = try member.word()
            case .outcome: change.outcome = try member.word()
            case .resetCode: change.resetCode = try member.errorCode()
            case .replacedBy: change.replacedBy = try member.count()
            case .latencyMicroseconds: change.latencyMicroseconds = UInt32(clamping: try member.count())
            case .delivered: change.delivered = try member.count()
            case .explanation: change.explanation = Array(try member.text().utf8)
            default: break
            }
        }
    }
}

// MARK: The frame

extension UpdateEvent {
    func append(to frame: inout [UInt8], at time: Timestamp) {
        frame.appendNumber(sequence)
        frame.appendSigned(clock.milliseconds - time.milliseconds)
        frame.append(change.delivery.map { $0.code + 1 } ?? 0)
        frame.append(change.outcome.map { $0.code + 1 } ?? 0)
        frame.appendNumber(ifAny: change.replacedBy)
        frame.appendNumber(ifAny: change.resetCode)
        frame.appendNumber(ifAny: change.latencyMicroseconds)
        frame.appendNumber(ifAny: change.delivered)
        frame.appendText(change.explanation.map { String(decoding: $0, as: UTF8.self) })
    }

    init(_ frame: inout FrameInput, at time: Timestamp) throws(FrameMistake) {
        self.init(
            of: try frame.number(atMost: 1 << 52), RequestUpdate(), clock: try frame.time(after: time.milliseconds))
        change.delivery = try frame.wordIfAny()
        change.outcome = try frame.wordIfAny()
        change.replacedBy = try frame.numberIfAny(atMost: 1 << 52)
        change.resetCode = try frame.numberIfAny()
        change.latencyMicroseconds = try frame.numberIfAny()
        change.delivered = try frame.numberIfAny(atMost: 1 << 52)
        change.explanation = try frame.textIfAny().map { Array($0.utf8) }
    }
}
