/// A rule: what decides instead of the checks, and when. An element of `rules`.
public struct Rule: Sendable {
    /// What a rule is tried on.
    public enum Trigger: String, Sendable, CaseIterable {
        /// A request that was read whole.
        case push
        /// The beginning of a connection's TLS handshake.
        case connect
        /// A PING frame.
        case ping
    }

    /// What comes after the last step.
    public enum Repetition: String, Sendable, CaseIterable {
        /// The last step is played again and again.
        case last
        /// The rule is used up.
        case stop
        /// The first step comes again.
        case cycle
    }

    /// Its name, unique among the rules: its own, or its path as in `rules[0]`.
    public var name: String
    /// What it is tried on.
    public var trigger: Trigger { steps.trigger }
    /// What must hold; nothing: it always matches.
    public var match = MatchExpression()
    /// Number of matches that are let pass first.
    public var skip = 0
    /// Maximum number of matches that it decides; then it is used up. `nil`: no maximum. At least 1.
    public var times: Int?
    /// It decides each match of that number, counted after ``skip``: 1 for all, 2 for the second, fourth, and so on.
    public var every = 1
    /// How likely it decides a match, above 0 and at most 1.
    public var probability = 1.0
    /// What comes after the last step.
    public var repetition = Repetition.last
    /// The field for each value of which matches and steps are counted by themselves; `nil`: all together.
    public var countPer: RequestField?
    /// What happens.
    public var steps: Steps

    /// What happens, one for each match that the rule decides; at least one. What a rule is tried on says what can happen.
    public enum Steps: Sendable {
        case push([Step])
        case connect([ConnectOutcome])
        case ping([PingOutcome])

        /// What these are for.
        public var trigger: Trigger {
            switch self {
            case .push: .push
            case .connect: .connect
            case .ping: .ping
            }
        }

        /// How many there are.
        public var count: Int {
            switch self {
            case .push(let steps): steps.count
            case .connect(let outcomes): outcomes.count
            case .ping(let outcomes): outcomes.count
            }
        }
    }

    /// A rule that always matches.
    public init(name: String, steps: Steps) {
        self.name = name
        self.steps = steps
    }

    /// Whether it decides everything that it matches, for ever.
    public var isEndless: Bool {
        skip == 0 && times == nil && every == 1 && probability == 1 && repetition != .stop
    }
}
