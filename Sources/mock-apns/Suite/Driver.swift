import MockAPNSCore
import Subprocess
import SystemPackage

/// How long a driver is waited for.
struct DriverLimits: Sendable {
    /// How long it may say nothing.
    let silence: Duration
    /// How long it may take for a story.
    let story: Duration
}

/// What came of a driver in one story.
struct DriverResult: Sendable {
    /// What was wrong with it, in one line; `nil` if nothing was.
    var failure: String?
    /// What it has reported of its pushes.
    var statuses = DriverStatuses()
}

/// A driver: somebody's provider, which is told what to push on standard input, and says on standard output what came of
/// it. It runs once for each story, in a process group of its own.
struct Driver: Sendable {
    /// Its command.
    let words: [String]
    /// How long it may say nothing, and how long a story may take.
    let limits: DriverLimits
    let groups: DriverGroups

    /// Runs it for one story.
    ///
    /// - Parameters:
    ///   - variables: what its environment has beside that of this process.
    ///   - errors: the file for its standard error.
    ///   - now: tells the time on the scenario's clock.
    /// - Returns: what came of it.
    func play(
        _ workload: [WorkloadEntry], _ variables: [(name: String, value: String?)], errors: FilePath,
        now: @escaping @Sendable () -> Timestamp
    ) async -> DriverResult {
        let command = SpawnedCommand(words, variables)
        do {
            let descriptor = try FileDescriptor.open(
                errors, .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
            defer { try? descriptor.close() }
            let result = try await Subprocess.run(
                command.executable, arguments: command.arguments, environment: command.environment,
                platformOptions: command.platformOptions,
                input: .inputWriter, output: .sequence,
                error: .fileDescriptor(descriptor, closeAfterSpawningProcess: false)
            ) { execution -> (result: DriverResult, ending: Task<Void, Never>) in
                let group = execution.processIdentifier.value
                groups.begin(group)
                let conversation = DriverConversation(workload, limits: limits, now: now) { groups.kill(group) }
                let lines = execution.standardOutput.strings(separatedBy: .unicodeScalarSequence(["\n"]))
                let result = await conversation.run(reading: lines, writing: execution.standardInputWriter)
                // It may have closed its standard output, and go on.
                return (result, Task { await groups.end(group, within: limits.silence) })
            }
            result.closureResult.ending.cancel()
            let wasLate = groups.end(result.processIdentifier.value)
            var came = result.closureResult.result
            if came.failure != nil { return came }
            if wasLate {
                came.failure = DriverConversation.unended(within: limits.silence)
                return came
            }
            switch result.terminationStatus {
            case .exited(0): break
            case .exited(let code): came.failure = "the driver ended with exit code \(code)"
            case .signaled(let signal): came.failure = "the driver was ended by signal \(signal)"
            }
            return came
        } catch {
            return DriverResult(failure: "the driver \(words[0]) cannot be started: \(error)")
        }
    }
}
