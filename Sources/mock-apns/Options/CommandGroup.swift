import Dispatch
import MockAPNS

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The process group of the wrapped command, and the terminal that it shares with this process.
///
/// A separate group can be signaled as a whole, but then this process has to do what a shell does for a job. If both
/// input and output are the terminal, the group becomes its foreground group at once. In a pipeline, or below a program
/// that reads the output, other processes of our group may need the terminal, so it is handed over only when the
/// command is stopped for trying to use it. If the command is stopped otherwise (Control-Z), our whole group, which our
/// shell waits for, is stopped too; SIGCONT continues both. While our group has the terminal, Control-Z reaches us and
/// is passed on.
final class CommandGroup: Sendable {
    private struct State {
        var group: pid_t?
        /// Signals received before the group exists.
        var early: [Int32] = []
        /// Whether the group gets the terminal as soon as we can hand it over.
        var wantsTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
        var hasTerminal = false
        /// Whether the group got the terminal only because it tried to use it.
        var tookTerminal = false
        /// Whether SIGTSTP has been passed on and the group has not stopped yet.
        var isToStop = false
        var hasEnded = false
    }

    private let state = Guarded(State())
    private let terminal = Terminal()
    private let whenOver: @Sendable (Int32) -> Void

    /// - Parameter whenOver: handles a signal that arrives after the command has ended.
    init(whenOver: @escaping @Sendable (Int32) -> Void) { self.whenOver = whenOver }

    /// Takes over the running command, whose process leads the group.
    func begin(_ group: pid_t) {
        state.withLock { state in
            state.group = group
            // A background process that changes the foreground group is stopped by SIGTTOU unless it ignores the
            // signal.
            if terminal != nil { signal(SIGTTOU, SIG_IGN) }
            // The command may already have been stopped for reading the terminal.
            if state.wantsTerminal, giveTerminal(&state) { _ = kill(-group, SIGCONT) }
            for number in state.early { pass(number, to: group, &state) }
            state.early = []
        }
        // Subprocess, which waits for the command to end, does not report stops. Waiting only for stops leaves the end
        // to it.
        DispatchQueue(label: "mock-apns: stops of the command").async {
            while Self.waitUntilStopped(group) { self.stopped() }
        }
    }

    /// Records that the command has ended.
    func end() {
        state.withLock { state in
            state.group = nil
            state.hasEnded = true
            takeTerminal(&state)
            // Other processes of our pipeline may have been stopped for reading the terminal while they did not have
            // it.
            if state.tookTerminal { _ = kill(0, SIGCONT) }
        }
    }

    /// Passes a signal on, or keeps it until the command has started.
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
            // The shell may have taken the terminal while we were stopped.
            state.hasTerminal = terminal?.foreground == group
            if state.wantsTerminal { _ = giveTerminal(&state) }
        default: break
        }
        _ = kill(-group, number)
        // A stopped process does not handle them until it is continued.
        if [SIGINT, SIGTERM, SIGHUP, SIGQUIT].contains(number) { _ = kill(-group, SIGCONT) }
    }

    /// Reacts to the command having been stopped.
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
