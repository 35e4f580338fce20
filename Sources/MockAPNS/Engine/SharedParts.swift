import Logging
import NIOCore
import NIOPosix

/// What a server and its sessions have in common.
struct SharedParts: Sendable {
    let group: MultiThreadedEventLoopGroup
    /// The buffers of each loop, made by the loop itself when its first connection comes.
    let scratches: [ObjectIdentifier: NIOLoopBoundBox<LoopScratch?>]
    /// The log of the server, or of one session in the same file.
    var logFile: LogFile?
    let logger: Logger

    init(threads: Int, logFile: LogFile?, logger: Logger) {
        group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
        scratches = Dictionary(
            uniqueKeysWithValues: group.makeIterator().map { loop in
                (ObjectIdentifier(loop), NIOLoopBoundBox.makeEmptyBox(valueType: LoopScratch.self, eventLoop: loop))
            })
        self.logFile = logFile
        self.logger = logger
    }
}
