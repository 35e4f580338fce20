import MockAPNSCore

@testable import MockAPNSFleet

/// An engine in memory, and the faults that a link to it may have.
actor MemoryEngine {
    private var streams: [String: [StreamEntry]] = [:]
    /// They expire only when a test says so: on a busy machine, a heartbeat may come late.
    private var values: [String: [UInt8]] = [:]
    private var latestTime: Int64 = 0
    private let start = ContinuousClock.now
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// Whether it answers at all.
    private(set) var isGone = false
    /// Whether the logs of replicas seem to be empty.
    private var areLogsHidden = false
    /// Whether reads of the logs of replicas wait.
    private(set) var areLogsHeld = false
    /// How long it takes to read logs of replicas.
    private(set) var logDelay = Duration.zero
    /// Whether it refuses to tell the last entries of the logs of replicas.
    private var areLastIDsHidden = false
    /// Whether it knows no more than Redis 6.0.
    private var isOld = false
    /// The stream to which the next appends wait for each other, and how many are still to come.
    private var meeting: (stream: String, left: Int)?
    /// The number of times that it was started: a connection ends with the process.
    fileprivate var starts = 0
    /// Maximum number of bytes of an entry, as when its memory is nearly full; `nil` for no limit.
    private var largestEntry: Int?
    /// The number of appends whose answer gets lost.
    private var lostAnswers = 0
    /// The members that read nothing, as if their processes were stopped.
    private var stopped: Set<String> = []
    /// The number of entries that were ever added to each stream.
    private(set) var appended: [String: Int] = [:]

    func setGone(_ isGone: Bool) {
        self.isGone = isGone
        restart()
        wake()
    }

    /// Ends all connections.
    func restart() { starts += 1 }

    func setOld() { isOld = true }

    /// The next appends to a stream wait until there are so many.
    func holdAppends(to stream: String, until count: Int) { meeting = (stream, count) }

    fileprivate func noteAppend(to stream: String) {
        if meeting?.stream == stream { meeting?.left -= 1 }
    }

    /// Whether others are still to come.
    fileprivate func isHeld(_ stream: String) -> Bool { meeting.map { $0.stream == stream && $0.left > 0 } ?? false }

    func loseAnswers(_ count: Int) { lostAnswers = count }

    func refuseEntries(over bytes: Int?) { largestEntry = bytes }

    func hideLogs(_ areHidden: Bool) {
        areLogsHidden = areHidden
        wake()
    }

    func stop(_ member: String) { stopped.insert(member) }

    func letGoOn(_ member: String) { stopped.remove(member) }

    fileprivate func isStopped(_ member: String) -> Bool { stopped.contains(member) }

    /// The number of entries of each stream, and that of their bytes.
    var sizes: [String: (entries: Int, bytes: Int)] {
        streams.mapValues { entries in
            (entries.count, entries.reduce(0) { $1.fields.reduce($0) { $0 + $1.name.utf8.count + $1.value.count } })
        }
    }

    func holdLogs(_ areHeld: Bool) { areLogsHeld = areHeld }

    func delayLogs(by delay: Duration) { logDelay = delay }

    func hideLastIDs(_ areHidden: Bool) { areLastIDsHidden = areHidden }

    /// Everything that is there is lost, as after a restart without files.
    func empty() {
        streams = [:]
        values = [:]
        restart()
        wake()
    }

    /// All values expire, as while it hangs.
    func expireValues() { values = [:] }

    /// Everything that is in a stream.
    func entries(of stream: String) -> [StreamEntry] { streams[stream] ?? [] }

    func removeEntry(_ index: Int, of stream: String) { streams[stream]?.remove(at: index) }

    /// Makes frames that cannot be read of the entries from this one on.
    func spoilEntries(from index: Int, of stream: String) {
        guard let entries = streams[stream] else { return }
        for entry in entries.indices.dropFirst(index) {
            streams[stream]?[entry] = StreamEntry(id: entries[entry].id, fields: [("d", [0])])
        }
    }

    private func wake() {
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    fileprivate func check() throws(FleetError) { if isGone { throw .unreachable("it is gone") } }

    fileprivate func connect() throws(FleetError) -> Int {
        try check()
        return starts
    }

    fileprivate func append(
        _ fields: [(name: String, value: [UInt8])], to stream: String, id: StreamID?, keeping kept: StreamTrim?,
        mayBegin: Bool
    ) throws(FleetError) -> StreamID {
        try check()
        guard !isOld || mayBegin && kept == nil else {
            throw .refused("ERR Invalid stream ID specified as stream command argument")
        }
        guard mayBegin || streams[stream] != nil else { throw .lost }
        if let largestEntry, fields.reduce(0, { $0 + $1.value.count }) > largestEntry {
            throw .refused("OOM command not allowed when used memory > 'maxmemory'.")
        }
        latestTime = max(latestTime + 1, time.milliseconds)
        let last = streams[stream]?.last?.id ?? .zero
        let id = id ?? StreamID(milliseconds: UInt64(latestTime), number: 0)
        guard id > last else {
            guard last.milliseconds == id.milliseconds else { throw .superseded }
            return id
        }
        streams[stream, default: []].append(StreamEntry(id: id, fields: fields))
        appended[stream, default: 0] += 1
        switch kept {
        case .from(let oldest): streams[stream]?.removeAll { $0.id < oldest }
        case .latest(let count): streams[stream] = streams[stream]?.suffix(count)
        case nil: break
        }
        wake()
        if lostAnswers > 0 {
            lostAnswers -= 1
            throw .unreachable("the answer was lost")
        }
        return id
    }

    fileprivate func found(_ wanted: [(key: String, after: StreamID)], count: Int) -> [(
        key: String, entries: [StreamEntry]
    )] {
        wanted.compactMap { key, after in
            if areLogsHidden, key.contains(":log:") { return nil }
            let entries = (streams[key] ?? []).filter { $0.id > after }.prefix(count)
            return entries.isEmpty ? nil : (key, Array(entries))
        }
    }

    /// Returns the next entries of some streams; none after a change if there are none yet.
    fileprivate func next(_ wanted: [(key: String, after: StreamID)], count: Int) async -> [(
        key: String, entries: [StreamEntry]
    )] {
        let known = found(wanted, count: count)
        guard known.isEmpty, !isGone else { return known }
        await withCheckedContinuation { waiting.append($0) }
        return []
    }

    fileprivate func stopWaiting() { wake() }

    fileprivate func lastID(of stream: String) throws(FleetError) -> StreamID {
        if areLastIDsHidden, stream.contains(":log:") { throw .unreachable("it does not tell") }
        return streams[stream]?.last?.id ?? .zero
    }

    fileprivate func set(_ key: String, _ value: [UInt8]) { values[key] = value }

    fileprivate func values(of keys: [String]) -> [[UInt8]?] { keys.map { values[$0] } }

    func remove(_ keys: [String]) {
        for key in keys {
            streams[key] = nil
            values[key] = nil
        }
    }

    /// Its clock is far from that of the machine.
    fileprivate var time: Timestamp {
        Timestamp(milliseconds: 1_495_255_200_000 + ContinuousClock.now.milliseconds(since: start))
    }
}

/// A link to an engine in memory.
final class MemoryLink: FleetLink {
    private let engine: MemoryEngine
    private let member: String
    private let ending = Ending()

    private actor Ending {
        private(set) var isClosed = false
        /// The start of the engine that it is connected to.
        private(set) var connection: Int?
        func close() { isClosed = true }
        func connect(_ start: Int) { connection = start }
    }

    /// - Parameter member: whose link it is, for a test that stops it.
    init(_ engine: MemoryEngine, of member: String = "") { (self.engine, self.member) = (engine, member) }

    func append(
        _ fields: [(name: String, value: [UInt8])], to stream: String, id: StreamID?, keeping kept: StreamTrim?,
        mayBegin: Bool
    ) async throws(FleetError) -> StreamID {
        try await connect()
        await engine.noteAppend(to: stream)
        while await engine.isHeld(stream), await !ending.isClosed { try? await Task.sleep(for: .milliseconds(2)) }
        return try await engine.append(fields, to: stream, id: id, keeping: kept, mayBegin: mayBegin)
    }

    func read(
        _ streams: [(key: String, after: StreamID)], count: Int, within time: Int
    ) async throws(FleetError) -> [(key: String, entries: [StreamEntry])] {
        while await engine.isStopped(member), await !ending.isClosed { try? await Task.sleep(for: .milliseconds(2)) }
        let deadline = ContinuousClock.now + .milliseconds(time)
        let timer = Task { [engine] in
            try? await Task.sleep(until: deadline, clock: .continuous)
            await engine.stopWaiting()
        }
        defer { timer.cancel() }
        if streams.contains(where: { $0.key.contains(":log:") }) {
            try? await Task.sleep(for: engine.logDelay)
            while await engine.areLogsHeld, await !ending.isClosed { try? await Task.sleep(for: .milliseconds(2)) }
        }
        while true {
            guard await !ending.isClosed else { throw .unreachable("it was closed") }
            try await connect()
            let found =
                time == 0 ? await engine.found(streams, count: count) : await engine.next(streams, count: count)
            if !found.isEmpty || .now >= deadline { return found }
        }
    }

    func lastID(of stream: String) async throws(FleetError) -> StreamID {
        try await connect()
        return try await engine.lastID(of: stream)
    }

    func set(_ key: String, to value: [UInt8], expiringAfter milliseconds: Int) async throws(FleetError) {
        try await connect()
        await engine.set(key, value)
    }

    func values(of keys: [String]) async throws(FleetError) -> [[UInt8]?] {
        try await connect()
        return await engine.values(of: keys)
    }

    func remove(_ keys: [String]) async throws(FleetError) {
        try await connect()
        await engine.remove(keys)
    }

    func time() async throws(FleetError) -> Timestamp {
        try await connect()
        return await engine.time
    }

    var isConnected: Bool { get async { await ending.connection == engine.starts } }

    private func connect() async throws(FleetError) { await ending.connect(try await engine.connect()) }

    func close() async {
        await ending.close()
        await engine.stopWaiting()
    }
}
