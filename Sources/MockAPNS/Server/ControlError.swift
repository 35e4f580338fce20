import MockAPNSCore

extension MockAPNSServer {
    /// Why a running server could not be told to do something, with one sentence that says what to do about it.
    public enum ControlError: Error, Sendable, Equatable, CustomStringConvertible {
        /// What was given cannot be understood; a line for each mistake.
        case malformed(String)

        /// There is no device, or no rule, of that name.
        case unknown(String)

        /// A name or a token belongs to another device or rule already.
        case taken(String)

        /// The clock moves by itself: only a manual one can be moved.
        case clockIsReal

        /// The sentence for people.
        public var description: String {
            switch self {
            case .malformed(let text), .unknown(let text), .taken(let text): text
            case .clockIsReal: ClockIsReal().description
            }
        }
    }
}
