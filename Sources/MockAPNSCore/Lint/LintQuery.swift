/// Which findings of a log are wanted.
package struct LintQuery: Sendable, Equatable {
    /// Only those of this rule.
    package var rule: LintRule?
    /// Only those that are at least as bad.
    package var severity: LintSeverity?
    /// Only those in this push.
    package var sequence: Int?
    /// Only those in pushes of this sender; `nil` means any.
    package var sender: Sender? = .provider

    /// Creates a query for all findings.
    package init() {}
}
