package import MockAPNSCore

/// Judges payloads, one after the other, by the rules of ``LintRule``.
///
/// Lint refuses nothing: APNs answers 200 to most of what it finds. None of it is on the path of a push.
///
/// ```swift
/// var linter = PayloadLinter()
/// linter.findings(in: LintedPush(body: Array(#"{"aps": {"badge": "1"}}"#.utf8)))    // badge-type at /aps/badge
/// ```
package struct PayloadLinter: Sendable {
    private let settings: LintSettings
    private let apps: Apps
    private let active: PayloadCheck.Active
    private var times = ActivityTimes()
    /// Whether the push type of the last payload is not known, so that rules about push types were left out. An empty
    /// payload, and one with `mdm`, need none.
    package private(set) var lacksPushType = false
    /// Whether the last payload has keys that only updates of Live Activities have: `event` or `content-state`.
    package private(set) var looksLikeLiveActivity = false

    /// - Parameters:
    ///   - apps: the apps of a scenario, for their strings and categories.
    package init(_ settings: LintSettings = LintSettings(), apps: Apps = Apps([])) {
        self.settings = settings
        self.apps = apps
        active = PayloadCheck.Active(settings)
    }

    /// Returns the findings in a push, in the order of its payload.
    package mutating func findings(in push: LintedPush) -> [LintFinding] { judge(push).findings }

    /// The findings in a payload, and the facts about it.
    struct Judgement: Sendable {
        var findings: [LintFinding]
        var facts: PayloadFacts
        /// Whether the findings hold whatever came before and whenever it is sent.
        var isLasting: Bool
    }

    /// Judges a push.
    mutating func judge(_ push: LintedPush) -> Judgement {
        var lint = PayloadLint(push, settings, active, app: apps.app(of: push.topic))
        swap(&lint.times, &times)
        lint.judge()
        swap(&lint.times, &times)
        lacksPushType = !lint.members.isEmpty && lint.typeOrigin == .nothing && lint.root?["mdm"] == nil
        looksLikeLiveActivity = lint.aps[.event] != nil || lint.aps[.contentState] != nil
        return Judgement(
            findings: lint.findings.count < 2 ? lint.findings : lint.sortedFindings, facts: lint.facts,
            isLasting: lint.aps[.timestamp] == nil)
    }
}
