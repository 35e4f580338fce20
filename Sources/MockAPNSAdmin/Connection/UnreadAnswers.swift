import MockAPNS
import MockAPNSCore
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The answers that clients of the admin API have yet to read: bounded in bytes and in time.
///
/// A connection is reset when its client has read nothing for a while. When too much waits in all connections, the one
/// that has waited longest is reset.
final class UnreadAnswers: Sendable {
    /// How long a client may read nothing of what waits for it.
    static let patience = TimeAmount.seconds(30)
    /// Maximum number of bytes that wait in all connections together.
    static let byteLimit = 256 << 20

    private struct Waiting: Sendable {
        let channel: any Channel
        let since: NIODeadline
        var bytes: Int
    }

    private struct State: Sendable {
        var waiting: [ObjectIdentifier: Waiting] = [:]
        var bytes = 0
        var closed = 0
    }

    private let patience: TimeAmount
    private let byteLimit: Int
    private let state = Guarded(State())

    init(patience: TimeAmount = patience, byteLimit: Int = byteLimit) {
        (self.patience, self.byteLimit) = (patience, byteLimit)
    }

    /// The figures for `/metrics`.
    var limitUse: LimitUse {
        state.withLock {
            LimitUse("unread_answer_bytes", limit: byteLimit, used: $0.bytes, dropped: $0.closed)
        }
    }

    /// Records how much waits on a connection; closes the one that has waited longest if it is too much in all.
    fileprivate func note(_ bytes: Int, on channel: any Channel) {
        let id = ObjectIdentifier(channel)
        let closed = state.withLock { state -> (any Channel)? in
            state.bytes += bytes - (state.waiting[id]?.bytes ?? 0)
            state.waiting[id, default: Waiting(channel: channel, since: .now(), bytes: 0)].bytes = bytes
            guard state.bytes > byteLimit, let oldest = state.waiting.values.min(by: { $0.since < $1.since }) else {
                return nil
            }
            state.closed += 1
            return oldest.channel
        }
        closed.map(Self.reset)
    }

    /// Ends a connection without what waits in it. After an ordinary close the kernel would keep its share, and the
    /// client would not notice, for as long as it reads nothing.
    private static func reset(_ channel: any Channel) {
        // Linger with a timeout of zero: the kernel sends RST and drops unsent data (RFC 9293, section 3.10.7.4).
        let options = channel as? any SocketOptionProvider
        options?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in }
        channel.close(promise: nil)
    }

    /// Forgets a connection on which nothing waits any more.
    fileprivate func forget(_ channel: any Channel) {
        state.withLock { state in
            state.bytes -= state.waiting.removeValue(forKey: ObjectIdentifier(channel))?.bytes ?? 0
        }
    }

    fileprivate func noteClosing() { state.withLock { $0.closed += 1 } }

    /// Watches one connection.
    final class Handler: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = ByteBuffer

        /// How many times it is looked whether a client reads, until the connection is reset.
        private static let looks = 30

        private let answers: UnreadAnswers
        private var timer: Scheduled<Void>?
        private var isWaiting = false

        init(_ answers: UnreadAnswers) { self.answers = answers }

        func channelWritabilityChanged(context: ChannelHandlerContext) {
            if context.channel.isWritable { end(context) } else { beginWaiting(context) }
            context.fireChannelWritabilityChanged()
        }

        func channelInactive(context: ChannelHandlerContext) {
            end(context)
            context.fireChannelInactive()
        }

        func handlerRemoved(context: ChannelHandlerContext) { end(context) }

        private func beginWaiting(_ context: ChannelHandlerContext) {
            isWaiting = true
            timer?.cancel()
            look(context, after: nil, unread: 0)
        }

        /// Looks again and again whether the client reads.
        ///
        /// - Parameters:
        ///   - before: the bytes that waited the last time.
        ///   - unread: how many times in a row it had read nothing.
        private func look(_ context: ChannelHandlerContext, after before: Int?, unread: Int) {
            let bytes = Self.waiting(on: context.channel)
            // More may have been written meanwhile, so only what is less shows that the client reads.
            let unread = before.map { bytes < $0 ? 0 : unread + 1 } ?? 0
            guard unread < Self.looks else {
                answers.noteClosing()
                return UnreadAnswers.reset(context.channel)
            }
            answers.note(bytes, on: context.channel)
            // It may be the one that was closed, because too much waits in all.
            guard isWaiting else { return }
            let pause = TimeAmount.nanoseconds(answers.patience.nanoseconds / Int64(Self.looks))
            timer = context.eventLoop.assumeIsolated().scheduleTask(in: pause) { [self] in
                look(context, after: bytes, unread: unread)
            }
        }

        private func end(_ context: ChannelHandlerContext) {
            guard isWaiting else { return }
            isWaiting = false
            timer?.cancel()
            timer = nil
            answers.forget(context.channel)
        }

        private static func waiting(on channel: any Channel) -> Int {
            (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        }
    }
}

@available(*, unavailable)
extension UnreadAnswers.Handler: Sendable {}
