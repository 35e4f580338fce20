package import MockAPNSCore
package import MockAPNSJudge
import MockAPNSScenario
import NIOCore

// Queries for requests, with or without waiting.

extension MockAPNSServer {
    /// Returns the requests that match, oldest first, once there are enough of them.
    ///
    /// - Parameters:
    ///   - match: the conditions, as in `.device("alice").status(200)`.
    ///   - count: the minimum number of requests; 0 to return without waiting.
    ///   - after: only requests with a higher sequence number count.
    ///   - time: the maximum time to wait.
    ///   - fileID: the caller's file.
    ///   - line: the caller's line.
    /// - Throws: ``RequestsMissing`` if they did not arrive in time. Its description says where they were waited for,
    ///   what did arrive, and what came closest. ``ControlError/malformed(_:)`` if the match is not understood.
    ///   `CancellationError` if the task is canceled, and another error if there are already 10,000 waits.
    public func requests(
        matching match: Match = .all, count: Int = 0, after: Int = 0, within time: Duration = .seconds(5),
        fileID: String = #fileID, line: Int = #line
    ) async throws -> [LoggedRequest] {
        let match = try requestMatch(match)
        let (log, found, isFulfilled) = try await wait(for: match, count: count, after: after, within: time)
        guard isFulfilled else {
            var missing = RequestsMissing(
                expected: count == 1 ? "1 \(match.singular) was" : "\(count) \(match) were", count: count,
                found: found.total,
                nearMisses: try await inSlices(log.searchNearMisses(match, after: after)).map(NearMiss.init),
                time: time, at: (fileID, line))
            missing.isStopped = !isReady
            if log.latestSequence == 0 { missing.failedConnection = failedConnection }
            throw missing
        }
        return try await inSlices(log.listing(match, after: after)).compactMap(log.request)
    }

    /// Why the latest connection without a request came to nothing; `nil` if there is none, or it is not known.
    private var failedConnection: String? {
        engine.gateway.withLock { $0.connections.all.last { $0.requests == 0 && $0.explanation != nil }?.explanation }
    }

    /// The number of requests that the log no longer has, because of ``Configuration/logLimit``. They are missing in what
    /// ``requests(matching:count:after:within:fileID:line:)`` and ``lint(rule:severity:sequence:)`` return.
    public var droppedRequests: Int { engine.gateway.withLock { $0.log.dropped } }

    /// Returns when no request that matches has come for a time.
    ///
    /// ```swift
    /// try await apns.noRequests(matching: .device("bob"), for: .seconds(1))
    /// ```
    ///
    /// - Parameters:
    ///   - match: the conditions.
    ///   - time: how long none may come, from now on.
    ///   - fileID: the caller's file.
    ///   - line: the caller's line.
    /// - Throws: ``UnexpectedRequests`` as soon as one comes, and when the server is reset; ``ControlError/malformed(_:)``
    ///   if the match is not understood, and `CancellationError` if the task is canceled or the server stops.
    public func noRequests(
        matching match: Match = .all, for time: Duration, fileID: String = #fileID, line: Int = #line
    ) async throws {
        let match = try requestMatch(match)
        switch try await waitForNone(of: match, after: nil, for: time) {
        case .quiet: return
        case .stopped: throw CancellationError()
        case .reset:
            throw UnexpectedRequests(
                expected: match.singular, requests: [], isReset: true, time: time, fileID: fileID, line: line)
        case .came(let found, let log):
            throw UnexpectedRequests(
                expected: match.singular, requests: found.sequences.compactMap(log.request), isReset: false, time: time,
                fileID: fileID, line: line)
        }
    }

    /// Waits until enough requests match.
    ///
    /// - Parameters:
    ///   - match: the conditions.
    ///   - count: the minimum number of requests, at least 1.
    ///   - after: only requests with a higher sequence number count.
    ///   - time: the maximum time to wait.
    ///   - generation: the run with whose end the wait ends, too; `nil` to go on with the next run.
    /// - Returns: the log at the end, the requests that did arrive, and whether there are enough of them.
    /// - Throws: ``WaitRefusal`` if there are too many waits already, `CancellationError` if the task is canceled.
    package func wait(
        for match: RequestMatch, count: Int, after: Int = 0, within time: Duration, onlyIn generation: Int? = nil
    ) async throws -> (log: RequestSnapshot, found: FoundRequests, isFulfilled: Bool) {
        let deadline = ContinuousClock.now + time
        while true {
            // Started before the log is searched, so that no request arriving in between is missed.
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
            if found.total >= count || left <= .zero || isOver(generation) {
                engine.cancelWait(id)
                return (log, found, found.total >= count)
            }
            switch await engine.wait(id, found: found, within: TimeAmount(left)) {
            // The first ones may have been dropped from the log in the meantime.
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

    /// How a wait for no request ends.
    package enum QuietWait: Sendable {
        /// None came.
        case quiet(FoundRequests, RequestSnapshot)
        /// Some came.
        case came(FoundRequests, RequestSnapshot)
        /// The log started over before the time was over, so it is not known whether one came.
        case reset
        /// The server stops before the time is over.
        case stopped
    }

    /// Waits for as long as no request matches, up to a time.
    ///
    /// - Parameters:
    ///   - match: the conditions.
    ///   - after: only requests with a higher sequence number count; `nil` for those that come from now on.
    ///   - time: how long to wait.
    /// - Throws: ``WaitRefusal`` if there are too many waits already, `CancellationError` if the task is canceled.
    package func waitForNone(
        of match: RequestMatch, after: Int?, for time: Duration
    ) async throws -> QuietWait {
        let (latest, generation) = engine.gateway.withLock { ($0.log.latestSequence, $0.generation) }
        let end = ContinuousClock.now + time
        let (log, found, hasCome) = try await wait(
            for: match, count: 1, after: after ?? latest, within: time, onlyIn: generation)
        if hasCome { return .came(found, log) }
        if isOver(generation) { return .reset }
        return .now < end ? .stopped : .quiet(found, log)
    }

    /// Whether a reset has ended the run of this generation; false for `nil`.
    private func isOver(_ generation: Int?) -> Bool {
        generation.map { generation in engine.gateway.withLock { $0.generation != generation } } ?? false
    }

    private func beginWait(
        for match: RequestMatch, count: Int, after: Int
    ) throws(WaitRefusal) -> (id: Int, log: RequestSnapshot) {
        try engine.gateway.withLock { gateway throws(WaitRefusal) in
            try gateway.beginWait(for: match, count: count, after: after)
        }
    }

    /// Number of current waits.
    package var waitCount: Int { engine.gateway.withLock { $0.waitCount } }

    /// Judges the scenario's expectations by everything that has happened so far.
    public func verify() async -> Verification { Verification(core: await verification()) }

    /// Judges these expectations instead of the scenario's, by the requests that the log still holds.
    ///
    /// - Throws: ``ControlError/malformed(_:)`` if one is not understood; `CancellationError` if the task is canceled.
    public func verify(_ expectation: Expectation, _ others: Expectation...) async throws -> Verification {
        let namesInScope = namesInScope
        let list = JSONText.Value(([expectation] + others).map(\.json))
        let (expectations, mistakes) = namesInScope.expectations(from: list)
        guard let expectations else { throw ControlError.malformed(mistakes.sentences) }
        return Verification(core: try await verification(of: expectations, in: namesInScope))
    }

    /// Resolves a match with the current devices and rules.
    private func requestMatch(_ match: Match) throws(ControlError) -> RequestMatch {
        let namesInScope = namesInScope
        let (expression, mistakes) = namesInScope.match(from: match.json)
        guard let expression else { throw .malformed(mistakes.sentences) }
        return RequestMatch(expression, in: namesInScope)
    }

    /// Judges the scenario's expectations like ``verify()``.
    ///
    /// - Parameters:
    ///   - time: the maximum time to look for the requests concerned and those that came closest.
    ///   - isOfRun: whether rules are judged by the whole run, not only by what came since the latest reset.
    ///   - allowsMissing: whether a fleet is judged even if something of it is not known.
    package func verification(
        explainingWithin time: Duration? = nil, rulesOfRun isOfRun: Bool = false,
        allowingMissing allowsMissing: Bool = false
    ) async -> MockAPNSJudge.Verification {
        var input = await verificationInput(allowingMissing: allowsMissing)
        if isOfRun { input.unusedRules = engine.gateway.withLock { $0.unusedRulesOfRun } }
        var work = input.verifying()
        let deadline = time.map { ContinuousClock.now + $0 }
        var isFirst = true
        while true {
            // A caller with little time takes precedence.
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

    /// Judges other expectations, by the records that the log still holds.
    ///
    /// - Parameters:
    ///   - expectations: the expectations, as read by this scenario.
    ///   - within: only requests that match this are considered; `nil` for all.
    ///   - scenario: the scenario that read them, if it declares more than the one being played.
    ///   - allowsMissing: whether a fleet is judged even if something of it is not known.
    package func verification(
        of expectations: [MockAPNSCore.Expectation], within: MatchExpression? = nil, in scenario: Scenario? = nil,
        allowingMissing allowsMissing: Bool = false
    ) async throws(CancellationError) -> MockAPNSJudge.Verification {
        let input = await verificationInput(for: expectations, in: scenario, allowingMissing: allowsMissing)
        return try await inSlices(input.verifying(expectations, within: within))
    }

    /// Returns what a verdict rests on: in a fleet, everything that its replicas have decided so far, or what of that is
    /// not known.
    ///
    /// - Parameter others: the expectations to judge; `nil` for those of the scenario.
    private func verificationInput(
        for others: [MockAPNSCore.Expectation]? = nil, in scenario: Scenario? = nil, allowingMissing allowsMissing: Bool
    ) async -> VerificationInput {
        let gap = await collecting?.gather()
        let strange = await collecting?.whyNoVerdictHolds
        var input = await verificationInput(for: others ?? [], in: scenario)
        let gaps = [strange, gap].compactMap(\.self)
        input.fleetGap = gaps.isEmpty ? nil : gaps.joined(separator: "; ")
        input.allowsMissing = allowsMissing && strange == nil
        input.remarks = await collecting?.remarks(on: others ?? input.scenario.expectations) ?? []
        return input
    }

    /// - Parameter isLinted: whether the log will be linted, even if no expectation is about that.
    func verificationInput(
        for others: [MockAPNSCore.Expectation] = [], in scenario: Scenario? = nil, isLinted: Bool = false
    ) async -> VerificationInput {
        await reportCounters()
        return engine.gateway.withLock {
            $0.verificationInput(for: others, in: scenario, isLinted: isLinted, at: WallClock.now())
        }
    }
}

extension MockAPNSServer {
    /// A request arrived although none was expected, or may have.
    public struct UnexpectedRequests: Error, Sendable, CustomStringConvertible {
        fileprivate let expected: String
        /// The requests that arrived; usually one. None if the server was reset meanwhile.
        public let requests: [LoggedRequest]
        fileprivate let isReset: Bool
        /// The time in which none was expected.
        public let time: Duration
        /// The caller's file, as in `PushTests/Scores.swift`.
        public let fileID: String
        /// The caller's line.
        public let line: Int

        /// A line for people that starts with the caller's line.
        public var description: String {
            "\(fileID):\(line): no \(expected) was expected for \(time); "
                + (isReset ? Self.reset : "\(requests.count) arrived.")
        }

        private static let reset = "the server was reset meanwhile, so it is not known whether one arrived."
    }

    /// The expected requests did not arrive in time.
    public struct RequestsMissing: Error, Sendable, CustomStringConvertible {
        private let expected: String
        /// Whether the server was stopped meanwhile, which ended the wait early.
        fileprivate var isStopped = false
        /// Why a provider has connected, and not pushed.
        fileprivate var failedConnection: String?
        /// Minimum number of requests.
        public let count: Int
        /// Number of requests that arrived.
        public let found: Int
        /// How long the caller waited.
        public let time: Duration
        /// The requests that came closest to matching.
        public let nearMisses: [NearMiss]
        /// The caller's file, as in `PushTests/Scores.swift`.
        public let fileID: String
        /// The caller's line.
        public let line: Int

        fileprivate init(
            expected: String, count: Int, found: Int, nearMisses: [NearMiss], time: Duration, at location: (String, Int)
        ) {
            (self.expected, self.count, self.found, self.time) = (expected, count, found, time)
            self.nearMisses = nearMisses
            (fileID, line) = location
        }

        /// Lines for people, the first of which starts with the caller's line.
        public var description: String {
            let end = isStopped ? " before the server was stopped" : ""
            let lines = ["\(fileID):\(line): \(expected) expected within \(time); \(found) arrived\(end)."]
            let connection = failedConnection.map { ["a provider has connected in vain: \($0)"] } ?? []
            return (lines + connection + nearMisses.map { "nearest: \($0)" }).joined(separator: "\n")
        }
    }
}
