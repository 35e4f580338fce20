import MockAPNSCore

extension MockAPNSServer {
    /// Which of its matches a rule decides, and what comes after its last step.
    public struct RuleCounting: Sendable {
        /// Number of matches that are let pass first.
        public var skip: Int?
        /// It decides each match of that number: 2 for the second, fourth, and so on; `nil`: all.
        public var every: Int?
        /// How likely it decides a match, above 0 and at most 1, drawn from the seed; `nil`: certainly.
        public var probability: Double?
        /// What comes after the last step; `nil`: a single one is played again, and several are played once.
        public var repetition: Repetition?
        /// The field for each value of which matches and steps are counted by themselves; `nil`: all together.
        public var countPer: Field?

        /// Counting like this; what is `nil` is as in a scenario that does not say.
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
