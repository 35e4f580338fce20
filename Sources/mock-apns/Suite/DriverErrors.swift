import Dispatch
import MockAPNS
import MockAPNSTransport
import SystemPackage

/// Standard error of a driver: all of it is read, as long as it is not too much, and the last of it is kept.
final class DriverErrors: Sendable {
    /// Maximum number of bytes that a driver may write during a story.
    private static let limit = 16 << 20
    /// The amount kept: the last bytes, and as many lines of them.
    private static let kept = (bytes: 4096, lines: 20)
    /// Maximum number of bytes read at a time.
    private static let pieceLength = 1 << 16

    private struct State {
        let source: any DispatchSourceRead
        var tail: [UInt8] = []
        var count = 0
        var isAtEnd = false
        /// The action once there is too much.
        var onExcess: (@Sendable () -> Void)?
        /// The end of the pipe that the driver gets; `nil` once it has it.
        var driversEnd: FileDescriptor?
    }

    /// The end of the pipe that the driver gets.
    let driversEnd: FileDescriptor
    private let pipe: FileDescriptor
    private let queue = DispatchQueue(label: "mock-apns.driver-errors")
    private let state: Guarded<State>

    /// Creates a pipe.
    init() throws {
        let ends = try FileDescriptor.pipe()
        (pipe, driversEnd) = (ends.readEnd, ends.writeEnd)
        let source = DispatchSource.makeReadSource(fileDescriptor: ends.readEnd.rawValue, queue: queue)
        source.setCancelHandler { try? ends.readEnd.close() }
        state = Guarded(State(source: source, driversEnd: ends.writeEnd))
    }

    /// Reads what the driver writes. Call it once the driver runs or cannot be started.
    ///
    /// - Parameter onExcess: called once if the driver writes too much.
    func begin(onExcess: @escaping @Sendable () -> Void) {
        let own = state.withLock { state in
            state.onExcess = onExcess
            return state.driversEnd.take()
        }
        // Only the driver has it from now on, so that the pipe ends with the driver.
        try? own?.close()
        state.withLock { state in
            state.source.setEventHandler { [self] in if !readPiece() { endReading() } }
            state.source.resume()
        }
    }

    /// Ends reading when the driver has ended. What it has started may go on to write, and is not waited for.
    ///
    /// - Returns: the last lines.
    func finish() -> [String] {
        queue.sync {
            // Its last bytes may not have been read.
            var pieces = 0
            while pieces < 16, FileBytes.wait(for: pipe.rawValue, milliseconds: 0), readPiece() { pieces += 1 }
            endReading()
        }
        let lines = state.withLock { String(decoding: $0.tail, as: UTF8.self) }.split { $0.isNewline }
        return lines.suffix(Self.kept.lines).map(String.init)
    }

    private func endReading() { state.withLock { $0.source.cancel() } }

    /// The failure if the driver wrote too much; `nil` if it did not.
    var failure: String? {
        state.withLock { $0.count > Self.limit }
            ? "the driver wrote more than 16 MB to its standard error; it was killed" : nil
    }

    /// Reads what is there; returns whether more may come.
    private func readPiece() -> Bool {
        let (isOpen, onExcess) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            guard !state.isAtEnd else { return (false, nil) }
            let count = FileBytes.read(pipe.rawValue, atMost: Self.pieceLength, into: &state.tail)
            state.isAtEnd = count <= 0
            state.count += max(0, count)
            state.tail.removeFirst(max(0, state.tail.count - Self.kept.bytes))
            return (count > 0, state.count > Self.limit ? state.onExcess.take() : nil)
        }
        onExcess?()
        return isOpen
    }
}
