/// All rules in force, in the order they are tried, with their progress.
///
/// The index of the rules is made again when the next push needs it, so that adding a thousand rules in a row costs no
/// more for the last than for the first.
package struct RuleBook {
    /// Maximum number of rules.
    package static let limit = 10_000
    /// Maximum number of bytes of the JSON of added rules, which the current scenario shows.
    package static let byteLimit = 64 << 20

    private(set) var rules: [RuleInForce]
    private(set) var names: Set<String>
    private var addedCount = 0
    /// A number below which no name `rule-1`, `rule-2` and so on is free.
    private var firstFreeNumber = 1
    /// The number of bytes of the JSON of added rules.
    private(set) var byteCount = 0
    /// The number of rules refused because there were too many, or they were too large.
    private(set) var refused = 0
    /// The triggers that at least one rule has.
    private(set) var triggers: Set<RuleTrigger> = []
    private(set) var removed: RemovedRules
    private var index: RuleIndex
    /// The version of the registry's names when the index was built: a name may have come to mean another token. `nil`
    /// if the rules have changed since.
    private var namesVersion: Int?
    private var found: [Int] = []
    private let patterns: PatternContext
    /// The rules that did not apply to the latest push because a pattern was undecided.
    private var undecided: [(rule: String, pattern: UndecidedPattern)] = []

    /// - Parameters:
    ///   - patterns: evaluates regular expressions.
    ///   - removed: the rules that were removed from the books before this one.
    init(
        _ scenario: borrowing Scenario, _ devices: borrowing DeviceRegistry, _ patterns: PatternContext,
        removed: RemovedRules = RemovedRules()
    ) {
        self.patterns = patterns
        self.removed = removed
        self.removed.beginBook()
        let declared = scenario.devices
        rules = scenario.rules.enumerated().map { index, rule in
            RuleInForce(rule, devices: declared, patterns, at: RuleInForce.firstPosition + index)
        }
        index = RuleIndex(rules, devices)
        namesVersion = devices.namesVersion
        names = Set(rules.map(\.rule.name))
        triggers = Set(rules.map(\.rule.trigger))
    }

    /// Whether there is room for another rule.
    func hasRoom(for rule: Rule) -> Bool { rules.count < Self.limit && byteCount + rule.byteCount <= Self.byteLimit }

    /// Adds a rule in front of all others.
    ///
    /// - Parameter rule: the rule. If its name is empty, it is named `rule-1`, or the next free number.
    /// - Returns: its name; `nil` if another rule has it, or there are too many.
    mutating func add(_ rule: Rule, _ scenario: borrowing Scenario) -> String? {
        guard hasRoom(for: rule) else {
            refused += 1
            return nil
        }
        var rule = rule
        if rule.name.isEmpty { rule.name = nextName() }
        guard names.insert(rule.name).inserted else { return nil }
        addedCount += 1
        let position = RuleInForce.firstPosition - addedCount
        rules.insert(RuleInForce(rule, devices: scenario.devices, patterns, at: position), at: 0)
        byteCount += rule.byteCount
        triggers.insert(rule.trigger)
        namesVersion = nil
        return rule.name
    }

    private mutating func nextName() -> String {
        while names.contains("rule-\(firstFreeNumber)") { firstFreeNumber += 1 }
        return "rule-\(firstFreeNumber)"
    }

    /// Removes a rule; returns its trigger, or `nil` if no rule has that name.
    mutating func remove(_ name: String) -> RuleTrigger? {
        guard let index = rules.firstIndex(where: { $0.rule.name == name }) else { return nil }
        names.remove(name)
        let rule = rules.remove(at: index)
        removed.insert(RuleUse(rule))
        byteCount -= rule.rule.byteCount
        triggers = Set(rules.map(\.rule.trigger))
        firstFreeNumber = 1
        namesVersion = nil
        return rule.rule.trigger
    }

    /// Notes that rules with these names have applied on a replica of a fleet.
    mutating func noteApplied(_ names: Set<String>) {
        for index in rules.indices where names.contains(rules[index].rule.name) {
            rules[index].hasAppliedElsewhere = true
        }
        removed.noteApplied(names)
    }

    private mutating func arrange(_ devices: borrowing DeviceRegistry) {
        index = RuleIndex(rules, devices)
        namesVersion = devices.namesVersion
    }

    /// Returns whether any rule may match a request; only then does ``choose(for:after:_:request:)`` have to be called.
    @inline(__always)
    mutating func finds(_ request: inout RequestContext, _ devices: borrowing DeviceRegistry) -> Bool {
        if let call = request.call { return find(on: call.call?.trigger) }
        if namesVersion != devices.namesVersion { arrange(devices) }
        return index.find(&request, devices, into: &found)
    }

    /// Finds the rules with a trigger; returns whether there are any.
    @discardableResult
    private mutating func find(on trigger: RuleTrigger?) -> Bool {
        found.removeAll(keepingCapacity: true)
        found += rules.indices.filter { rules[$0].rule.trigger == trigger }
        return !found.isEmpty
    }

    /// Returns the first of the rules found that decides about a request, with its plan.
    ///
    /// - Parameters:
    ///   - ownRules: what rules have done about it that each replica of a fleet counts by itself; `nil` for a request that
    ///     is not decided in a fleet's order.
    ///   - sequence: the sequence number that the request will get.
    mutating func choose(
        for request: inout RequestContext, after ownRules: OrderedPush.OwnRules?, _ random: inout SeededRandom,
        request sequence: Int
    ) -> (rule: String, plan: ResponsePlan)? {
        patterns.request = sequence
        guard let (rule, step) = choose(&request, after: ownRules, &random) else { return nil }
        return (rules[rule].rule.name, rules[rule].plans[step])
    }

    // MARK: A fleet

    /// Whether one of the rules found has to decide about a request in the fleet's order, as far as is known before it
    /// decides. Counts nothing.
    mutating func needOrder(for request: inout RequestContext) -> Bool {
        guard found.contains(where: { rules[$0].needsOrder && !rules[$0].isUsedUp }) else { return false }
        for rule in found where !rules[rule].isUsedUp {
            // A rule that may or may not decide does not keep a later one from being reached.
            guard rules[rule].needsOrder || rules[rule].rule.isEndless else { continue }
            if case .yes = rules[rule].matches(&request) { return rules[rule].needsOrder }
        }
        return false
    }

    /// Whether a rule changes the devices that pushes are for.
    var changesDevices: Bool { rules.contains { $0.plans.contains { $0.deviceChange != nil } } }

    /// Decides by the rules found that each replica counts alone, before the request has its position in the fleet's
    /// order; returns the choice and what was counted.
    mutating func chooseByReplica(
        for request: inout RequestContext, _ random: inout SeededRandom
    ) -> OrderedPush.OwnRules {
        var own = OrderedPush.OwnRules()
        for rule in found where rules[rule].isCountedByReplica && !rules[rule].isUsedUp {
            guard case .yes = rules[rule].matches(&request) else { continue }
            let (step, counted) = rules[rule].decideRevocably(request, &random)
            own.counted.append(counted)
            guard let step else { continue }
            own.choice = OrderedPush.Choice(rule: rules[rule].rule.name, step: step)
            break
        }
        return own
    }

    /// Undoes counts of replica-counted rules that the decision never reached.
    ///
    /// - Parameter rule: the rule that has decided; `nil` if none was tried.
    mutating func takeBack(_ counted: [RuleInForce.Counted], after rule: String?) {
        var isReached = rule != nil
        for index in rules.indices {
            let name = rules[index].rule.name
            if !isReached, let counted = counted.first(where: { $0.rule == name }) { rules[index].takeBack(counted) }
            if name == rule { isReached = false }
        }
    }

    // MARK: Other triggers

    /// Returns the first rule that decides about a new connection, with its step.
    mutating func choose(
        onConnect subject: inout ConnectionSubject, _ random: inout SeededRandom
    ) -> (rule: String, step: ConnectStep)? {
        guard let (rule, step) = choose(on: .connect, &subject, &random),
            case .connect(let steps) = rules[rule].rule.steps
        else { return nil }
        return (rules[rule].rule.name, steps[step])
    }

    /// Returns the outcome of the first rule that decides about a PING.
    mutating func choose(onPing subject: inout ConnectionSubject, _ random: inout SeededRandom) -> PingOutcome? {
        guard let (rule, step) = choose(on: .ping, &subject, &random), case .ping(let outcomes) = rules[rule].rule.steps
        else { return nil }
        return outcomes[step]
    }

    private mutating func choose(
        on trigger: RuleTrigger, _ subject: inout ConnectionSubject, _ random: inout SeededRandom
    ) -> (rule: Int, step: Int)? {
        find(on: trigger)
        // There is no record to report them in.
        defer { undecided = [] }
        patterns.request = nil
        return choose(&subject, after: nil, &random)
    }

    /// Returns the first of the rules found that decides, and the step to play.
    private mutating func choose<Subject: MatchSubject & ~Escapable>(
        _ subject: inout Subject, after ownRules: OrderedPush.OwnRules?, _ random: inout SeededRandom
    ) -> (rule: Int, step: Int)? {
        for rule in found {
            if let ownRules, rules[rule].isCountedByReplica {
                guard let choice = ownRules.choice, choice.rule == rules[rule].rule.name,
                    choice.step < rules[rule].plans.count
                else { continue }
                return (rule, choice.step)
            }
            guard !rules[rule].isUsedUp else { continue }
            switch rules[rule].matches(&subject) {
            case .no: continue
            case .undecided(let pattern):
                undecided.append((rules[rule].rule.name, pattern))
                continue
            case .yes: break
            }
            if let step = rules[rule].decide(subject, &random) { return (rule, step) }
        }
        return nil
    }

    /// Whether rules did not apply to the latest push because a pattern was undecided.
    var hasUndecided: Bool { !undecided.isEmpty }

    /// Returns those rules, once.
    mutating func takeUndecided() -> [(rule: String, pattern: UndecidedPattern)] {
        defer { undecided = [] }
        return undecided
    }
}

extension Rule {
    /// The number of bytes of its JSON, without blanks.
    fileprivate var byteCount: Int {
        guard let json else { return 0 }
        var text: [UInt8] = []
        text.appendJSON(json)
        return text.count
    }
}
