import MockAPNS
import MockAPNSCore

/// An entry of the control stream: what all members do, in this order.
enum ControlMessage: Sendable {
    /// A replica joins.
    case join(JoinMessage)
    /// A replica withdraws after joining: it could not serve clients.
    case withdraw(replica: String, started: UInt64)
    /// A replica has missed entries, and decides without them from here on.
    case missed(replica: String, started: UInt64)
    /// Everything decided so far is to be shipped.
    case mark
    /// A call of the admin API. If it starts over, its entry is the epoch in which the members go on.
    case call(FleetCall)
    /// Pushes that all replicas decide in this order.
    case pushes(OrderedEntry)
    /// Requests that all replicas count for the timeline.
    case counts(OrderedEntry)

    /// Reads an entry; `nil` for a kind that is not known.
    init?(_ entry: StreamEntry) {
        switch entry.text("k") {
        case "join":
            guard let join = JoinMessage(entry) else { return nil }
            self = .join(join)
        case "withdraw", "missed":
            guard let replica = entry.text("r"), let started = entry.text("s").flatMap({ UInt64($0) }) else {
                return nil
            }
            self =
                entry.text("k") == "missed"
                ? .missed(replica: replica, started: started) : .withdraw(replica: replica, started: started)
        case "mark": self = .mark
        case "push", "count":
            guard let ordered = OrderedEntry(entry) else { return nil }
            self = entry.text("k") == "push" ? .pushes(ordered) : .counts(ordered)
        case "call":
            guard let name = entry.text("c").flatMap(APICall.init(rawValue:)), let query = entry.text("q"),
                let values = entry.text("p")?.split(separator: "/").map(String.init),
                values.count == name.variables.count, let body = entry.value("b")
            else { return nil }
            self = .call(FleetCall(name, values, query: query, body: body, replica: entry.text("n")))
        default: return nil
        }
    }

    /// Returns the fields of a call.
    ///
    /// - Parameter id: a random number by which a repeated call is recognized.
    static func fields(of call: FleetCall, id: UInt64) -> [(name: String, value: [UInt8])] {
        var fields = [
            ("k", "call"), ("i", "\(id)"), ("c", call.name.rawValue), ("p", call.values.joined(separator: "/")),
            ("q", call.query),
        ]
        if let replica = call.replica { fields.append(("n", replica)) }
        return fields.map { (name: $0.0, value: Array($0.1.utf8)) } + [(name: "b", value: call.body)]
    }
}

/// The answers to the calls that were carried out lately, so that one that was appended twice is carried out once.
struct SeenCalls: Sendable {
    private static let limit = 1000
    private var answers: [String: FleetAnswer] = [:]
    private var order: [String] = []

    /// The answer to the call of an entry if it was carried out before.
    subscript(entry: StreamEntry) -> FleetAnswer? {
        get { entry.text("i").flatMap { answers[$0] } }
        set {
            guard let id = entry.text("i"), let newValue else { return }
            if answers.updateValue(newValue, forKey: id) == nil { order.append(id) }
            guard order.count > Self.limit else { return }
            for old in order.prefix(Self.limit / 2) { answers[old] = nil }
            order.removeFirst(Self.limit / 2)
        }
    }
}
