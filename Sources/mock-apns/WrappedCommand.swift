import Subprocess
import Synchronization
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A command that runs against the server, in a process group of its own. Its input and output are the server's own, and
/// nobody touches them. Signals that the server gets are passed on to its group.
struct WrappedCommand {
    /// How it ended.
    struct Outcome {
        var didRun = true
        /// What to exit with; `nil` when it was successful.
        var exitCode: Int32?
        /// What people should know, where it did not run or was ended.
        var message: String?
    }

    private let words: [String]
    private let variables: [(name: String, value: String?)]

    init(_ words: [String], _ variables: [(name: String, value: String?)]) {
        self.words = words
        self.variables = variables
    }

    func run() async -> Outcome {
        var options = PlatformOptions()
        options.processGroupID = 0
        let changes = variables.compactMap { variable in
            Environment.Key(rawValue: variable.name).map { ($0, variable.value) }
        }
        let executable: Executable = words[0].contains("/") ? .path(FilePath(words[0])) : .name(words[0])
        let group = ProcessGroup()
        let signals = SignalsToPass { group.send($0) }
        defer { signals.end() }
        do {
            let result = try await Subprocess.run(
                executable, arguments: Arguments(Array(words.dropFirst())),
                environment: .inherit.updating(Dictionary(uniqueKeysWithValues: changes)), platformOptions: options,
                input: .currentStandardInput, output: .currentStandardOutput, error: .currentStandardError
            ) { execution in
                group.begin(execution.processIdentifier.value)
            }
            group.end()
            switch result.terminationStatus {
            case .exited(0): return Outcome()
            case .exited(let code): return Outcome(exitCode: code)
            case .signaled(let signal):
                return Outcome(exitCode: 128 + signal, message: "The command was ended by signal \(signal).")
            }
        } catch {
            group.end()
            return Outcome(
                didRun: false, exitCode: 127, message: "The command \(words[0]) cannot be started: \(error)")
        }
    }
}

/// The process group of the command, while it runs. Where there is a terminal, it is the one that reads it.
private final class ProcessGroup: Sendable {
    private struct State {
        var group: pid_t?
        /// Signals that came before it.
        var early: [Int32] = []
        var hasTerminal = false
    }

    private let state = Mutex(State())

    func begin(_ group: pid_t) {
        state.withLock { state in
            state.group = group
            if tcgetpgrp(STDIN_FILENO) == getpgrp() {
                // Who is not in the foreground is stopped for changing who is, unless it does not listen.
                signal(SIGTTOU, SIG_IGN)
                state.hasTerminal = tcsetpgrp(STDIN_FILENO, group) == 0
                // It may have been stopped for reading the terminal before.
                _ = kill(-group, SIGCONT)
            }
            for number in state.early { _ = kill(-group, number) }
            state.early = []
        }
    }

    func end() {
        state.withLock { state in
            state.group = nil
            if state.hasTerminal { _ = tcsetpgrp(STDIN_FILENO, getpgrp()) }
            state.hasTerminal = false
        }
    }

    func send(_ number: Int32) {
        state.withLock { state in
            if let group = state.group { _ = kill(-group, number) } else { state.early.append(number) }
        }
    }
}
