/// A rule: what decides instead of the checks, and when. An element of `rules`.
package struct Rule: Sendable {
    /// Whether all replicas of a fleet count the matches of a rule together.
    package enum Counting: String, Sendable, CaseIterable {
        /// All replicas as one.
        case fleet
        /// Each replica by itself.
        case replica
    }

    /// The unique name: its own, or its path such as `rules[0]`.
    package var name: String
    /// The trigger that it is tried on.
    package var trigger: RuleTrigger { steps.trigger }
    /// The conditions; without any, it always matches.
    package var match = MatchExpression()
    /// Number of matches that are skipped first.
    package var skip = 0
    /// Maximum number of matches that it decides, at least 1, after which it is used up; `nil` means no maximum.
    package var times: Int?
    /// The interval of matches that it decides, counted after ``skip``: 1 for all, 2 for the second, fourth, and so on.
    package var every = 1
    /// The probability that it decides a match, above 0 and at most 1.
    package var probability = 1.0
    /// The behavior after the last step.
    package var repetition = Repetition.last
    /// The field whose values have separate counts of matches and steps; `nil` means one count for all.
    package var countPer: RequestField?
    /// Whether all replicas of a fleet count its matches together; of no effect without a fleet.
    package var counting = Counting.fleet
    /// The steps.
    package var steps: Steps
    /// The JSON it was read from, if it was read on its own.
    package var json: JSONText.Value?

    /// The steps, one for each match that the rule decides; at least one. Their type depends on the trigger.
    package enum Steps: Sendable {
        case push([Step])
        case connect([ConnectStep])
        case ping([PingOutcome])
        case broadcast([Step])
        case channels([Step])

        /// The trigger these steps belong to.
        package var trigger: RuleTrigger {
            switch self {
            case .push: .push
            case .connect: .connect
            case .ping: .ping
            case .broadcast: .broadcast
            case .channels: .channels
            }
        }

        /// The number of steps.
        package var count: Int {
            switch self {
            case .push(let steps), .broadcast(let steps), .channels(let steps): steps.count
            case .connect(let steps): steps.count
            case .ping(let outcomes): outcomes.count
            }
        }
    }

    /// Creates a rule that always matches.
    package init(name: String, steps: Steps) {
        self.name = name
        self.steps = steps
    }

    /// Whether what it decides depends on how often it has matched.
    var isCounted: Bool { skip > 0 || times != nil || every > 1 || repetition == .stop || steps.count > 1 }

    /// Whether it sends all pushes of a fleet through its one order, forever: it counts every push, and is never used up.
    package var ordersEverything: Bool {
        let isEndless = countPer != nil || times == nil && repetition != .stop
        return trigger == .push && counting == .fleet && isCounted && isEndless && match == MatchExpression()
    }

    /// Whether it decides every match forever.
    package var isEndless: Bool {
        skip == 0 && times == nil && every == 1 && probability == 1 && repetition != .stop
    }
}

extension RuleTrigger {
    /// Whether it is a request.
    package var isRequest: Bool {
        switch self {
        case .push, .broadcast, .channels: true
        case .connect, .ping: false
        }
    }
}
