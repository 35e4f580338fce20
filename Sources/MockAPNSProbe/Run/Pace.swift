/// How fast a run may go: as fast as it can on this machine, slowly towards a stranger.
package struct Pace: Sendable {
    /// Never more pushes than this in a second, to a stranger.
    package static let pushesPerSecond = 2
    /// Never more connections than this in a minute, to a stranger.
    package static let connectionsPerMinute = 2

    private let isSlow: Bool
    private var connections: [ContinuousClock.Instant] = []
    private var pushes: [ContinuousClock.Instant] = []

    /// Creates a pace.
    package init(isSlow: Bool) { self.isSlow = isSlow }

    /// Waits until another connection may be opened.
    ///
    /// - Throws: `CancellationError` if the run is to end.
    mutating func beforeConnection(unless stop: ProbeStop) async throws {
        guard isSlow else { return }
        try await Self.wait(&connections, atMost: Self.connectionsPerMinute, in: .seconds(61), stop)
    }

    /// Waits until another request may be sent.
    ///
    /// - Throws: `CancellationError` if the run is to end.
    mutating func beforePush(unless stop: ProbeStop) async throws {
        guard isSlow else { return }
        // A little more than a second: what leaves here evenly may arrive closer together.
        try await Self.wait(&pushes, atMost: Self.pushesPerSecond, in: .milliseconds(1200), stop)
    }

    private static func wait(
        _ times: inout [ContinuousClock.Instant], atMost count: Int, in span: Duration, _ stop: ProbeStop
    ) async throws {
        if times.count >= count {
            let end = times[times.count - count] + span
            let sleep = Task { try await ContinuousClock().sleep(until: end) }
            stop.onCome { sleep.cancel() }
            defer { stop.onCome(nil) }
            try await sleep.value
        }
        times.append(.now)
        times.removeFirst(max(0, times.count - count))
    }

    /// How long this many connections and pushes take at least, in seconds.
    package static func seconds(connections: Int, pushes: Int) -> Int {
        max(0, (connections - 1) / connectionsPerMinute * 61 + pushes * 6 / 10)
    }
}
