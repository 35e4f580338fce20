extension MockAPNSServer {
    /// The event that a rule applies to.
    public enum Trigger: String, Sendable, CaseIterable {
        /// A request that was read completely.
        case push
        /// The start of a connection's TLS handshake.
        case connect
        /// A PING frame.
        case ping
        /// A push published to a broadcast channel.
        case broadcast
        /// A call that creates, reads, deletes or lists broadcast channels.
        case channels
    }

    /// How a connection ends.
    public enum Ending: String, Sendable, CaseIterable {
        /// TLS close_notify, then FIN.
        case end
        /// FIN without close_notify.
        case truncate
        /// TCP RST.
        case reset
        /// No end: nothing more is read or written while TCP stays up.
        case silent
    }

    /// Behavior that HTTP/2 allows but that was never observed from APNs.
    public enum Hostility: String, Sendable, CaseIterable {
        /// Error HEADERS with END_STREAM and no body.
        case emptyBody
        /// An error body in two DATA frames.
        case splitBody
        /// The body, then an empty DATA frame.
        case emptyLastData
        /// An error body that is plain text.
        case notJSON
        /// A trailer section after the body.
        case trailers
        /// An answer without `apns-id`.
        case noAPNsID
        /// An `apns-id` in the opposite case.
        case otherCaseAPNsID
        /// Status 103 before the answer.
        case informational
        /// 100 SETTINGS frames before the answer.
        case settingsFlood
        /// A frame of an unassigned type before the answer.
        case unknownFrame
        /// WINDOW_UPDATE is withheld.
        case windowStall
    }

    /// What is wrong with the certificate that the server presents.
    public enum ServerCertificateFault: String, Sendable, CaseIterable {
        /// It has expired.
        case expired
        /// It is for another name.
        case otherName
        /// It was issued by an unknown authority.
        case untrusted
    }

    /// What follows the last step of a rule.
    public enum Repetition: String, Sendable, CaseIterable {
        /// The last step is repeated.
        case last
        /// The rule is used up.
        case stop
        /// The steps start over.
        case cycle
    }
}
