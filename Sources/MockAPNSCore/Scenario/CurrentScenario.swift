/// A scenario with its current rules and devices, as a text to keep; everything else stays as written.
///
/// It is built in steps, since a scenario may declare many devices: pass these to ``take(_:)``.
package struct CurrentScenario: Sendable {
    let scenario: Scenario
    /// The text the scenario was read from.
    let text: [UInt8]
    let value: JSONText.Value
    /// The environment of the server.
    let environment: GatewayConfiguration.Environment
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
        _ scenario: Scenario, _ text: [UInt8], rules: [Rule], in environment: GatewayConfiguration.Environment,
        at now: Timestamp, _ stop: StopCheck
    ) throws(JSONText.Mistake) {
        value = try JSONText.read(text, stop: stop)
        (self.scenario, self.text, self.rules) = (scenario, text, rules)
        (self.environment, self.now) = (environment, now)
        for (index, device) in scenario.devices.enumerated() { declarations[device.token] = index }
    }

    /// Adds devices declared by the scenario or the API.
    package mutating func take(_ devices: [KnownDevice]) { self.devices += devices }

    /// Returns the edits that turn the text into the current scenario. A rule that can never decide, because an earlier
    /// rule decides everything, is left out, because a scenario may not have one.
    ///
    /// - Parameter trustedKeyIDs: keys in addition to those of the scenario.
    /// - Returns: `nil` and the mistakes if the new text is not a valid scenario, because something refers to a rule or
    ///   device that no longer exists.
    package func edits(trustedKeyIDs: [String], _ stop: StopCheck) -> ([JSONText.Edit]?, [ScenarioMistake]) {
        var kept = rules
        while true {
            let edits = edits(keeping: kept)
            let (scenario, mistakes) = Scenario.read(
                JSONText.applying(edits, to: text), trustedKeyIDs: trustedKeyIDs, stop: stop)
            if scenario != nil { return (edits, []) }
            let idle = Set(mistakes.filter(\.isAboutAnIdleRule).map(\.pointer))
            guard !idle.isEmpty else { return (nil, mistakes) }
            kept = kept.enumerated().filter { !idle.contains("/rules/\($0.offset)") }.map(\.element)
        }
    }

    private func edits(keeping rules: [Rule]) -> [JSONText.Edit] {
        var added: [String] = []
        var edits: [JSONText.Edit] = []
        for (key, elements) in [("devices", devices.map(declaration)), ("rules", texts(of: rules))] {
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
    private func texts(of rules: [Rule]) -> [String] {
        var written: [String: Int] = [:]
        for (index, rule) in scenario.rules.enumerated() { written[rule.name] = index }
        return rules.enumerated().map { index, rule in
            if let json = rule.json {
                var text: [UInt8] = []
                text.appendJSON(json)
                let hasName = json["name"] != nil
                return Self.text(String(decoding: text, as: UTF8.self), named: hasName ? nil : rule.name)
            }
            guard let old = written[rule.name], let json = value["rules"]?[old] else { return "{}" }
            let isNamed = json["name"] != nil || rule.name == "rules[\(index)]"
            return Self.text(slice(JSONText.range(of: json, in: text)), named: isNamed ? nil : rule.name)
        }
    }

    /// Returns an object with a name added.
    private static func text(_ object: String, named name: String?) -> String {
        guard let name else { return object }
        var json: [UInt8] = []
        json.appendJSON(name)
        return "{\"name\": \(String(decoding: json, as: UTF8.self)), \(object.dropFirst())"
    }
}

extension ScenarioMistake {
    /// Whether it concerns a rule after another that decides everything.
    fileprivate var isAboutAnIdleRule: Bool { isCrossReference && message.contains(" can never match: ") }
}
