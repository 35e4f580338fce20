/// All that expectations can be judged by: what was counted, the log, the devices and the connections as they were at one
/// moment. A value of its own, judged without any lock.
///
/// ```swift
/// let evidence = gateway.withLock { $0.evidence(at: now) }
/// print(evidence.verify())
/// ```
package struct Evidence: Sendable {
    /// What is known of connections.
    package struct Connections: Sendable {
        /// How many were opened.
        package var opened = 0
        /// How many PING frames came.
        package var pings = 0
        /// The number and the time of the openings that are known.
        package var openings: [(number: Int, time: Timestamp)] = []
        /// Up to this id they were opened before the beginning, and count only when requests came on them since; those of
        /// before the run do not even then.
        package var latestBefore = 0

        /// None.
        package init() {}
    }

    /// What was played: it says what is expected, and which devices are meant.
    package var scenario: Scenario
    /// The requests.
    package var log: RequestSnapshot
    /// The devices that are asked for, by their indices in the scenario's list. Those that are gone are missing.
    package var devices: [Int: DeviceView] = [:]
    /// The connections.
    package var connections = Connections()
    /// How many requests a recorded log lacks; what is about requests cannot be told then.
    package var missing = 0
    /// How many other lines a recorded log lacks, of whatever kind; nothing can be told then.
    var missingLines = 0
    /// Whether a recorded log has only the end of the run; nothing can be told then.
    var beginsElsewhere = false
    /// What was counted as requests were decided; `nil`: it is counted in the log.
    var tallies: ExpectationJudge.Tallies?
    /// The sequence number before the first request that the scenario's expectations are about.
    var sequenceBefore = 0

    /// Evidence from a log alone, as one that was recorded; devices and connections may be added.
    package init(scenario: Scenario, log: RequestSnapshot) {
        self.scenario = scenario
        self.log = log
    }

    /// What a recorded log lacks that an expectation could be about; `nil` when it has all of it.
    func gap(for expectation: Expectation) -> String? {
        if beginsElsewhere { return "the run began in another file" }
        if missingLines > 0 { return "the log lacks \(counted(missingLines, "line"))" }
        guard missing > 0, expectation.isAboutRequests else { return nil }
        return "the log lacks the lines of \(counted(missing, "request"))"
    }

    /// Judges what the scenario expects.
    package func verify() -> Verification { verifying().finish() }

    /// As ``verify()``, in slices.
    package func verifying() -> VerificationWork {
        guard let tallies else { return verifying(scenario.expectations) }
        return VerificationWork(scenario.expectations, tallies, self, after: sequenceBefore)
    }

    /// Judges other expectations, by the records that the log still has. What is about requests fails where the log has
    /// dropped some because of its limit.
    ///
    /// - Parameters:
    ///   - expectations: as ``Scenario/expectations(from:)`` of the same scenario reads them.
    ///   - within: only requests that fulfil this are looked at; `nil`: all. Devices are looked at as they are;
    ///     connections and PING frames cannot be limited, so ``Scenario/verificationQuestion(from:)`` refuses them.
    package func verify(_ expectations: [Expectation], within: MatchExpression? = nil) -> Verification {
        verifying(expectations, within: within).finish()
    }

    /// As ``verify(_:within:)``, in slices.
    package func verifying(_ expectations: [Expectation], within: MatchExpression? = nil) -> VerificationWork {
        VerificationWork(expectations, self, within: within.map { RequestMatch($0, in: scenario) })
    }
}

extension Gateway {
    /// What is known now, for judging expectations.
    ///
    /// - Parameters:
    ///   - others: the expectations that will be judged beside the scenario's own.
    ///   - vocabulary: the scenario that they were read with, where it declares more than the one that is played.
    ///   - real: the time of day.
    package func evidence(
        for others: [Expectation] = [], in vocabulary: Scenario? = nil, at real: Timestamp
    ) -> Evidence {
        let scenario = vocabulary ?? scenario
        var evidence = Evidence(scenario: scenario, log: log.snapshot)
        for case .device(let index, _) in (scenario.expectations + others).map(\.form)
        where scenario.devices.indices.contains(index) {
            guard let device = devices.find(scenario.devices[index].token) else { continue }
            evidence.devices[index] = view(of: device, at: moment(at: real).clock)
        }
        evidence.tallies = watch.judge.tallies
        evidence.sequenceBefore = watch.before.sequence
        evidence.connections.opened = connections.count - watch.before.connections
        evidence.connections.pings = connections.pings - watch.before.pings
        evidence.connections.latestBefore = watch.judge.connectionsBefore
        if others.contains(where: \.isAboutOpenings) {
            evidence.connections.openings = connections.all.compactMap { connection in
                guard connection.id > watch.judge.connectionsBefore, let number = connection.number else { return nil }
                return (number, connection.openedAt)
            }
        }
        return evidence
    }
}

extension Expectation {
    /// Whether it is about the gaps between connections.
    var isAboutOpenings: Bool {
        if case .spacing(let spacing, _) = form { spacing.requests == nil } else { false }
    }

    /// Whether it is judged by records of requests.
    var isAboutRequests: Bool {
        switch form {
        case .requests, .inOrder, .providerTokens, .nothingElse: true
        case .spacing(let spacing, _): spacing.requests != nil
        case .device, .connections, .pings: false
        }
    }
}
