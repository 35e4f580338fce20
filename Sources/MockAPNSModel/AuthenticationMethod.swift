extension MockAPNSWords {
    /// With what a request authenticates its provider: the member `authentication.method` of its record.
    public enum AuthenticationMethod: String, MockAPNSWord, CodedWord {
        /// A provider token in `authorization`, valid or not.
        case token
        /// The client certificate of the connection.
        case certificate
        /// Neither a token nor a certificate.
        case none

        package static let coded: [Self] = [.none, .token, .certificate]

        package var code: UInt8 {
            switch self {
            case .none: 0
            case .token: 1
            case .certificate: 2
            }
        }
    }
}
