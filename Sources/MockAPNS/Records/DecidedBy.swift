import MockAPNSCore

extension MockAPNSServer {
    /// The source of the decision about a request: the member `decidedBy` of its record.
    public enum DecidedBy: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// APNs' checks, in order.
        case checks
        /// The state of the device: not registered, too many pushes.
        case device
        /// The state of the connection: its streams, its GOAWAY, malformed input.
        case connection
        /// An outage.
        case outage
        /// The rule with that name.
        case rule(String)
        /// The APNs that the push was passed on to.
        case upstream

        init(_ core: MockAPNSCore.DecidedBy, rule: String?) {
            self =
                switch core {
                case .checks: .checks
                case .device: .device
                case .connection: .connection
                case .outage: .outage
                case .rule: .rule(rule ?? "")
                case .upstream: .upstream
                }
        }

        /// Reads the word, or `rule:NAME`; `nil` for anything else.
        public init?(rawValue: String) {
            switch rawValue {
            case MockAPNSCore.DecidedBy.checks.name: self = .checks
            case MockAPNSCore.DecidedBy.device.name: self = .device
            case MockAPNSCore.DecidedBy.connection.name: self = .connection
            case MockAPNSCore.DecidedBy.outage.name: self = .outage
            case MockAPNSCore.DecidedBy.upstream.name: self = .upstream
            default:
                guard rawValue.hasPrefix("rule:") else { return nil }
                self = .rule(String(rawValue.dropFirst(5)))
            }
        }

        /// The word, or `rule:NAME`.
        public var rawValue: String {
            switch self {
            case .checks: MockAPNSCore.DecidedBy.checks.name
            case .device: MockAPNSCore.DecidedBy.device.name
            case .connection: MockAPNSCore.DecidedBy.connection.name
            case .outage: MockAPNSCore.DecidedBy.outage.name
            case .upstream: MockAPNSCore.DecidedBy.upstream.name
            case .rule(let name): "rule:" + name
            }
        }

        /// The word, or `rule:NAME`.
        public var description: String { rawValue }
    }
}
