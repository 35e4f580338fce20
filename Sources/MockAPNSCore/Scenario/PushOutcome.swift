/// What a step does about a push.
package enum PushOutcome: Sendable {
    /// The normal decision.
    case pass
    /// The answer of that reason; status and timestamp are Apple's unless they are given.
    case reject(Reason, status: Int? = nil, timestamp: Timestamp? = nil)
    /// That answer.
    case respond(ScriptedAnswer)
    /// No answer, ever; the stream stays open.
    case stall
    /// RST_STREAM frames with these error codes, at least one.
    case resetStream([UInt32])
    /// GOAWAY frames.
    case goAway(GoAwayPlan)
    /// The connection ends in that way.
    case close(ConnectionAction.Ending)
    /// The beginning of an outage.
    case outage(Outage)
    /// The normal decision, sent in an unusual way.
    case hostile(Hostility)
}

/// An answer that a scenario words itself.
package struct ScriptedAnswer: Sendable, Hashable {
    /// A header field.
    package struct Field: Sendable, Hashable {
        /// Its name, in lower case.
        package var name: String
        /// Its value.
        package var value: String
    }

    /// The HTTP status, 200 to 599.
    package var status: Int
    /// The header fields in the order of the file.
    package var fields: [Field] = []
    /// The body; `nil`: none.
    package var body: [UInt8]?

    /// An answer of that status with nothing in it.
    package init(status: Int) { self.status = status }
}

/// A time in which every push earns the same reason.
package struct Outage: Sendable, Hashable {
    /// What they earn.
    package var reason: Reason
    /// How long, in milliseconds of the scenario's clock.
    package var duration: Int64

    /// That reason for so long.
    package init(reason: Reason, duration: Int64) {
        self.reason = reason
        self.duration = duration
    }
}

/// A change of the limit of streams.
package struct StreamLimitChange: Sendable, Hashable {
    /// The new limit.
    package var maxConcurrentStreams: Int
    /// After so long, in milliseconds of real time, the old limit is put back; `nil`: never.
    package var duration: Int64?

    /// That limit, for so long.
    package init(maxConcurrentStreams: Int, duration: Int64? = nil) {
        self.maxConcurrentStreams = maxConcurrentStreams
        self.duration = duration
    }
}

/// What is legal in HTTP/2 but was never seen from APNs.
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

    /// Whether it needs the answer of a failure, so that a good push becomes a 500 InternalServerError.
    package var needsFailure: Bool {
        switch self {
        case .emptyBody, .splitBody, .emptyLastData, .notJSON: true
        case .trailers, .noAPNsID, .otherCaseAPNsID, .informational, .settingsFlood, .unknownFrame, .windowStall: false
        }
    }
}
