/// What a step does with a push.
package enum PushOutcome: Sendable {
    /// The normal decision.
    case pass
    /// An answer with this reason; status and timestamp are Apple's unless given.
    case reject(Reason, status: Int? = nil, timestamp: Timestamp? = nil)
    /// This answer.
    case respond(ScriptedAnswer)
    /// No answer, ever; the stream stays open.
    case stall
    /// RST_STREAM frames with these error codes, at least one.
    case resetStream([UInt32])
    /// GOAWAY frames.
    case goAway(GoAwayPlan)
    /// The connection is closed in this way.
    case close(ConnectionAction.Ending)
    /// The start of an outage.
    case outage(Outage)
    /// The normal decision, sent in an unusual way.
    case hostile(Hostility)
}

/// An answer defined by a scenario.
package struct ScriptedAnswer: Sendable, Hashable {
    /// A header field.
    package struct Field: Sendable, Hashable {
        /// The name in lower case.
        package var name: String
        /// The value.
        package var value: String
    }

    /// The HTTP status, 200 to 599.
    package var status: Int
    /// The header fields in the order of the file.
    package var fields: [Field] = []
    /// The body; `nil` for none.
    package var body: [UInt8]?

    /// Creates an answer with this status and nothing else.
    package init(status: Int) { self.status = status }
}

/// A period in which every push gets the same reason.
package struct Outage: Sendable, Hashable {
    /// The reason.
    package var reason: Reason
    /// The duration in milliseconds of the scenario's clock.
    package var duration: Int64

    /// Creates an outage.
    package init(reason: Reason, duration: Int64) {
        self.reason = reason
        self.duration = duration
    }
}

/// A change of the stream limit.
package struct StreamLimitChange: Sendable, Hashable {
    /// The new limit.
    package var maxConcurrentStreams: Int
    /// Milliseconds of real time after which the old limit is restored; `nil` means never.
    package var duration: Int64?

    /// Creates a change.
    package init(maxConcurrentStreams: Int, duration: Int64? = nil) {
        self.maxConcurrentStreams = maxConcurrentStreams
        self.duration = duration
    }
}

/// Behavior that HTTP/2 allows but APNs has never shown.
package enum Hostility: String, Sendable, CaseIterable {
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

    /// Whether it requires an error answer, so that a valid push gets 500 InternalServerError.
    package var needsFailure: Bool {
        switch self {
        case .emptyBody, .splitBody, .emptyLastData, .notJSON: true
        case .trailers, .noAPNsID, .otherCaseAPNsID, .informational, .settingsFlood, .unknownFrame, .windowStall: false
        }
    }
}
