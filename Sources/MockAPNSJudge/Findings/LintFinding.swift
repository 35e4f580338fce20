package import MockAPNSCore

/// A finding of a rule of lint.
package struct LintFinding: Sendable, Hashable {
    /// The rule.
    package var rule: LintRule
    /// How bad it is.
    package var severity: LintSeverity
    /// The JSON Pointer of the value in the payload, `/aps/badge`; empty for the payload as a whole.
    package var pointer: String
    /// The mistake, its correction and its effect.
    package var message: String
    /// The byte of the payload at which it stands.
    package var offset: Int
    /// The file with the payload or the log; `nil` for what is in no file.
    package var file: String?
    /// Line and column in a file with one payload.
    package var position: JSONText.Position?
    /// How often it was found.
    package var count = 1
    /// The push that ``message`` is about: the first of the worst. `nil` for a payload that is no push of a log.
    package var sequence: UInt64?
    /// The first push with it, by its number in the log; `nil` for a payload that is no push of a log, or if the first
    /// is in another log.
    package var firstSequence: UInt64?
    /// The last push with it.
    package var lastSequence: UInt64?
    /// The session whose pushes have it; `nil` for the server's own.
    package internal(set) var session: String?
    /// When and why the log with the push ended, if that was before the end of the run.
    package internal(set) var end: EarlyEnd?
    /// Whether a run with it fails.
    package internal(set) var fails = false

    init(_ rule: LintRule, _ severity: LintSeverity, _ pointer: String, _ message: String, offset: Int) {
        self.rule = rule
        self.severity = severity
        self.pointer = pointer
        self.message = message
        self.offset = offset
    }
}

extension LintSettings {
    /// Returns whether a run with these findings fails.
    package func fails(_ findings: some Sequence<LintFinding>) -> Bool {
        guard let failOn else { return false }
        return findings.contains { $0.severity >= failOn }
    }
}
