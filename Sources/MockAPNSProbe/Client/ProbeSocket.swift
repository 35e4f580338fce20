import NIOCore
import NIOPosix

/// A TCP connection, as bytes that arrive one after the other. All that a server sends passes here, as much of it as one
/// probe may get.
///
/// It is used by one task.
final class ProbeSocket {
    enum Event: Sendable {
        case bytes([UInt8])
        /// More has arrived than one probe may get; the connection is closed.
        case excess
        /// Nothing more will arrive.
        case ended
        /// The run is to end soon.
        case stop
        /// The time that was set by ``ProbeSocket/wait(until:)`` has passed.
        case timeLimit(Int)
    }

    /// Maximum number of bytes from the server for one probe. The longest answer that APNs gives is a list of 10,000
    /// channels, which has 270 KB.
    static let allowance = 1 << 20

    private let channel: any Channel
    private let stop: ProbeStop
    private let events: AsyncStream<Event>.Continuation
    private var iterator: AsyncStream<Event>.Iterator
    private var waits = 0
    /// The bytes that the present probe may still receive.
    private(set) var left = ProbeSocket.allowance

    /// Connects to a host.
    ///
    /// - Throws: `CancellationError` if the run is to end.
    static func open(
        host: String, port: Int, on group: any EventLoopGroup, within limit: Duration, unless stop: ProbeStop
    ) async throws -> ProbeSocket {
        let (stream, events) = AsyncStream.makeStream(of: Event.self)
        let connected = group.next().makePromise(of: (any Channel).self)
        stop.onCome { connected.fail(CancellationError()) }
        defer { stop.onCome(nil) }
        ClientBootstrap(group: group)
            .connectTimeout(TimeAmount(limit))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            // Bytes not asked for stay in the system's buffer, and then at the server.
            .channelOption(.autoRead, value: false)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(EventHandler(events: events))
                }
            }
            .connect(host: host, port: port)
            .cascade(to: connected)
        return ProbeSocket(try await connected.futureResult.get(), stream, events, stop)
    }

    private init(
        _ channel: any Channel, _ stream: AsyncStream<Event>, _ events: AsyncStream<Event>.Continuation,
        _ stop: ProbeStop
    ) {
        self.channel = channel
        self.stop = stop
        self.events = events
        iterator = stream.makeAsyncIterator()
    }

    /// Whether the other end is on this machine. One that has closed the connection already has no address, and gets
    /// nothing.
    var isLocal: Bool { channel.remoteAddress?.isLoopback != false }

    /// Lets another probe have as much as the one before.
    func beginProbe() {
        if left >= 0 { left = Self.allowance }
    }

    /// Takes account of what was made of the bytes that have arrived, as if it had arrived itself.
    func spend(_ count: Int) { left -= count }

    func write(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        // A failed write shows as the end of the connection.
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    }

    /// Returns what happens next.
    ///
    /// - Parameter deadline: when to stop waiting.
    func next(until deadline: ContinuousClock.Instant) async -> Event {
        waits += 1
        let number = waits
        var timer = timer(number, stop.limit(deadline))
        defer { timer.cancel() }
        stop.onCome { [events] in _ = events.yield(.stop) }
        defer { stop.onCome(nil) }
        channel.read()
        while let event = await iterator.next() {
            switch event {
            // The time of an earlier wait may have passed just after its event.
            case .timeLimit(let other) where other != number: continue
            case .stop:
                timer.cancel()
                timer = self.timer(number, stop.limit(deadline))
            case .bytes(let bytes):
                spend(bytes.count)
                return left < 0 ? .excess : event
            case .excess, .ended, .timeLimit: return event
            }
        }
        return .ended
    }

    private func timer(_ number: Int, _ time: ContinuousClock.Instant) -> Scheduled<Void> {
        channel.eventLoop.scheduleTask(in: TimeAmount(max(.zero, time - .now))) { [events] in
            _ = events.yield(.timeLimit(number))
        }
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
