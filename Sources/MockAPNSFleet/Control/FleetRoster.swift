import MockAPNSCore

/// The replicas that have joined a fleet, by its control stream, and which of them are live.
actor FleetRoster {
    private let keys: FleetKeys
    private let link: any FleetLink
    /// The replicas that have joined, dead ones included, each with the entry by which its process joined first.
    private var members: [String: (join: JoinMessage, entry: StreamID)] = [:]
    /// The names of those that were live at the latest look.
    private var lived: Set<String> = []
    /// When it was last looked which replicas are live.
    private(set) var latestLook = ContinuousClock.now
    /// Until then, a replica may be live although its heartbeat has expired: the engine hung.
    private var graceEnd = ContinuousClock.now
    /// The entry by which the first replica joined; zero before.
    private(set) var began = StreamID.zero

    init(_ keys: FleetKeys, _ link: any FleetLink) { (self.keys, self.link) = (keys, link) }

    /// Notes that the engine hung, so that no replica could send a heartbeat.
    func extendGrace() { graceEnd = .now + .milliseconds(Heartbeat.validity) }

    /// Whether a replica may be live although its heartbeat has expired.
    var isInGrace: Bool { .now < graceEnd }

    /// Returns the replicas that have joined since an epoch began, dead ones included, in the order of their names.
    func joined(in epoch: StreamID) -> [JoinMessage] {
        members.values.map(\.join).filter { $0.epoch == epoch }.sorted { $0.replica < $1.replica }
    }

    /// Notes that a replica has joined.
    func note(_ join: JoinMessage, at id: StreamID) {
        if began == .zero { began = id }
        let known = members[join.replica]
        // Of an engine whose clock has gone back, the latest entry may be the lowest.
        let first = known.flatMap { join.isOfSameProcess(as: $0.join) ? min($0.entry, id) : nil } ?? id
        members[join.replica] = (join, first)
        lived.insert(join.replica)
    }

    /// Notes that a replica was never part of the fleet.
    func forget(_ replica: String, started: UInt64) {
        if members[replica]?.join.started == started { members[replica] = nil }
    }

    /// Returns the live replicas.
    ///
    /// - Parameter entry: only those that joined before this entry.
    func living(before entry: StreamID = .max) async throws(FleetError) -> [JoinMessage] {
        let names = members.keys.sorted()
        latestLook = .now
        let heartbeats = try await link.values(of: names.map { keys.alive($0) })
        let alive = Set(zip(names, heartbeats).filter { $0.1 != nil }.map(\.0))
        lived = isInGrace ? lived.union(alive) : alive
        return names.filter { lived.contains($0) }.compactMap { members[$0] }.filter { $0.entry < entry }.map(\.join)
    }
}
