package import MockAPNSCore
import MockAPNSTransport

/// A server's link to the other members of its fleet.
package protocol FleetMembership: Sendable {
    /// Why it is not ready, as a sentence without a full stop; `nil` if it is.
    var problem: String? { get }
    /// The address of the collector's admin API, if a replica knows it.
    var collector: String? { get }

    /// The number of attempts to ship requests that the engine refused or did not answer; `nil` if it ships none.
    var shipErrors: Int? { get }

    /// Returns the answer of `GET /api/v1/fleet`.
    func status() async -> [UInt8]
}

/// A collector's link to the replicas of its fleet.
package protocol FleetCollecting: FleetMembership {
    /// Waits until everything that the replicas have decided so far is in the log.
    ///
    /// - Returns: what is not known, as a sentence without a full stop; `nil` if nothing is missing.
    func gather() async -> String?

    /// Why no verdict holds here, whatever has arrived, as a sentence without a full stop: the replicas play another
    /// scenario, or the run is an earlier one. `nil` if verdicts hold.
    var whyNoVerdictHolds: String? { get async }

    /// Sentences on what could not be put in order, if one of the expectations depends on that.
    func remarks(on expectations: [Expectation]) async -> [String]

    /// Has all replicas carry out a call. Returns when all live ones have done so, or at the time limit.
    func call(_ call: FleetCall) async -> FleetAnswer
}

extension FleetMembership {
    /// Whether the engine answers, has what the members have agreed on and takes what replicas ship, and this member knows
    /// all of it.
    package var isReady: Bool { problem == nil }
}

extension MockAPNSServer {
    /// This server's link to its fleet; `nil` for a server by itself.
    package var fleet: (any FleetMembership)? {
        get { membership.withLock { $0 } }
        set { membership.withLock { $0 = newValue } }
    }

    /// A collector's link to its fleet; `nil` for any other server.
    package var collecting: (any FleetCollecting)? { fleet as? any FleetCollecting }

    // MARK: A replica

    /// Returns what frames are made from.
    ///
    /// - Parameters:
    ///   - topics: the number of topics already known.
    ///   - sequence: the latest request that is in a frame already.
    ///   - recent: the time at which a record need not be shipped yet; `nil` leaves out none.
    package func replicaSnapshot(
        knownTopics topics: Int, after sequence: Int, except recent: ClosedRange<Timestamp>?
    ) -> ReplicaSnapshot {
        engine.gateway.withLock { gateway in
            gateway.replicaSnapshot(
                engine.events.withLock { $0 }, knownTopics: topics, after: sequence, except: recent)
        }
    }

    /// Starts over at the time at which the fleet started, so that the clocks of all replicas agree.
    package func begin(at start: Timestamp) {
        engine.transact { gateway, lines, transaction in
            gateway.reset(inOrderAt: start)
            lines.restart(at: transaction.real)
            engine.takeEnded(&gateway)
        }
    }

    /// Logs which fleet run the following lines belong to.
    package func note(_ member: FleetMember) {
        engine.transact { _, lines, transaction in lines.append(.fleet(member), at: transaction.real) }
    }

    /// Lets the fleet's order say when something is due.
    ///
    /// - Parameter offset: the milliseconds to add to the time of day for the engine's clock.
    package func followOrder(clockOffset offset: Int64) {
        engine.transact { gateway, _, _ in gateway.followOrder(clockOffset: offset) }
    }

    /// Sets when the entry of the order was appended that is carried out next: everything due by then happens first, and
    /// what the entry does happens at that time on all members. `nil` after the entry.
    package func setFleetTime(_ time: Timestamp?) {
        guard let time else { return engine.gateway.withLock { $0.endEntry() } }
        engine.transact { gateway, _, _ in gateway.beginEntry(at: time) }
    }

    /// Whether something is due that happens only when the order reaches its time.
    package var isOrderDue: Bool { engine.gateway.withLock { $0.isOrderDue(at: WallClock.now()) } }

    /// Registers a device if no device has that token, as a push would that is valid for all topics.
    package func registerIfUnknown(_ token: String) {
        guard let token = DeviceToken(hex: token) else { return }
        engine.transact { gateway, _, transaction in
            gateway.registerIfUnknown(token, at: gateway.moment(at: transaction.real).clock)
        }
    }

    /// The number of the event by which everything has started over: what comes after it belongs to the run.
    package var latestReset: Int { engine.events.withLock { $0.latestReset } }

    /// The ids and public halves of the signing keys, by which replicas find out whether they accept the same provider
    /// tokens.
    package var signingKeys: [UInt8] {
        let keys = engine.trust.withLock { $0.keys }.sorted { $0.key < $1.key }
        return keys.flatMap { id, key in Array("\(id)\n".utf8) + ((try? key.pem) ?? []) }
    }

    /// The options that override what a scenario says about answers, as on a command line.
    package var overridingOptions: String {
        let chosen = configuration.chosen
        let options = [
            chosen.authentication.map { "--auth \($0)" }, chosen.environment.map { "--environment \($0)" },
            chosen.initialStreams.map { "--initial-streams \($0)" },
        ]
        return options.compactMap(\.self).joined(separator: " ")
    }

    // MARK: A collector

    /// Returns the replica that a connection was made to, and its id there; `nil` if no replica has reported it.
    package func replicaConnection(_ id: Int) -> (replica: String, id: Int)? {
        engine.gateway.withLock { $0.replicaConnection(id) }
    }

    /// Returns the number of stored pushes, by replica, whose outcome is unknown if the replica has ended.
    ///
    /// - Parameter anyTime: whether the clock may have moved to any time since; else it is the latest one reported.
    package func unsettledPushes(atAnyTime anyTime: Bool) -> [Int: Int] {
        engine.gateway.withLock { $0.unsettledPushes(atAnyTime: anyTime) }
    }

    /// Adds a replica; runs may refer to it by its number, 0 for the first.
    package func addReplica(_ name: String) { engine.gateway.withLock { $0.addReplica(name) } }

    /// Records what replicas have decided, in this order.
    package func take(_ runs: [ReplicaRun]) {
        guard !runs.isEmpty else { return }
        engine.transact { gateway, lines, transaction in
            for run in runs {
                gateway.take(run)
                lines.appendRequests(of: gateway.log)
                if gateway.hasEffects { transaction.note(gateway.takeEffects(), &lines) }
            }
        }
    }
}
