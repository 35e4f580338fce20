/// A rule: what decides instead of the checks, and when. An element of `rules`.
package struct Rule: Sendable {
    /// What a rule is tried on.
    package enum Trigger: String, Sendable, CaseIterable {
        /// A request that was read whole.
        case push
        /// The beginning of a connection's TLS handshake.
        case connect
        /// A PING frame.
        case ping
    }

    /// What comes after the last step.
    package enum Repetition: String, Sendable, CaseIterable {
        /// The last step is played again and again.
        case last
        /// The rule is used up.
        case stop
        /// The first step comes again.
        case cycle
    }

    /// Its name, unique among the rules: its own, or its path as in `rules[0]`.
    package var name: String
    /// What it is tried on.
    package var trigger: Trigger { steps.trigger }
    /// What must hold; nothing: it always matches.
    package var match = MatchExpression()
    /// Number of matches that are let pass first.
    package var skip = 0
    /// Maximum number of matches that it decides; then it is used up. `nil`: no maximum. At least 1.
    package var times: Int?
    /// It decides each match of that number, counted after ``skip``: 1 for all, 2 for the second, fourth, and so on.
    package var every = 1
    /// How likely it decides a match, above 0 and at most 1.
    package var probability = 1.0
    /// What comes after the last step.
    package var repetition = Repetition.last
    /// The field for each value of which matches and steps are counted by themselves; `nil`: all together.
    package var countPer: RequestField?
    /// What happens.
    package var steps: Steps
    /// What it was read from, when it was read by itself.
    package var json: JSONText.Value?

    /// What happens, one for each match that the rule decides; at least one. What a rule is tried on says what can happen.
    package enum Steps: Sendable {
        case push([Step])
        case connect([ConnectOutcome])
        case ping([PingOutcome])

        /// What these are for.
        package var trigger: Trigger {
            switch self {
            case .push: .push
            case .connect: .connect
            case .ping: .ping
            }
        }

        /// How many there are.
        package var count: Int {
            switch self {
            case .push(let steps): steps.count
            case .connect(let outcomes): outcomes.count
            case .ping(let outcomes): outcomes.count
            }
        }
    }

    /// A rule that always matches.
    package init(name: String, steps: Steps) {
        self.name = name
        self.steps = steps
    }

    /// Whether it decides everything that it matches, for ever.
    package var isEndless: Bool {
        skip == 0 && times == nil && every == 1 && probability == 1 && repetition != .stop
    }
}
