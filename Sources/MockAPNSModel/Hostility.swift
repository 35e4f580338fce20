extension MockAPNSWords {
    /// Behavior that HTTP/2 allows but that was never observed from APNs.
    public enum Hostility: String, MockAPNSWord {
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

        /// Whether it requires an error answer, so that a valid push gets 500 InternalServerError.
        package var needsFailure: Bool {
            switch self {
            case .emptyBody, .splitBody, .emptyLastData, .notJSON: true
            case .trailers, .noAPNsID, .otherCaseAPNsID, .informational, .settingsFlood, .unknownFrame, .windowStall:
                false
            }
        }
    }
}
