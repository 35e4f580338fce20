import MockAPNS
import MockAPNSCore
import NIOCore
import NIOPosix
import SystemPackage

/// One connection to the engine: commands in order, and a reply for each.
final class EngineConnection: Sendable {
    private let channel: any Channel

    private init(_ channel: any Channel) { self.channel = channel }

    /// Connects, and logs in. Ends at once if its task is canceled.
    ///
    /// - Parameter time: the maximum time to wait for each reply.
    static func connect(
        to url: FleetURL, on group: any EventLoopGroup, within time: TimeAmount
    ) async throws(FleetError) -> EngineConnection {
        let connection: EngineConnection
        do {
            let bootstrap = ClientBootstrap(group: group)
                .connectTimeout(.seconds(3))
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(ReplyHandler())
                    }
                }
            let channel: any Channel =
                switch url.address {
                case .host(let host, let port): try await bootstrap.connect(host: host, port: port).unlessCanceled()
                case .path(let path): try await bootstrap.connect(unixDomainSocketPath: path).unlessCanceled()
                }
            connection = EngineConnection(channel)
        } catch {
            throw .unreachable("\(url.shown): \(Self.reason(for: error))")
        }
        do {
            try await withTaskCancellationHandler {
                if let password = url.password {
                    try await connection.send(["AUTH"] + (url.user.map { [$0] } ?? []) + [password], within: time)
                }
                if url.database != 0 { try await connection.send(["SELECT", "\(url.database)"], within: time) }
            } onCancel: {
                connection.channel.close(promise: nil)
            }
            return connection
        } catch {
            await connection.close()
            throw (error as? FleetError) ?? .unreachable("\(error)")
        }
    }

    /// The reason in the system's words, if it is the system that refuses: `Connection refused`.
    private static func reason(for error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError where !error.connectionErrors.isEmpty:
            reason(for: error.connectionErrors[error.connectionErrors.count - 1].error)
        case let error as IOError: Errno(rawValue: error.errnoCode).description
        case ChannelError.connectTimeout: "no answer within 3 s"
        case is CancellationError: "the link was closed"
        case let error as NIOConnectionError where error.dnsAError != nil:
            MissingIPv6.isAddress(error.host) ? "it is an IPv6 address, but this machine has no IPv6" : "no such host"
        default: "\(error)"
        }
    }

    /// Sends a command, and waits for its reply.
    private func send(_ arguments: [String], within time: TimeAmount) async throws(FleetError) {
        _ = try await send(arguments.map { Array($0.utf8) }, within: time)
    }

    /// Sends a command, and waits for its reply.
    ///
    /// - Parameter time: the maximum time without a byte. After that, the connection is closed, since a late reply would
    ///   be taken for that of the next command.
    func send(_ arguments: [[UInt8]], within time: TimeAmount) async throws(FleetError) -> RESPValue {
        let promise = channel.eventLoop.makePromise(of: RESPValue.self)
        let command = EngineCommand(
            bytes: ByteBuffer(command: arguments, allocator: channel.allocator), reply: promise, patience: time)
        channel.writeAndFlush(command).cascadeFailure(to: promise)
        let reply: RESPValue
        do { reply = try await promise.futureResult.get() } catch {
            throw (error as? FleetError) ?? .unreachable("\(error)")
        }
        if case .error(let text) = reply { throw .refused(text.hasSuffix(".") ? String(text.dropLast()) : text) }
        return reply
    }

    func close() async { try? await channel.close() }

    var isOpen: Bool { channel.isActive }
}

extension EventLoopFuture<any Channel> {
    /// Returns the channel; throws as soon as the task is canceled, and closes the channel if it comes later.
    fileprivate func unlessCanceled() async throws -> any Channel {
        let promise = eventLoop.makePromise(of: (any Channel).self)
        cascade(to: promise)
        do {
            return try await withTaskCancellationHandler {
                try await promise.futureResult.get()
            } onCancel: {
                promise.fail(CancellationError())
            }
        } catch {
            whenSuccess { $0.close(promise: nil) }
            throw error
        }
    }
}

/// A command on its way to the engine.
struct EngineCommand: Sendable {
    var bytes: ByteBuffer
    var reply: EventLoopPromise<RESPValue>
    /// The maximum time without a byte while its reply is the next.
    var patience: TimeAmount
}

/// Gives each command its reply, in order.
final class ReplyHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = EngineCommand
    typealias OutboundOut = ByteBuffer

    /// How long a reply may take from its first byte to its last.
    private static let replyTime = TimeAmount.seconds(60)

    private let reader = RESPReader()
    private var waiting = CircularBuffer<(reply: EventLoopPromise<RESPValue>, patience: TimeAmount)>()
    private var failure: FleetError?
    private var timeout: Scheduled<Void>?
    /// Closes the connection if a reply is not complete in time.
    private var replyTimeout: Scheduled<Void>?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let command = unwrapOutboundIn(data)
        if let failure {
            command.reply.fail(failure)
            promise?.fail(failure)
            return
        }
        waiting.append((command.reply, command.patience))
        if waiting.count == 1 { awaitBytes(context) }
        context.write(wrapOutboundOut(command.bytes), promise: promise)
    }

    /// Closes the connection if the engine sends nothing for as long as the next reply may take. A long reply may take
    /// longer while bytes keep coming, up to the limit of a reply.
    private func awaitBytes(_ context: ChannelHandlerContext) {
        timeout?.cancel()
        let channel = context.channel
        timeout = waiting.first.map { next in
            context.eventLoop.assumeIsolated().scheduleTask(in: next.patience) { [self] in
                let time = DurationText.text(next.patience.nanoseconds / 1_000_000)
                fail(.unreachable("it has not answered within \(time)"))
                channel.close(promise: nil)
            }
        }
    }

    /// Closes the connection if the reply that has begun takes too long.
    private func awaitEnd(_ context: ChannelHandlerContext) {
        let channel = context.channel
        replyTimeout = context.eventLoop.assumeIsolated().scheduleTask(in: Self.replyTime) { [self] in
            fail(.unreachable("its answer has not ended within 60 s"))
            channel.close(promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        do throws(RESPMistake) {
            try reader.feed(Array(buffer: buffer).span)
            while let reply = try reader.next() {
                replyTimeout?.cancel()
                replyTimeout = nil
                guard let command = waiting.popFirst() else {
                    throw RESPMistake(description: "there was a reply without a command")
                }
                command.reply.succeed(reply)
            }
            awaitBytes(context)
            if reader.isWithinReply, replyTimeout == nil { awaitEnd(context) }
        } catch {
            fail(error.isTooLong ? .tooLong(error.description) : .malformed(error.description))
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(.unreachable("the connection was closed"))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(.unreachable("\(error)"))
        context.close(promise: nil)
    }

    private func fail(_ error: FleetError) {
        failure = failure ?? error
        timeout?.cancel()
        replyTimeout?.cancel()
        for command in waiting { command.reply.fail(failure ?? error) }
        waiting.removeAll()
    }
}
