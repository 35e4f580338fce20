/// The source of the decision about a request: the member `decidedBy` of its record.
package enum DecidedBy: UInt8, Sendable, CaseIterable {
    /// The ordered list of checks.
    case checks
    /// The state of the device: unregistered, too many pushes.
    case device
    /// The state of the connection: its streams, its GOAWAY, malformed input.
    case connection
    /// A scripted outage.
    case outage
    /// A rule of the scenario. The record has its name too, as `rule:NAME`.
    case rule
    /// The APNs that the push was passed on to.
    case upstream

    /// The value in the record, without the name of a rule.
    package var name: String {
        switch self {
        case .checks: "checks"
        case .device: "device"
        case .connection: "connection"
        case .outage: "outage"
        case .rule: "rule"
        case .upstream: "upstream"
        }
    }
}
