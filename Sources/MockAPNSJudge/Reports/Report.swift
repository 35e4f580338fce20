package import MockAPNSCore

/// The result of a run, for people and for continuous integration: each expectation, what was seen instead if it
/// failed, and the totals.
///
/// ```swift
/// var report = Report(verification, of: scenario)
/// report.totals = server.summary.text
/// try write(report.junit, to: "report.xml")
/// try write(report.markdown, to: "report.md")
/// ```
package struct Report: Sendable {
    /// The title: the scenario's name, or `mock-apns` if it has none.
    package var name: String
    /// The scenario's description.
    package var description: String?
    /// The results of the expectations.
    package var verification: Verification
    /// The totals as text, if there was a server.
    package var totals: String?
    /// When the run began, in real time.
    package var startedAt: Timestamp?
    /// The duration of the run in milliseconds, at least 0.
    package var milliseconds: Int64 = 0
    /// A sentence on what went wrong regardless of the expectations, such as a failed command. The run has then failed.
    /// `nil` if nothing went wrong.
    package var error: String?
    /// Where the upstream of a relay answered otherwise, if that fails the run.
    package var difference: String?
    /// Why no request came, if expectations failed and there was none.
    package var whyNoRequest: String?
    /// Sentences on what was wrong with connections, unless ``whyNoRequest`` or ``emptyRun`` has them.
    package var connectionFaults: [String] = []
    /// The remark on a run in which nothing came and nothing was expected; `nil` for any other.
    package var emptyRun: String?
    /// The findings of lint; `nil` if lint was not asked for.
    package var lint: LintVerdict?
    /// Sentences on anything else worth knowing, such as that a log is incomplete.
    package var remarks: [String] = []

    /// Creates a report on a scenario.
    package init(_ verification: Verification, of scenario: Scenario) {
        name = scenario.name ?? "mock-apns"
        description = scenario.description
        self.verification = verification
    }

    /// Creates a report on a run that was not judged.
    ///
    /// - Parameter error: a sentence that says why.
    package init(error: String) {
        name = "mock-apns"
        verification = Verification([])
        self.error = error
    }

    /// Lets the run fail if the upstream of a relay answered otherwise, or not at all, or was not asked.
    package mutating func fail(by differences: RelayDifferences) {
        guard differences.hasDifferences || differences.isEmpty, error == nil else { return }
        let nothing = "No push was passed on to an upstream, so there is nothing to compare."
        if differences.isEmpty { remarks.append(nothing) }
        difference = differences.isEmpty ? nothing : differences.lines.joined(separator: " ")
        error = difference
    }

    /// Whether all expectations hold, and lint has found nothing by which the run fails.
    package var passed: Bool { verification.passed && !(lint?.fails ?? false) && difference == nil }

    /// Sentences that are no result of an expectation.
    var notes: [String] {
        remarks + connectionFaults + [emptyRun].compactMap(\.self) + verification.notes
    }

    /// The name of a run that went wrong, among the expectations.
    static let run = "the run"

    /// The results with unique names: many readers treat two test cases with the same name as one.
    var namedResults: [(name: String, result: ExpectationResult)] {
        var seen = error == nil ? [:] : [Self.run: 1]
        return verification.results.map { result in
            let count = seen[result.name, default: 0] + 1
            seen[result.name] = count
            return (count == 1 ? result.name : "\(result.name) (\(count))", result)
        }
    }
}
