extension MockAPNSWords {
    /// The action after a GOAWAY.
    public enum AfterGoAway: String, MockAPNSWord {
        /// Streams up to the last one are answered, followed by TLS close and FIN.
        case drain
        /// TLS close and FIN immediately.
        case close
        /// Nothing: the socket stays open, and later streams are never answered.
        case stayOpen
    }
}
