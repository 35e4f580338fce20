/// A rule of lint: what it finds, how bad that is, and how it is found.
///
/// Each stands with its thresholds in the file of MockAPNSJudge that judges it, and in the list of its family. A rule
/// about payloads has a ``check``; one about what a provider does over a run names the ``judge`` that it shares with
/// rules about the same things.
package struct LintRule: Sendable {
    /// Its name in scenarios, queries and findings.
    package let id: String
    /// How bad its findings are, where the scenario says nothing else and no finding is less bad than the others.
    package let severity: LintSeverity
    /// The mistake it finds, without a full stop.
    package let finds: String
    /// The effect on a push in which it has found something: a sentence.
    package let effect: String
    /// Where it comes from.
    package let sources: [LintSource]
    /// The values to compare with, if they can be set; the first is what a scenario calls `threshold`.
    package let thresholds: [LintThreshold]
    /// A ``RunCheck``; `nil` for a rule about single payloads.
    package let judge: (any LintCheck)?
    /// Whether each finding is about one push, which it names, and not about many together or their connections.
    package let isAboutPushes: Bool
    /// A ``PayloadCheck``; `nil` for what only a run shows.
    package let check: (any LintCheck)?

    /// Creates a rule.
    package init(
        id: String, severity: LintSeverity, finds: String, effect: String, sources: [LintSource],
        thresholds: [LintThreshold] = [], judge: (any LintCheck)? = nil, isAboutPushes: Bool = true,
        check: (any LintCheck)? = nil
    ) {
        (self.id, self.severity, self.finds, self.effect, self.sources) = (id, severity, finds, effect, sources)
        (self.thresholds, self.judge, self.isAboutPushes, self.check) = (thresholds, judge, isAboutPushes, check)
    }

    /// Whether it judges what a provider does over a run, and not single payloads.
    package var isAboutProviders: Bool { judge != nil }
    /// Where it comes from, in one line.
    package var source: String { sources.map(\.title).joined(separator: "; ") }

    /// Returns a message: what was found, and what happens then.
    package func text(_ found: String, effect other: String? = nil) -> String {
        let effect = other ?? effect
        return found + (found.last == "?" ? "" : ".") + (effect.isEmpty ? "" : " " + effect)
    }
}

extension LintRule: Hashable, CustomStringConvertible {
    package static func == (one: Self, other: Self) -> Bool { one.id == other.id }
    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
    package var description: String { id }
}

/// How a rule finds something. Scenarios and queries name rules, and need not know more of it.
package protocol LintCheck: Sendable {}
