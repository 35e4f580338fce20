extension MockAPNSWords {
    /// The last stream of a GOAWAY: those above it are not processed.
    public enum LastStream: String, MockAPNSWord {
        /// The stream of the push, or a higher one processed before; without a push, the highest one processed.
        case this
        /// All streams: 2³¹ − 1.
        case all
        /// The one before ``this``, so that the push is not processed.
        case previous
        /// None: 0.
        case zero
    }
}
