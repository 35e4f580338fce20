import Dispatch
import MockAPNS

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The signals that a running server handles for as long as this value lives; their default actions are off.
struct Signals {
    enum Event: Sendable {
        /// SIGTERM or SIGINT: shut down gracefully.
        case end
        /// SIGHUP: reload certificates and scenario.
        case reload
        /// SIGUSR1: reopen the log file.
        case reopenLog
    }

    /// The signals received, in order.
    let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let sources: [any DispatchSourceSignal]
    private let hadTerminal: Bool
    private let ending = Ending()

    /// Whether the terminal that started the process is gone: SIGHUP then has its original meaning.
    var hasLostTerminal: Bool { hadTerminal && !Terminal.isThere }

    /// - Parameter endsWithParent: whether the end of the process that started this one counts as SIGTERM.
    init(endsWithParent: Bool) {
        // nohup makes a process ignore SIGHUP, as it is meant to outlive the terminal.
        let wasIgnored = signal(SIGHUP, SIG_DFL) != nil
        hadTerminal = !wasIgnored && Terminal.isThere
        let (events, continuation) = AsyncStream<Event>.makeStream()
        self.events = events
        self.continuation = continuation
        sources = listen(to: [SIGTERM, SIGINT, SIGHUP, SIGUSR1]) { [ending] number in
            switch number {
            case SIGHUP: continuation.yield(.reload)
            case SIGUSR1: continuation.yield(.reopenLog)
            default:
                // A second one ends the server at once, whether or not it is ending already.
                if !ending.come(continuation) { continuation.yield(.end) }
            }
        }
        failWrites()
        guard endsWithParent else { return }
        Task { [ending] in
            try await ParentProcess.atStart.untilGone()
            ending.come(continuation)
        }
    }

    /// Ends the server as the first SIGTERM would.
    func end() { ending.come(continuation) }

    /// Runs an operation that is canceled when the signal to end arrives, or has already arrived.
    ///
    /// - Throws: `CancellationError` if it fails after the signal; otherwise what it throws.
    func cancellingAtEnd<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await ending.cancelling(body)
    }

    /// Waits in the background for another signal to end, even after the first, and then runs the body.
    func atNextEnd(_ body: @escaping @Sendable () -> Void) -> Task<Void, Never> {
        Task { [events] in
            for await event in events where event == .end { return body() }
        }
    }
}

/// The operation to cancel when the signal to end arrives.
private final class Ending: Sendable {
    private let state = Guarded<(hasCome: Bool, cancel: (@Sendable () -> Void)?)>((false, nil))

    /// Reports the end, if it is the first. Returns whether it is.
    @discardableResult func come(_ events: AsyncStream<Signals.Event>.Continuation) -> Bool {
        let (isFirst, cancel) = state.withLock { state in
            defer { state.hasCome = true }
            return (!state.hasCome, state.cancel)
        }
        if isFirst { events.yield(.end) }
        cancel?()
        return isFirst
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
        do { return try await task.value } catch {
            if state.withLock({ $0.hasCome }) { throw CancellationError() }
            throw error
        }
    }
}

/// The signals meant for a wrapped command; their default actions are off for as long as this value lives.
struct SignalsToPass {
    private let sources: [any DispatchSourceSignal]

    /// - Parameters:
    ///   - reopenLog: handles SIGUSR1; if `nil`, that signal is passed on as well.
    ///   - pass: passes a signal on.
    init(reopenLog: (@Sendable () -> Void)?, _ pass: @escaping @Sendable (Int32) -> Void) {
        sources = listen(to: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT]) { number in
            if number == SIGUSR1, let reopenLog { reopenLog() } else { pass(number) }
        }
        failWrites()
    }
}

/// The signals that ask a process to end, as long as this lives; their default actions are off from now on.
struct EndingSignals {
    private let sources: [any DispatchSourceSignal]

    /// - Parameter body: does what there is to do before the end, and ends the process.
    init(_ body: @escaping @Sendable (Int32) -> Void) {
        sources = listen(to: [SIGINT, SIGTERM, SIGHUP, SIGQUIT], body)
        failWrites()
    }
}

/// Lets a write beyond this process's file size limit fail like a write to a full disk; otherwise the system would end
/// the process.
func failWrites() { signal(SIGXFSZ, SIG_IGN) }

/// Starts to listen. Once this returns, no signal is lost.
private func listen(
    to numbers: [Int32], _ body: @escaping @Sendable (Int32) -> Void
) -> [any DispatchSourceSignal] {
    let registrations = DispatchGroup()
    let sources = numbers.map { number in
        // A dispatch source on Darwin sees a signal even if it is ignored, and leaves its action alone. Elsewhere the
        // source is the action, but only once it is registered: a signal ignored before that is lost.
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
