/// The connections that the gateway knows: all that are open, and the last thousand that were closed.
public struct Connections: Sendable {
    /// So many closed ones are kept.
    public static let closedLimit = 1000

    var open: [Connection] = []
    private var closed: [Connection] = []
    private var opened = 0
    private var numbered = 0
    private var pingsOfClosed = 0
    /// Where in ``open`` each is.
    private var places: [Int: Int] = [:]
    /// The one that was asked for last: requests come in batches from one connection.
    private var last = (id: 0, place: 0)

    /// How many were opened so far, those included whose handshake failed.
    public var count: Int { opened }

    /// The highest number that was given to one.
    var latestNumber: Int { numbered }

    /// How many PING frames came on all of them, as far as was reported.
    var pings: Int { pingsOfClosed + open.reduce(0) { $0 + $1.counters.pings } }

    /// How many are open.
    public var openCount: Int { open.count }

    /// All that are known, in the order of their numbers.
    public var all: [Connection] { (closed + open).sorted { $0.id < $1.id } }

    /// The one of that number, if it is known.
    public subscript(id: Int) -> Connection? {
        if let place = places[id] { return open[place] }
        return closed.first { $0.id == id }
    }

    /// Gives a number to a connection that begins, whether it comes to be opened or not.
    mutating func number() -> Int {
        numbered += 1
        return numbered
    }

    mutating func open(
        _ facts: ConnectionFacts, as number: Int?, at now: Timestamp, isSandbox: Bool, serverName: UInt16,
        streamLimit: Int, hasFullLimit: Bool
    ) -> Int {
        let number = number ?? self.number()
        opened += 1
        places[number] = open.count
        open.append(
            Connection(
                id: number, facts: facts, openedAt: now, isSandbox: isSandbox, serverName: serverName,
                streamLimit: streamLimit, hasFullLimit: hasFullLimit))
        return number
    }

    /// Forgets those that were closed.
    mutating func forgetClosed() { closed.removeAll() }

    mutating func close(
        _ id: Int, by closedBy: ClosedBy, explanation: String?, counters: ConnectionCounters, at now: Timestamp
    ) {
        guard let place = places.removeValue(forKey: id) else { return }
        var connection = open[place]
        // The last one moves to the free place.
        let moved = open.removeLast()
        if moved.id != id {
            open[place] = moved
            places[moved.id] = place
        }
        last = (0, 0)
        connection.closedAt = now
        connection.closedBy = closedBy == .server ? connection.orders.end ?? .server : closedBy
        connection.explanation = explanation
        connection.counters = counters
        pingsOfClosed += counters.pings
        connection.forgetTokens()
        if closed.count >= 2 * Self.closedLimit { closed.removeFirst(closed.count - Self.closedLimit) }
        closed.append(connection)
    }

    /// Where the connections are that an order is for: the one of that number if it is open, or all.
    func places(of id: Int?) -> [Int] {
        guard let id else { return Array(open.indices) }
        return places[id].map { [$0] } ?? []
    }

    mutating func update(_ id: Int, counters: ConnectionCounters) {
        guard let place = places[id] else { return }
        open[place].counters = counters
    }

    /// Where the connection of that number is in ``open``. It has to be open.
    @inline(__always)
    mutating func place(of id: Int) -> Int {
        if last.id != id {
            guard let place = places[id] else { preconditionFailure("connection \(id) is not open") }
            last = (id, place)
        }
        return last.place
    }
}
