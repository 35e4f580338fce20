/// The result of one check for a recorded request: derived from the record, not evaluated again.
package struct CheckReport: Sendable {
    package enum State: String, Sendable, CaseIterable {
        /// The check passed.
        case passed
        /// The check failed and decided.
        case failed
        /// Something earlier decided.
        case notReached
        /// The check was not made, because a rule or an outage decided.
        case skipped
    }

    /// The check of a push; `nil` for a check of a call about broadcast channels.
    package var check: Check?
    /// The name of the check.
    package var name: String
    /// Background on the check.
    package var facts: CheckFacts
    package var state: State
    /// The value that was checked; `nil` if absent.
    package var found: String?

    init(_ check: Check, _ state: State, found: String?) {
        self.check = check
        (name, facts, self.state, self.found) = (check.name, check.facts, state, found)
    }

    init(_ check: CallCheck, _ state: State, found: String?) {
        (name, facts, self.state, self.found) = (check.name, check.facts, state, found)
    }

    /// Appends the report as a JSON object, with the members of the API.
    fileprivate func appendJSON(to output: inout [UInt8]) {
        output.append(contentsOf: #"{"check":"\#(name)","state":"\#(state.rawValue)","found":"#.utf8)
        output.appendJSON(found)
        output.append(contentsOf: #","expected":"#.utf8)
        output.appendJSON(facts.rule)
        output.append(contentsOf: #","mark":"\#(facts.mark.rawValue)","source":"#.utf8)
        output.appendJSON(facts.source)
        output.append(UInt8(ascii: "}"))
    }
}

extension [CheckReport] {
    /// The answer of the API.
    package var json: [UInt8] {
        var output = Array<UInt8>(#"{"checks":"#.utf8)
        output.appendList(self) { $1.appendJSON(to: &$0) }
        output.append(UInt8(ascii: "}"))
        return output
    }
}

extension RequestRecord {
    /// The state of each check.
    package var checkStates: [(check: Check, state: CheckReport.State)] {
        switch checksResult {
        case .passed: return Self.all(.passed)
        case .failed(let check): return Self.states(first: check, last: check, .failed)
        case .derived: break
        }
        switch decidedBy {
        case .connection: return Self.all(.notReached)
        case .rule, .outage: return Self.all(.skipped)
        case .checks, .device: break
        }
        // A recorded log does not say which check failed. If several have the reason, it was one of them.
        let suspects = reason.map { reason in Check.allCases.filter { $0.facts.reasons.contains(reason) } } ?? []
        guard let first = suspects.first, let last = suspects.last else { return Self.all(.passed) }
        return Self.states(first: first, last: last, suspects.count == 1 ? .failed : .skipped)
    }

    private static func all(_ state: CheckReport.State) -> [(check: Check, state: CheckReport.State)] {
        Check.allCases.map { ($0, state) }
    }

    private static func states(
        first: Check, last: Check, _ state: CheckReport.State
    ) -> [(check: Check, state: CheckReport.State)] {
        Check.allCases.map { check in
            if check.rawValue < first.rawValue { return (check, .passed) }
            return (check, check.rawValue > last.rawValue ? .notReached : state)
        }
    }
}

extension RequestSnapshot {
    /// Returns the result of each check for the request with this sequence number, in order; `nil` if it is not kept.
    package func checks(of sequence: Int) -> [CheckReport]? {
        guard let (segment, index) = location(of: sequence) else { return nil }
        let subject = RecordSubject(segment, at: index, serverNames: serverNames)
        let push = Push(subject.bytes, headerLength: Int(subject.record.headerCount))
        if let call = subject.call {
            return subject.record.states(ofChecksOn: call).map { check, state in
                CheckReport(check, state, found: subject.found(by: check, push))
            }
        }
        return subject.record.checkStates.map { check, state in
            CheckReport(check, state, found: subject.found(by: check, push))
        }
    }
}
