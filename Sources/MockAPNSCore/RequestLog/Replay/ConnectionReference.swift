/// Which connection a line of a log names.
struct ConnectionReference {
    /// Its number in the run; `nil` for one that was open at a reset.
    var number: Int?
    /// Its id; `nil` in logs of before there were ids: numbers went on after a reset then, and told connections apart.
    var id: Int?

    /// None yet.
    init() {}

    /// The one that an event names.
    init(_ line: RecordedLine) throws(JSONText.Mistake) {
        number = try line.member("connection").countIfAny()
        for member in line.members where member.key == "connectionID" { id = try member.count() }
        guard key > 0 else { throw line.missing("connectionID") }
    }

    /// What tells it from all others of the server.
    var key: Int { id ?? number ?? 0 }
}
