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

    /// The name of the check.
    package var name: String
    /// Background on the check.
    package var facts: CheckFacts
    package var state: State
    /// The value that was checked; `nil` if absent.
    package var found: String?

    init(_ check: some OrderedCheck, _ state: State, found: String?) {
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
    /// Returns the state of each check of a list.
    func states<Checked: OrderedCheck>(of checks: [Checked]) -> [CheckReport.State] {
        func all(_ state: CheckReport.State) -> [CheckReport.State] { checks.map { _ in state } }
        func states(from first: UInt8, to last: UInt8, _ state: CheckReport.State) -> [CheckReport.State] {
            checks.map { $0.rawValue < first ? .passed : $0.rawValue > last ? .notReached : state }
        }
        switch checksResult {
        case .passed: return all(.passed)
        case .failed(let check): return states(from: check, to: check, .failed)
        case .derived: break
        }
        switch decidedBy {
        case .connection: return all(.notReached)
        case .rule, .outage: return all(.skipped)
        case .checks, .device, .upstream: break
        }
        // A recorded log does not say which check failed. If several have the reason, it was one of them.
        let suspects = reason.map { reason in checks.filter { $0.facts.reasons.contains(reason) } } ?? []
        guard let first = suspects.first, let last = suspects.last else { return all(.passed) }
        return states(from: first.rawValue, to: last.rawValue, suspects.count == 1 ? .failed : .skipped)
    }
}

extension RequestSnapshot {
    /// Returns the result of each check for the request with this sequence number, in order; `nil` if it is not kept.
    package func checks(of sequence: Int) -> [CheckReport]? {
        guard let (segment, index) = location(of: sequence) else { return nil }
        let subject = RecordSubject(segment, at: index, serverNames: serverNames)
        guard let call = subject.call else { return Self.reports(of: Check.made(on: nil), subject) }
        return Self.reports(of: CallCheck.made(on: call.call), subject)
    }

    private static func reports(
        of checks: [some OrderedCheck], _ subject: borrowing RecordSubject
    ) -> [CheckReport] {
        let push = Push(subject.bytes, headerLength: Int(subject.record.headerCount))
        let states = subject.record.states(of: checks)
        var reports: [CheckReport] = []
        for (check, state) in zip(checks, states) {
            reports.append(CheckReport(check, state, found: subject.shortened(check.found(in: subject, push))))
        }
        return reports
    }
}
