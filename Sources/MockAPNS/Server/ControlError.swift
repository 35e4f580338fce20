import MockAPNSCore

extension MockAPNSServer {
    /// Why a running server could not carry out a call, with one sentence that says what to do about it.
    public enum ControlError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The input is not understood; one line per mistake.
        case malformed(String)

        /// There is no device, rule or channel with that name, token or id, or the device does not display that push.
        case unknown(String)

        /// The name, token or id belongs to another device, rule or channel, or did to a deleted channel; or there are
        /// already as many devices, rules, channels, topics or repeated pushes as there may be.
        case taken(String)

        /// The clock runs in real time: only a manual one can be moved.
        case clockIsReal

        /// A sentence for people.
        public var description: String {
            switch self {
            case .malformed(let text), .unknown(let text), .taken(let text): text
            case .clockIsReal: ClockIsReal().description
            }
        }
    }
}
