package import Logging
package import MockAPNS
import MockAPNSCore
import NIOCore

/// A server as a replica of a fleet: ships what it decides to the engine, where a collector reads it.
///
/// Nothing here happens on the path of a push: frames are made from snapshots of the log, and no lock is held while the
/// engine is waited for. While the engine is slow or gone, the log in memory is the queue.
package actor FleetReplica: FleetMembership {
    /// How a replica takes part.
    package struct Options: Sendable {
        /// The name of the fleet.
        package var fleet: String
        /// The name of the replica, unlike that of any other.
        package var name: String
        /// The time between frames, in milliseconds.
        package var delay: Int
        /// How long it waits.
        package var limits = FleetLimits()

        /// Creates options.
        package init(fleet: String, name: String, delay: Int) {
            (self.fleet, self.name, self.delay) = (fleet, name, delay)
        }
    }

    /// The facts that are read without waiting.
    struct Known: Sendable {
        /// Why it is not ready.
        var problem: String?
        var collector: String?
    }

    let server: MockAPNSServer
    let options: Options
    var keys: FleetKeys
    let logger: Logger
    let links: (ship: any FleetLink, control: any FleetLink, heartbeat: any FleetLink, order: any FleetLink)
    let roster: FleetRoster
    let known = Guarded(Known())
    private let failures = Guarded(0)
    var shipper: FrameShipper
    /// This replica's latest message about itself.
    var own: JoinMessage
    /// The entry by which this replica has joined; zero before the first.
    var anchor = StreamLossDetector()
    /// The latest entry of the control stream that was carried out.
    var applied = StreamID.zero
    /// How much of the control stream was read.
    var history = ControlHistory()
    /// How much of it the engine has to keep.
    var budget: ControlBudget
    /// Everything decided before this entry of the control stream is shipped next.
    var mark = StreamID.zero
    /// Whether the collector waits for what this replica has decided so far, and for the latest entry that said so.
    var isAsked = false
    var asked = StreamID.zero
    var seen = SeenCalls()
    var seenEntries = SeenEntries()
    /// The entries that this replica appends to the control stream by itself.
    let queue: OrderQueue
    /// The number of the latest entry of that kind.
    var latestEntry: UInt64 = 0
    /// Whether an entry with counts is on its way, which also says how late it is.
    var hasAskedForTime = false
    /// The entry of the control stream that began the scenario; zero for the one that the fleet started with.
    var scenario = StreamID.zero
    /// Whether another process of the same name has continued the stream of frames. Nothing of this one counts then.
    var isSuperseded = false
    /// Whether shipping has to wait, because the log starts over.
    var isStartingOver = false
    /// Why it could not join again so far, once it has started over.
    var joiningFailure: FleetError?
    /// The address of the admin API, for people; `nil` before that is open.
    private(set) var adminURL: String?
    private var tasks: [Task<Void, Never>] = []
    /// Tells when there may be something to ship.
    private let shipping = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// The task that appends to the control stream.
    private var appending: Task<Void, Never>?
    private(set) var isEnding = false
    /// When it stops trying to ship what is left.
    private var leavingDeadline: ContinuousClock.Instant?

    /// Joins a fleet before the server listens: the others would not know what it decided before that.
    ///
    /// - Parameter makeLink: makes a link to the engine.
    /// - Throws: `StartError` if the engine cannot be reached, the name is taken, the run of the fleet is over, another
    ///   replica differs in what has to be equal, or the task is canceled before it has joined.
    package static func join(
        _ server: MockAPNSServer, _ options: Options, logger: Logger, _ makeLink: @Sendable () -> any FleetLink
    ) async throws(MockAPNSServer.StartError) -> FleetReplica {
        let replica = FleetReplica(server, options, logger, makeLink)
        let rejection: MockAPNSServer.StartError?
        do {
            rejection = try await withTaskCancellationHandler {
                try await replica.begin()
            } onCancel: {
                Task { await replica.stopJoining() }
            }
        } catch {
            rejection = .unavailable("The fleet \(options.fleet) cannot be joined: \(error).")
        }
        if let rejection {
            // A replica that has joined announces that it ends, so that it does not count as missing.
            if await replica.anchor.id == .zero {
                await replica.closeLinks()
            } else {
                await replica.leave(served: false)
            }
            throw rejection
        }
        await replica.run()
        server.fleet = replica
        return replica
    }

    private init(
        _ server: MockAPNSServer, _ options: Options, _ logger: Logger, _ makeLink: @Sendable () -> any FleetLink
    ) {
        (self.server, self.options, self.logger) = (server, options, logger)
        keys = FleetKeys(options.fleet)
        links = (makeLink(), makeLink(), makeLink(), makeLink())
        roster = FleetRoster(keys, links.heartbeat)
        queue = OrderQueue(limit: options.limits.push)
        budget = ControlBudget(limit: options.limits.control)
        shipper = FrameShipper(started: 0, storedLimit: options.limits.frames)
        own = JoinMessage(replica: options.name, started: 0, version: "", scenario: "", authority: "")
    }

    /// Lets the collector name the admin API.
    package func announce(at url: String) { adminURL = url }

    package nonisolated var problem: String? { known.withLock { $0.problem } }
    package nonisolated var collector: String? { known.withLock { $0.collector } }

    private func run() {
        tasks = [
            Task { await self.shipRepeatedly() }, Task { await self.lookRepeatedly() },
            Task { await self.followControl() }, Task { await self.live() }, Task { await self.watchDeadlines() },
            Task { await self.appendCountsRepeatedly() },
        ]
        appending = Task { await self.appendInOrder() }
        server.orderPushes { [queue, weak server, fleet = options.fleet] pushes in
            guard !queue.add(pushes) else { return }
            server?.refusePostponed(
                pushes.map(\.id),
                because:
                    "All replicas of the fleet \(fleet) decide this push in one order, but this replica is stopping; send it again to another."
            )
        }
    }

    // MARK: Shipping

    private func shipRepeatedly() async {
        for await _ in shipping.stream {
            if isEnding || isSuperseded { break }
            await ship()
        }
    }

    private func lookRepeatedly() async {
        while !isEnding {
            try? await Task.sleep(for: .milliseconds(interval))
            shipSoon()
        }
    }

    /// Lets what there is be shipped without waiting for the next look.
    func shipSoon() { shipping.continuation.yield() }

    /// The milliseconds between two looks at what there is to ship. A record is looked at twice within the delay.
    private var interval: Int { max(1, options.delay / 2) }

    /// Ships what has happened.
    private func ship(isLast: Bool = false) async {
        guard !isStartingOver, shipper.isDue(server.latestEvent, mark: mark) || isLast || isAsked else { return }
        let deadline = isLast ? leavingDeadline : nil
        // Entries that could not be appended come first.
        guard await appendPending(until: deadline) else { return }
        // From before the snapshot: what comes while a frame waits for the engine is not in any of these frames.
        let (now, mark) = (WallClock.now(), mark)
        // A mark asks for everything, and so does a collector that waits.
        var isNeeded = isLast || isAsked || shipper.isAsked(mark)
        isAsked = false
        let recent = Timestamp(milliseconds: now.milliseconds - Int64(interval) + 1)...now
        let snapshot = server.replicaSnapshot(
            knownTopics: shipper.knownTopics, after: shipper.latestSequence, except: isNeeded ? nil : recent)
        while shipper.makeNext(from: snapshot, at: now, mark: mark, isLast: isLast, isNeeded: isNeeded) {
            isNeeded = false
            // Events before a call are in its frames meanwhile.
            guard await appendPending(until: deadline), mark == self.mark else { return }
        }
    }

    /// Ends a frame before a call, so that the collector can tell what was decided before the call from what comes after.
    func endFrame() {
        let snapshot = server.replicaSnapshot(
            knownTopics: shipper.knownTopics, after: shipper.latestSequence, except: nil)
        let now = WallClock.now()
        var isNeeded = true
        while shipper.makeNext(from: snapshot, at: now, mark: mark, isLast: false, isNeeded: isNeeded) {
            isNeeded = false
        }
    }

    /// Appends the frames that the engine does not have, again and again until it has them.
    ///
    /// - Returns: whether it has all of them.
    private func appendPending(until deadline: ContinuousClock.Instant?) async -> Bool {
        let (epoch, key) = (keys.epoch, keys.log(options.name))
        while let frame = shipper.pending {
            guard await remains(epoch) else { return false }
            do throws(FleetError) {
                _ = try await links.ship.append(
                    frame.fields, to: key, id: frame.id, keeping: frame.oldest.map(StreamTrim.from))
                // Meanwhile everything may have started over.
                guard await remains(epoch) else { return false }
                shipper.noteShipped()
                if shipper.failure != nil {
                    shipper.failure = nil
                    logger.notice("The engine of the fleet accepts requests again, and has those that had to wait.")
                }
            } catch {
                guard await remains(epoch) else { return false }
                if error == .superseded {
                    isSuperseded = true
                    return false
                }
                noteFailure(error)
                if isEnding, (deadline ?? .now) <= .now { return false }
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
        return true
    }

    private func noteFailure(_ error: FleetError) {
        failures.withLock { $0 += 1 }
        if shipper.failure == nil {
            logger.warning(
                "Requests cannot be shipped to the engine of the fleet \(options.fleet): \(error). They wait in memory until they can."
            )
        }
        shipper.failure = error
    }

    /// Whether nothing has started over since an epoch, once it is known: what is about to start over may be refused.
    private func remains(_ epoch: StreamID) async -> Bool {
        while isStartingOver, epoch == keys.epoch { try? await Task.sleep(for: .milliseconds(5)) }
        return epoch == keys.epoch
    }

    package func status() async -> [UInt8] {
        let heartbeat = heartbeat
        var address: [UInt8] = []
        address.appendJSON(collector)
        return Array(
            #"{"name":"\#(options.fleet)","role":"replica","ready":\#(isReady),"replica":"\#(options.name)","decided":\#(heartbeat.decided),"shipped":\#(heartbeat.shipped),"missing":\#(heartbeat.missing),"applied":"\#(applied)","epoch":"\#(keys.epoch)","collector":\#(String(decoding: address, as: UTF8.self))}"#
                .utf8)
    }

    package nonisolated var shipErrors: Int? { failures.withLock { $0 } }

    // MARK: Leaving

    /// Ships what is left, and says that this was all. Call it when the server has stopped.
    ///
    /// - Parameters:
    ///   - limit: the time limit for all of it, whatever the engine does.
    ///   - served: whether its server has been ready. If not, it was never part of the run, unless a push came all the
    ///     same.
    package func leave(within limit: Duration? = nil, served: Bool = true) async {
        let deadline = ContinuousClock.now + (limit ?? options.limits.leaving)
        leavingDeadline = deadline
        let end = Task {
            guard (try? await Task.sleep(until: deadline, clock: .continuous)) != nil else { return }
            // Ends what waits for an engine that does not answer.
            isEnding = true
            await closeLinks()
        }
        defer { end.cancel() }
        // The server has stopped: what it counted last.
        let counts = server.takeCountedRequests()
        if !counts.isEmpty { queue.add(counts, scenario: scenario) }
        queue.finish()
        let endOfAppending = Task {
            guard (try? await Task.sleep(for: options.limits.push)) != nil else { return }
            await stopAppending()
        }
        await appending?.value
        endOfAppending.cancel()
        isEnding = true
        // Ends what waits for the engine.
        await links.control.close()
        await links.order.close()
        for task in tasks { task.cancel() }
        refuse(queue.takeExpired(at: nil))
        await tasks.first?.value
        await ship(isLast: true)
        if shipper.pending != nil {
            logger.error(
                "The last requests could not be shipped to the engine of the fleet \(options.fleet), so verdicts will fail; if all replicas write logs (--log), judge those with verify --log."
            )
        }
        if !served, server.latestEvent.sequence == 0 { await withdraw(until: deadline) }
        if !isSuperseded { try? await links.heartbeat.remove([keys.alive(options.name)]) }
        await closeLinks()
    }

    /// Takes back that it has joined.
    private func withdraw(until deadline: ContinuousClock.Instant) async {
        while ContinuousClock.now < deadline {
            do throws(FleetError) {
                _ = try await links.heartbeat.append(
                    own.withdrawal, toControl: keys, keeping: .latest(options.limits.control))
                return
            } catch {
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    /// Gives up what is not in the control stream yet.
    private func stopAppending() async {
        isEnding = true
        await links.order.close()
    }

    /// Gives up joining, unless it has joined.
    private func stopJoining() async {
        if anchor.id == .zero { await closeLinks() }
    }

    private func closeLinks() async {
        for link in [links.ship, links.control, links.heartbeat, links.order] { await link.close() }
    }
}
