package import Logging
package import MockAPNS
package import MockAPNSCore
import MockAPNSJudge

/// A server as the collector of a fleet: puts what the replicas ship into its own log, in one order.
package actor FleetCollector: FleetCollecting {
    /// How a collector takes part.
    package struct Options: Sendable {
        /// The name of the fleet.
        package var fleet: String
        /// How long it waits.
        package var limits = FleetLimits()

        /// Creates options.
        package init(fleet: String) { self.fleet = fleet }
    }

    let server: MockAPNSServer
    let options: Options
    var keys: FleetKeys
    let roster: FleetRoster
    let coordinator: FleetCoordinator
    let logger: Logger
    let links: (read: any FleetLink, ask: any FleetLink)
    let readiness = Guarded<String?>(FleetCollector.unread)
    /// Whether it has once read all that the engine has.
    var hasRead = false
    /// Whether it has once carried out all of that.
    var hasCaughtUp = false
    /// The gap in its knowledge at the latest verdict.
    package internal(set) var latestGap: String?
    /// The latest call that started everything over here: its entry, and the answer.
    var latestStart: (entry: StreamID, answer: FleetAnswer)?
    private let start = ContinuousClock.now
    var merge = FleetMerge()
    var replicas: [CollectedReplica] = []
    /// How much of the control stream was read.
    var history = ControlHistory()
    /// Entries of the control stream that are not carried out yet: what replicas had decided before a call comes first.
    /// Of entries that do not concern the collector, only the id of the last is kept.
    var control: ArraySlice<(entry: StreamEntry, arrival: ContinuousClock.Instant)> = []
    /// The latest entry of the control stream that was read.
    var position = StreamID.zero
    /// The latest entry of the control stream that moved the scenario's clock.
    var clockMove = StreamID.zero
    /// Whether there may be more of the control stream than was read.
    var isControlBehind = true
    /// The streams that replicas ship.
    var logs: [Log] = []
    /// Maximum number of entries of each stream read at once. A read that gets fewer has reached the end.
    var readCount = 16
    /// The last time that there was a backlog to read. No deadline counts from before it.
    var latestProgress = ContinuousClock.now
    /// The latest entry of the control stream that was carried out.
    var applied = StreamID.zero
    /// When replicas were last asked for what they have decided.
    var latestAsk = Int64.min / 2
    /// The digest of the scenario that it was started with.
    let ownScenario: String
    /// The digests of the scenarios that the replicas of its epoch were started with.
    var scenariosOfReplicas: Set<String> = []
    /// The digest of the scenario that it began its epoch with.
    var scenario: String
    /// Whether a scenario that all members play has replaced that one since.
    var sharesScenario = false
    package internal(set) var whyNoVerdictHolds: String?
    /// A sentence on a run that was over when this collector started; `nil` if it was not.
    var earlierRun: String?
    /// The entry by which everything started over, or the first one.
    var anchor = StreamLossDetector()
    /// Whether nothing may come into the log, because it may start over.
    var isHeldBack = false
    var seen = SeenCalls()
    /// Tells this process from whatever else may answer at its address.
    let id = CollectorAddress.newID()
    /// The address of its admin API, for replicas to name and for verdicts; `nil` without one.
    var address: CollectorAddress?
    private var tasks: [Task<Void, Never>] = []
    var isEnding = false
    /// Why the engine did not answer the latest call.
    var failure: FleetError?

    /// Joins a fleet.
    ///
    /// - Parameters:
    ///   - server: the server, which serves no providers.
    ///   - makeLink: makes a link to the engine.
    /// - Throws: `StartError` if the engine cannot be reached, or the task is canceled meanwhile.
    package static func join(
        _ server: MockAPNSServer, _ options: Options, logger: Logger, _ makeLink: @Sendable () -> any FleetLink
    ) async throws(MockAPNSServer.StartError) -> FleetCollector {
        let collector = FleetCollector(server, options, logger, makeLink)
        do {
            try await withTaskCancellationHandler {
                try await collector.begin()
            } onCancel: {
                Task { await collector.leave() }
            }
        } catch {
            await collector.leave()
            throw .unavailable("The fleet \(options.fleet) cannot be read: \(error).")
        }
        server.fleet = collector
        return collector
    }

    private init(
        _ server: MockAPNSServer, _ options: Options, _ logger: Logger, _ makeLink: @Sendable () -> any FleetLink
    ) {
        (self.server, self.options, self.logger) = (server, options, logger)
        ownScenario = Digest.text(of: server.scenarioText)
        scenario = ownScenario
        keys = FleetKeys(options.fleet)
        links = (makeLink(), makeLink())
        roster = FleetRoster(keys, links.ask)
        coordinator = FleetCoordinator(keys, roster, options.limits, makeLink)
    }

    package nonisolated var problem: String? { readiness.withLock { $0 } }
    package nonisolated var collector: String? { nil }
    package nonisolated var shipErrors: Int? { nil }

    private func begin() async throws(FleetError) {
        try await links.ask.checkCommands(keys)
        try await coordinator.begin()
        tasks = [
            Task { await self.followRepeatedly() }, Task { await self.watch() },
        ]
    }

    /// Lets replicas and commands know where the admin API is.
    package func announce(at url: String) async {
        let address = CollectorAddress(url: url, id: id)
        self.address = address
        try? await tell(address)
    }

    /// Ends the connection to the engine, and what waits for it, such as a verdict.
    package func leave() async {
        isEnding = true
        for task in tasks { task.cancel() }
        await links.read.close()
        if failure == nil { try? await withdrawAddress() }
        await links.ask.close()
        await coordinator.end()
        for task in tasks { await task.value }
    }

    var now: Int64 { ContinuousClock.now.milliseconds(since: start) }

    // MARK: Merging

    /// Puts what need not be held back into the log.
    ///
    /// - Parameter mark: what was decided before this mark is not held back.
    func proceed(through mark: StreamID? = nil) {
        guard !isHeldBack else { return }
        merge.end = waitingCall
        let lateCount = merge.lateCount
        var runs: [ReplicaRun] = []
        while let run = merge.next(through: mark) {
            runs.append(run)
            if runs.count == 16 {
                server.take(runs)
                runs = []
            }
        }
        server.take(runs)
        if lateCount == 0, merge.lateCount > 0, server.scenario.dependsOnOrder {
            logger.warning(
                "Some requests arrived too late to be put in order; inOrder and spacing may be wrong.")
        }
    }

    package func remarks(on expectations: [Expectation]) -> [String] {
        var remarks = earlierRun.map { [$0] } ?? []
        guard expectations.contains(where: \.dependsOnOrder) else { return remarks }
        let patience = FleetMerge.patience
        if merge.closeCount > 0 {
            remarks.append(
                "\(counted(merge.closeCount, "request")) came less than \(patience) ms after one on another replica. Their "
                    + "order is only as reliable as the machines' clocks; inOrder and spacing depend on it.")
        }
        if merge.lateCount > 0 {
            remarks.append(
                "\(counted(merge.lateCount, "request")) arrived more than \(patience) ms after later ones of other "
                    + "replicas, and are listed after those; inOrder and spacing depend on it.")
        }
        return remarks
    }

    // MARK: Status

    package func status() async -> [UInt8] {
        let list = zip(replicas, gaps(after: nil)).filter { !$0.0.hasWithdrawn }.map { replica, gap in
            var (problem, admin): ([UInt8], [UInt8]) = ([], [])
            problem.appendJSON(gap)
            admin.appendJSON(replica.heartbeat?.admin)
            return
                #"{"name":"\#(replica.name)","started":\#(replica.started),"state":"\#(replica.state.rawValue)","applied":"\#(replica.heartbeat?.applied ?? .zero)","frame":\#(replica.frame),"decided":\#(replica.decided),"received":\#(replica.received),"missing":\#(replica.missing),"lag":\#(replica.lag),"problem":\#(String(decoding: problem, as: UTF8.self)),"admin":\#(String(decoding: admin, as: UTF8.self))}"#
        }
        return Array(
            #"{"name":"\#(keys.fleet)","role":"collector","id":"\#(id)","ready":\#(isReady),"applied":"\#(applied)","epoch":"\#(keys.epoch)","replicas":[\#(list.joined(separator: ","))]}"#
                .utf8)
    }
}
