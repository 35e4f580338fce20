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
    private let hadTerminal: Bool

    /// Whether the terminal is gone from which it was started: then SIGHUP means what it meant at first.
    var hasLostTerminal: Bool { hadTerminal && !Terminal.isThere }

    init() {
        // Who is started by nohup, which lets it ignore SIGHUP, is to outlive the terminal.
        let wasIgnored = signal(SIGHUP, SIG_IGN) != nil
        hadTerminal = !wasIgnored && Terminal.isThere
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
