import MockAPNSCore
import MockAPNSJudge

extension MockAPNSServer {
    /// Something that lint has found: a likely mistake in the pushes of a provider, by one rule and at one pointer.
    public struct LintFinding: Sendable, Hashable, CustomStringConvertible {
        /// The id of the rule, such as `badge-type`. The article Lint has all rules.
        public let rule: String
        /// How bad it is.
        public let severity: LintSeverity
        /// The JSON Pointer of the value in the payload, such as `/aps/badge`; empty for a push as a whole.
        public let pointer: String
        /// The mistake, its correction and the effect without it.
        public let message: String
        /// Where the rule comes from.
        public let source: String
        /// How often it was found.
        public let count: Int
        /// The number of the request that ``message`` is about: the first of the worst. `nil` for what is in no single
        /// request.
        public let sequence: Int?
        /// The number of the first request with it; `nil` for what is in no single request.
        public let firstSequence: Int?
        /// The number of the last request with it.
        public let lastSequence: Int?
        /// One line for people, as in `push 1: error: /aps/badge is the string "1"; expected a number. … [badge-type]`.
        public let description: String

        init(_ core: MockAPNSJudge.LintFinding) {
            rule = core.rule.id
            severity = core.severity
            (pointer, message, source) = (core.pointer, core.message, core.rule.source)
            (count, sequence) = (core.count, core.sequence.map(Int.init))
            firstSequence = core.firstSequence.map(Int.init)
            lastSequence = core.lastSequence.map(Int.init)
            description = core.line
        }
    }
}
