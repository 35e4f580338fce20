extension MockAPNSWords {
    /// Which pushes of a broadcast channel are stored for devices that are offline.
    public enum ChannelStorage: String, MockAPNSWord, CodedWord {
        /// None: `message-storage-policy` is 0.
        case none
        /// The most recent one: `message-storage-policy` is 1.
        case mostRecent

        package static let coded: [Self] = allCases

        /// The number in `message-storage-policy`, also in the log and the frames.
        package var code: UInt8 {
            switch self {
            case .none: 0
            case .mostRecent: 1
            }
        }
    }
}
