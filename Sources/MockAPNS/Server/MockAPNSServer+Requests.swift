package import MockAPNSCore
import NIOCore

// Asking for requests, and waiting for them.

extension MockAPNSServer {
    /// The requests that fulfil a match, oldest first, once there are enough of them.
    ///
    /// - Parameters:
    ///   - match: what is asked of them, as in `.device("alice").status(200)`.
    ///   - count: how many there have to be at least; 0 waits for none.
    ///   - after: only requests with a higher sequence number are meant.
    ///   - time: how long to wait for them at most.
    ///   - fileID: the caller's file.
    ///   - line: the caller's line.
    /// - Throws: ``RequestsMissing`` when they did not come in time. Its description says where they were waited for, what
    ///   did come, and what came nearest. ``ControlError/malformed(_:)`` when the match cannot be understood.
    ///   `CancellationError` when the task is cancelled, and another error when 10 000 wait already.
    public func requests(
        matching match: Match = .all, count: Int = 0, after: Int = 0, within time: Duration = .seconds(5),
        fileID: String = #fileID, line: Int = #line
    ) async throws -> [LoggedRequest] {
        let match = try requestMatch(match)
        let (log, found, isFulfilled) = try await wait(for: match, count: count, after: after, within: time)
        guard isFulfilled else {
            throw RequestsMissing(
                expected: count == 1 ? "1 \(match.singular) was" : "\(count) \(match) were", count: count,
                found: found.total,
                nearMisses: try await inSlices(log.searchNearMisses(match, after: after)).map(NearMiss.init),
                time: time, at: (fileID, line))
        }
        return try await inSlices(log.listing(match, after: after)).compactMap { sequence in
            log.record(sequence).flatMap { try? JSONText.read($0) }.flatMap(LoggedRequest.init)
        }
    }

    /// Waits until so many requests fulfil a match.
    ///
    /// - Parameters:
    ///   - match: what is asked of them.
    ///   - count: how many, at least 1.
    ///   - after: only requests with a higher sequence number count.
    ///   - time: how long at most.
    /// - Returns: the log at the end, those that came after all, and whether there are enough of them.
    /// - Throws: ``WaitRefusal`` when too many wait already, `CancellationError` when the task is cancelled.
    package func wait(
        for match: RequestMatch, count: Int, after: Int = 0, within time: Duration
    ) async throws -> (log: RequestSnapshot, found: FoundRequests, isFulfilled: Bool) {
        let deadline = ContinuousClock.now + time
        while true {
            // It has begun before the log is searched, so nothing that comes meanwhile is missed.
            let (id, log) = try beginWait(for: match, count: count, after: after)
            let found: FoundRequests
            do {
                found = try await inSlices(log.search(for: match, after: after))
                try Task.checkCancellation()
            } catch {
                engine.cancelWait(id)
                throw error
            }
            let left = deadline - .now
            if found.total >= count || left <= .zero {
                engine.cancelWait(id)
                return (log, found, found.total >= count)
            }
            switch await engine.wait(id, found: found, within: TimeAmount(left)) {
            // The first ones may have been dropped from the log since.
            case .found(let found, let log) where found.sequences.first ?? 0 >= log.firstSequence:
                return (log, found, true)
            case .found, .lookAgain: continue
            case .over:
                engine.cancelWait(id)
                try Task.checkCancellation()
                let log = requestLog
                let found = try await inSlices(log.search(for: match, after: after))
                return (log, found, found.total >= count)
            }
        }
    }

    private func beginWait(
        for match: RequestMatch, count: Int, after: Int
    ) throws(WaitRefusal) -> (id: Int, log: RequestSnapshot) {
        try engine.gateway.withLock { gateway throws(WaitRefusal) in
            try gateway.beginWait(for: match, count: count, after: after)
        }
    }

    /// Number of waits that go on.
    package var waitCount: Int { engine.gateway.withLock { $0.waitCount } }

    /// Judges what the scenario expects, by all that happened until now.
    public func verify() async -> Verification { Verification(core: await verification()) }

    /// Judges these expectations instead of the scenario's, by the requests that the log still has.
    ///
    /// - Throws: ``ControlError/malformed(_:)`` when one cannot be understood; `CancellationError` when the task is
    ///   cancelled.
    public func verify(_ expectation: Expectation, _ others: Expectation...) async throws -> Verification {
        let vocabulary = vocabulary
        let list = JSONText.Value(([expectation] + others).map(\.json))
        let (expectations, mistakes) = vocabulary.expectations(from: list)
        guard let expectations else { throw ControlError.malformed(mistakes.sentences) }
        return Verification(core: try await verification(of: expectations, in: vocabulary))
    }

    /// What a match asks for, with the devices and rules that there are now.
    private func requestMatch(_ match: Match) throws(ControlError) -> RequestMatch {
        let vocabulary = vocabulary
        let (expression, mistakes) = vocabulary.match(from: match.json)
        guard let expression else { throw .malformed(mistakes.sentences) }
        return RequestMatch(expression, in: vocabulary)
    }

    /// As ``verify()``.
    ///
    /// - Parameter time: which requests are meant and what came nearest is not looked for longer than so.
    package func verification(explainingWithin time: Duration? = nil) async -> MockAPNSCore.Verification {
        var work = await evidence().verifying()
        let deadline = time.map { ContinuousClock.now + $0 }
        var isFirst = true
        while true {
            // Who has little time goes before others.
            var turn = await Turn(isFirst: isFirst || deadline != nil)
            defer { turn.end() }
            isFirst = false
            repeat {
                if Task.isCancelled || deadline.map({ .now > $0 }) ?? false { work.stopExplaining() }
                for _ in 0..<turn.stride {
                    if let verification = work.proceed() { return verification }
                }
            } while !turn.isOver
        }
    }

    /// Judges other expectations, by the records that the log still has.
    ///
    /// - Parameters:
    ///   - expectations: as this scenario reads them.
    ///   - within: only requests that fulfil this are looked at; `nil`: all.
    ///   - scenario: the one that read them, where it declares more than the one that is played.
    package func verification(
        of expectations: [MockAPNSCore.Expectation], within: MatchExpression? = nil, in scenario: Scenario? = nil
    ) async throws(CancellationError) -> MockAPNSCore.Verification {
        try await inSlices(evidence(for: expectations, in: scenario).verifying(expectations, within: within))
    }

    private func evidence(for others: [MockAPNSCore.Expectation] = [], in scenario: Scenario? = nil) async -> Evidence {
        await reportCounters()
        return engine.gateway.withLock { $0.evidence(for: others, in: scenario, at: WallClock.now()) }
    }
}

extension MockAPNSServer {
    /// Requests that were waited for did not come in time.
    public struct RequestsMissing: Error, Sendable, CustomStringConvertible {
        private let expected: String
        /// How many had to come.
        public let count: Int
        /// How many came.
        public let found: Int
        /// How long they were waited for.
        public let time: Duration
        /// Those that came nearest without fulfilling the match.
        public let nearMisses: [NearMiss]
        /// The file in which they were waited for, as in `PushTests/Scores.swift`.
        public let fileID: String
        /// The line in it.
        public let line: Int

        fileprivate init(
            expected: String, count: Int, found: Int, nearMisses: [NearMiss], time: Duration, at place: (String, Int)
        ) {
            (self.expected, self.count, self.found, self.time) = (expected, count, found, time)
            self.nearMisses = nearMisses
            (fileID, line) = place
        }

        /// Some lines for people, of which the first begins with the line.
        public var description: String {
            let lines = ["\(fileID):\(line): \(expected) expected within \(time); \(found) came."]
            return (lines + nearMisses.map { "nearest: \($0)" }).joined(separator: "\n")
        }
    }
}
