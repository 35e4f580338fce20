import MockAPNSCore
package import MockAPNSJudge

/// The result of one story of a suite.
package struct StoryResult: Sendable {
    package enum Outcome: Sendable, Hashable {
        case passed
        /// Why, in one line.
        case failed(String)
        /// Why it was not played, in one line.
        case skipped(String)

        /// The word for it in lines and reports.
        package var word: String {
            switch self {
            case .passed: "passed"
            case .failed: "failed"
            case .skipped: "skipped"
            }
        }

        /// Why it is not ``passed``.
        package var reason: String? {
            switch self {
            case .passed: nil
            case .failed(let reason), .skipped(let reason): reason
            }
        }
    }

    /// The name of the story.
    package var name: String
    package var outcome: Outcome
    /// How long it took, in milliseconds of real time.
    package var milliseconds: Int64 = 0
    /// The verification of its expectations, if they were judged.
    package var verification: Verification?
    /// The last lines that the driver wrote to standard error.
    package var driverErrors: [String] = []
    /// The pushes of a failed story that have no status by what the driver says, at most twenty.
    package private(set) var errors: [DriverError] = []

    /// A story that was not played.
    package init(_ name: String, skipped reason: String) { (self.name, outcome) = (name, .skipped(reason)) }

    /// A story that was played.
    ///
    /// - Parameters:
    ///   - failure: what was wrong with the driver, one line; `nil` if nothing was.
    ///   - whyNoRequest: why no request came, if none did. The story then fails regardless of its expectations,
    ///     since it asks for pushes.
    ///   - difference: what the driver reports and the server has not answered, one line; `nil` if there is nothing.
    ///   - reported: what the driver reports of its pushes.
    package init(
        _ name: String, _ verification: Verification, driverFailure failure: String? = nil,
        whyNoRequest: String? = nil, difference: String? = nil, reported: DriverStatuses = DriverStatuses()
    ) {
        self.name = name
        self.verification = verification
        let noRequest = whyNoRequest.map { why in
            if let summary = reported.summary {
                return "the driver reported \(summary), but the server got none. \(why)"
            }
            return verification.passed ? "no push of the workload arrived, so it shows nothing. \(why)" : why
        }
        if let reason = failure ?? noRequest ?? verification.firstFailure ?? difference {
            outcome = .failed(reason)
            errors = reported.errors
        } else {
            outcome = .passed
        }
    }

    /// A story that could not be played.
    package init(_ name: String, failed reason: String) { (self.name, outcome) = (name, .failed(reason)) }

    /// Adds to a failure what may be its cause.
    package mutating func add(_ remark: String?) {
        if case .failed(let reason) = outcome, let remark { outcome = .failed("\(reason); \(remark)") }
    }

    /// One line for people.
    package var line: String {
        let unused = unusedRules.map { " (\($0))" } ?? ""
        return switch outcome {
        case .passed: "passed   \(name)\(unused)"
        case .failed(let reason): "failed   \(name): \(reason)\(unused)"
        case .skipped(let reason): "skipped  \(name): \(reason)"
        }
    }

    /// Which rules never applied, as in `2 rules never applied: busy, gone`, unless a result says so.
    var unusedRules: String? {
        let words = verification?.unusedRules.words ?? []
        return words.isEmpty ? nil : words.joined(separator: "; ")
    }

    /// The driver's lines about its failure: of pushes without a status, then on standard error.
    package var driverLines: [String] {
        // Stack traces are indented with tabs.
        let errorLines = driverErrors.map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
        return errors.map { "driver: push \($0.id): \($0.text)" }
            + errorLines.map { "driver: \($0.joined(separator: "    "))" }
    }
}

extension Verification {
    /// The first expectation that failed, and how many of them; `nil` if all hold.
    fileprivate var firstFailure: String? {
        guard let first = results.first(where: { !$0.passed }) else { return nil }
        if results.count == 1 { return first.line }
        return "\(first.line) (\(results.count { !$0.passed }) of \(results.count) expectations failed)"
    }
}

extension ExpectationResult {
    /// The failure, in one line with the nearest miss.
    fileprivate var line: String {
        let nearest = nearMisses.first.map { "; nearest: \($0)" } ?? ""
        return PrintableText.line("\(name): expected \(expected); seen: \(seen)\(nearest)")
    }
}
