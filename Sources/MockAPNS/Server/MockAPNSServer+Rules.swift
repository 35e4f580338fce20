package import MockAPNSCore
import MockAPNSJudge
package import MockAPNSScenario

// Rules: adding and removing them while the server runs.

extension MockAPNSServer {
    /// Adds a rule, which takes precedence over all others.
    ///
    /// ```swift
    /// try apns.addRule(.reject(.tooManyRequests), when: .device("alice"), times: 1)
    /// try apns.addRule(.close(.reset), .pass, when: .pushType(.voip))  // the first push, then the second
    /// ```
    ///
    /// - Parameters:
    ///   - steps: what happens, one step for each request that matches; after the last of several, the rule is used up.
    ///   - match: the requests it applies to, by what is known before the decision.
    ///   - name: its name; `nil` for `rule-1`, `rule-2` and so on.
    ///   - trigger: the event it applies to.
    ///   - times: the maximum number of matches it decides; `nil` for no limit.
    ///   - counting: which of the matches it decides, and what follows its last step.
    /// - Returns: its name.
    /// - Throws: ``ControlError/malformed(_:)`` if it is not understood, and ``ControlError/taken(_:)`` if another rule
    ///   has its name, or there are too many rules.
    @discardableResult
    public func addRule(
        _ steps: Step..., when match: Match = .all, name: String? = nil, on trigger: Trigger = .push, times: Int? = nil,
        counting: RuleCounting = RuleCounting()
    ) throws(ControlError) -> String {
        let said = Rule(steps, when: match, name: name, on: trigger, times: times, counting)
        let (rule, mistakes) = rule(from: said.json)
        guard let rule else { throw .malformed(mistakes.sentences) }
        return try add(rule)
    }

    /// Adds a rule, which takes precedence over all others.
    ///
    /// ```swift
    /// try apns.addRule(json: #"{"when": {"pushType": "voip"}, "then": {"reject": "TooManyRequests"}}"#)
    /// ```
    ///
    /// - Parameter json: the rule as an element of a scenario's `rules`.
    /// - Returns: its own name, or `rule-1`, `rule-2` and so on if it has none.
    /// - Throws: ``ControlError/malformed(_:)``, and ``ControlError/taken(_:)`` if another rule has its name, or there are
    ///   too many rules.
    @discardableResult
    public func addRule(json: String) throws(ControlError) -> String {
        let text = Array(json.utf8)
        let value: JSONText.Value
        do { value = try JSONText.read(text) } catch {
            let mistake = ScenarioMistake(offset: error.offset, pointer: "", message: error.message)
            throw .malformed(ScenarioMistake.lines([mistake], file: "rule", text)[0])
        }
        let (rule, mistakes) = rule(from: value)
        guard let rule else {
            throw .malformed(ScenarioMistake.lines(mistakes, file: "rule", text).joined(separator: "\n"))
        }
        return try add(rule)
    }

    /// Removes a rule.
    ///
    /// - Throws: ``ControlError/unknown(_:)`` if no rule has that name.
    public func removeRule(_ name: String) throws(ControlError) {
        let isKnown = engine.transact { gateway, _, transaction in
            gateway.remove(rule: name, at: gateway.moment(at: transaction.real).clock)
        }
        if !isKnown { throw .unknown("No rule has the name \"\(name.prefix(80))\".") }
    }

    /// Returns a page of the current rules, in the order in which they are tried, and the number of rules on all pages.
    package func rules(_ query: RuleQuery) -> (page: Page<RuleSummary>, total: Int) {
        engine.gateway.withLock { $0.look(for: query) }
    }

    /// The outages in progress: first the one that applies, then those that apply after it.
    package var outages: [OutageSummary] {
        engine.transact { gateway, _, transaction in
            gateway.outageSummaries(at: gateway.moment(at: transaction.real).clock)
        }
    }

    /// Ends all outages before their time; returns how many were in progress.
    package func endOutages() -> Int {
        engine.transact { gateway, _, transaction in
            gateway.endOutages(at: gateway.moment(at: transaction.real).clock)
        }
    }

    /// Reads a rule; its name is empty if it has none.
    package func rule(from value: JSONText.Value) -> (MockAPNSCore.Rule?, [ScenarioMistake]) {
        // A rule cannot name another one.
        let namesInScope = scenarioWithDevices
        let (rule, mistakes) = namesInScope.rule(from: value, defaultName: "")
        return (rule?.naming(namesInScope.devices), mistakes)
    }

    /// Adds a rule; returns its name.
    ///
    /// - Throws: ``ControlError/taken(_:)``.
    package func add(_ rule: MockAPNSCore.Rule) throws(ControlError) -> String {
        let (name, hasRoom) = engine.transact { gateway, _, transaction in
            let hasRoom = gateway.hasRoom(for: rule)
            return (gateway.add(rule, at: gateway.moment(at: transaction.real).clock), hasRoom)
        }
        if let name { return name }
        throw .taken(
            hasRoom
                ? "The name \"\(rule.name.prefix(80))\" belongs to another rule; choose another, or remove that rule."
                : "There is no room for another rule; \(RuleBook.limit) rules, and \(RuleBook.byteLimit) bytes of those that were added, are the maximum. Remove rules you no longer need."
        )
    }

    /// The scenario being played, with the names of devices and rules added since, and the environment in effect. Parts
    /// of a scenario that arrive separately, such as a device, a rule or a match, are read by it.
    package var namesInScope: Scenario {
        var scenario = scenarioWithDevices
        let ruleNames = engine.gateway.withLock { $0.ruleNames }
        for name in ruleNames.subtracting(scenario.rules.map(\.name)) {
            scenario.rules.append(MockAPNSCore.Rule(name: name, steps: .push([])))
        }
        return scenario
    }

    /// The same, with the rules of the scenario only.
    private var scenarioWithDevices: Scenario {
        var (scenario, environment, names) = engine.gateway.withLock {
            ($0.scenario, $0.configuration.environment, $0.devices.named.keys)
        }
        scenario.environment = environment
        let known = Set(scenario.devices.lazy.compactMap(\.name))
        let others = names.filter { !known.contains($0) }.sorted()
        guard !others.isEmpty else { return scenario }
        scenario.devices += engine.gateway.withLock { gateway in
            var devices: [DeclaredDevice] = []
            for name in others {
                guard let index = gateway.devices.find(name: name) else { continue }
                var device = DeclaredDevice(token: gateway.devices.token(of: index))
                device.name = name
                devices.append(device)
            }
            return devices
        }
        return scenario
    }
}
