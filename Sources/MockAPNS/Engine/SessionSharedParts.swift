import Logging
import NIOCore
import NIOPosix

/// The parts of a server that its sessions share.
struct SessionSharedParts: Sendable {
    let group: MultiThreadedEventLoopGroup
    /// The gate for all work that needs the event loops. It is closed before they end.
    let gate = Gate()
    /// The buffers of each event loop, created by the loop for its first connection.
    let scratches: [ObjectIdentifier: NIOLoopBoundBox<LoopScratch?>]
    /// The log of the server, or of one session in the same file.
    var logFile: LogFile?
    /// Receives the messages of the server, or of one session.
    var logger: Logger
    let warnings: RepeatedWarnings
    let ports = ListeningPorts()
    /// The other APNs that answers what no rule decides; `nil` for none.
    var relay: RelayTarget?

    /// Timers on the next of the event loops.
    var timers: Timers { Timers(on: group.next(), through: gate) }

    init(threads: Int, logFile: LogFile?, logger: Logger) {
        group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
        scratches = Dictionary(
            uniqueKeysWithValues: group.makeIterator().map { loop in
                (ObjectIdentifier(loop), NIOLoopBoundBox.makeEmptyBox(valueType: LoopScratch.self, eventLoop: loop))
            })
        self.logFile = logFile
        self.logger = logger
        warnings = RepeatedWarnings(logger: logger, timers: Timers(on: group.next(), through: gate))
    }
}
