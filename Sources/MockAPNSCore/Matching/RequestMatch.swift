/// Conditions that a log record may meet: all of them must hold, and without conditions every record matches.
///
/// This is the query itself; a ``RequestSnapshot`` prepares what is needed to evaluate it.
///
/// ```swift
/// let (expression, mistakes) = scenario.match(from: try JSONText.read(Array(#"{"device": "alice"}"#.utf8)))
/// let count = snapshot.count(RequestMatch(expression!, in: scenario))
/// ```
package struct RequestMatch: Sendable, Hashable, CustomStringConvertible {
    /// The conditions; devices are given by name.
    package private(set) var conditions: [MatchExpression.Condition] = []
    /// What else has to hold, in the words of a search.
    package var search: RequestSearch?

    /// Creates a match for every record.
    package init() {}

    /// Creates a match from an expression.
    ///
    /// - Parameter scenario: the scenario whose devices the expression refers to.
    package init(_ expression: MatchExpression, in scenario: Scenario) { self.init(expression, in: scenario.devices) }

    /// - Parameter devices: the devices that the expression refers to.
    init(_ expression: MatchExpression, in devices: [DeclaredDevice]) {
        conditions = expression.conditions.map { condition in
            guard case .device(let indices) = condition else { return condition }
            let names = indices.compactMap { devices.indices.contains($0) ? devices[$0].name : nil }
            let matchers = names.map { ValueMatcher.equals($0) }
            return .field(.device, matchers.count == 1 ? matchers[0] : .anyOf(matchers))
        }
    }

    /// The names of the only devices for which it can hold; `nil` if it may hold for any.
    var onlyDevices: [[UInt8]]? {
        for case .field(.device, let matcher) in conditions {
            if let names = matcher.onlyTexts { return names }
        }
        return nil
    }

    /// Returns whether there is a condition on this field.
    func names(_ field: RequestField) -> Bool {
        conditions.contains { if case .field(field, _) = $0 { true } else { false } } || search?.names(field) ?? false
    }

    /// Whether it is about calls about broadcast channels: it names the call, or what only calls have.
    var isAboutCalls: Bool { names(.call) || names(.channel) || names(.requestID) }

    /// Whether there are no conditions.
    package var isEmpty: Bool { conditions.isEmpty && search == nil }

    /// For example `requests with device "alice" and status 200`.
    package var description: String { "requests" + words }

    /// The singular, for example `request with device "alice" and status 200`.
    package var singular: String { "request" + words }

    /// The number of regular expressions.
    package var patternCount: Int { conditions.reduce(0) { $0 + $1.matcher.patternCount } }

    /// Adds the conditions of another match.
    package mutating func take(_ other: RequestMatch) { conditions += other.conditions }

    /// Adds a condition on a field.
    package mutating func require(_ field: RequestField, _ matcher: ValueMatcher) {
        conditions.append(.field(field, field.kind == .foldedText ? matcher.lowercased : matcher))
    }
}
