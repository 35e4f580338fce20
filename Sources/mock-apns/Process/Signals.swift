import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The signals that a running server listens to, from now on and as long as this lives; their default actions are off.
struct Signals {
    enum Event: Sendable {
        /// SIGTERM or SIGINT: end in order.
        case end
        /// SIGHUP: read certificates and scenario again.
        case reload
        /// SIGUSR1: open the log's file again.
        case reopenLog
    }

    /// What came, in order.
    let events: AsyncStream<Event>
    private let sources: [any DispatchSourceSignal]
    private let hadTerminal: Bool
    private let ending = Ending()

    /// Whether the terminal is gone from which it was started: then SIGHUP means what it meant at first.
    var hasLostTerminal: Bool { hadTerminal && !Terminal.isThere }

    init() {
        // nohup makes a process ignore SIGHUP, and such a process is to outlive the terminal.
        let wasIgnored = signal(SIGHUP, SIG_DFL) != nil
        hadTerminal = !wasIgnored && Terminal.isThere
        let (events, continuation) = AsyncStream<Event>.makeStream()
        self.events = events
        sources = listen(to: [SIGTERM, SIGINT, SIGHUP, SIGUSR1]) { [ending] number in
            switch number {
            case SIGHUP: continuation.yield(.reload)
            case SIGUSR1: continuation.yield(.reopenLog)
            default:
                continuation.yield(.end)
                ending.come()
            }
        }
        failWrites()
    }

    /// Does something that is cancelled when the signal to end comes, or has come.
    func cancellingAtEnd<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await ending.cancelling(body)
    }

    /// Waits for the signal to end, again where it came before, and does that then.
    func untilEnd(_ body: () -> Void) async {
        for await event in events where event == .end { return body() }
    }
}

/// What is to be cancelled when the signal to end comes.
private final class Ending: Sendable {
    private let state = Mutex<(hasCome: Bool, cancel: (@Sendable () -> Void)?)>((false, nil))

    func come() {
        let cancel = state.withLock { state in
            state.hasCome = true
            return state.cancel
        }
        cancel?()
    }

    func cancelling<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let task = Task(operation: body)
        let hasCome = state.withLock { state in
            state.cancel = { task.cancel() }
            return state.hasCome
        }
        defer { state.withLock { $0.cancel = nil } }
        if hasCome { task.cancel() }
        return try await task.value
    }
}

/// The signals that are meant for a wrapped command, as long as this lives; their default actions are off from now on.
struct SignalsToPass {
    private let sources: [any DispatchSourceSignal]

    /// - Parameters:
    ///   - reopenLog: what SIGUSR1 does; `nil`: it is for the command, too.
    ///   - pass: passes a signal on.
    init(reopenLog: (@Sendable () -> Void)?, _ pass: @escaping @Sendable (Int32) -> Void) {
        sources = listen(to: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT]) { number in
            if number == SIGUSR1, let reopenLog { reopenLog() } else { pass(number) }
        }
        failWrites()
    }
}

/// Lets a write to a file that has reached the limit of this process fail, as one to a full disk does, where otherwise the
/// system would end the process.
func failWrites() { signal(SIGXFSZ, SIG_IGN) }

/// When this returns, no signal gets lost.
private func listen(
    to numbers: [Int32], _ body: @escaping @Sendable (Int32) -> Void
) -> [any DispatchSourceSignal] {
    let registrations = DispatchGroup()
    let sources = numbers.map { number in
        // Darwin's sources see a signal that is ignored, and leave its action alone. Elsewhere a source is the action,
        // but not before it is registered: what is ignored until then is lost.
        #if canImport(Darwin)
        signal(number, SIG_IGN)
        #endif
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { body(number) }
        registrations.enter()
        source.setRegistrationHandler { registrations.leave() }
        source.resume()
        return source
    }
    registrations.wait()
    return sources
}
