package import MockAPNSCore

/// The keys of a fleet in the engine. Braces keep those that belong together in one slot of a cluster; logs spread over
/// it.
package struct FleetKeys: Sendable {
    /// The name of the fleet.
    package let fleet: String
    /// The entry of the control stream that started everything over, zero before the first; logs of different epochs have
    /// different keys.
    package var epoch = StreamID.zero

    /// Creates the keys of a fleet.
    package init(_ fleet: String) { self.fleet = fleet }

    /// The stream of what concerns all members: who joins, marks, calls.
    package var control: String { "mock-apns:{\(fleet)}:control" }
    /// The stream in which the collector asks replicas for what they have decided so far, because others wait for it.
    package var asked: String { "mock-apns:{\(fleet)}:asked" }
    /// The stream of what replicas have carried out.
    package var applied: String { "mock-apns:{\(fleet)}:applied" }
    /// The stream of the scenarios that epochs began with.
    package var scenarios: String { "mock-apns:{\(fleet)}:scenarios" }
    /// The ``CollectorAddress`` of the running collector.
    package var collector: String { "mock-apns:{\(fleet)}:collector" }
    /// A stream that is never there.
    var nothing: String { "mock-apns:{\(fleet)}:nothing" }
    /// A replica's heartbeat.
    package func alive(_ replica: String) -> String { "mock-apns:{\(fleet)}:alive:\(replica)" }
    /// The body of a replica's answer to a call, if it is too long for ``applied``.
    func body(_ call: StreamID, _ replica: String) -> String { "mock-apns:{\(fleet)}:body:\(call):\(replica)" }
    /// The stream of a replica's frames.
    package func log(_ replica: String) -> String { "mock-apns:\(fleet):log:\(epoch):\(replica)" }

    /// Whether a name of a fleet or of a replica can be part of a key: 1 to 63 letters, digits, dots, hyphens and
    /// underscores.
    package static func isName(_ name: String) -> Bool {
        1...63 ~= name.utf8.count
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
