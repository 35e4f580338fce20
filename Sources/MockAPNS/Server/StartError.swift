extension MockAPNSServer {
    /// Why a server could not start, with one line that says what to do about it.
    public enum StartError: Error, Sendable, CustomStringConvertible {
        /// A file that cannot be understood: exit code 65.
        case malformed(String)

        /// A port or file that cannot be had: exit code 69.
        case unavailable(String)

        /// The line for people.
        public var description: String {
            switch self {
            case .malformed(let line), .unavailable(let line): line
            }
        }
    }
}
