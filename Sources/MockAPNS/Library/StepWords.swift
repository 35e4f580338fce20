extension MockAPNSServer {
    /// What a rule is tried on.
    public enum Trigger: String, Sendable, CaseIterable {
        /// A request that was read whole.
        case push
        /// The beginning of a connection's TLS handshake.
        case connect
        /// A PING frame.
        case ping
    }

    /// How a connection ends.
    public enum Ending: String, Sendable, CaseIterable {
        /// TLS close_notify, then FIN.
        case end
        /// FIN without close_notify.
        case truncate
        /// TCP RST.
        case reset
        /// It does not end: nothing more is read or written while TCP stays up.
        case silent
    }

    /// What is legal in HTTP/2 but was never seen from APNs.
    public enum Hostility: String, Sendable, CaseIterable {
        /// Error HEADERS with END_STREAM and no body.
        case emptyBody
        /// An error body in two DATA frames.
        case splitBody
        /// The body, then an empty DATA frame.
        case emptyLastData
        /// An error body that is text.
        case notJSON
        /// A trailer section after the body.
        case trailers
        /// No `apns-id`.
        case noAPNsID
        /// An `apns-id` in the other case.
        case otherCaseAPNsID
        /// 103 before the answer.
        case informational
        /// 100 SETTINGS frames before the answer.
        case settingsFlood
        /// A frame of an unassigned type before the answer.
        case unknownFrame
        /// WINDOW_UPDATE is withheld.
        case windowStall
    }

    /// What is wrong with the certificate that the server shows.
    public enum ServerCertificateFault: String, Sendable, CaseIterable {
        /// Its time is over.
        case expired
        /// It is for another name.
        case otherName
        /// It comes from an authority that nobody trusts.
        case untrusted
    }

    /// What comes after the last of a rule's steps.
    public enum Repetition: String, Sendable, CaseIterable {
        /// The last step is played again and again.
        case last
        /// The rule is used up.
        case stop
        /// The first step comes again.
        case cycle
    }
}
