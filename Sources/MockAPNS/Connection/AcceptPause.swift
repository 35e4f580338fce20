import Logging
package import NIOCore
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Pauses accepting when the process is nearly out of file descriptors. The listening socket stays readable, so
/// retrying at once would only burn CPU.
///
/// A few descriptors are always left for others. libdispatch opens files below `/proc` once a second, and ends the
/// process when it cannot (`_dispatch_workq_monitor_pools`).
///
/// NIO's `AcceptBackoffHandler` does not help: it holds back `read()`, but a failed read is still pending, and the
/// socket is watched for it.
final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private static let length = TimeAmount.milliseconds(100)

    private let notice: AcceptNotice
    /// The end of the current pause, if any.
    private var end: Scheduled<Void>?

    init(notice: AcceptNotice) { self.notice = notice }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireChannelRead(data)
        if Self.isShort { pause(for: .tooManyOpenFiles, context) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = (error as? IOError).map({ Errno(rawValue: $0.errnoCode) }), error.isShortage else {
            return context.fireErrorCaught(error)
        }
        pause(for: error, context)
    }

    private func pause(for shortage: Errno, _ context: ChannelHandlerContext) {
        notice.noteShortage(shortage)
        guard end == nil else { return }
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        waitForDescriptors(context)
    }

    private func waitForDescriptors(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        end = context.eventLoop.scheduleTask(in: Self.length) {
            let (handler, context) = bound.value
            if Self.isShort {
                handler.notice.noteShortage(.tooManyOpenFiles)
                return handler.waitForDescriptors(context)
            }
            handler.end = nil
            try? context.channel.syncOptions?.setOption(.autoRead, value: true)
            context.eventLoop.scheduleTask(in: AcceptNotice.calm) { [notice = handler.notice] in notice.noteCalm() }
        }
    }

    /// Whether only the reserved descriptors are left. A new file gets the lowest free descriptor.
    private static var isShort: Bool {
        let limit = sysconf(Int32(_SC_OPEN_MAX))
        guard limit > 0 else { return false }
        let device = FilePath("/dev/null")
        guard let lowest = try? FileDescriptor.open(device, .readOnly, options: .closeOnExec) else { return true }
        defer { try? lowest.close() }
        return Int(lowest.rawValue) >= limit - min(16, limit / 8)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end?.cancel()
        context.fireChannelInactive()
    }
}

extension Errno {
    /// Whether no connection can be accepted until resources are released.
    fileprivate var isShortage: Bool {
        switch self {
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noBufferSpace, .noMemory: true
        default: false
        }
    }
}

/// Logs that connections have to wait: once for all listeners of a server, and once when they no longer do.
package final class AcceptNotice: Sendable {
    /// The time without a shortage after which it is considered over.
    static let calm = TimeAmount.seconds(1)

    private let logger: Logger
    /// The time of the latest shortage, once its start has been logged and until its end has.
    private let latest = Guarded<NIODeadline?>(nil)

    init(logger: Logger) { self.logger = logger }

    fileprivate func noteShortage(_ error: Errno) {
        let isKnown = latest.withLock { latest in
            defer { latest = .now() }
            return latest != nil
        }
        guard !isKnown else { return }
        logger.warning(
            "No more connections can be accepted (\(error)); new ones wait until others are closed. `ulimit -n` raises the number of open files."
        )
    }

    fileprivate func noteCalm() {
        let isOver = latest.withLock { latest in
            guard let shortage = latest, .now() - shortage >= Self.calm else { return false }
            latest = nil
            return true
        }
        if isOver { logger.warning("Connections are accepted again.") }
    }

    /// Makes a listener pause when it cannot accept.
    package func watch(_ listener: any Channel) async throws {
        try await listener.eventLoop.submit {
            try listener.pipeline.syncOperations.addHandler(AcceptPause(notice: self), position: .first)
        }.get()
    }
}
