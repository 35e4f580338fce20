import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge
@testable import MockAPNSScenario

/// A push for the rules of lint, and what else is known.
struct LintSample: Sendable {
    var body: [UInt8]
    /// As the documentation shows it, where that is not the body itself.
    var shown: String?
    /// Header fields, `apns-push-type: background`.
    var headers: [String] = []
    /// Payloads that went to the same recipient before.
    var earlier: [String] = []
    /// What the scenario says: its `lint` and `apps`.
    var scenario: String?
    /// The clock, in seconds since 1970.
    var clock: Int64?

    init(
        _ body: String, _ headers: String..., shown: String? = nil, earlier: [String] = [], scenario: String? = nil,
        clock: Int64? = nil
    ) {
        self.body = Array(body.utf8)
        self.shown = shown
        self.headers = headers
        self.earlier = earlier
        self.scenario = scenario
        self.clock = clock
    }

    /// What lint finds in it.
    var findings: [LintFinding] {
        var played = Scenario()
        if let scenario {
            let (read, mistakes) = Scenario.read(Array(scenario.utf8))
            guard let read else { preconditionFailure("\(mistakes)") }
            played = read
        }
        var linter = PayloadLinter(played.lint, apps: played.apps)
        var push = LintedPush(body: body)
        for header in headers {
            let colon = header.firstRange(of: ": ") ?? header.startIndex..<header.startIndex
            push.setHeader(String(header[..<colon.lowerBound]), String(header[colon.upperBound...]))
        }
        push.clock = clock.map { Timestamp(seconds: $0) }
        if !earlier.isEmpty { push.recipient = push.recipient ?? "a device" }
        for body in earlier {
            var other = push
            other.body = Array(body.utf8)
            _ = linter.findings(in: other)
        }
        return linter.findings(in: push)
    }

    /// The rules that find something, each with its pointer: `badge-type /aps/badge`.
    var found: [String] { findings.map { "\($0.rule.id) \($0.pointer)" } }
}

/// What a rule of lint finds, and what is close to that and is no mistake.
///
/// The first of each is in the documentation.
struct LintExample: Sendable, CustomTestStringConvertible {
    var rule: LintRule
    var bad: [Bad]
    var good: [LintSample]

    struct Bad: Sendable {
        var sample: LintSample
        var pointer: String
        /// Where it is not the rule's own.
        var severity: LintSeverity?
    }

    init(_ rule: LintRule, _ bad: [Bad], good: [LintSample]) {
        self.rule = rule
        self.bad = bad
        self.good = good
    }

    var testDescription: String { rule.id }

    static let all =
        bodyExamples + apsExamples + keyExamples + alertExamples + localizationExamples + identifierExamples
        + badgeAndSoundExamples + pushTypeExamples + interruptionExamples + liveActivityExamples + timeExamples
        + startExamples + secretExamples + damageExamples + ownKeyExamples
}

extension LintExample.Bad {
    static func at(_ pointer: String, _ sample: LintSample, _ severity: LintSeverity? = nil) -> Self {
        Self(sample: sample, pointer: pointer, severity: severity)
    }
}
