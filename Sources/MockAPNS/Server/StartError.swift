extension MockAPNSServer {
    /// Why a server could not start, with one line that says what to do about it.
    public enum StartError: Error, Sendable, CustomStringConvertible {
        /// A file that is not understood: exit code 65.
        case malformed(String)

        /// A port or file that is not available: exit code 69.
        case unavailable(String)

        /// A line for people.
        public var description: String {
            switch self {
            case .malformed(let line), .unavailable(let line): line
            }
        }
    }
}
