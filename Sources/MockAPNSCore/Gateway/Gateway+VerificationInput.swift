extension Gateway {
    /// Returns the current evidence for judging expectations.
    ///
    /// - Parameters:
    ///   - others: the expectations to be judged in addition to the scenario's own.
    ///   - namesInScope: the scenario they were read with, if it declares more than the current one.
    ///   - isLinted: whether the log will be linted, even if no expectation is about that.
    ///   - real: the real time.
    package func evidence(
        for others: [Expectation] = [], in namesInScope: Scenario? = nil, isLinted: Bool = false, at real: Timestamp
    ) -> VerificationInput {
        let scenario = namesInScope ?? scenario
        let clock = clock.time(at: real)
        var evidence = VerificationInput(scenario: scenario, log: log.snapshot)
        if isLinted || (scenario.expectations + others).contains(where: \.isAboutLint) {
            let run = lintedRun(at: real)
            evidence.run = { run }
        }
        for case .device(let index, _) in (scenario.expectations + others).map(\.form)
        where scenario.devices.indices.contains(index) {
            guard let device = state.devices.find(scenario.devices[index].token) else { continue }
            evidence.devices[index] = view(of: device, at: clock)
        }
        evidence.channels = state.channels.count
        for case .channel(let name, _) in (scenario.expectations + others).map(\.form) {
            evidence.figures[name] = state.channels.number(named: name).map {
                state.subscriptions.figures(of: $0, at: clock)
            }
        }
        evidence.unusedRules = unusedRules
        evidence.tallies = watch.counter.tallies
        evidence.sequenceBefore = watch.before.sequence
        evidence.connections = VerificationInput.Connections(
            connections, since: watch.before.connections, withOpenings: others.contains(where: \.isAboutOpenings))
        return evidence
    }

    /// Returns what lint has to know of the run besides its requests.
    package func lintedRun(at now: Timestamp) -> LintedRun {
        LintedRun(of: scenario, connections, until: now, haveProvidersEnded: haveProvidersEnded)
    }
}
