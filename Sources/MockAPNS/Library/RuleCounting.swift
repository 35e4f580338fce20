import MockAPNSCore

extension MockAPNSServer {
    /// Which of its matches a rule decides, and what follows its last step.
    public struct RuleCounting: Sendable {
        /// Number of matches to skip first.
        public var skip: Int?
        /// The interval between decided matches: 2 for the second, fourth, and so on; `nil` for every match.
        public var every: Int?
        /// The probability of deciding a match, above 0 and at most 1, drawn from the seed; `nil` for always.
        public var probability: Double?
        /// The behavior after the last step; if `nil`, a single step is repeated, and several are played once.
        public var repetition: Repetition?
        /// The field for each of whose values matches and steps are counted separately; `nil` to count them together.
        public var countPer: Field?

        /// Creates counting options; those that are `nil` have the defaults of a scenario.
        public init(
            skip: Int? = nil, every: Int? = nil, probability: Double? = nil, repetition: Repetition? = nil,
            countPer: Field? = nil
        ) {
            (self.skip, self.every, self.probability) = (skip, every, probability)
            (self.repetition, self.countPer) = (repetition, countPer)
        }

        var members: [JSONText.Member] {
            [
                JSONText.Member("skip", skip.map { JSONText.Value($0) }),
                JSONText.Member("every", every.map { JSONText.Value($0) }),
                JSONText.Member("probability", probability.map { JSONText.Value($0) }),
                JSONText.Member("repeat", repetition.map { JSONText.Value($0.rawValue) }),
                JSONText.Member("countPer", countPer.map { JSONText.Value($0.rawValue) }),
            ].compactMap(\.self)
        }
    }
}
