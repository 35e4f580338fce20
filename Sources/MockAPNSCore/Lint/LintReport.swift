/// What lint has found in many payloads: for each rule and pointer one finding, with how often it was found.
package struct LintReport: Sendable {
    /// Maximum number of findings; further ones are counted in ``omitted``.
    package static let limit = 10_000

    private struct Key: Hashable {
        var file: String?
        var rule: LintRule
        var pointer: String
    }

    /// The findings in the order in which they were found first.
    package private(set) var findings: [LintFinding] = []
    /// Number of findings left out because of the limit.
    package private(set) var omitted = 0
    private var indices: [Key: Int] = [:]

    /// A report without findings.
    package init() {}

    /// Adds what was found in one payload.
    ///
    /// - Parameter sequence: the number of its push in the log.
    package mutating func add(_ found: [LintFinding], sequence: UInt64? = nil) {
        for finding in found { add(finding, sequence) }
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

    private mutating func add(_ finding: LintFinding, _ sequence: UInt64?) {
        let key = Key(file: finding.file, rule: finding.rule, pointer: finding.pointer)
        guard let index = indices[key] else {
            guard findings.count < Self.limit else {
                omitted += 1
                return
            }
            indices[key] = findings.count
            findings.append(finding)
            findings[findings.count - 1].firstSequence = sequence
            findings[findings.count - 1].lastSequence = sequence
            return
        }
        findings[index].count += 1
        findings[index].lastSequence = sequence
        // The worst is told.
        if finding.severity > findings[index].severity {
            findings[index].severity = finding.severity
            findings[index].message = finding.message
        }
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
