import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The process group of the wrapped command, and the terminal that it shares with this process.
///
/// A group of its own can be signalled as a whole, but then it is for this process to do what a shell does for a job. The
/// group is the terminal's foreground at once when input and output are the terminal. In a pipeline, or below a
/// program that reads the output, others of our group may need the terminal, so it is handed over when the command is
/// stopped for wanting it. When the command is stopped otherwise (Control-Z), so is our whole group, which our shell
/// waits for; SIGCONT continues both. Control-Z while our group has the terminal comes to us, and is passed on.
final class CommandGroup: Sendable {
    private struct State {
        var group: pid_t?
        /// Signals that came before it.
        var early: [Int32] = []
        /// Whether it is to have the terminal when we have it to give.
        var wantsTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
        var hasTerminal = false
        /// Whether it had the terminal only for wanting it.
        var tookTerminal = false
        /// Whether SIGTSTP was passed on, and it has not stopped yet.
        var isToStop = false
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let terminal = Terminal()
    private let whenOver: @Sendable (Int32) -> Void

    /// - Parameter whenOver: what a signal does that comes when the command has ended.
    init(whenOver: @escaping @Sendable (Int32) -> Void) { self.whenOver = whenOver }

    /// The command runs; its process is the leader of its group.
    func begin(_ group: pid_t) {
        state.withLock { state in
            state.group = group
            // A background process that changes the foreground group is stopped by SIGTTOU unless it ignores that.
            if terminal != nil { signal(SIGTTOU, SIG_IGN) }
            // It may have been stopped for reading the terminal before.
            if state.wantsTerminal, giveTerminal(&state) { _ = kill(-group, SIGCONT) }
            for number in state.early { pass(number, to: group, &state) }
            state.early = []
        }
        // Who waits for the end of the command, Subprocess, does not tell when it stops. To wait for stops only leaves
        // the end to it.
        DispatchQueue(label: "mock-apns: stops of the command").async {
            while Self.waitUntilStopped(group) { self.stopped() }
        }
    }

    /// The command has ended.
    func end() {
        state.withLock { state in
            state.group = nil
            state.hasEnded = true
            takeTerminal(&state)
            // Others of our pipeline may have been stopped for reading the terminal while it was not theirs.
            if state.tookTerminal { _ = kill(0, SIGCONT) }
        }
    }

    /// Passes a signal on, to a command that is still to come as well.
    func send(_ number: Int32) {
        let isOver = state.withLock { state in
            if let group = state.group {
                pass(number, to: group, &state)
            } else if !state.hasEnded {
                state.early.append(number)
            }
            return state.hasEnded
        }
        switch number {
        case _ where !isOver, SIGCONT: break
        case SIGTSTP: if !Terminal.isWithoutShell { _ = kill(getpid(), SIGSTOP) }
        default: whenOver(number)
        }
    }

    private func pass(_ number: Int32, to group: pid_t, _ state: inout State) {
        switch number {
        case SIGTSTP where Terminal.isWithoutShell: return
        case SIGTSTP: state.isToStop = true
        case SIGCONT:
            state.isToStop = false
            // While we were stopped, the shell may have taken it.
            state.hasTerminal = terminal?.foreground == group
            if state.wantsTerminal { _ = giveTerminal(&state) }
        default: break
        }
        _ = kill(-group, number)
        // Who is stopped does not see them before it is continued.
        if [SIGINT, SIGTERM, SIGHUP, SIGQUIT].contains(number) { _ = kill(-group, SIGCONT) }
    }

    /// The command has been stopped.
    private func stopped() {
        state.withLock { state in
            guard let group = state.group, let terminal else { return }
            if terminal.isOurs, !state.isToStop {
                state.wantsTerminal = true
                guard giveTerminal(&state) else { return }
                state.tookTerminal = true
                _ = kill(-group, SIGCONT)
                return
            }
            state.isToStop = false
            if Terminal.isWithoutShell {
                if state.hasTerminal { _ = kill(-group, SIGCONT) }
                return
            }
            takeTerminal(&state)
            _ = kill(0, SIGSTOP)
        }
    }

    private func giveTerminal(_ state: inout State) -> Bool {
        guard let group = state.group, let terminal, terminal.isOurs else { return false }
        state.hasTerminal = terminal.give(to: group)
        return state.hasTerminal
    }

    private func takeTerminal(_ state: inout State) {
        if state.hasTerminal { _ = terminal?.give(to: getpgrp()) }
        state.hasTerminal = false
    }

    private static func waitUntilStopped(_ process: pid_t) -> Bool {
        while waitid(P_PID, id_t(process), nil, WSTOPPED) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }
}
