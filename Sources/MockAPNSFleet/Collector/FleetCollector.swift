package import Logging
package import MockAPNS
import MockAPNSCore
import Synchronization

/// A server as the collector of a fleet: puts what the replicas ship into its own log, in one order.
package actor FleetCollector: FleetMembership {
    /// Without a sign of life for so long, a replica is dead, in milliseconds. Longer than a sign holds, because the
    /// engine itself may have stood still.
    private static let timeToLive: Int64 = 5000
    /// Maximum number of frames of each replica read at once.
    private static let readCount = 16

    let server: MockAPNSServer
    var keys: FleetKeys
    let desk: ControlDesk
    private let logger: Logger
    private let links: (read: any FleetLink, ask: any FleetLink)
    private let allowsMissing: Bool
    private let limits: FleetLimits
    private let readiness = Mutex<String?>(nil)
    /// Whether all replicas ship all records.
    private let completeness = Mutex(true)
    /// What was not known at the latest verdict.
    package private(set) var latestGap: String?
    private let start = ContinuousClock.now
    private var merge = FleetMerge()
    private(set) var replicas: [CollectedReplica] = []
    /// Entries of the control stream that are not carried out yet: what replicas had decided before a call comes first.
    var control: ArraySlice<(entry: StreamEntry, arrival: Int64)> = []
    /// The latest entry of the control stream that was carried out.
    var applied = StreamID.zero
    /// The entry by which everything started over, or the first one.
    var anchor = ControlAnchor()
    /// Whether entries of the control stream are being carried out.
    var isCarryingOut = false
    /// Whether nothing may come into the log, because it may start over.
    var isHeldBack = false
    var seen = SeenCalls()
    /// The latest entry read of each stream.
    private var positions: [String: StreamID] = [:]
    /// The address of the admin API, for replicas to name; `nil` for a collector that nobody can ask.
    private var adminURL: String?
    private var tasks: [Task<Void, Never>] = []
    private var isEnding = false
    /// Why the engine did not answer the latest call.
    private var failure: FleetError?

    /// Joins a fleet.
    ///
    /// - Parameters:
    ///   - server: the server, which serves no providers.
    ///   - fleet: the name of the fleet.
    ///   - allowsMissing: whether verdicts are given even if something is missing.
    ///   - limits: how long it waits.
    ///   - makeLink: makes a link to the engine.
    /// - Throws: `StartError` if the engine cannot be reached.
    package static func join(
        _ server: MockAPNSServer, fleet: String, allowsMissing: Bool = false, limits: FleetLimits = .init(),
        logger: Logger, _ makeLink: @Sendable () -> any FleetLink
    ) async throws(MockAPNSServer.StartError) -> FleetCollector {
        let collector = FleetCollector(server, fleet, allowsMissing, limits, logger, makeLink)
        do throws(FleetError) { try await collector.begin() } catch {
            await collector.leave()
            throw .unavailable("The fleet \(fleet) cannot be collected: \(error).")
        }
        server.fleet = collector
        return collector
    }

    private init(
        _ server: MockAPNSServer, _ fleet: String, _ allowsMissing: Bool, _ limits: FleetLimits, _ logger: Logger,
        _ makeLink: @Sendable () -> any FleetLink
    ) {
        (self.server, self.logger, self.allowsMissing, self.limits) = (server, logger, allowsMissing, limits)
        keys = FleetKeys(fleet)
        links = (makeLink(), makeLink())
        desk = ControlDesk(keys, limit: limits.call, makeLink)
        positions[keys.control] = .zero
    }

    package nonisolated var role: FleetRole { .collector }
    package nonisolated var problem: String? { readiness.withLock { $0 } }
    package nonisolated var collector: String? { nil }
    package nonisolated var shipsAll: Bool { completeness.withLock { $0 } }

    private func begin() async throws(FleetError) {
        _ = try await links.ask.time()
        try await desk.begin()
        tasks = [
            Task { await self.readRepeatedly() }, Task { await self.mergeRepeatedly() }, Task { await self.watch() },
        ]
    }

    /// Lets replicas name the admin API.
    package func announce(at url: String) async {
        adminURL = url
        try? await links.ask.set(keys.collector, to: Array(url.utf8), expiringAfter: SignOfLife.validity)
    }

    /// Ends the connection to the engine.
    package func leave() async {
        isEnding = true
        for task in tasks { task.cancel() }
        await links.read.close()
        await links.ask.close()
        await desk.end()
        for task in tasks { await task.value }
    }

    var now: Int64 { ContinuousClock.now.milliseconds(since: start) }

    // MARK: Reading

    private func readRepeatedly() async {
        while !isEnding {
            do throws(FleetError) {
                let streams = positions.map { (key: $0.key, after: $0.value) }
                for (key, entries) in try await links.read.read(streams, count: Self.readCount, within: 500) {
                    for entry in entries { take(entry, of: key) }
                }
                proceed()
                await followControl()
            } catch {
                note(error)
                if !isEnding { try? await Task.sleep(for: .milliseconds(200)) }
            }
        }
    }

    private func take(_ entry: StreamEntry, of key: String) {
        // What is not read any more is of an earlier epoch.
        guard let position = positions[key] else { return }
        positions[key] = max(position, entry.id)
        if key == keys.control { return control.append((entry, now)) }
        guard let name = replicas.first(where: { keys.log($0.name) == key })?.name else { return }
        let index = index(of: name, started: entry.id.milliseconds) ?? add(name, started: entry.id.milliseconds)
        do throws(ReplicaFrame.Mistake) {
            guard let bytes = entry.value("d") else {
                throw ReplicaFrame.Mistake(offset: 0, message: "an entry has no frame")
            }
            let frame = try ReplicaFrame(bytes.span)
            replicas[index].note(frame, number: entry.id.number)
            merge.take(frame, of: mergeNumber(of: index), at: now)
        } catch {
            if replicas[index].lostFrames == 0 {
                logger.error("A frame of the replica \(name) cannot be read: \(error).")
            }
            replicas[index].note("\(error)", number: entry.id.number)
        }
    }

    /// Notes that a replica has joined.
    func take(_ join: JoinMessage) {
        // The replicas have started over, and this member has not, as without an admin API.
        if join.epoch > keys.epoch {
            startOver(join.epoch)
            server.reset()
        }
        guard join.epoch == keys.epoch else { return }
        if positions[keys.log(join.replica)] == nil { positions[keys.log(join.replica)] = .zero }
        let index =
            index(of: join.replica, started: join.started) ?? add(join.replica, started: join.started)
        replicas[index].records = join.records
        if join.records != .all { completeness.withLock { $0 = false } }
    }

    /// Forgets everything that was shipped.
    func startOver(_ epoch: Int) {
        keys.epoch = epoch
        merge = FleetMerge()
        // Those that live have not joined again yet.
        let shipsAll = replicas.allSatisfy { $0.state != .alive || $0.records == .all }
        completeness.withLock { $0 = shipsAll }
        replicas = []
        positions = positions.filter { $0.key == keys.control }
    }

    private func index(of name: String, started: UInt64) -> Int? {
        replicas.firstIndex { $0.name == name && $0.started == started }
    }

    @discardableResult
    private func add(_ name: String, started: UInt64) -> Int {
        var replica = CollectedReplica(name: name, started: started)
        replica.seen = now
        for index in replicas.indices where replicas[index].name == name && replicas[index].state == .alive {
            // Its name has gone to another process.
            if replicas[index].started < started { setDead(index) } else { replica.state = .dead }
        }
        replicas.append(replica)
        return replicas.count - 1
    }

    private func mergeNumber(of index: Int) -> Int {
        if let number = replicas[index].number { return number }
        let number = merge.add()
        replicas[index].number = number
        server.addReplica(replicas[index].name)
        if replicas[index].state == .dead { merge.setLiving(false, number) }
        return number
    }

    private func setDead(_ index: Int) {
        replicas[index].state = .dead
        if let number = replicas[index].number { merge.setLiving(false, number) }
    }

    // MARK: Merging

    private func mergeRepeatedly() async {
        while !isEnding {
            try? await Task.sleep(for: .milliseconds(10))
            proceed()
            await followControl()
        }
    }

    /// Puts what need not be held back into the log.
    ///
    /// - Parameter isAll: whether nothing is held back.
    func proceed(isAll: Bool = false) {
        guard !isHeldBack else { return }
        var runs: [ReplicaRun] = []
        while let run = merge.next(at: isAll ? nil : now) {
            runs.append(run)
            if runs.count == 16 {
                server.take(runs)
                runs = []
            }
        }
        server.take(runs)
    }

    // MARK: Signs of life

    private func watch() async {
        while !isEnding {
            do throws(FleetError) {
                try await look()
                anchor.note(try await links.ask.look(for: anchor, in: keys.control), applied: applied)
                if let adminURL {
                    try await links.ask.set(
                        keys.collector, to: Array(adminURL.utf8), expiringAfter: SignOfLife.validity)
                }
                note(nil)
            } catch {
                note(error)
            }
            try? await Task.sleep(for: .seconds(1))
        }
    }

    private func look() async throws(FleetError) {
        let names = Set(replicas.filter { $0.state != .ended }.map(\.name)).sorted()
        let lives = try await links.ask.values(of: names.map { keys.alive($0) })
        // While the engine did not answer, nobody could give a sign of life.
        note(nil)
        for (name, bytes) in zip(names, lives) {
            let life = bytes.flatMap { SignOfLife($0) }
            for index in replicas.indices where replicas[index].name == name && replicas[index].state != .ended {
                if let life, life.started == replicas[index].started {
                    replicas[index].note(life, at: now)
                    if let number = replicas[index].number { merge.setLiving(true, number) }
                } else if let seen = replicas[index].seen, now - seen > Self.timeToLive, replicas[index].state == .alive
                {
                    logger.warning("The replica \(name) has ended without saying so; verdicts will fail and name it.")
                    setDead(index)
                }
            }
        }
    }

    private func note(_ error: FleetError?) {
        guard !isEnding else { return }
        readiness.withLock { $0 = error.map { "\($0)" } ?? (anchor.isLost ? ControlAnchor.loss : nil) }
        guard (failure == nil) != (error == nil) else { return }
        failure = error
        if let error {
            logger.warning("The engine of the fleet does not answer (\(error)); /readyz is 503 until it does.")
        } else {
            for index in replicas.indices where replicas[index].state == .alive { replicas[index].seen = now }
            logger.notice("The engine of the fleet answers again.")
        }
    }

    // MARK: Verdicts

    package func gather() async -> String? {
        let deadline = ContinuousClock.now + limits.verdict
        var mark: StreamID?
        var ends: [String: StreamID] = [:]
        repeat {
            do throws(FleetError) {
                if mark == nil {
                    mark = try await links.ask.append(
                        [("k", Array("mark".utf8))], to: keys.control, id: nil, keepingFrom: nil)
                }
                if let mark, applied >= mark, hasAnswers(to: mark) {
                    anchor.note(try await links.ask.look(for: anchor, in: keys.control), applied: applied)
                    // Those that have ended do not answer, but all that they shipped has to be here.
                    for name in Set(replicas.map(\.name)) where ends[name] == nil {
                        ends[name] = try await links.ask.lastID(of: keys.log(name))
                    }
                    if !anchor.isInDoubt, ends.allSatisfy({ positions[keys.log($0.key)] ?? .zero >= $0.value }) {
                        break
                    }
                }
            } catch {
                note(error)
            }
            try? await Task.sleep(for: .milliseconds(10))
        } while ContinuousClock.now < deadline && !isEnding
        proceed(isAll: true)
        latestGap = gap(after: mark)
        return allowsMissing ? nil : latestGap
    }

    /// Whether every replica that lives has shipped what it had decided at a mark.
    func hasAnswers(to mark: StreamID) -> Bool {
        replicas.allSatisfy { $0.state != .alive || $0.mark >= mark }
    }

    func gap(after mark: StreamID?) -> String? {
        guard let mark else { return "the engine of the fleet does not answer" }
        // What is not read may say that there are more replicas.
        guard applied >= mark || anchor.isLost else {
            return "not everything that the engine of the fleet has was read in time"
        }
        guard !replicas.isEmpty || anchor.isLost else { return "no replica has joined the fleet \(keys.fleet)" }
        let gaps = (anchor.isLost ? [ControlAnchor.loss] : []) + replicas.compactMap { $0.gap(after: mark) }
        return gaps.isEmpty ? nil : gaps.joined(separator: "; ")
    }

    // MARK: Status

    package func status() async -> [UInt8] {
        let list = replicas.map { replica in
            #"{"name":"\#(replica.name)","started":\#(replica.started),"state":"\#(replica.state.rawValue)","frame":\#(replica.frame),"decided":\#(replica.decided),"received":\#(replica.received),"missing":\#(replica.missing),"records":"\#(replica.records.rawValue)","unshipped":\#(replica.unshipped),"lag":\#(max(0, replica.decided - replica.received))}"#
        }
        return Array(
            #"{"name":"\#(keys.fleet)","role":"collector","ready":\#(isReady),"applied":"\#(applied)","epoch":\#(keys.epoch),"replicas":[\#(list.joined(separator: ","))]}"#
                .utf8)
    }
}
