import Dispatch

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
    }

    /// What came, in order.
    let events: AsyncStream<Event>
    private let sources: [any DispatchSourceSignal]
    private let hadTerminal = isatty(STDIN_FILENO) == 1

    /// Whether the terminal is gone from which it was started: then SIGHUP means what it meant at first.
    var hasLostTerminal: Bool { hadTerminal && isatty(STDIN_FILENO) == 0 }

    init() {
        let (events, continuation) = AsyncStream<Event>.makeStream()
        self.events = events
        sources = [(SIGTERM, Event.end), (SIGINT, .end), (SIGHUP, .reload)].map { number, event in
            listen(number) { continuation.yield(event) }
        }
    }

    /// Waits for the signal to end, again where it came before, and does that then.
    func untilEnd(_ body: () -> Void) async {
        for await event in events where event == .end { return body() }
    }
}

/// The signals that are meant for a wrapped command, as long as this lives; their default actions are off from now on.
struct SignalsToPass {
    private let sources: [any DispatchSourceSignal]

    init(_ pass: @escaping @Sendable (Int32) -> Void) {
        sources = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT].map { number in
            listen(number) { pass(number) }
        }
    }
}

private func listen(_ number: Int32, _ body: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler(handler: body)
    source.resume()
    return source
}
