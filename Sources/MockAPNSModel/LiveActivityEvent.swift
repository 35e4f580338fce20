extension MockAPNSWords {
    /// What a push does to a Live Activity: `event` in its payload.
    public enum LiveActivityEvent: String, MockAPNSWord {
        /// Starts it.
        case start
        /// Changes what it shows.
        case update
        /// Ends it.
        case end
    }
}
