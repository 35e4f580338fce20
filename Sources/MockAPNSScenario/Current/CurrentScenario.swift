package import MockAPNSCore

/// A scenario with its current rules and devices, as a text to keep; everything else stays as written.
///
/// It is built in steps, since a scenario may declare many devices: pass these to ``take(_:)``.
package struct CurrentScenario: Sendable {
    let scenario: Scenario
    /// The text the scenario was read from.
    let text: [UInt8]
    let value: JSONText.Value
    /// The environment of the server.
    let environment: Environment
    /// The time on the scenario's clock.
    let now: Timestamp
    private let rules: [Rule]
    private var devices: [KnownDevice] = []
    /// The index in `devices` of the element that declares a token.
    private(set) var declarations: [DeviceToken: Int] = [:]

    /// - Parameters:
    ///   - text: the text the scenario was read from, without mistakes.
    ///   - rules: the rules in force, in order.
    ///   - environment: the environment of the server.
    ///   - now: the time on the scenario's clock.
    package init(
        _ scenario: Scenario, _ text: [UInt8], rules: [Rule], in environment: Environment,
        at now: Timestamp, _ stop: CancellationCheck
    ) throws(JSONText.Mistake) {
        value = try JSONText.read(text, stop: stop)
        (self.scenario, self.text, self.rules) = (scenario, text, rules)
        (self.environment, self.now) = (environment, now)
        for (index, device) in scenario.devices.enumerated() { declarations[device.token] = index }
    }

    /// Adds devices declared by the scenario or the API.
    package mutating func take(_ devices: [KnownDevice]) { self.devices += devices }

    /// Returns the edits that turn the text into the current scenario, with all rules in force.
    ///
    /// Some rules may never decide, because one that was added before them decides everything, forever. A scenario may not
    /// contain such rules, so the earlier one gets a `times` of ``manyTimes`` instead.
    ///
    /// - Parameter trustedKeyIDs: keys in addition to those of the scenario.
    /// - Returns: `nil` and the mistakes if the new text is not a valid scenario, because something refers to a rule or
    ///   device that no longer exists.
    package func edits(trustedKeyIDs: [String], _ stop: CancellationCheck) -> ([JSONText.Edit]?, [ScenarioMistake]) {
        var counted: Set<Int> = []
        while true {
            let edits = edits(counting: counted)
            let (scenario, mistakes) = Scenario.read(
                JSONText.applying(edits, to: text), trustedKeyIDs: trustedKeyIDs, stop: stop)
            if scenario != nil { return (edits, []) }
            let idle = Set(mistakes.compactMap { if case .idleRule(let index) = $0.kind { index } else { nil } })
            var more = rulesThatDecideEverything(before: idle).subtracting(counted)
            if more.isEmpty { more = endlessRules(before: idle.max() ?? 0).subtracting(counted) }
            guard !more.isEmpty else { return (nil, mistakes) }
            counted.formUnion(more)
        }
    }

    /// How often a rule decides that has no limit, if others come after it: the maximum of `times`.
    static let manyTimes = ScenarioReader.positives.upperBound

    /// Returns the indices of the rules that keep others from ever deciding.
    private func rulesThatDecideEverything(before idle: Set<Int>) -> Set<Int> {
        var found: Set<Int> = []
        var matches: [RuleTrigger: Set<MatchExpression>] = [:]
        for (index, rule) in rules.enumerated().reversed() {
            let later = matches[rule.trigger] ?? []
            if rule.isEndless, rule.match == MatchExpression() ? !later.isEmpty : later.contains(rule.match) {
                found.insert(index)
            }
            if idle.contains(index) { matches[rule.trigger, default: []].insert(rule.match) }
        }
        return found
    }

    /// Returns the indices of all rules that might keep a rule from ever deciding: equal conditions may refer to a device
    /// in different ways.
    private func endlessRules(before index: Int) -> Set<Int> {
        Set(rules[..<index].indices.filter { rules[$0].isEndless })
    }

    private func edits(counting counted: Set<Int>) -> [JSONText.Edit] {
        var added: [String] = []
        var edits: [JSONText.Edit] = []
        for (key, elements) in [("devices", devices.map(declaration)), ("rules", texts(counting: counted))] {
            let list = elements.isEmpty ? "[]" : "[\n    \(elements.joined(separator: ",\n    "))\n  ]"
            if let old = value[key] {
                edits.append(.init(JSONText.range(of: old, in: text), Array(list.utf8)))
            } else if !elements.isEmpty {
                added.append("\"\(key)\": \(list)")
            }
        }
        guard !added.isEmpty else { return edits }
        let members = added.joined(separator: ",\n  ")
        if let last = value.object?.last {
            let end = JSONText.range(of: last.value, in: text).upperBound
            // Keeps the edit there separate from what is added after it.
            if let index = edits.firstIndex(where: { $0.range.upperBound == end }) {
                edits[index].text += Array(",\n  \(members)".utf8)
            } else {
                edits.append(.init(end..<end, Array(",\n  \(members)".utf8)))
            }
        } else {
            edits.append(.init(value.offset + 1..<value.offset + 1, Array("\n  \(members)\n".utf8)))
        }
        return edits
    }

    func slice(_ range: Range<Int>) -> String { String(decoding: text[range], as: UTF8.self) }

    // MARK: Rules

    /// Returns the rules as written, each with its name if its position would give it another.
    private func texts(counting counted: Set<Int>) -> [String] {
        var written: [String: Int] = [:]
        for (index, rule) in scenario.rules.enumerated() { written[rule.name] = index }
        return rules.enumerated().map { index, rule in
            var more: [(key: String, json: [UInt8])] = []
            func addName() {
                var name: [UInt8] = []
                name.appendJSON(rule.name)
                more.append(("name", name))
            }
            // A rule without a limit has no `times` yet.
            if counted.contains(index) { more.append(("times", Array("\(Self.manyTimes)".utf8))) }
            if let json = rule.json {
                var text: [UInt8] = []
                text.appendJSON(json)
                if json["name"] == nil { addName() }
                return Self.text(String(decoding: text, as: UTF8.self), with: more)
            }
            guard let old = written[rule.name], let json = value["rules"]?[old] else { return "{}" }
            if json["name"] == nil, rule.name != "rules[\(index)]" { addName() }
            return Self.text(slice(JSONText.range(of: json, in: text)), with: more)
        }
    }

    /// Returns an object, which is not empty, with members added at its beginning.
    private static func text(_ object: String, with members: [(key: String, json: [UInt8])]) -> String {
        let more = members.reversed().map { "\"\($0.key)\": \(String(decoding: $0.json, as: UTF8.self)), " }.joined()
        return more.isEmpty ? object : "{\(more)\(object.dropFirst())"
    }
}
