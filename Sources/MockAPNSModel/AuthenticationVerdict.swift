extension MockAPNSWords {
    /// Whether a provider token or a client certificate was valid: the member `verdict` of a record's `authentication`.
    public enum AuthenticationVerdict: MockAPNSWord, CodedWord {
        /// It was valid.
        case valid
        /// It was not, for that reason. Something else may have decided about the request.
        case rejected(Reason)

        /// Every verdict: valid, and rejected for each reason.
        public static let allCases: [Self] = [.valid] + Reason.allCases.map { .rejected($0) }

        /// Reads `valid`, or the name of a reason; `nil` for anything else.
        public init?(rawValue: String) {
            if rawValue == "valid" {
                self = .valid
            } else if let reason = Reason(rawValue: rawValue) {
                self = .rejected(reason)
            } else {
                return nil
            }
        }

        /// `valid`, or the name of the reason.
        public var rawValue: String {
            switch self {
            case .valid: "valid"
            case .rejected(let reason): reason.rawValue
            }
        }

        /// Compares the verdicts themselves, not their spelling.
        public static func == (one: Self, other: Self) -> Bool { one.code == other.code }

        package static let coded: [Self] = [.valid] + Reason.coded.map { .rejected($0) }

        package var code: UInt8 {
            switch self {
            case .valid: 0
            case .rejected(let reason): reason.code + 1
            }
        }
    }
}
