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

    /// Appends the log line, with its line feed.
    ///
    /// - Parameter time: the real time.
    func appendLine(at time: Timestamp, to output: inout [UInt8]) {
        output.beginEvent("fleet", at: time)
        output.append(contentsOf: #","state":"joined","fleet":"#.utf8)
        output.appendJSON(fleet)
        output.append(contentsOf: #","replica":"#.utf8)
        output.appendJSON(replica)
        output.append(contentsOf: ",\"started\":\(started),\"epoch\":\"\(epoch)\"}\n".utf8)
    }
}
