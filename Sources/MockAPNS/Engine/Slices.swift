package import MockAPNSCore

// Long work without keeping a thread that others wait for: searches are done in slices. What cannot be divided is done on a
// thread of its own, see `Slices+Apart.swift`.

/// Does work in slices: others have their turn in between, and it ends when its task is cancelled, since the client is gone or
/// the server is stopped.
package func inSlices<Work: SlicedWork>(_ work: consuming Work) async throws(CancellationError) -> Work.Outcome {
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

/// One thread's time for a piece of work. To be ended.
struct Turn {
    /// How long it is.
    private static let length = Duration.milliseconds(5)
    /// The clock is looked at after so many slices at most. With the bounds of what is asked for, this many take less than
    /// a second in any case.
    private static let longestStride = 8

    /// How many slices to do before the clock is looked at.
    private(set) var stride = 1
    private let start: ContinuousClock.Instant
    private var latest: ContinuousClock.Instant

    /// Waits for a turn.
    ///
    /// - Parameter isFirst: whether the work has just begun; then it comes before what has had turns already, since it may
    ///   be over soon.
    init(isFirst: Bool) async {
        await TurnQueue.shared.wait(isFirst: isFirst)
        start = .now
        latest = start
    }

    /// Whether others should have their turn now. To be asked after each stride.
    var isOver: Bool {
        mutating get {
            let now = ContinuousClock.now
            stride = now - latest < .microseconds(100) ? min(2 * stride, Self.longestStride) : max(1, stride / 2)
            latest = now
            return now - start > Self.length
        }
    }

    /// Lets others have their turn.
    func end() { TurnQueue.shared.leave() }
}
