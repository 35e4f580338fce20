/// All rules in force, in the order in which they are tried, and how far each has come.
struct RuleBook {
    private(set) var rules: [PlayedRule]
    /// Which triggers some rule is for.
    private(set) var triggers: Set<Rule.Trigger> = []
    private var index: RuleIndex
    /// The registry's state when the index was made: a device's name may have come to stand for another token.
    private var namesVersion: Int
    private var found: [Int] = []
    private let patterns: PatternContext
    /// The rules that did not apply because a pattern was undecided, for the latest push that rules were asked about.
    private var undecided: [(rule: String, pattern: UndecidedPattern)] = []

    /// - Parameter patterns: where regular expressions are tried.
    init(_ scenario: borrowing Scenario, _ devices: borrowing DeviceRegistry, _ patterns: PatternContext) {
        self.patterns = patterns
        let declared = scenario.devices
        rules = scenario.rules.map { PlayedRule($0, devices: declared, patterns) }
        index = RuleIndex(rules, devices)
        namesVersion = devices.namesVersion
        triggers = Set(rules.map(\.rule.trigger))
    }

    /// Adds a rule in front of all others; false when its name is taken.
    mutating func add(_ rule: Rule, _ scenario: borrowing Scenario, _ devices: borrowing DeviceRegistry) -> Bool {
        guard !rules.contains(where: { $0.rule.name == rule.name }) else { return false }
        rules.insert(PlayedRule(rule, devices: scenario.devices, patterns), at: 0)
        arrange(devices)
        return true
    }

    /// Removes a rule; false when there is none of that name.
    mutating func remove(_ name: String, _ devices: borrowing DeviceRegistry) -> Bool {
        guard let place = rules.firstIndex(where: { $0.rule.name == name }) else { return false }
        rules.remove(at: place)
        arrange(devices)
        return true
    }

    private mutating func arrange(_ devices: borrowing DeviceRegistry) {
        index = RuleIndex(rules, devices)
        namesVersion = devices.namesVersion
        triggers = Set(rules.map(\.rule.trigger))
    }

    /// Whether some rule may match a push; only then it is worth while to ask ``choose(_:_:_:)``.
    @inline(__always)
    mutating func finds(
        _ push: borrowing Push, _ bytes: Span<UInt8>, headerLength: Int, topic: Span<UInt8>,
        _ devices: borrowing DeviceRegistry
    ) -> Bool {
        if namesVersion != devices.namesVersion { arrange(devices) }
        return index.find(push, bytes, headerLength: headerLength, topic: topic, into: &found)
    }

    /// The first of the rules found that decides about the push, with its step.
    ///
    /// - Parameter request: the number that the request will have; `nil` for what is no request.
    mutating func choose(
        _ subject: inout RuleSubject, _ devices: borrowing DeviceRegistry, _ random: inout SeededRandom, request: Int?
    ) -> (rule: String, step: Step)? {
        patterns.request = request
        for place in found where !rules[place].isUsedUp {
            switch rules[place].matches(&subject, devices) {
            case .no: continue
            case .undecided(let pattern):
                undecided.append((rules[place].rule.name, pattern))
                continue
            case .yes: break
            }
            if let step = rules[place].take(subject, devices, &random) { return (rules[place].rule.name, step) }
        }
        return nil
    }

    /// The first rule on a connect or PING that decides about it, with its step.
    mutating func choose(
        on trigger: Rule.Trigger, _ subject: inout RuleSubject, _ devices: borrowing DeviceRegistry,
        _ random: inout SeededRandom
    ) -> (rule: String, step: Step)? {
        found.removeAll(keepingCapacity: true)
        found += rules.indices.filter { rules[$0].rule.trigger == trigger }
        // There is no record that could tell of them.
        defer { undecided = [] }
        return choose(&subject, devices, &random, request: nil)
    }

    /// Whether rules did not apply to the latest push because a pattern was undecided.
    var hasUndecided: Bool { !undecided.isEmpty }

    /// Which these are, each time once.
    mutating func takeUndecided() -> [(rule: String, pattern: UndecidedPattern)] {
        defer { undecided = [] }
        return undecided
    }
}
