import MockAPNSCore

/// How a rule judges a payload.
struct PayloadCheck: LintCheck {
    /// When it is asked. Findings of one stage at the same place are reported in the order of the rules.
    enum Stage: Int, CaseIterable {
        /// The bytes, before they are read.
        case body
        /// The result of reading them: JSON, or a mistake.
        case json
        /// Every value in its place, if the payload is an object.
        case value
        /// The payload, if it is an object.
        case object
        /// `aps`, if it is an object.
        case aps
        /// `aps` of a push to a Live Activity.
        case liveActivity
        /// A header field of a push that is not of a log.
        case field
        /// Header fields again, after all rules of ``field``.
        case fields
    }

    /// Reports what it finds; all of it is of the check's rule.
    typealias Judge = @Sendable (inout PayloadLint) -> Void

    let stage: Stage
    let judge: Judge

    init(_ stage: Stage, judge: @escaping Judge) {
        self.stage = stage
        self.judge = judge
    }

    /// The rules that are not off, by stage, and their checks. An array of closures would wrap each of them anew when it is
    /// called.
    struct Active: Sendable {
        private(set) var rules = Array(repeating: [LintRule](), count: Stage.allCases.count)
        private(set) var checks = Array(repeating: [PayloadCheck](), count: Stage.allCases.count)

        init(_ settings: LintSettings) {
            for rule in LintRule.all where settings.rules[rule] != .off {
                guard let check = rule.check as? PayloadCheck else { continue }
                rules[check.stage.rawValue].append(rule)
                checks[check.stage.rawValue].append(check)
            }
        }
    }
}
