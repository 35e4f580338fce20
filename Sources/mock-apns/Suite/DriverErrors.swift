import MockAPNS
import MockAPNSTransport
import NIOCore
import NIOPosix

import struct SystemPackage.FileDescriptor

/// Standard error of a driver: all of it is read, as long as it is not too much, and the last of it is kept.
final class DriverErrors: Sendable {
    /// Maximum number of bytes that a driver may write during a story.
    private static let limit = 16 << 20
    /// The amount kept: the last bytes, and as many lines of them.
    private static let kept = (bytes: 4096, lines: 20)
    /// Maximum number of bytes read at a time.
    private static let pieceLength = 1 << 16

    private struct State {
        var tail: [UInt8] = []
        var count = 0
        /// The action once there is too much.
        var onExcess: (@Sendable () -> Void)?
        /// The end of the pipe that the driver gets; `nil` once it has it.
        var driversEnd: FileDescriptor?
        /// What reads while the driver runs.
        var channel: EventLoopFuture<any Channel>?
    }

    /// The end of the pipe that the driver gets.
    let driversEnd: FileDescriptor
    private let pipe: FileDescriptor
    private let state: Guarded<State>

    /// Creates a pipe.
    init() throws {
        let ends = try FileDescriptor.pipe()
        (pipe, driversEnd) = (ends.readEnd, ends.writeEnd)
        state = Guarded(State(driversEnd: ends.writeEnd))
    }

    /// Reads what the driver writes. Call it once the driver runs or cannot be started.
    ///
    /// - Parameter onExcess: called once if the driver writes too much.
    func begin(onExcess: @escaping @Sendable () -> Void) {
        guard let own = state.withLock({ $0.driversEnd.take() }) else { return }
        // Only the driver has it from now on, so that the pipe ends with the driver.
        try? own.close()
        guard let read = try? pipe.duplicate() else { return }
        let channel = NIOPipeBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Reader(self)) }
            }
            .takingOwnershipOfDescriptor(input: read.rawValue)
        channel.whenFailure { _ in try? read.close() }
        state.withLock { ($0.onExcess, $0.channel) = (onExcess, channel) }
    }

    /// Ends reading when the driver has ended. What it has started may go on to write, and is not waited for.
    ///
    /// - Returns: the last lines.
    func finish() async -> [String] {
        try? await state.withLock { $0.channel }?.get().close()
        // Its last bytes may not have been read.
        var (pieces, bytes) = (0, [UInt8]())
        while pieces < 16, FileBytes.wait(for: pipe.rawValue, milliseconds: 0),
            FileBytes.read(pipe.rawValue, atMost: Self.pieceLength, into: &bytes) > 0
        {
            take(bytes)
            bytes.removeAll(keepingCapacity: true)
            pieces += 1
        }
        try? pipe.close()
        let lines = state.withLock { String(decoding: $0.tail, as: UTF8.self) }.split { $0.isNewline }
        return lines.suffix(Self.kept.lines).map(String.init)
    }

    /// The failure if the driver wrote too much; `nil` if it did not.
    var failure: String? {
        state.withLock { $0.count > Self.limit }
            ? "the driver wrote more than 16 MB to its standard error; it was killed" : nil
    }

    private func take(_ bytes: some Collection<UInt8>) {
        let onExcess = state.withLock { state -> (@Sendable () -> Void)? in
            state.count += bytes.count
            state.tail += bytes.suffix(Self.kept.bytes)
            state.tail.removeFirst(max(0, state.tail.count - Self.kept.bytes))
            return state.count > Self.limit ? state.onExcess.take() : nil
        }
        onExcess?()
    }

    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let errors: DriverErrors

        init(_ errors: DriverErrors) { self.errors = errors }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            errors.take(unwrapInboundIn(data).readableBytesView)
        }
    }
}
