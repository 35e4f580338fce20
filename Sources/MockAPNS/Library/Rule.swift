import MockAPNSCore

extension MockAPNSServer {
    /// A rule, in the words of a scenario's `rules`.
    ///
    /// ```swift
    /// let rules: [MockAPNSServer.Rule] = [
    ///     .rule(.reject(.tooManyRequests), when: .device("alice"), times: 1),
    ///     .rule(.close(.reset), .pass, when: .pushType(.voip)),  // the first push, then the second
    /// ]
    /// ```
    ///
    /// It is checked when it is added, or when its scenario is read.
    public struct Rule: Sendable, CustomStringConvertible {
        let json: JSONText.Value

        init(
            _ steps: [Step], when match: Match, name: String?, on trigger: Trigger, times: Int?,
            _ counting: RuleCounting
        ) {
            let when = match.adding("on", JSONText.Value(trigger.rawValue))
            let members = [
                JSONText.Member("name", name.map { JSONText.Value($0) }), JSONText.Member("when", when.json),
                JSONText.Member("then", JSONText.Value(oneOrMore: steps.map(\.json))),
                JSONText.Member("times", times.map { JSONText.Value($0) }),
            ]
            json = JSONText.Value(members.compactMap(\.self) + counting.members)
        }

        /// A rule.
        ///
        /// - Parameters:
        ///   - steps: what happens, one for each request that matches; after several the rule is used up.
        ///   - match: on which requests, as far as they are known before they are decided.
        ///   - name: its name; `nil`: `rule-1`, `rule-2` and so on.
        ///   - trigger: what it is tried on.
        ///   - times: how many matches it decides at most; `nil`: any number.
        ///   - counting: which of the matches it decides, and what comes after its last step.
        public static func rule(
            _ steps: Step..., when match: Match = .all, name: String? = nil, on trigger: Trigger = .push,
            times: Int? = nil, counting: RuleCounting = RuleCounting()
        ) -> Self {
            Self(steps, when: match, name: name, on: trigger, times: times, counting)
        }

        /// As in a scenario.
        public var description: String { json.text }
    }
}
