extension MockAPNSWords {
    /// The source of the decision about a request: the member `decidedBy` of its record. There a rule has its name too,
    /// as `rule:NAME`.
    public enum DecidedBy: String, MockAPNSWord, CodedWord {
        /// APNs' checks, in order.
        case checks
        /// The state of the device: not registered, too many pushes.
        case device
        /// The state of the connection: its streams, its GOAWAY, malformed input.
        case connection
        /// An outage.
        case outage
        /// A rule.
        case rule
        /// The APNs that the push was passed on to.
        case upstream

        package static let coded: [Self] = allCases

        package var code: UInt8 {
            switch self {
            case .checks: 0
            case .device: 1
            case .connection: 2
            case .outage: 3
            case .rule: 4
            case .upstream: 5
            }
        }
    }
}
