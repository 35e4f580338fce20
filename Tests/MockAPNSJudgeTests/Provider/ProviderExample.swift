import Testing

@testable import MockAPNSCore

/// What a rule about providers finds, and what is close to that and is no mistake.
///
/// The first of each is in the documentation.
struct ProviderExample: Sendable, CustomTestStringConvertible {
    var rule: LintRule
    var bad: [Bad]
    var good: [LintRun]

    struct Bad: Sendable {
        var run: LintRun
        var count: Int
        /// Where it is not the rule's own.
        var severity: LintSeverity?
    }

    init(_ rule: LintRule, _ bad: Bad..., good: LintRun...) {
        self.rule = rule
        self.bad = bad
        self.good = good
    }

    var testDescription: String { rule.id }

    static let all =
        providerTokenExamples + connectionExamples + refusalExamples + retryExamples + headerExamples
        + repetitionExamples + channelExamples
}

extension ProviderExample.Bad {
    /// A run in which the rule finds something so many times.
    static func found(_ count: Int = 1, _ lines: String..., scenario: String? = nil, severity: LintSeverity? = nil)
        -> Self
    {
        var run = LintRun(scenario: scenario)
        run.lines = lines
        return Self(run: run, count: count, severity: severity)
    }
}
