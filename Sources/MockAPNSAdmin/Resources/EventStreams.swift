import Synchronization

/// The open event streams: limited in number, and ended before the listener closes.
final class EventStreams: Sendable {
    /// Maximum number of open streams.
    static let limit = 100

    private let count = Atomic(0)
    private let isEnding = Atomic(false)

    /// Whether the maximum number is reached.
    var isFull: Bool { count.load(ordering: .relaxed) >= Self.limit }

    /// Whether the streams are to end now.
    var areEnding: Bool { isEnding.load(ordering: .acquiring) }

    /// Counts a stream while the body runs.
    func during(_ body: () async throws -> Void) async throws {
        count.add(1, ordering: .acquiringAndReleasing)
        defer { count.subtract(1, ordering: .acquiringAndReleasing) }
        try await body()
    }

    /// Lets all streams end on their own; returns when they have, or after a second if a client does not read.
    func end() async {
        isEnding.store(true, ordering: .releasing)
        for _ in 0..<100 where count.load(ordering: .acquiring) > 0 { try? await Task.sleep(for: .milliseconds(10)) }
    }
}
