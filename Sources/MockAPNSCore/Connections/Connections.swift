/// The connections that are known: all open ones, and the latest closed ones.
package struct Connections: Sendable {
    /// Maximum number of closed connections kept by a server.
    package static let closedLimit = 1000

    /// How many connections there were at a point in time, to tell what came later.
    package struct Totals: Sendable {
        /// The connections opened in the run.
        var opened = 0
        /// The PING frames on them.
        var pings = 0
        /// The highest id.
        var latestID = 0

        /// Creates the totals; none without arguments.
        package init(opened: Int = 0, pings: Int = 0, latestID: Int = 0) {
            (self.opened, self.pings, self.latestID) = (opened, pings, latestID)
        }
    }

    /// The id of the connection used for pushes from the admin API.
    static let adminID = 0

    package var open: [OpenConnection] = []
    /// The latest closed connections: at least the limit of them once there were as many, and at most twice as many.
    private(set) var closed: [Connection] = []
    /// The number of closed connections that were removed in this run.
    private(set) var forgotten = 0
    private let limit: Int
    private var opened = 0
    private var pingsOfClosed = 0
    /// The highest connection id so far. Ids are never reused.
    private(set) var latestID = 0
    /// The highest id before the run began. Ids are consecutive, so the number of a connection in the run is its id
    /// minus this.
    package private(set) var latestIDBefore = 0
    /// The index in ``open`` of each id.
    private var indices: [Int: Int] = [:]
    /// The index in ``closed`` of each id, plus ``forgotten``.
    private var positions: [Int: Int] = [:]
    /// The connection looked up last: requests come in batches from one connection.
    private var last: (id: Int, index: Int)?

    /// - Parameter limit: the number of closed connections that are kept.
    package init(closedLimit limit: Int = closedLimit) { self.limit = limit }

    /// The number of connections opened in this run, including failed handshakes.
    package var count: Int { opened }

    /// The number of PING frames on connections of this run, as far as reported.
    var pings: Int { pingsOfClosed + open.reduce(0) { $0 + ($1.number == nil ? 0 : $1.counters?.pings ?? 0) } }

    /// The totals so far.
    package var totals: Totals { Totals(opened: opened, pings: pings, latestID: latestID) }

    /// The number of open connections of this run.
    package var openCount: Int { open.count { $0.number != nil } }

    /// All known connections by id, including open ones from before the run.
    package var all: [Connection] { (closed + open.map { Connection($0) }).sorted { $0.id < $1.id } }

    /// The connection with this id, if known.
    package subscript(id: Int) -> Connection? {
        if let index = indices[id] { return Connection(open[index]) }
        return indexOfClosed(id).map { closed[$0] }
    }

    /// The server name that the client of this connection asked for, if it is known.
    package func serverName(of id: Int) -> String? {
        if let index = indices[id] { return open[index].facts.serverName }
        return indexOfClosed(id).flatMap { closed[$0].facts.serverName }
    }

    private func indexOfClosed(_ id: Int) -> Int? { positions[id].map { $0 - forgotten } }

    /// Returns whether this connection is open.
    func isOpen(_ id: Int) -> Bool { indices[id] != nil }

    /// Returns whether this connection is open, or among the latest closed ones.
    func isKnown(_ id: Int) -> Bool { isOpen(id) || indexOfClosed(id) != nil }

    /// Returns the id of a new connection, whether or not it gets as far as being opened.
    mutating func makeID() -> Int {
        latestID += 1
        return latestID
    }

    /// Returns the number in this run of the connection with this id, starting at 1; `nil` if it is from before the
    /// run.
    func number(of id: Int) -> Int? { id > latestIDBefore ? id - latestIDBefore : nil }

    /// Returns the id of the connection with this number in the run, whether or not it exists.
    func id(of number: Int) -> Int { latestIDBefore + number }

    /// Returns the reference to the connection with this id.
    func reference(to id: Int) -> ConnectionReference { ConnectionReference(id: id, number: number(of: id)) }

    /// Starts a new run: numbers start at 1 and totals at 0. Closed connections are removed. Open ones keep their ids,
    /// lose their numbers and no longer count in any total.
    mutating func beginRun() {
        closed.removeAll()
        positions.removeAll()
        (opened, pingsOfClosed, forgotten) = (0, 0, 0)
        latestIDBefore = latestID
        for index in open.indices { open[index].number = nil }
    }

    /// Adds a connection for one push from the admin API. It counts in no total, and is in no list once ``endAdmin()``
    /// has removed it.
    ///
    /// - Returns: its index.
    mutating func beginAdmin(_ facts: ConnectionFacts, isSandbox: Bool, at now: Timestamp) -> Int {
        let index = add(OpenConnection(id: Self.adminID, number: nil, facts: facts, openedAt: now))
        open[index].isSandbox = isSandbox
        (open[index].streamLimit, open[index].hasFullLimit) = (.max, true)
        last = (Self.adminID, index)
        return index
    }

    mutating func endAdmin() {
        open.removeLast()
        indices[Self.adminID] = nil
        last = nil
    }

    private mutating func add(_ connection: OpenConnection) -> Int {
        indices[connection.id] = open.count
        open.append(connection)
        return open.count - 1
    }

    /// Returns the index in ``open`` of the connection with this id; `nil` if it is not open.
    func openIndex(of id: Int) -> Int? { indices[id] }

    /// Returns the indices of the connections an order applies to: the one with this id if it is open, or all.
    func indices(of id: Int?) -> [Int] {
        guard let id else { return Array(open.indices) }
        return indices[id].map { [$0] } ?? []
    }

    mutating func update(_ id: Int, counters: ConnectionCounters) {
        guard let index = indices[id] else { return }
        open[index].counters = counters
    }

    /// Returns the index in ``open`` of the connection with this id, which has to be open.
    @inline(__always)
    package mutating func index(of id: Int) -> Int {
        if let last, last.id == id { return last.index }
        guard let index = indices[id] else { preconditionFailure("connection \(id) is not open") }
        last = (id, index)
        return index
    }
}

// MARK: From the log

extension Connections {
    /// Follows the opening or the end of a connection.
    mutating func apply(_ event: ConnectionEvent) {
        note(event.connection)
        let id = event.connection.key
        switch event.change {
        case .opened(let facts): open(facts, as: id, at: event.time)
        case .closed(let end): close(id, end, at: event.time)
        }
    }

    /// Counts a request that a log tells of.
    ///
    /// - Returns: its position on its connection, starting at 1; `nil` if the connection is not known.
    @discardableResult
    package mutating func countRequest(on connection: ConnectionReference) -> Int? {
        note(connection)
        let id = connection.key
        if last?.id == id || isOpen(id) {
            let index = index(of: id)
            open[index].requests += 1
            return open[index].requests
        }
        // A fleet may decide about a push after its connection was closed.
        guard let index = indexOfClosed(id) else { return nil }
        closed[index].requests += 1
        return closed[index].requests
    }

    /// Adds an open connection that a log shows only by a request on it.
    package mutating func addUnopened(_ connection: ConnectionReference) {
        note(connection)
        _ = add(
            OpenConnection(
                id: connection.key, number: number(of: connection.key), facts: ConnectionFacts(), openedAt: nil))
    }

    /// Infers from a number and an id which connections were open before the run; a recorded log reveals this line by
    /// line.
    private mutating func note(_ connection: ConnectionReference) {
        latestID = max(latestID, connection.key)
        guard let id = connection.id else { return }
        latestIDBefore = max(0, connection.number.map { id - $0 } ?? max(latestIDBefore, id))
    }

    private mutating func open(_ facts: ConnectionFacts, as id: Int, at time: Timestamp?) {
        let number = number(of: id)
        if number != nil { opened += 1 }
        var connection = OpenConnection(id: id, number: number, facts: facts, openedAt: time)
        connection.opening = opened
        if let index = indices[id] {
            connection.requests = open[index].requests
            open[index] = connection
        } else {
            _ = add(connection)
        }
    }

    private mutating func close(_ id: Int, _ end: ConnectionEnd, at time: Timestamp?) {
        let index =
            indices[id]
            ?? add(OpenConnection(id: id, number: number(of: id), facts: ConnectionFacts(), openedAt: nil))
        indices[id] = nil
        let connection = Connection(open[index], closed: end, at: time)
        // The last connection fills the gap.
        let moved = open.removeLast()
        if moved.id != id {
            open[index] = moved
            indices[moved.id] = index
        }
        last = nil
        if connection.number != nil { pingsOfClosed += end.counters.pings }
        if closed.count / 2 >= limit {
            for oldest in closed.dropLast(limit) { positions[oldest.id] = nil }
            forgotten += closed.count - limit
            closed.removeFirst(closed.count - limit)
        }
        positions[id] = forgotten + closed.count
        closed.append(connection)
    }
}
