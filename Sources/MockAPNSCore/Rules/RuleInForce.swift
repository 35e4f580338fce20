/// A rule that is in force, and its progress.
struct RuleInForce {
    /// How often a rule, or a rule for one value of a field, has matched and decided.
    struct Counts {
        var matches = 0
        var decided = 0

        mutating func takeBack(_ counted: Counted) {
            matches = max(0, matches - 1)
            if counted.hasDecided { decided = max(0, decided - 1) }
        }
    }

    /// A match that was counted.
    struct Counted: Sendable {
        var rule: String
        /// The value that is counted separately, if any.
        fileprivate var value: CountsOfValues.Value?
        var hasDecided: Bool
    }

    /// The position of the first rule of a scenario. Added rules stand before it, each before the one added earlier.
    static let firstPosition = 1 << 40

    let rule: Rule
    /// Where it stands in the order in which rules are tried; it stays the same when others are added or removed.
    let position: Int
    /// Whether it was added since the scenario began.
    var isAdded: Bool { position < Self.firstPosition }
    /// The plans of its steps for pushes.
    let plans: [ResponsePlan]
    /// The conditions, cheapest first.
    private let conditions: [MatchCondition]
    /// The names of the only devices it applies to; `nil` if it may apply to any.
    let devices: [[UInt8]]?
    /// Whether all replicas of a fleet have to decide its matches in one order: they count them as one, or it changes
    /// the state that they share.
    let needsOrder: Bool
    /// Whether each replica of a fleet counts its matches by itself.
    let isCountedByReplica: Bool
    /// The counts over all values, unless the rule counts each value separately.
    private var counts = Counts()
    private var countsOfValues = CountsOfValues()
    /// How often it has decided, over all values that are counted separately.
    private var decidedOfValues = 0
    /// Whether it has applied elsewhere, as a replica of a fleet says.
    var hasAppliedElsewhere = false

    init(_ rule: Rule, devices: [DeclaredDevice], _ patterns: PatternContext, at position: Int) {
        self.rule = rule
        self.position = position
        plans =
            switch rule.steps {
            case .push(let steps), .broadcast(let steps), .channels(let steps): steps.map { ResponsePlan($0) }
            case .connect, .ping: []
            }
        isCountedByReplica = rule.counting == .replica && rule.isCounted
        needsOrder =
            rule.isCounted && !isCountedByReplica
            || plans.contains { $0.outage != nil || $0.deviceChange != nil }
        let match = RequestMatch(rule.match, in: devices)
        conditions = match.conditions.map { MatchCondition($0, patterns) }.sortedByCost
        self.devices = match.onlyDevices
    }

    /// Whether it will never decide again; always false for a rule that counts each value separately.
    var isUsedUp: Bool { rule.isUsedUp(counts) }

    /// Whether it has ever decided, even if only to let the checks decide.
    var hasApplied: Bool { counts.decided > 0 || decidedOfValues > 0 || hasAppliedElsewhere }

    /// Whether it has counted a match.
    var hasCounted: Bool { counts.matches > 0 || countsOfValues.count > 0 }

    /// How often it has decided, over all values.
    var decided: Int? { rule.countPer == nil ? counts.decided : nil }

    /// How often it will still decide, if limited.
    var left: Int? { rule.countPer == nil ? rule.limit.map { max(0, $0 - counts.decided) } : nil }

    /// Returns whether all conditions hold.
    func matches<Subject: MatchSubject & ~Escapable>(_ subject: inout Subject) -> MatchResult {
        conditions.test(&subject)
    }

    /// Counts a match; returns the step to play if the rule decides.
    mutating func decide<Subject: MatchSubject & ~Escapable>(
        _ subject: borrowing Subject, _ random: inout SeededRandom
    ) -> Int? {
        guard let value = value(of: subject) else { return rule.decide(&counts, &random) }
        let step = countsOfValues.with(value) { rule.decide(&$0, &random) }
        if step != nil { decidedOfValues += 1 }
        return step
    }

    /// Counts a match like ``decide(_:_:)``, in such a way that it can be taken back.
    mutating func decideRevocably<Subject: MatchSubject & ~Escapable>(
        _ subject: borrowing Subject, _ random: inout SeededRandom
    ) -> (step: Int?, counted: Counted) {
        let step = decide(subject, &random)
        return (step, Counted(rule: rule.name, value: value(of: subject), hasDecided: step != nil))
    }

    /// Takes back a match that was counted.
    mutating func takeBack(_ counted: Counted) {
        guard let value = counted.value else { return counts.takeBack(counted) }
        countsOfValues.takeBack(counted, of: value)
        if counted.hasDecided { decidedOfValues -= 1 }
    }

    /// Returns the value of a subject that is counted separately; `nil` if all are counted as one.
    private func value<Subject: MatchSubject & ~Escapable>(of subject: borrowing Subject) -> CountsOfValues.Value? {
        guard let field = rule.countPer else { return nil }
        // Connections without a number in this run are counted separately too.
        if field == .connection { return .number(Int64(subject.connectionID)) }
        if field.kind == .number { return subject.number(field).map { .number($0) } ?? .absent }
        return subject.text(field).map { .text($0) } ?? .absent
    }
}

extension Rule {
    /// Maximum number of times it decides.
    fileprivate var limit: Int? {
        let steps = repetition == .stop ? steps.count : nil
        return [times, steps].compactMap { $0 }.min()
    }

    fileprivate func isUsedUp(_ counts: RuleInForce.Counts) -> Bool {
        if let times, counts.decided >= times { return true }
        return repetition == .stop && counts.decided >= steps.count
    }

    /// Counts a match; returns the step to play, if any. `skip` applies first, then `every`, then `probability`.
    fileprivate func decide(_ counts: inout RuleInForce.Counts, _ random: inout SeededRandom) -> Int? {
        guard steps.count > 0, !isUsedUp(counts) else { return nil }
        counts.matches += 1
        guard counts.matches > skip, (counts.matches - skip) % max(every, 1) == 0 else { return nil }
        if probability < 1, random.unitInterval() >= probability { return nil }
        let index =
            switch repetition {
            case .last: min(counts.decided, steps.count - 1)
            case .stop: counts.decided
            case .cycle: counts.decided % steps.count
            }
        counts.decided += 1
        return index
    }
}

/// Counts per value of a field. If there are too many values, those seen first are removed.
struct CountsOfValues {
    enum Value: Hashable, Sendable {
        case absent
        case number(Int64)
        case text([UInt8])

        /// The approximate memory use in addition to the counts.
        fileprivate var size: Int { if case .text(let text) = self { text.count } else { 0 } }
    }

    /// Maximum number of distinct values, and of their bytes.
    static let limit = 100_000
    static let byteLimit = 16 << 20

    private var counts: [Value: RuleInForce.Counts] = [:]
    /// The values in the order of their first match; those before ``oldest`` have been removed.
    private var order: [Value] = []
    private var oldest = 0
    private var bytes = 0

    var count: Int { counts.count }

    mutating func with<Result>(_ value: Value, _ body: (inout RuleInForce.Counts) -> Result) -> Result {
        if counts[value] == nil { admit(value) }
        return body(&counts[value, default: RuleInForce.Counts()])
    }

    /// Takes back a match of a value that is still counted.
    mutating func takeBack(_ counted: RuleInForce.Counted, of value: Value) { counts[value]?.takeBack(counted) }

    private mutating func admit(_ value: Value) {
        bytes += value.size
        while oldest < order.count, order.count - oldest >= Self.limit || bytes > Self.byteLimit {
            bytes -= order[oldest].size
            counts[order[oldest]] = nil
            order[oldest] = .absent
            oldest += 1
        }
        if oldest > Self.limit {
            order.removeFirst(oldest)
            oldest = 0
        }
        order.append(value)
    }
}
