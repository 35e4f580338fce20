extension MockAPNSWords {
    /// The tokens that pushes to Live Activities are addressed to.
    public enum LiveActivityTokens: String, MockAPNSWord {
        /// The device token, which stands for all Live Activities of its app.
        case device
        /// Tokens of their own, as on real devices: a push-to-start token for each app, an update token for each Live
        /// Activity.
        case own
    }
}
