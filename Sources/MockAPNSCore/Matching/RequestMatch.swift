/// Conditions that a record of the log fulfils or not: all of them must hold, and none at all holds for every record.
///
/// It is what somebody asks for; a ``RequestSnapshot`` makes ready what it needs to answer.
///
/// ```swift
/// let (expression, mistakes) = scenario.match(from: try JSONText.read(Array(#"{"device": "alice"}"#.utf8)))
/// let count = snapshot.count(RequestMatch(expression!, in: scenario))
/// ```
package struct RequestMatch: Sendable, Hashable, CustomStringConvertible {
    /// What must hold; devices are asked for by their names.
    private(set) var conditions: [MatchExpression.Condition] = []

    /// Holds for every record.
    package init() {}

    /// What an expression asks for.
    ///
    /// - Parameter scenario: the one whose devices the expression means.
    package init(_ expression: MatchExpression, in scenario: Scenario) { self.init(expression, in: scenario.devices) }

    /// - Parameter devices: those that the expression means.
    init(_ expression: MatchExpression, in devices: [DeclaredDevice]) {
        conditions = expression.conditions.map { condition in
            guard case .device(let indices) = condition else { return condition }
            let names = indices.compactMap { devices.indices.contains($0) ? devices[$0].name : nil }
            let matchers = names.map { ValueMatcher.equals($0) }
            return .field(.device, matchers.count == 1 ? matchers[0] : .anyOf(matchers))
        }
    }

    /// The only devices that it can hold for, by their names; `nil`: perhaps any.
    var onlyDevices: [[UInt8]]? {
        for case .field(.device, let matcher) in conditions {
            if let names = matcher.onlyTexts { return names }
        }
        return nil
    }

    /// Whether a condition is about that field.
    func names(_ field: RequestField) -> Bool {
        conditions.contains { if case .field(field, _) = $0 { true } else { false } }
    }

    /// Whether it asks for nothing.
    package var isEmpty: Bool { conditions.isEmpty }

    /// What is asked for, as in `requests with device "alice" and status 200`.
    package var description: String { "requests" + words }

    /// The same for one, as in `request with device "alice" and status 200`.
    package var singular: String { "request" + words }

    /// How many regular expressions are in it.
    package var patternCount: Int { conditions.reduce(0) { $0 + $1.matcher.patternCount } }

    /// Asks for more.
    package mutating func require(_ field: RequestField, _ matcher: ValueMatcher) {
        conditions.append(.field(field, field.kind == .foldedText ? matcher.lowercased : matcher))
    }

    /// Asks for a header field, by its name in lower case.
    package mutating func require(header name: String, _ matcher: ValueMatcher) {
        conditions.append(.header(name, matcher))
    }

    /// Asks for something in the payload.
    package mutating func require(payload pointer: JSONPointer, _ matcher: ValueMatcher) {
        conditions.append(.payload(pointer, matcher))
    }
}
