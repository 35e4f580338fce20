package import MockAPNSCore
package import MockAPNSJudge
import MockAPNSScenario

// The findings of lint in the pushes that providers sent.

extension MockAPNSServer {
    /// Returns what lint finds in the pushes that providers sent, as far as the log still has them: likely mistakes that
    /// APNs answers with 200, such as `content_available` or `"badge": "1"`.
    ///
    /// ```swift
    /// #expect(try await apns.lint(severity: .error).isEmpty)
    /// ```
    ///
    /// There is one finding for each rule and JSON Pointer. The scenario's `lint` turns rules off, or makes them more or
    /// less severe. Nothing is judged while pushes come in, only now.
    ///
    /// - Parameters:
    ///   - rule: only findings of this rule, such as `badge-type`.
    ///   - severity: only findings that are at least as bad.
    ///   - sequence: only findings in the request with this number.
    /// - Throws: ``ControlError/malformed(_:)`` if there is no such rule or number; `CancellationError` if the task is
    ///   canceled.
    public func lint(
        rule: String? = nil, severity: LintSeverity? = nil, sequence: Int? = nil
    ) async throws -> [LintFinding] {
        let words = [("rule", rule), ("severity", severity?.rawValue), ("sequence", sequence.map { "\($0)" })]
        let query: LintQuery
        do {
            query = try LintQuery(parameters: words.compactMap { name, value in value.map { (name, $0) } })
        } catch {
            throw ControlError.malformed(error.message)
        }
        return try await lintReport(query).findings.map(LintFinding.init)
    }

    /// Returns what lint finds in the log, as ``lint(rule:severity:sequence:)`` does.
    package func lintReport(_ query: LintQuery = LintQuery()) async throws(CancellationError) -> LintReport {
        let input = await verificationInput(isLinted: true)
        var report = try await inSlices(input.linting(query)).report
        if report.judged != nil { report.dropped = input.log.dropped }
        return report
    }

    /// Returns the pushes of the log in which lint finds something.
    package func lintedPushes(_ query: PushFindingsQuery) async throws(CancellationError) -> PushFindings {
        let log: RequestSnapshot
        var pushes: PushFindings
        if query.isAboutProviders {
            let input = await verificationInput()
            log = input.log
            pushes = try await inSlices(input.listingLinted(query))
        } else {
            // A payload is judged by itself, without the rest of the run.
            let scenario = scenario
            log = requestLog
            pushes = try await inSlices(log.listingLinted(scenario.lint, apps: scenario.apps, query: query))
        }
        pushes.dropped = log.dropped
        return pushes
    }

    /// Returns the numbers of all pushes of the log with wanted findings, from every sender.
    package func lintedSequences(_ query: LintQuery) async throws(CancellationError) -> Set<Int> {
        var all = PushFindingsQuery()
        all.findings = query
        all.findings.sender = nil
        all.limit = max(1, configuration.logLimit)
        return Set(try await lintedPushes(all).pushes.map(\.sequence))
    }

    /// Returns what lint has found in the whole run: before each reset, if ``Configuration/lintsRun`` is set, in all
    /// sessions, and since then. Each part is judged by its own scenario.
    package func lintRun() async -> LintVerdict {
        engine.judgeEnded()
        var verdict = engine.earlierResults.withLock { $0.lint }
        verdict.add(await sessions.lint())
        let input = await verificationInput(isLinted: true)
        // A canceled caller does not end it: the verdict has to be complete.
        let rest = Task { try await inSlices(input.linting()) }
        if let judged = try? await rest.value { verdict.add(judged, in: input) }
        return verdict
    }
}
