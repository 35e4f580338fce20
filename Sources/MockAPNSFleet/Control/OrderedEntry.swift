import MockAPNSCore

/// An entry that a replica appends to the control stream by itself: pushes that all replicas decide where they stand in
/// it, and requests that all of them count for the timeline.
struct OrderedEntry: Sendable, Equatable {
    /// The replica, and when its process started.
    var replica: String
    var started: UInt64
    /// The number of the entry among those of the process. One that was appended again has the same number.
    var number: UInt64
    /// When it stops to be of use, by the engine's clock in milliseconds; `nil` for never.
    var end: UInt64?
    /// The scenario that requests were counted for: the entry that began it.
    var scenario = StreamID.zero
    /// The pushes, or the counts.
    var body: [UInt8]

    init(replica: String, started: UInt64, number: UInt64, body: [UInt8]) {
        (self.replica, self.started, self.number, self.body) = (replica, started, number, body)
    }

    /// Reads an entry; `nil` if it is malformed.
    init?(_ entry: StreamEntry) {
        func number(_ name: String) -> UInt64? { entry.text(name).flatMap { UInt64($0) } }
        guard let replica = entry.text("r"), let started = number("s"), let own = number("i"),
            let body = entry.value("b")
        else { return nil }
        self.init(replica: replica, started: started, number: own, body: body)
        end = number("u")
        scenario = entry.text("c").flatMap { StreamID($0) } ?? .zero
    }

    /// Returns the fields of an entry of a kind.
    func fields(_ kind: String) -> [(name: String, value: [UInt8])] {
        var fields = [("k", kind), ("r", replica), ("s", "\(started)"), ("i", "\(number)")]
        if let end { fields.append(("u", "\(end)")) }
        if scenario != .zero { fields.append(("c", "\(scenario)")) }
        return fields.map { (name: $0.0, value: Array($0.1.utf8)) } + [(name: "b", value: body)]
    }

    // MARK: Counts

    /// Returns counts as a body: `ENTRY:REQUESTS,ENTRY:REQUESTS`.
    static func body(of counts: [(entry: Int, requests: Int)]) -> [UInt8] {
        Array(counts.map { "\($0.entry):\($0.requests)" }.joined(separator: ",").utf8)
    }

    /// The counts in the body; those that are malformed are left out.
    var counts: [(entry: Int, requests: Int)] {
        String(decoding: body, as: UTF8.self).split(separator: ",").compactMap { text in
            let numbers = text.split(separator: ":").compactMap { Int($0) }
            guard numbers.count == 2, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
            return (numbers[0], numbers[1])
        }
    }
}

/// The latest entry of each replica, so that one that was appended twice is carried out once.
struct SeenEntries: Sendable {
    private var latest: [String: (started: UInt64, number: UInt64)] = [:]

    /// Notes an entry; returns whether it is new.
    mutating func note(_ entry: OrderedEntry) -> Bool {
        if let known = latest[entry.replica], (known.started, known.number) >= (entry.started, entry.number) {
            return false
        }
        latest[entry.replica] = (entry.started, entry.number)
        return true
    }
}
