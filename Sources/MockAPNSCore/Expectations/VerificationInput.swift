/// Everything that expectations are judged by: the counts, the log, the devices and the connections at one point in
/// time. An independent value, which MockAPNSJudge judges without a lock.
///
/// ```swift
/// let input = gateway.withLock { $0.verificationInput(at: now) }
/// print(input.verify())
/// ```
package struct VerificationInput: Sendable {
    /// The known facts about connections.
    package struct Connections: Sendable {
        /// The number opened.
        package var opened = 0
        /// The number of PING frames received.
        package var pings = 0
        /// The known openings, in their order.
        package var openings: [(connection: ConnectionReference, time: Timestamp)] = []
        /// Connections up to this id were opened before the beginning, and count only if requests came on them since;
        /// those from before the run do not count even then.
        package var latestBefore = 0

        /// Creates empty facts.
        package init() {}

        /// Creates the facts about the connections that were opened since.
        ///
        /// - Parameter withOpenings: whether each opening matters.
        package init(
            _ connections: MockAPNSCore.Connections, since before: MockAPNSCore.Connections.Totals, withOpenings: Bool
        ) {
            opened = connections.count - before.opened
            pings = connections.pings - before.pings
            latestBefore = before.latestID
            guard withOpenings else { return }
            openings = connections.all.filter { $0.number != nil && $0.opening > before.opened }
                .sorted { $0.opening < $1.opening }
                .compactMap { connection in
                    connection.openedAt.map { (ConnectionReference(id: connection.id, number: connection.number), $0) }
                }
        }
    }

    /// The scenario that was played, with its expectations and devices.
    package var scenario: Scenario
    /// The requests.
    package var log: RequestSnapshot
    /// The devices needed, by their indices in the scenario; removed devices are missing.
    package var devices: [Int: DeviceView] = [:]
    /// The connections.
    package var connections = Connections()
    /// The number of broadcast channels that exist.
    package var channels = 0
    /// The figures of broadcast channels, by their names.
    package var figures: [String: ChannelFigures] = [:]
    /// The number of requests missing from a recorded log; expectations of requests cannot be judged then.
    package var missing = 0
    /// The number of other lines missing from a recorded log, of any kind; nothing can be judged then.
    package var missingLines = 0
    /// Whether a recorded log has only the end of the run; nothing can be judged then.
    package var beginsElsewhere = false
    /// The facts about the run that lint needs besides the requests, put together on demand; `nil` if only the
    /// requests are known, or they are not to be linted.
    package var run: (@Sendable () -> LintedRun)?
    /// The rules that have not applied, as far as is known.
    package var unusedRules = UnusedRules()
    /// The gap in the knowledge of a fleet, as a sentence without a full stop; nothing can be judged then, unless
    /// ``allowsMissing``.
    package var fleetGap: String?
    /// Whether a fleet is judged even if something of it is not known.
    package var allowsMissing = false
    /// Sentences on what a verdict depends on.
    package var remarks: [String] = []
    /// Where the requests of several merged logs come from; `nil` for one log.
    package var origins: MergedLogNumbers?
    /// The counts made as requests were decided; `nil` if the log has to be counted.
    package var tallies: ExpectationCounter.Tallies?
    /// The sequence number before the first request that the scenario's expectations cover.
    package var sequenceBefore = 0

    /// Creates the input from a log alone, such as a recorded one; devices and connections may be added.
    package init(scenario: Scenario, log: RequestSnapshot) {
        self.scenario = scenario
        self.log = log
    }

    /// Returns what is missing from a recorded log for judging an expectation; `nil` if nothing is.
    package func gap(for expectation: Expectation) -> String? {
        if let fleetGap, !allowsMissing { return fleetGap }
        if beginsElsewhere { return "the run started in another file" }
        if missingLines > 0 { return "the log lacks \(counted(missingLines, "line"))" }
        guard missing > 0, expectation.isAboutRequests else { return nil }
        return "the log lacks \(counted(missing, "request"))"
    }

    /// The rules that have not applied. They are in doubt if anything is missing that they may have applied to.
    package var knownUnusedRules: UnusedRules {
        let isWhole = fleetGap == nil && !beginsElsewhere && missingLines == 0 && missing == 0
        return isWhole ? unusedRules : unusedRules.inDoubt
    }

    /// Returns the number of a request for a report: `7`, or `7 of b.jsonl`.
    package func name(ofRequest sequence: Int) -> String { origins?.name(ofRequest: sequence) ?? "\(sequence)" }

    /// Returns the number of a connection for a report.
    package func name(ofConnection number: Int) -> String { origins?.name(ofConnection: number) ?? "\(number)" }
}

extension Expectation {
    /// Whether it concerns what lint finds.
    package var isAboutLint: Bool { if case .lint = form { true } else { false } }

    /// Whether it concerns the openings of connections.
    var isAboutOpenings: Bool {
        switch form {
        case .connections: true
        case .spacing(let spacing, _): spacing.requests == nil
        default: false
        }
    }

    /// Whether it is judged by request records.
    package var isAboutRequests: Bool {
        switch form {
        case .requests, .inOrder, .providerTokens, .lint, .nothingElse: true
        case .spacing(let spacing, _): spacing.requests != nil
        case .device, .connections, .pings, .channel, .channels: false
        }
    }
}
