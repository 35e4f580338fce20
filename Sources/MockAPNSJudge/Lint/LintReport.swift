import MockAPNSCore

/// The findings of lint in many payloads: for each rule and pointer one, with its count.
package struct LintReport: Sendable {
    /// Maximum number of findings; further ones are counted in ``omitted``.
    package static let limit = 10_000

    /// How many requests lint has judged.
    package struct Judged: Sendable, Hashable, CustomStringConvertible {
        /// The pushes, to devices and to broadcast channels.
        package var pushes = 0
        /// The calls by which broadcast channels are managed.
        package var channelCalls = 0

        /// None.
        package init() {}

        /// Whether nothing was judged.
        package var isEmpty: Bool { pushes == 0 && channelCalls == 0 }

        /// `4 pushes`, or `2 calls about channels` if there was no push.
        package var description: String {
            guard pushes == 0, channelCalls > 0 else { return counted(pushes, "push", "pushes") }
            return counted(channelCalls, "call", "calls") + " about channels"
        }

        static func + (one: Self, other: Self) -> Self {
            var sum = one
            sum.pushes += other.pushes
            sum.channelCalls += other.channelCalls
            return sum
        }
    }

    private struct Key: Hashable {
        var file: String?
        var session: String?
        var rule: LintRule
        var pointer: String
    }

    /// The findings in the order in which they were found first.
    package private(set) var findings: [LintFinding] = []
    /// Number of findings left out because of the limit.
    package private(set) var omitted = 0
    /// The number of requests judged; `nil` if it is not known, or for payloads that are no pushes of a log.
    package internal(set) var judged: Judged?
    /// The number of requests that the log had dropped before they could be judged; `nil` if that is not known.
    package var dropped: Int?
    private var indices: [Key: Int] = [:]

    /// A report without findings.
    package init() {}

    /// Adds what was found in one payload.
    ///
    /// - Parameter sequence: the number of its push in the log.
    package mutating func add(_ found: [LintFinding], sequence: UInt64? = nil) {
        for finding in found { add(finding, sequence) }
    }

    /// Adds what was found in many pushes together, each finding with its own count.
    mutating func add(counted found: [LintFinding]) {
        for finding in found {
            let key = Key(file: finding.file, rule: finding.rule, pointer: finding.pointer)
            guard findings.count < Self.limit else {
                omitted += 1
                continue
            }
            indices[key] = findings.count
            findings.append(finding)
        }
    }

    /// Adds what was found in the payload of a file.
    package mutating func add(_ found: [LintFinding], file: String, _ text: [UInt8]) {
        for var finding in found {
            finding.file = file
            finding.position = JSONText.position(of: finding.offset, in: text.span)
            add(finding, nil)
        }
    }

    /// Sets the log file of all findings.
    package mutating func setFile(_ file: String) {
        for index in findings.indices { findings[index].file = file }
    }

    /// Adds what was found in another log. Later pushes are counted, but their numbers are not given.
    ///
    /// - Parameter change: called with each finding before it is added.
    mutating func add(_ other: LintReport, _ change: (inout LintFinding) -> Void) {
        for var finding in other.findings {
            change(&finding)
            add(finding)
        }
        omit(other.omitted)
        if let more = other.judged { judged = (judged ?? Judged()) + more }
    }

    /// Adds what was found in another log of one rule at one pointer.
    mutating func add(_ finding: LintFinding) {
        guard let index = index(for: finding) else { return }
        findings[index].count += finding.count
        findings[index].lastSequence = nil
        if finding.severity > findings[index].severity { findings[index].firstSequence = nil }
        findings[index].fails = findings[index].fails || finding.fails
        tellWorst(finding, at: index)
    }

    /// Counts findings that were left out.
    mutating func omit(_ count: Int) { omitted += count }

    private mutating func add(_ finding: LintFinding, _ sequence: UInt64?) {
        var finding = finding
        (finding.sequence, finding.firstSequence, finding.lastSequence) = (sequence, sequence, sequence)
        guard let index = index(for: finding) else { return }
        findings[index].count += 1
        findings[index].lastSequence = sequence
        tellWorst(finding, at: index)
    }

    /// Returns the index of what was found before of the same rule at the same pointer; `nil` if this was the first, and
    /// has been added, or omitted.
    private mutating func index(for finding: LintFinding) -> Int? {
        let key = Key(file: finding.file, session: finding.session, rule: finding.rule, pointer: finding.pointer)
        if let index = indices[key] { return index }
        guard findings.count < Self.limit else {
            omitted += 1
            return nil
        }
        indices[key] = findings.count
        findings.append(finding)
        return nil
    }

    private mutating func tellWorst(_ finding: LintFinding, at index: Int) {
        guard finding.severity > findings[index].severity else { return }
        findings[index].severity = finding.severity
        findings[index].message = finding.message
        (findings[index].sequence, findings[index].end) = (finding.sequence, finding.end)
    }

    /// `2 errors, 1 warning`; or `no findings`.
    package var summary: String {
        let parts = LintSeverity.allCases.reversed().compactMap { severity -> String? in
            let count = findings.count { $0.severity == severity }
            return count == 0 ? nil : "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
        }
        let more = omitted == 0 ? "" : "; \(omitted) more were left out"
        return (parts.isEmpty ? "no findings" : parts.joined(separator: ", ")) + more
    }
}
