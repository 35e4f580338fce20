/// The connections the gateway knows: all open ones, and the last thousand closed ones.
package struct Connections: Sendable {
    /// Maximum number of closed connections kept.
    package static let closedLimit = 1000

    /// The id of the connection used for pushes from the admin API.
    static let adminID = 0

    var open: [Connection] = []
    /// The latest closed connections: at least ``closedLimit`` of them once there were as many, and at most twice as many.
    private(set) var closed: [Connection] = []
    /// The number of closed connections that were removed in this run.
    private(set) var forgotten = 0
    private var opened = 0
    private var pingsOfClosed = 0
    /// The highest connection id so far. Ids are never reused.
    private(set) var latestID = 0
    /// The highest id before the run began. Ids are consecutive, so the number of a connection in the run is its id
    /// minus this.
    private(set) var latestIDBefore = 0
    /// The index in ``open`` of each id.
    private var indices: [Int: Int] = [:]
    /// The connection looked up last: requests come in batches from one connection.
    private var last: (id: Int, index: Int)?

    /// The number of connections opened in this run, including failed handshakes.
    package var count: Int { opened }

    /// The number of PING frames on connections of this run, as far as reported.
    var pings: Int { pingsOfClosed + open.reduce(0) { $0 + ($1.number == nil ? 0 : $1.counters.pings) } }

    /// The number of open connections of this run.
    package var openCount: Int { open.count { $0.number != nil } }

    /// All known connections by id, including open ones from before the run.
    package var all: [Connection] { (closed + open).sorted { $0.id < $1.id } }

    /// The connection with this id, if known.
    package subscript(id: Int) -> Connection? {
        if let index = indices[id] { return open[index] }
        return closed.first { $0.id == id }
    }

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

    /// Adds a connection.
    ///
    /// - Parameter id: its id from ``makeID()``, if it already has one.
    /// - Returns: its id.
    mutating func open(_ facts: ConnectionFacts, as id: Int?, at now: Timestamp, _ terms: Connection.Terms) -> Int {
        let id = id ?? makeID()
        let number = number(of: id)
        if number != nil { opened += 1 }
        indices[id] = open.count
        open.append(Connection(id: id, number: number, facts: facts, openedAt: now, terms))
        return id
    }

    /// Starts a new run: numbers start at 1 and totals at 0. Closed connections are removed. Open ones keep their ids,
    /// lose their numbers and no longer count in any total.
    mutating func beginRun() {
        closed.removeAll()
        (opened, pingsOfClosed, forgotten) = (0, 0, 0)
        latestIDBefore = latestID
        for index in open.indices { open[index].number = nil }
    }

    mutating func close(
        _ id: Int, by closedBy: ClosedBy, explanation: String?, counters: ConnectionCounters, at now: Timestamp
    ) {
        guard let index = indices.removeValue(forKey: id) else { return }
        var connection = open[index]
        // The last connection fills the gap.
        let moved = open.removeLast()
        if moved.id != id {
            open[index] = moved
            indices[moved.id] = index
        }
        last = nil
        connection.closedAt = now
        connection.life.closed(by: closedBy, explanation)
        connection.counters = counters
        if connection.number != nil { pingsOfClosed += counters.pings }
        connection.forgetTokens()
        if closed.count >= 2 * Self.closedLimit {
            forgotten += closed.count - Self.closedLimit
            closed.removeFirst(closed.count - Self.closedLimit)
        }
        closed.append(connection)
    }

    /// Adds a connection for one push from the admin API. It counts in no total, and is in no list once ``endAdmin()``
    /// has removed it.
    mutating func beginAdmin(_ facts: ConnectionFacts, at now: Timestamp, _ terms: Connection.Terms) {
        indices[Self.adminID] = open.count
        last = (Self.adminID, open.count)
        open.append(Connection(id: Self.adminID, number: nil, facts: facts, openedAt: now, terms))
    }

    mutating func endAdmin() {
        open.removeLast()
        indices[Self.adminID] = nil
        last = nil
    }

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
    mutating func index(of id: Int) -> Int {
        if let last, last.id == id { return last.index }
        guard let index = indices[id] else { preconditionFailure("connection \(id) is not open") }
        last = (id, index)
        return index
    }
}
