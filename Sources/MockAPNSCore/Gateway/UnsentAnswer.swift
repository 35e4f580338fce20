/// An answer that was decided and recorded, but not sent as it was decided.
package struct UnsentAnswer: Sendable {
    /// The reason, with its effect on the connection.
    package enum Kind: Sendable {
        /// It cannot be sent, for this reason: the stream was reset with INTERNAL_ERROR.
        case refused(String)
        /// The connection was ended before: nothing was sent.
        case connectionEnded
        /// The client broke the protocol in this way before the answer was due, and the connection was ended.
        case connectionBroken(String)
        /// The SETTINGS of ``Hostility/settingsFlood`` were left out.
        case settingsLeftOut
    }

    /// The stream of its request.
    package var stream: UInt32
    /// The reason, with its effect on the connection.
    package var kind: Kind
    /// Its plan, which knows its record; `nil` for an ordinary answer.
    package var response: PlannedResponse?

    /// Creates an unsent answer.
    package init(stream: UInt32, _ kind: Kind, of response: PlannedResponse? = nil) {
        (self.stream, self.kind, self.response) = (stream, kind, response)
    }

    /// The outcome from now on; `nil` if that does not change.
    fileprivate var outcome: Outcome? {
        switch kind {
        case .refused: .reset
        case .connectionEnded, .connectionBroken: .closed
        case .settingsLeftOut: nil
        }
    }

    /// The error code of the reset that is sent instead; `nil` without one.
    fileprivate var resetCode: UInt32? { if case .refused = kind { ErrorCode.internalError.code } else { nil } }

    /// The sentence for the record.
    fileprivate var sentence: String {
        switch kind {
        case .refused(let reason): "The answer could not be sent: \(reason). The stream was reset with INTERNAL_ERROR."
        case .connectionEnded: "The connection was ended before the answer could be sent."
        case .connectionBroken(let what): "The connection was ended before the answer was due. \(what)"
        case .settingsLeftOut:
            "The SETTINGS before the answer were left out, because the client leaves too many unacknowledged."
        }
    }
}

extension Gateway {
    /// Changes the records of answers that were not sent as they were decided.
    ///
    /// - Parameters:
    ///   - answers: the answers, all on one connection.
    ///   - connection: its id.
    ///   - now: the time on the scenario's clock.
    package mutating func noteUnsent(_ answers: [UnsentAnswer], on connection: Int, at now: Timestamp) {
        let streams = Set(answers.lazy.filter { $0.response == nil }.map(\.stream))
        let found = streams.isEmpty ? [:] : log.sequences(of: streams, on: connection)
        var changes: [UpdateEvent] = []
        for answer in answers {
            if let response = answer.response, response.generation != generation { continue }
            guard let sequence = answer.response?.sequence ?? found[answer.stream] else { continue }
            // The change is reported even if the record was dropped, because the log file has it.
            let record = log.withSubject(sequence) { ($0.record.outcome, $0.explanation(with: answer.sentence)) }
            var update = RequestUpdate(outcome: answer.outcome, resetCode: answer.resetCode)
            update.explanation = record?.1 ?? Array(answer.sentence.utf8)
            if let old = record?.0, let new = answer.outcome, new != old {
                statistics.countChange(from: old, to: new)
                changeUnreported(sequence, RequestUpdate(outcome: new, resetCode: answer.resetCode), at: now)
            }
            changes.append(UpdateEvent(of: sequence, update, clock: now))
        }
        changes.sort { $0.sequence < $1.sequence }
        log.explain(changes.map { ($0.sequence, $0.change.explanation ?? []) })
        for change in changes { emit(.update(change)) }
    }
}

extension RecordSubject {
    /// Returns the explanation with one more sentence.
    fileprivate func explanation(with sentence: String) -> [UInt8] {
        guard !record.explanationRange.isAbsent else { return Array(sentence.utf8) }
        return Array(copying: bytes.extracting(record.explanationRange.indices)) + Array(" \(sentence)".utf8)
    }
}
