/// The result of a run, for people and for continuous integration: each expectation, what was seen instead where one
/// failed, and the totals.
///
/// ```swift
/// var report = Report(verification, of: scenario)
/// report.summary = server.summary
/// try write(report.junit, to: "report.xml")
/// try write(report.markdown, to: "report.md")
/// ```
package struct Report: Sendable {
    /// What it is called: the scenario's name, or `mock-apns` where that has none.
    package var name: String
    /// What the scenario says about itself.
    package var description: String?
    /// The results of the expectations.
    package var verification: Verification
    /// The totals, where there was a server.
    package var summary: Summary?
    /// When the run began, by the real clock.
    package var startedAt: Timestamp?
    /// How long it took, in milliseconds, not fewer than 0.
    package var milliseconds: Int64 = 0
    /// A sentence about what went wrong whatever came of the expectations, such as that the command failed; then the run
    /// has failed. `nil` when nothing did.
    package var error: String?
    /// Why no request came, where expectations failed and none did.
    package var whyNoRequest: String?
    /// Sentences about what else has to be known, such as that a log is not complete.
    package var remarks: [String] = []

    /// A report on a scenario.
    package init(_ verification: Verification, of scenario: Scenario) {
        name = scenario.name ?? "mock-apns"
        description = scenario.description
        self.verification = verification
    }

    /// A report of a run that did not come to be judged.
    ///
    /// - Parameter error: a sentence that says why.
    package init(error: String) {
        name = "mock-apns"
        verification = Verification([])
        self.error = error
    }

    /// What a run that went wrong is called among the expectations.
    static let run = "the run"

    /// The results, each with a name that no other has: two test cases of one name are one for many readers.
    var namedResults: [(name: String, result: ExpectationResult)] {
        var seen = error == nil ? [:] : [Self.run: 1]
        return verification.results.map { result in
            let count = seen[result.name, default: 0] + 1
            seen[result.name] = count
            return (count == 1 ? result.name : "\(result.name) (\(count))", result)
        }
    }
}
