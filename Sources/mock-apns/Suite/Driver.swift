import MockAPNSCore
import MockAPNSSuite
import Subprocess

/// How long a driver is waited for.
struct DriverLimits: Sendable {
    /// How long it may say nothing.
    let silence: Duration
    /// How long it may take for a story.
    let story: Duration
}

/// The result of a driver in one story.
struct DriverResult: Sendable {
    /// Its failure, in one line; `nil` if there was none.
    var failure: String?
    /// The step it had not done, if it ended too early: `it reported push 1`.
    var undone: String?
    /// The statuses it has reported for its pushes.
    var statuses = DriverStatuses()
    /// The last lines that it wrote to standard error.
    var errors: [String] = []
}

/// A driver: the user's provider, which is told what to push on standard input, and reports the results on standard
/// output. It runs once for each story, in a process group of its own.
struct Driver: Sendable {
    /// Its command.
    let words: [[UInt8]]
    /// How long it may say nothing, and how long a story may take.
    let limits: DriverLimits
    let groups: DriverGroups

    /// Runs it for one story.
    ///
    /// - Parameters:
    ///   - variables: what its environment has beside that of this process.
    ///   - now: tells the time on the scenario's clock.
    /// - Returns: what came of it.
    func play(
        _ workload: [WorkloadEntry], _ variables: [(name: String, value: String?)],
        now: @escaping @Sendable () -> Timestamp
    ) async -> DriverResult {
        let (command, errors): (SpawnedCommand, DriverErrors)
        do { (command, errors) = (try SpawnedCommand(words, variables), try DriverErrors()) } catch {
            return DriverResult(failure: unstarted(error))
        }
        var came = await run(command, workload, errors, now)
        came.errors = await errors.finish()
        // It was killed for that, whatever else came of it.
        came.failure = errors.failure ?? came.failure
        return came
    }

    private func run(
        _ command: SpawnedCommand, _ workload: [WorkloadEntry], _ errors: DriverErrors,
        _ now: @escaping @Sendable () -> Timestamp
    ) async -> DriverResult {
        do {
            let result = try await Subprocess.run(
                command.executable, arguments: command.arguments, environment: command.environment,
                platformOptions: command.platformOptions,
                input: .inputWriter, output: .sequence,
                error: .fileDescriptor(errors.driversEnd, closeAfterSpawningProcess: false)
            ) { execution -> (result: DriverResult, ending: Task<Void, Never>) in
                let group = execution.processIdentifier.value
                groups.begin(group)
                errors.begin { [groups] in groups.kill(group) }
                let conversation = DriverConversation(workload, limits: limits, now: now) { groups.kill(group) }
                let lines = execution.standardOutput.strings(separatedBy: .unicodeScalarSequence(["\n"]))
                let result = await conversation.run(reading: lines, writing: execution.standardInputWriter)
                // It may have closed its standard output, and go on.
                return (result, Task { await groups.end(group, within: limits.silence) })
            }
            result.closureResult.ending.cancel()
            let wasLate = groups.end(result.processIdentifier.value)
            var came = result.closureResult.result
            let ending = Self.ending(result.terminationStatus)
            if came.failure != nil {
                // It may have closed its standard output only, and been killed for that.
                if let undone = came.undone, let ending, result.terminationStatus != .signaled(DriverGroups.killing) {
                    came.failure = "the driver \(ending) before \(undone)"
                }
                return came
            }
            if wasLate {
                came.failure = DriverConversation.unended(within: limits.silence)
                return came
            }
            if let ending { came.failure = "the driver \(ending)" }
            return came
        } catch {
            errors.begin {}
            return DriverResult(failure: unstarted(error))
        }
    }

    private func unstarted(_ error: any Error) -> String {
        "the driver \(String(showing: words[0])) cannot be started: \(error)"
    }

    /// Returns how it ended, as words that follow "the driver"; `nil` if that was as it should.
    private static func ending(_ status: TerminationStatus) -> String? {
        switch status {
        case .exited(0): nil
        case .exited(let code): "ended with exit code \(code)"
        case .signaled(let signal): "was ended by signal \(signal)"
        }
    }
}
