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
        /// SIGHUP: read certificates again.
        case reload
    }

    /// What came, in order.
    let events: AsyncStream<Event>
    private let sources: [any DispatchSourceSignal]

    init() {
        let (events, continuation) = AsyncStream<Event>.makeStream()
        self.events = events
        sources = [(SIGTERM, Event.end), (SIGINT, .end), (SIGHUP, .reload)].map { number, event in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield(event) }
            source.resume()
            return source
        }
    }
}
