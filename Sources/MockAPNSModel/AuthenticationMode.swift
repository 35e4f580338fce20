extension MockAPNSWords {
    /// How provider tokens are checked.
    public enum AuthenticationMode: String, MockAPNSWord {
        /// The signature is verified against the known keys.
        case verify
        /// The token is read and its age, team and update rate are checked, but not its signature and key.
        case decode
        /// No token is required.
        case none
    }
}
