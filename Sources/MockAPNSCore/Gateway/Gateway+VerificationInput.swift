extension Gateway {
    /// Returns what expectations are judged by, as of now.
    ///
    /// - Parameters:
    ///   - others: the expectations to be judged in addition to the scenario's own.
    ///   - namesInScope: the scenario they were read with, if it declares more than the current one.
    ///   - isLinted: whether the log will be linted, even if no expectation is about that.
    ///   - real: the real time.
    package func verificationInput(
        for others: [Expectation] = [], in namesInScope: Scenario? = nil, isLinted: Bool = false, at real: Timestamp
    ) -> VerificationInput {
        let scenario = namesInScope ?? scenario
        let clock = clock.time(at: real)
        var input = VerificationInput(scenario: scenario, log: log.snapshot)
        if isLinted || (scenario.expectations + others).contains(where: \.isAboutLint) {
            let run = lintedRun(at: real)
            input.run = { run }
        }
        for case .device(let index, _) in (scenario.expectations + others).map(\.form)
        where scenario.devices.indices.contains(index) {
            guard let device = state.device(scenario.devices[index]) else { continue }
            input.devices[index] = view(of: device, at: clock)
        }
        input.channels = state.channels.count
        for case .channel(let name, _) in (scenario.expectations + others).map(\.form) {
            input.figures[name] = state.channels.number(named: name).map {
                state.subscriptions.figures(of: $0, at: clock)
            }
        }
        input.unusedRules = unusedRules
        input.tallies = watch.counter.tallies
        input.sequenceBefore = watch.before.sequence
        input.connections = VerificationInput.Connections(
            connections, since: watch.before.connections, withOpenings: others.contains(where: \.isAboutOpenings))
        return input
    }

    /// Returns what lint has to know of the run besides its requests.
    package func lintedRun(at now: Timestamp) -> LintedRun {
        LintedRun(of: scenario, connections, until: now, haveProvidersEnded: haveProvidersEnded)
    }
}
