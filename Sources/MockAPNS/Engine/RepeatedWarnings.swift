import Logging
import MockAPNSCore
import NIOCore

/// Logs warnings that clients can cause as often as they like: the first of a kind, then how many there were. The others
/// are logged at debug level.
final class RepeatedWarnings: Sendable {
    enum Kind: Sendable {
        /// A handshake failed.
        case handshake
        /// A client broke the protocol.
        case protocolFault
        /// A connection was opened, but its pushes will be rejected.
        case rejection
        /// A request for the admin API arrived on a provider port.
        case adminCall
        /// The upstream of a relay could not be reached, or broke off.
        case upstream
        /// The proxy refused a client.
        case proxy
    }

    /// Maximum number of warnings of a kind logged in one ``period``.
    static let limit = 10
    static let period = TimeAmount.seconds(10)

    private struct Period: Sendable {
        var count = 0
        var latest = ""

        /// The log line about the warnings that were not logged.
        var summary: String? {
            let omitted = count - RepeatedWarnings.limit
            guard omitted > 0 else { return nil }
            return
                "\(counted(omitted, "more warning")) of this kind within \(period.nanoseconds / 1_000_000_000) s; the latest: \(latest)"
        }
    }

    private let periods = Guarded<[Kind: Period]>([:])
    private let logger: Logger
    private let timers: Timers

    init(logger: Logger, timers: Timers) {
        (self.logger, self.timers) = (logger, timers)
    }

    func warn(_ kind: Kind, _ message: String) {
        let count = periods.withLock { periods in
            periods[kind, default: Period()].count += 1
            periods[kind]?.latest = message
            return periods[kind]?.count ?? 1
        }
        logger.log(level: count <= Self.limit ? .warning : .debug, "\(message)")
        if count == 1 { timers.schedule(in: Self.period) { [weak self] in self?.end(kind) } }
    }

    /// Logs how many warnings were left out, because the server stops.
    func reportOmitted() {
        let ended = periods.withLock { periods in
            defer { periods = [:] }
            return periods.values.compactMap(\.summary).sorted()
        }
        for summary in ended { logger.warning("\(summary)") }
    }

    private func end(_ kind: Kind) {
        let ended = periods.withLock { $0.removeValue(forKey: kind) }
        if let summary = ended?.summary { logger.warning("\(summary)") }
    }
}
