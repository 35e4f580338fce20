import Subprocess

/// A command that runs against the server, in its own process group. It inherits the server's input and output
/// unchanged. Signals sent to the server are passed on to its group.
struct WrappedCommand {
    /// How the command ended.
    struct Outcome {
        var didRun = true
        /// The exit code to use; `nil` if the command succeeded.
        var exitCode: Int32?
        /// The error, if the command did not run or was killed.
        var message: String?

        /// The failure, as a sentence; `nil` if the command succeeded.
        var failure: String? { message ?? exitCode.map { "The command ended with exit code \($0)." } }
    }

    private let words: [[UInt8]]
    private let variables: [(name: String, value: String?)]

    init(_ words: [[UInt8]], _ variables: [(name: String, value: String?)]) {
        self.words = words
        self.variables = variables
    }

    /// Runs the command as that group until it ends.
    func run(as group: CommandGroup) async -> Outcome {
        do {
            let command = try SpawnedCommand(words, variables)
            let result = try await Subprocess.run(
                command.executable, arguments: command.arguments, environment: command.environment,
                platformOptions: command.platformOptions,
                input: .currentStandardInput, output: .currentStandardOutput, error: .currentStandardError
            ) { execution in
                group.begin(execution.processIdentifier.value)
            }
            group.end()
            switch result.terminationStatus {
            case .exited(0): return Outcome()
            case .exited(let code): return Outcome(exitCode: code)
            case .signaled(let signal):
                return Outcome(
                    exitCode: 128 + signal,
                    message: "The command was ended by signal \(signal); exec ends with exit code \(128 + signal).")
            }
        } catch {
            group.end()
            return Outcome(
                didRun: false, exitCode: 127,
                message:
                    "The command \(String(showing: words[0])) cannot be started; exec ends with exit code 127: \(error)"
            )
        }
    }
}
