package import MockAPNSCore
package import MockAPNSJudge

/// The verdict on a scenario's expectations from recorded logs, without a server.
package struct RecordedVerdict: Sendable {
    /// The result of each expectation.
    package let verification: Verification
    /// The findings of lint; `nil` if lint was not asked for.
    package let lint: LintVerdict?
    /// Where the upstream of a relay answered otherwise.
    package let differences: RelayDifferences
    /// Remarks about the logs, in sentences.
    package let remarks: [String]
    /// When the log starts and ends, by the real clock; `nil` if it is empty.
    package let times: (first: Timestamp, last: Timestamp)?

    /// Reads and judges log files: one, or those of several servers that played the scenario side by side.
    ///
    /// - Parameters:
    ///   - session: the session to judge; `nil` for the server itself.
    ///   - linted: the scope of lint, in all runs; `nil` for no lint.
    /// - Throws: ``MockAPNSWords/StartError/unavailable(_:)`` for a file that cannot be read,
    ///   ``MockAPNSWords/StartError/malformed(_:)`` for one that is not a log.
    package init(
        logs paths: [String], session: String? = nil, of scenario: Scenario,
        linting linted: RecordedLog.LintScope? = nil
    ) throws(StartError) {
        var verdict = linted.map { _ in LintVerdict(by: scenario.lint) }
        if paths.count == 1 {
            let log = try Self.log(paths[0], RecordedLog(of: scenario, session: session, linting: linted))
            verification = log.input.verify()
            verdict?.add(log.lint(), ofLog: paths[0])
            (lint, remarks, times, differences) = (verdict, log.remarks, log.times, log.differences)
            return
        }
        var histories: [RecordedHistory] = []
        var all = RelayDifferences()
        for path in paths {
            var log = try Self.log(
                path, RecordedLog(of: scenario, session: session, isToBeMerged: true, linting: linted))
            verdict?.add(log.lint(includingLast: false), ofLog: path)
            all.add(log.differences)
            histories.append(log.takeHistory(named: path))
        }
        let merged = MergedLogs(histories, of: scenario)
        let input = merged.input
        verification = input.verify()
        verdict?.add(input.linting().finish(), in: input)
        (lint, remarks, times, differences) = (verdict, merged.remarks, merged.times, all)
    }

    /// Lints all runs in a log file.
    ///
    /// - Parameters:
    ///   - session: the session that is wanted; `nil` for the server itself.
    ///   - linted: whether all other sessions are linted, too.
    /// - Returns: what was found, and what else has to be known of the log, in sentences.
    /// - Throws: as ``init(logs:session:of:linting:)``.
    package static func lint(
        _ path: String, session: String? = nil, of scenario: Scenario, _ linted: RecordedLog.LintScope
    ) throws(StartError) -> (verdict: LintVerdict, remarks: [String]) {
        let log = try log(path, RecordedLog(of: scenario, session: session, linting: linted), lintsOnly: true)
        var verdict = LintVerdict(by: scenario.lint)
        verdict.add(log.lint(), ofLog: RecordedFile.name(of: path))
        return (verdict, log.lintRemarks)
    }

    /// Reads a log file to its end.
    ///
    /// - Parameter lintsOnly: whether runs of other sessions than the one judged are enough.
    private static func log(
        _ path: String, _ empty: consuming RecordedLog, lintsOnly: Bool = false
    ) throws(StartError) -> RecordedLog {
        var log = empty
        try RecordedFile.read(path, into: &log) { log throws(RecordedLog.Mistake) in
            try log.finish(lintsOnly: lintsOnly)
        }
        return log
    }
}
