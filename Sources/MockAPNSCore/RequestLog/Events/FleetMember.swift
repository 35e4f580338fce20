/// A run of a replica of a fleet, as its log names it in the event `fleet`: a reader of the log knows whose it is.
package struct FleetMember: Sendable, Hashable {
    /// The name of the fleet.
    package var fleet: String
    /// The name of the replica.
    package var replica: String
    /// When its process started, by the engine's clock, in milliseconds since 1970.
    package var started: UInt64
    /// The epoch of the fleet that it has joined.
    package var epoch: StreamID

    /// Creates a member.
    package init(fleet: String, replica: String, started: UInt64, epoch: StreamID) {
        (self.fleet, self.replica, self.started, self.epoch) = (fleet, replica, started, epoch)
    }
}

// MARK: The JSON line

extension FleetMember: LogEventBody {
    func appendMembers(to line: inout [UInt8]) {
        line.appendMember("state", "joined")
        line.appendMember("fleet", fleet)
        line.appendMember("replica", replica)
        line.append(contentsOf: #","started":\#(started)"#.utf8)
        line.appendMember("epoch", epoch.description)
    }

    /// Fails for a state that only a later version knows.
    init?(_ line: RecordedLine) throws(JSONText.Mistake) {
        guard try line.text("state") == "joined", let epoch = StreamID(try line.text("epoch")) else { return nil }
        self.init(
            fleet: try line.text("fleet"), replica: try line.text("replica"),
            started: UInt64(try line.count("started")), epoch: epoch)
    }
}
