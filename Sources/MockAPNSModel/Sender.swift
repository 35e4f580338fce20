extension MockAPNSWords {
    /// The sender of a request: the member `sentBy` of its record.
    public enum Sender: String, MockAPNSWord, CodedWord {
        /// A provider, on a connection.
        case provider
        /// The admin API of the server itself.
        case admin

        package static let coded: [Self] = allCases

        package var code: UInt8 {
            switch self {
            case .provider: 0
            case .admin: 1
            }
        }
    }
}
