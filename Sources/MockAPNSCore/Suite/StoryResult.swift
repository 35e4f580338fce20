/// What came of one story of a suite.
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
    /// What came of its expectations, if they were judged.
    package var verification: Verification?
    /// The last lines that the driver wrote to standard error.
    package var driverErrors: [String] = []

    /// A story that was not played.
    package init(_ name: String, skipped reason: String) { (self.name, outcome) = (name, .skipped(reason)) }

    /// A story that was played.
    ///
    /// - Parameters:
    ///   - failure: what was wrong with the driver, one line; `nil` if nothing was.
    ///   - whyNoRequest: why no request came, if none did and expectations failed.
    ///   - difference: what the driver reports and the server has not answered, one line; `nil` if there is nothing.
    package init(
        _ name: String, _ verification: Verification, driverFailure failure: String? = nil,
        whyNoRequest: String? = nil, difference: String? = nil
    ) {
        self.name = name
        self.verification = verification
        if let reason = failure ?? whyNoRequest ?? verification.results.first(where: { !$0.passed })?.line
            ?? difference
        {
            outcome = .failed(reason)
        } else {
            outcome = .passed
        }
    }

    /// A story that could not be played.
    package init(_ name: String, failed reason: String) { (self.name, outcome) = (name, .failed(reason)) }

    /// One line for people.
    package var line: String {
        switch outcome {
        case .passed: "passed   \(name)"
        case .failed(let reason): "failed   \(name): \(reason)"
        case .skipped(let reason): "skipped  \(name): \(reason)"
        }
    }
}

extension ExpectationResult {
    /// What failed, in one line with the nearest miss.
    fileprivate var line: String {
        let nearest = nearMisses.first.map { "; nearest: \($0)" } ?? ""
        let line = "\(name): expected \(expected); seen: \(seen)\(nearest)"
        return line.split { $0.isNewline }.joined(separator: " ")
    }
}
