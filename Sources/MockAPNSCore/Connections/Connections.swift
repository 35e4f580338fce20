/// The connections that the gateway knows: all that are open, and the last thousand that were closed.
package struct Connections: Sendable {
    /// Maximum number of closed connections that are kept.
    package static let closedLimit = 1000

    /// The id of the connection that a push of the admin API is thought to come on.
    static let adminID = 0

    var open: [Connection] = []
    private var closed: [Connection] = []
    private var opened = 0
    private var pingsOfClosed = 0
    /// The highest id that was given to a connection. Ids are never given again.
    private(set) var latestID = 0
    /// The highest id before the run began. Ids follow each other, so a connection's number in the run is how far its id
    /// is above this one.
    private(set) var latestIDBefore = 0
    /// Where in ``open`` each is.
    private var indices: [Int: Int] = [:]
    /// The one that was asked for last: requests come in batches from one connection.
    private var last = (id: 0, index: 0)

    /// How many were opened in this run, those included whose handshake failed.
    package var count: Int { opened }

    /// How many PING frames came on connections of this run, as far as was reported.
    var pings: Int { pingsOfClosed + open.reduce(0) { $0 + ($1.number == nil ? 0 : $1.counters.pings) } }

    /// How many connections of this run are open.
    package var openCount: Int { open.count { $0.number != nil } }

    /// All that are known, in the order of their ids; open ones of before the run, too.
    package var all: [Connection] { (closed + open).sorted { $0.id < $1.id } }

    /// The one of that id, if it is known.
    package subscript(id: Int) -> Connection? {
        if let index = indices[id] { return open[index] }
        return closed.first { $0.id == id }
    }

    /// Gives an id to a connection that begins, whether it comes to be opened or not.
    mutating func makeID() -> Int {
        latestID += 1
        return latestID
    }

    /// The number in this run of the connection with an id, 1 for the first; `nil` for one of before.
    func number(of id: Int) -> Int? { id > latestIDBefore ? id - latestIDBefore : nil }

    /// The id of the connection with a number in this run, whether there is one or not.
    func id(of number: Int) -> Int { latestIDBefore + number }

    /// Adds a connection.
    ///
    /// - Parameter id: what ``makeID()`` gave it, if that was asked when it began.
    /// - Returns: its id.
    mutating func open(_ facts: ConnectionFacts, as id: Int?, at now: Timestamp, _ terms: Connection.Terms) -> Int {
        let id = id ?? makeID()
        let number = number(of: id)
        if number != nil { opened += 1 }
        indices[id] = open.count
        open.append(Connection(id: id, number: number, facts: facts, openedAt: now, terms))
        return id
    }

    /// Begins a new run: numbers begin with 1, and totals with 0. Closed connections are forgotten; open ones keep their
    /// ids, have no number any more, and count in no total.
    mutating func beginRun() {
        closed.removeAll()
        (opened, pingsOfClosed) = (0, 0)
        latestIDBefore = latestID
        for index in open.indices { open[index].number = nil }
    }

    mutating func close(
        _ id: Int, by closedBy: ClosedBy, explanation: String?, counters: ConnectionCounters, at now: Timestamp
    ) {
        guard let index = indices.removeValue(forKey: id) else { return }
        var connection = open[index]
        // The last one fills the gap.
        let moved = open.removeLast()
        if moved.id != id {
            open[index] = moved
            indices[moved.id] = index
        }
        last = (0, 0)
        connection.closedAt = now
        connection.closedBy = closedBy == .server ? connection.orders.end ?? .server : closedBy
        connection.explanation = explanation
        connection.counters = counters
        if connection.number != nil { pingsOfClosed += counters.pings }
        connection.forgetTokens()
        if closed.count >= 2 * Self.closedLimit { closed.removeFirst(closed.count - Self.closedLimit) }
        closed.append(connection)
    }

    /// Adds a connection for one push of the admin API, which counts in no total and is in no list once
    /// ``endAdmin()`` has removed it.
    mutating func beginAdmin(_ facts: ConnectionFacts, at now: Timestamp, _ terms: Connection.Terms) {
        indices[Self.adminID] = open.count
        last = (Self.adminID, open.count)
        open.append(Connection(id: Self.adminID, number: nil, facts: facts, openedAt: now, terms))
    }

    mutating func endAdmin() {
        open.removeLast()
        indices[Self.adminID] = nil
        last = (0, 0)
    }

    /// Where the connections are that an order is for: the one of that id if it is open, or all.
    func indices(of id: Int?) -> [Int] {
        guard let id else { return Array(open.indices) }
        return indices[id].map { [$0] } ?? []
    }

    mutating func update(_ id: Int, counters: ConnectionCounters) {
        guard let index = indices[id] else { return }
        open[index].counters = counters
    }

    /// Where the connection of that id is in ``open``. It has to be open.
    @inline(__always)
    mutating func index(of id: Int) -> Int {
        if last.id != id {
            guard let index = indices[id] else { preconditionFailure("connection \(id) is not open") }
            last = (id, index)
        }
        return last.index
    }
}
