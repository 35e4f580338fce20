import MockAPNSCore
import Subprocess
import SystemPackage

/// A driver: somebody's provider, which is told what to push on standard input, and says on standard output what came of
/// it. It runs once for each story, in a process group of its own.
struct Driver: Sendable {
    /// Its command.
    let words: [String]
    /// How long it may say nothing.
    let timeout: Duration
    let groups: DriverGroups

    /// Runs it for one story.
    ///
    /// - Parameters:
    ///   - variables: what its environment has beside that of this process.
    ///   - errors: the file for its standard error.
    ///   - now: tells the time on the scenario's clock.
    /// - Returns: what was wrong with it, in one line; `nil` if nothing was.
    func play(
        _ workload: [WorkloadEntry], _ variables: [(name: String, value: String?)], errors: FilePath,
        now: @escaping @Sendable () -> Timestamp
    ) async -> String? {
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
            ) { execution -> String? in
                let group = execution.processIdentifier.value
                groups.begin(group)
                defer { groups.end(group) }
                let conversation = DriverConversation(workload, timeout: timeout, now: now) { groups.kill(group) }
                let lines = execution.standardOutput.strings(separatedBy: .unicodeScalarSequence(["\n"]))
                return await conversation.run(reading: lines, writing: execution.standardInputWriter)
            }
            if let failure = result.closureResult { return failure }
            return switch result.terminationStatus {
            case .exited(0): nil
            case .exited(let code): "the driver ended with exit code \(code)"
            case .signaled(let signal): "the driver was ended by signal \(signal)"
            }
        } catch {
            return "the driver \(words[0]) cannot be started: \(error)"
        }
    }
}
