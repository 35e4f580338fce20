import Synchronization

/// The streams of events that are open: bounded in number, and ended before the listener is closed.
final class EventStreams: Sendable {
    /// Maximum number of open streams.
    static let limit = 100

    private let count = Atomic(0)
    private let isEnding = Atomic(false)

    /// Whether there are as many as there can be.
    var isFull: Bool { count.load(ordering: .relaxed) >= Self.limit }

    /// Whether they are to end now.
    var areEnding: Bool { isEnding.load(ordering: .acquiring) }

    /// Counts a stream while the body runs.
    func during(_ body: () async throws -> Void) async throws {
        count.add(1, ordering: .acquiringAndReleasing)
        defer { count.subtract(1, ordering: .acquiringAndReleasing) }
        try await body()
    }

    /// Lets all end by themselves; returns when they have, or after a second, for one whose client does not read.
    func end() async {
        isEnding.store(true, ordering: .releasing)
        for _ in 0..<100 where count.load(ordering: .acquiring) > 0 { try? await Task.sleep(for: .milliseconds(10)) }
    }
}
