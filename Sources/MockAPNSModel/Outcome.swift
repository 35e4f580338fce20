extension MockAPNSWords {
    /// The outcome of a request: the member `outcome` of its record.
    public enum Outcome: String, MockAPNSWord, CodedWord {
        /// An answer was sent.
        case responded
        /// The answer is due later.
        case delayed
        /// There is no answer; the stream stays open.
        case stalled
        /// The server reset the stream.
        case reset
        /// It was not processed because of a GOAWAY sent with it.
        case goAway
        /// The connection was closed instead of sending an answer.
        case closed
        /// It was on a stream above the last one of a GOAWAY, and was not read.
        case ignored
        /// The client canceled it before it was answered.
        case cancelled

        package static let coded: [Self] = allCases

        package var code: UInt8 {
            switch self {
            case .responded: 0
            case .delayed: 1
            case .stalled: 2
            case .reset: 3
            case .goAway: 4
            case .closed: 5
            case .ignored: 6
            case .cancelled: 7
            }
        }
    }
}
