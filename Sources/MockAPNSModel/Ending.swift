extension MockAPNSWords {
    /// How a connection ends.
    public enum Ending: String, MockAPNSWord {
        /// TLS close_notify, then FIN.
        case end
        /// FIN without close_notify.
        case truncate
        /// TCP RST.
        case reset
        /// No end: nothing more is read or written while TCP stays up.
        case silent
    }
}
