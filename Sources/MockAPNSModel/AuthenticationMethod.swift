extension MockAPNSWords {
    /// With what a request authenticates its provider: the member `authentication.method` of its record.
    public enum AuthenticationMethod: String, MockAPNSWord, CodedWord {
        /// Neither a token nor a certificate.
        case none
        /// A provider token in `authorization`, valid or not.
        case token
        /// The client certificate of the connection.
        case certificate

        package var code: UInt8 {
            switch self {
            case .none: 0
            case .token: 1
            case .certificate: 2
            }
        }
    }
}
