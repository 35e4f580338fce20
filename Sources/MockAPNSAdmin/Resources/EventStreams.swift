import MockAPNSCore
import Synchronization

/// The open event streams: limited in number, and ended before the listener closes.
final class EventStreams: Sendable {
    /// Maximum number of open streams.
    static let limit = 100

    /// The answers, of streams and others, that clients have yet to read.
    let unread = UnreadAnswers()
    private let count = Atomic(0)
    private let refused = Atomic(0)
    private let isEnding = Atomic(false)

    /// Whether there is room for another stream. If not, it counts as refused.
    func hasRoom() -> Bool {
        guard count.load(ordering: .relaxed) >= Self.limit else { return true }
        refused.add(1, ordering: .relaxed)
        return false
    }

    /// The figures for `/metrics`.
    var limitUses: [LimitUse] {
        [
            LimitUse(
                "event_streams", limit: Self.limit, used: count.load(ordering: .relaxed),
                dropped: refused.load(ordering: .relaxed)),
            unread.limitUse,
        ]
    }

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
