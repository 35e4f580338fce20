import NIOCore
import NIOPosix

/// A TCP connection, as bytes that arrive one after the other.
///
/// It is used by one task.
final class ProbeSocket {
    enum Event: Sendable {
        case bytes([UInt8])
        /// Nothing more will arrive.
        case ended
        /// The time that was set by ``ProbeSocket/wait(until:)`` has passed.
        case timeLimit(Int)
    }

    private let channel: any Channel
    private let events: AsyncStream<Event>.Continuation
    private var iterator: AsyncStream<Event>.Iterator
    private var waits = 0

    /// Connects to a host.
    static func open(host: String, port: Int, on group: any EventLoopGroup, within limit: Duration) async throws
        -> ProbeSocket
    {
        let (stream, events) = AsyncStream.makeStream(of: Event.self)
        let channel = try await ClientBootstrap(group: group)
            .connectTimeout(TimeAmount(limit))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(EventHandler(events: events))
                }
            }
            .connect(host: host, port: port).get()
        return ProbeSocket(channel, stream, events)
    }

    private init(_ channel: any Channel, _ stream: AsyncStream<Event>, _ events: AsyncStream<Event>.Continuation) {
        self.channel = channel
        self.events = events
        iterator = stream.makeAsyncIterator()
    }

    /// Whether the other end is on this machine. One that has closed the connection already has no address, and gets
    /// nothing.
    var isLocal: Bool { channel.remoteAddress?.isLoopback != false }

    func write(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        // What cannot be written shows as the end of the connection.
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    }

    /// Returns what happens next.
    ///
    /// - Parameter deadline: when to stop waiting.
    func next(until deadline: ContinuousClock.Instant) async -> Event {
        waits += 1
        let number = waits
        let timer = channel.eventLoop.scheduleTask(in: TimeAmount(max(.zero, deadline - .now))) { [events] in
            _ = events.yield(.timeLimit(number))
        }
        defer { timer.cancel() }
        while let event = await iterator.next() {
            // The time of an earlier wait may have passed just after its event.
            if case .timeLimit(let other) = event, other != number { continue }
            return event
        }
        return .ended
    }

    func close() async {
        try? await channel.close()
    }
}

/// Hands bytes from the event loop to the task that reads them.
private final class EventHandler: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let events: AsyncStream<ProbeSocket.Event>.Continuation

    init(events: AsyncStream<ProbeSocket.Event>.Continuation) { self.events = events }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        events.yield(.bytes(Array(unwrapInboundIn(data).readableBytesView)))
    }

    func channelInactive(context: ChannelHandlerContext) {
        events.yield(.ended)
        events.finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
