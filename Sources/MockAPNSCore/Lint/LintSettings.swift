/// The settings of lint: a scenario's `lint`.
package struct LintSettings: Sendable, Equatable {
    /// The setting of one rule.
    package enum Choice: Sendable, Equatable {
        case off
        case severity(LintSeverity)
    }

    /// The rules that are not as usual.
    package var rules: [LintRule: Choice] = [:]
    /// The thresholds that are not as usual: a number, or milliseconds.
    package var thresholds: [LintThreshold: Int64] = [:]
    /// The least severity of a finding with which a run fails; `nil`: none does.
    package var failOn: LintSeverity? = .error
    /// The oldest system on which the app runs; `nil`: what is too new is not asked.
    package var deploymentTarget: SystemVersion?

    /// Everything as usual.
    package init() {}

    /// Returns how bad a finding is, or `nil` if the rule is off.
    ///
    /// - Parameter usual: the severity of this finding unless the scenario sets the rule's.
    package func severity(of rule: LintRule, usual: LintSeverity?) -> LintSeverity? {
        switch rules.isEmpty ? nil : rules[rule] {
        case .off: nil
        case .severity(let severity): severity
        case nil: usual ?? rule.severity
        }
    }

    /// Returns the number, or milliseconds, of a threshold.
    package func value(of threshold: LintThreshold) -> Int64 {
        (thresholds.isEmpty ? nil : thresholds[threshold]) ?? threshold.usual
    }

    /// Returns the number of a threshold that is one.
    package func count(of threshold: LintThreshold) -> Int { Int(value(of: threshold)) }

    /// Returns the times between two thresholds, in seconds since 1970.
    package func seconds(from first: LintThreshold, to last: LintThreshold) -> ClosedRange<Double> {
        let from = Double(value(of: first))
        return from...max(from, Double(value(of: last)))
    }
}

/// A version of iOS.
package struct SystemVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    var major: Int
    var minor: Int

    package init(_ major: Int, _ minor: Int = 0) {
        self.major = major
        self.minor = minor
    }

    /// From `iOS 16` or `iOS 16.1`; `nil` for any other text.
    package init?(_ text: String) {
        guard text.hasPrefix("iOS ") else { return nil }
        let parts = text.dropFirst(4).split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } && 1...3 ~= part.utf8.count
                ? Int(part) : nil
        }
        guard 1...2 ~= parts.count, numbers.count == parts.count else { return nil }
        self.init(numbers[0], numbers.count > 1 ? numbers[1] : 0)
    }

    package static func < (one: Self, other: Self) -> Bool {
        (one.major, one.minor) < (other.major, other.minor)
    }

    package var description: String { minor == 0 ? "iOS \(major)" : "iOS \(major).\(minor)" }
}
