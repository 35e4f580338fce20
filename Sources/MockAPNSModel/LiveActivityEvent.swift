extension MockAPNSWords {
    /// The effect of a push on a Live Activity: `event` in its payload.
    public enum LiveActivityEvent: String, MockAPNSWord {
        /// Starts it.
        case start
        /// Changes what it shows.
        case update
        /// Ends it.
        case end
    }
}
