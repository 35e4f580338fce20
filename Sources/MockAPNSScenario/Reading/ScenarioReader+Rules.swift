import MockAPNSCore

extension ScenarioReader {
    private enum Key: String, CaseIterable {
        case name, when, then, skip, times, every, probability, `repeat`, countPer, count
    }

    mutating func rules(_ value: Value) -> [Rule] {
        // Last, since mistakes in the first rules come first.
        defer { checkCount(value, of: "rules", atMost: RuleBook.limit) }
        nameRules(value)
        var flawed: Set<Int> = []
        let rules = list(value, of: "rules") { reader, value -> Rule? in
            let index = reader.ruleCount
            reader.ruleCount += 1
            let mistakes = reader.mistakes.count
            defer { if reader.mistakes.count > mistakes { flawed.insert(index) } }
            return reader.rule(value, name: value["name"]?.string ?? "rules[\(index)]")
        }
        if rules.count == value.array?.count { checkReach(rules, except: flawed, value) }
        return rules
    }

    /// Records all names first: only later parts refer to rules, but no two may have the same name.
    private mutating func nameRules(_ value: Value) {
        for (index, rule) in (value.array ?? []).enumerated() where rule.object != nil {
            if isOver { break }
            let own = rule["name"]?.string
            if names.rules.insert(own ?? "rules[\(index)]").inserted { continue }
            at(index: index) { reader in
                guard let value = rule["name"] else { return }
                reader.at("name") { $0.noteDuplicate(value, "the name of another rule") }
            }
        }
    }

    /// Reads a single rule, as in an API request.
    mutating func rule(_ value: Value, name: String) -> Rule? {
        let trigger = trigger(value["when"])
        var rule = Rule(name: name, steps: .push([]))
        var repetition: Repetition?
        let isObject = object(value, "a rule", example: #"{"then": {"reject": "TooManyRequests"}}"#, Key.self) {
            reader, key, value in
            switch key {
            case .name: _ = reader.name(value)
            case .when: rule.match = reader.match(value, .rule(trigger))
            case .then: rule.steps = reader.steps(value, trigger)
            case .skip: rule.skip = reader.integer(value, in: Self.counts) ?? 0
            case .times: rule.times = reader.integer(value, in: Self.positives)
            case .every: rule.every = reader.integer(value, in: Self.positives) ?? 1
            case .probability: rule.probability = reader.probability(value) ?? 1
            case .repeat: repetition = reader.word(value, Repetition.self)
            case .countPer: rule.countPer = reader.countField(value, .rule(trigger))
            case .count: rule.counting = reader.word(value, Rule.Counting.self) ?? .fleet
            }
        }
        guard isObject else { return nil }
        guard let then = value["then"] else {
            missing("then", in: value, expected: "a step or a list of steps")
            return nil
        }
        rule.repetition = repetition ?? (then.array == nil ? .last : .stop)
        if let times = rule.times, let count = then.array?.count, times < count {
            let last = times == 1 ? "the first" : "the first \(times)"
            noteKey(
                "times", of: value, "is \(times), so only \(last) of the \(count) steps would be played",
                isCrossReference: true)
        }
        return rule
    }

    private mutating func probability(_ value: Value) -> Double? {
        if let number = value.double, number > 0, number <= 1 { return number }
        wrong(value, expected: "a number above 0, up to 1")
        return nil
    }

    /// Reads a field whose values are counted separately.
    mutating func countField(_ value: Value, _ use: MatchUse) -> RequestField? {
        choice(value, use.fields.map { ($0.rawValue, $0) })
    }

    /// Reports rules after one that takes everything they could match. Rules with mistakes are skipped, because they
    /// are read as matching more than intended.
    private mutating func checkReach(_ rules: [Rule], except flawed: Set<Int>, _ value: Value) {
        struct Taken: Hashable {
            var trigger: RuleTrigger
            var match: MatchExpression
        }
        var taken: [Taken: Int] = [:]
        for (index, rule) in rules.enumerated() where !flawed.contains(index) {
            if isOver { break }
            let all = taken[Taken(trigger: rule.trigger, match: MatchExpression())]
            if let first = all ?? taken[Taken(trigger: rule.trigger, match: rule.match)] {
                let what = all == nil ? "the same" : "every \(rule.trigger.rawValue)"
                at(index: index) { reader in
                    reader.note(
                        value[index]?.offset ?? value.offset,
                        "can never match: rules[\(first)] before it decides \(what), forever", kind: .idleRule(index))
                }
            } else if rule.isEndless {
                taken[Taken(trigger: rule.trigger, match: rule.match)] = index
            }
        }
    }
}
