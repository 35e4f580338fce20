package import MockAPNSCore

/// The findings of lint in a whole run, and whether the run fails by them.
///
/// A run may have several parts, each with a log of its own: sessions, and what came before and after a reset.
package struct LintVerdict: Sendable {
    /// The findings.
    package private(set) var report = LintReport()
    /// The number of requests that a log had dropped before they could be judged.
    package private(set) var dropped = 0
    /// Whether any finding can fail the run, so that it fails as well if nothing was judged.
    private var isGate = false

    /// Creates the verdict on a run without pushes, which fails nothing.
    package init() { report.judged = LintReport.Judged() }

    /// Creates an empty verdict on a run.
    ///
    /// - Parameter settings: when it fails.
    package init(by settings: LintSettings) {
        self.init()
        isGate = settings.failOn != nil
    }

    /// Creates the verdict on the findings of a server.
    ///
    /// - Parameter settings: when a run fails.
    package init(_ report: LintReport, by settings: LintSettings) {
        self.report.add(report) { $0.fails = settings.fails(CollectionOfOne($0)) }
        dropped = report.dropped ?? 0
        isGate = settings.failOn != nil
    }

    /// Adds what was found in one log, by the settings of its scenario.
    ///
    /// - Parameter end: when and why it ended, if that was before the end of the run.
    package mutating func add(_ judged: LogLint, in input: VerificationInput, end: EarlyEnd? = nil) {
        let settings = input.scenario.lint
        report.add(judged.report) { finding in
            finding.end = end
            finding.fails = settings.fails(CollectionOfOne(finding))
            input.origins?.name(&finding)
        }
        isGate = isGate || settings.failOn != nil
        dropped += input.droppedRequests
    }

    /// Adds the verdict on another part of the run.
    ///
    /// - Parameter session: the session, if the part is one.
    package mutating func add(_ other: LintVerdict, session: String? = nil) {
        report.add(other.report) { if let session { $0.session = session } }
        isGate = isGate || other.isGate
        dropped += other.dropped
    }

    /// Adds the verdict on a log file.
    package mutating func add(_ other: LintVerdict, ofLog file: String) {
        var other = other
        other.report.setFile(file)
        add(other)
    }

    /// Whether the run fails: by a finding, or because there was nothing to judge.
    package var fails: Bool { lacksPushes || report.findings.contains { $0.fails } }

    /// Whether the run fails because there was nothing to judge: a run in which nothing happened shows nothing.
    package var lacksPushes: Bool { isGate && isEmpty }

    private var isEmpty: Bool { report.judged?.isEmpty ?? false }

    /// `Lint: no findings in 4 pushes.`, or `Lint failed: 1 error, 2 warnings in 4 pushes.`
    package var headline: String {
        let verdict = fails ? "Lint failed" : "Lint"
        let missing = dropped == 0 ? "" : " The log had dropped \(counted(dropped, "request")); --log-limit keeps more."
        if isEmpty { return "\(verdict): no push was recorded, so there was nothing to judge.\(missing)" }
        let judged = report.judged.map { " in \($0)" } ?? ""
        return "\(verdict): \(report.summary)\(judged).\(missing)"
    }

    /// The headline, and a line for each finding, each with a line feed.
    package var description: String { PrintableText.text([headline] + report.lines) }
}

extension VerificationInput {
    /// Lints the requests that the scenario covers, in slices.
    package func linting() -> LogSearch<LogLint> { linting(LintQuery(), after: sequenceBefore) }

    /// Lints all requests of the log, in slices.
    package func linting(_ query: LintQuery) -> LogSearch<LogLint> { linting(query, after: 0) }

    /// - Parameters:
    ///   - after: only requests with a higher sequence number are judged.
    ///   - within: only requests that pass this test are judged.
    func linting(_ query: LintQuery, after: Int, within: RequestTest? = nil) -> LogSearch<LogLint> {
        log.linting(
            scenario.lint, apps: scenario.apps, query: query, of: run?() ?? LintedRun(of: scenario), after: after,
            within: within)
    }

    /// Lists the pushes in which lint finds something, in slices.
    package func listingLinted(_ query: PushFindingsQuery) -> LogSearch<PushFindings> {
        log.listingLinted(scenario.lint, apps: scenario.apps, query: query, of: run?() ?? LintedRun(of: scenario))
    }

    /// The number of requests that the scenario covers, and that the log of a server has dropped.
    var droppedRequests: Int { tallies == nil ? 0 : max(0, log.firstSequence - 1 - sequenceBefore) }
}

extension MergedLogNumbers {
    /// Gives a finding the numbers of its pushes in their own log.
    func name(_ finding: inout LintFinding) {
        guard let told = finding.sequence.flatMap(origin) else { return }
        func number(_ merged: UInt64?) -> UInt64? {
            merged.flatMap(origin).flatMap { $0.log == told.log ? UInt64($0.number) : nil }
        }
        finding.file = logs[told.log]
        finding.sequence = UInt64(told.number)
        finding.firstSequence = number(finding.firstSequence)
        finding.lastSequence = number(finding.lastSequence)
    }

    private func origin(of merged: UInt64) -> (log: Int, number: Int)? {
        let index = Int(merged) - 1
        return requests.indices.contains(index) ? requests[index] : nil
    }
}
