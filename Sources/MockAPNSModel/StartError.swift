extension MockAPNSWords {
    /// Why a server could not start, with one line that says what to do about it.
    public enum StartError: Error, Sendable, CustomStringConvertible {
        /// A file that is not understood: exit code 65.
        case malformed(String)

        /// A scenario that is not understood, with one line per mistake: exit code 65.
        case mistakes([String])

        /// A port or file that is not available: exit code 69.
        case unavailable(String)

        /// A line for people; several for a scenario with several mistakes.
        public var description: String { lines.joined(separator: "\n") }

        /// The lines of the description.
        package var lines: [String] {
            switch self {
            case .malformed(let line), .unavailable(let line): [line]
            case .mistakes(let lines): lines
            }
        }
    }
}
