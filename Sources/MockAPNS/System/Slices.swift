package import MockAPNSCore

// Long work that does not block shared threads: searches run in slices. Work that cannot be divided runs on a thread of
// its own, see `BackgroundWork.swift`.

/// Runs work in slices, with turns for others in between. It ends when its task is canceled, because the client has
/// gone or the server stops.
package func inSlices<Work: YieldingTask>(_ work: consuming Work) async throws(CancellationError) -> Work.Outcome {
    var work = work
    var isFirst = true
    while true {
        var turn = await Turn(isFirst: isFirst)
        defer { turn.end() }
        isFirst = false
        repeat {
            if Task.isCancelled { throw CancellationError() }
            for _ in 0..<turn.stride {
                if let outcome = work.proceed() { return outcome }
            }
        } while !turn.isOver
    }
}

/// One thread's turn for a piece of work. It has to be ended with ``end()``.
struct Turn {
    /// The length of a turn.
    private static let length = Duration.milliseconds(5)
    /// Maximum number of slices between looks at the clock. With the limits on queries, this many take less than a
    /// second in any case.
    private static let longestStride = 8

    /// The number of slices until the next look at the clock.
    private(set) var stride = 1
    private let start: ContinuousClock.Instant
    private var latest: ContinuousClock.Instant

    /// Waits for a turn.
    ///
    /// - Parameter isFirst: whether the work has just begun. It then goes before work that has had turns already, since
    ///   it may be over soon.
    init(isFirst: Bool) async {
        await FairQueue.shared.wait(isFirst: isFirst)
        start = .now
        latest = start
    }

    /// Whether it is time for others. Check it after each stride.
    var isOver: Bool {
        mutating get {
            let now = ContinuousClock.now
            stride = now - latest < .microseconds(100) ? min(2 * stride, Self.longestStride) : max(1, stride / 2)
            latest = now
            return now - start > Self.length
        }
    }

    /// Ends the turn.
    func end() { FairQueue.shared.leave() }
}
