import MockAPNSCore
import MockAPNSSuite
import Subprocess

/// The conversation of a suite and a driver during one story.
struct DriverConversation {
    private enum Event: Sendable {
        case line(String)
        /// Its standard output has ended.
        case end
        case unreadable
        /// A time that was waited for may have come.
        case alarm
    }

    private let workload: [WorkloadEntry]
    private let limits: DriverLimits
    private let now: @Sendable () -> Timestamp
    private let kill: @Sendable () -> Void
    private let start = ContinuousClock.now
    private var progress: WorkloadProgress
    /// When the driver last wrote a line, or was sent one.
    private var lastSign = ContinuousClock.now
    private var lineCount = 0
    private var isInputClosed = false
    private var statuses = DriverStatuses()
    /// The step that was not done when it closed its standard output.
    private var undone: String?

    /// - Parameters:
    ///   - limits: how long the driver is waited for.
    ///   - now: tells the time on the scenario's clock.
    ///   - kill: ends the driver at once.
    init(
        _ workload: [WorkloadEntry], limits: DriverLimits, now: @escaping @Sendable () -> Timestamp,
        kill: @escaping @Sendable () -> Void
    ) {
        self.workload = workload
        self.limits = limits
        self.now = now
        self.kill = kill
        progress = WorkloadProgress(workload)
    }

    /// Hands the driver its pushes and takes its answers, until it has closed its standard output.
    ///
    /// - Returns: what came of it.
    consuming func run(
        reading lines: SubprocessOutputSequence.StringSequence<UTF8>, writing writer: StandardInputWriter
    ) async -> DriverResult {
        let (events, event) = AsyncStream<Event>.makeStream()
        let reader = Task {
            do {
                for try await line in lines {
                    if Task.isCancelled { break }
                    event.yield(.line(line))
                }
                event.yield(.end)
            } catch { event.yield(.unreadable) }
            event.finish()
        }
        // A driver that does not read blocks only the task that writes to it.
        let (input, toWrite) = AsyncStream<[UInt8]>.makeStream()
        let writing = Task {
            for await bytes in input { _ = try? await writer.write(bytes) }
            try? await writer.finish()
        }
        var failure: String?
        var alarm = proceed(toWrite, event)
        for await next in events {
            failure = take(next)
            alarm.cancel()
            if failure != nil { break }
            alarm = proceed(toWrite, event)
        }
        alarm.cancel()
        toWrite.finish()
        if failure != nil {
            // Nothing that it says counts any more. What it has started may be in another process group, and have its pipes.
            kill()
            reader.cancel()
            writing.cancel()
        }
        await writing.value
        await reader.value
        return DriverResult(failure: failure, undone: undone, statuses: statuses)
    }

    /// Takes note of an event.
    ///
    /// - Returns: what is wrong with the driver.
    private mutating func take(_ event: Event) -> String? {
        if isOverTime, !isEnd(event) {
            return "the driver took longer than \(limits.story) for the story; it was killed"
        }
        switch event {
        case .line(let text):
            lastSign = .now
            lineCount += 1
            return answer(text)
        case .end:
            if progress.isDone { return nil }
            let undone = "it reported \(progress.unanswered > 0 ? waiting : "the whole workload")"
            self.undone = undone
            return "the driver ended before \(undone)"
        case .unreadable: return "line \(lineCount + 1) of the driver is longer than 128 KB"
        case .alarm:
            guard isSilent else { return nil }
            if isInputClosed { return Self.unended(within: limits.silence) }
            return "the driver said nothing for \(limits.silence), with no answer for \(waiting); it was killed"
        }
    }

    /// Returns the failure of a driver that has not ended in time.
    static func unended(within timeout: Duration) -> String {
        "the driver did not end within \(timeout) of the end of its input; it was killed"
    }

    private mutating func answer(_ text: String) -> String? {
        let line = Array(text.utf8)
        let shown = "line \(lineCount) of the driver"
        do throws(DriverLine.Mistake) {
            let answer = try DriverLine.answer(line)
            switch progress.answer(answer.id) {
            case .accepted:
                if let entry = progress.entry(of: answer.id) { statuses.note(answer, of: workload[entry].push) }
                return nil
            case .repeated: return "\(shown) answers push \(answer.id) again: \(DriverLine.shown(line))"
            case .unknown: return "\(shown) answers a push that it was not given: \(DriverLine.shown(line))"
            }
        } catch {
            return "\(shown) \(error.message): \(DriverLine.shown(line))"
        }
    }

    /// Hands over what may begin now; the alarm for when something is due by itself.
    private mutating func proceed(
        _ input: AsyncStream<[UInt8]>.Continuation, _ event: AsyncStream<Event>.Continuation
    ) -> Task<Void, any Error> {
        let elapsed = (ContinuousClock.now - start) / .milliseconds(1)
        let pushes = progress.begin(at: Int64(elapsed))
        if !pushes.isEmpty {
            let time = now()
            for push in pushes {
                input.yield(DriverLine.text(of: workload[push.entry].push, id: push.id, at: time))
            }
            lastSign = .now
        }
        if progress.isDone, !isInputClosed {
            input.finish()
            isInputClosed = true
            lastSign = .now
        }
        var due = start + limits.story
        if isWaitingForDriver { due = min(due, lastSign + limits.silence) }
        if let next = progress.nextTime { due = min(due, start + .milliseconds(next)) }
        return Task { [due] in
            try await Task.sleep(until: due, clock: .continuous)
            event.yield(.alarm)
        }
    }

    /// Whether it is for the driver to say something next.
    private var isWaitingForDriver: Bool { progress.unanswered > 0 || isInputClosed }

    private var isSilent: Bool { isWaitingForDriver && ContinuousClock.now - lastSign >= limits.silence }

    private var isOverTime: Bool { ContinuousClock.now - start >= limits.story }

    private func isEnd(_ event: Event) -> Bool { if case .end = event { true } else { false } }

    /// The first pushes without an answer: `push 1`, or `pushes 1, 2`.
    private var waiting: String {
        let ids = progress.unansweredIDs
        let more = ids.count > 3 ? " and \(ids.count - 3) more" : ""
        return (ids.count == 1 ? "push " : "pushes ") + ids.prefix(3).joined(separator: ", ") + more
    }
}
