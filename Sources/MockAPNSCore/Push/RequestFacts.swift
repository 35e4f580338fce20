/// What the transport knows about a request, apart from its bytes.
package struct RequestFacts: Sendable {
    /// Why a request could not be read completely or be processed.
    package enum Fault: Sendable {
        /// More than `maxHeaderListSize` of header fields: answered with 431 by the transport.
        case headerListTooLarge
        /// Above the stream limit: RST_STREAM REFUSED_STREAM was sent.
        case refused
        /// Invalid HTTP/2, for this reason: reset by the transport.
        case malformed(String)
        /// Reset by the client before it was complete.
        case cancelled
        /// Incomplete, or the cause, when the client broke HTTP/2 in this way: the connection was ended.
        case broken(String)
    }

    /// The stream id.
    package var streamID: UInt32
    /// Number of header bytes of the request (``HeaderFields``); the stored body follows.
    package var headerLength: Int
    /// The length of the body, even if only part of it is stored.
    package var bodyLength: Int
    /// The number of open streams on the connection, including this one.
    package var inFlight: Int
    /// What is wrong with the request itself, if anything.
    package var fault: Fault?
    /// The time from the last byte of the request until now.
    package var latencyMicroseconds = 0
    /// The size of all header fields as HTTP/2 counts it: name, value and 32 bytes for each (RFC 9113, section 6.5.2).
    package var headerListSize = 0
    /// The parsed `authorization` field; `nil` if it is absent or has no bearer token.
    package var providerToken: ProviderToken?

    /// Creates the facts of a request.
    package init(streamID: UInt32, headerLength: Int, bodyLength: Int, inFlight: Int) {
        self.streamID = streamID
        self.headerLength = headerLength
        self.bodyLength = bodyLength
        self.inFlight = inFlight
    }
}

/// A request with everything parsed that depends on its bytes alone, before the gateway's lock is taken.
package struct ParsedRequest: Sendable {
    /// The transport's facts about the request.
    package var facts: RequestFacts
    /// The parsed header fields.
    package let push: Push

    /// Parses the header fields in the first `headerLength` bytes.
    @inline(__always)
    package init(_ facts: consuming RequestFacts, bytes: Span<UInt8>) {
        push = Push(bytes, headerLength: facts.headerLength)
        self.facts = facts
    }
}

/// The current time on both clocks.
package struct Moment: Sendable {
    /// The real time, which determines the validity of provider tokens.
    package var real: Timestamp
    /// The device time: equal to the real time unless the scenario's clock is manual.
    package var clock: Timestamp

    /// Creates a moment, by default with the same time on both clocks.
    package init(real: Timestamp, clock: Timestamp? = nil) {
        self.real = real
        self.clock = clock ?? real
    }
}

/// The answer to a request.
package struct Answer: Sendable {
    /// The HTTP status.
    package var status: UInt16
    /// The reason, if the request is refused.
    package var reason: Reason?
    /// The time since which the device token has been invalid; only with status 410.
    package var timestamp: Timestamp?
    /// The value of `apns-id`, or of `apns-request-id` in the answer to a call about broadcast channels.
    package var apnsID: APNSID
    /// The value of `apns-unique-id`; only with 200 in the sandbox.
    package var uniqueID: APNSID?
    /// What only the answer to a call about broadcast channels has; `nil` for a push to a device.
    package var call: CallAnswer?
    /// Whether an error answer has no body, because the method of the request is HEAD.
    package var omitsBody = false
    /// Whether an error answer declares its body as JSON; see ``GatewayConfiguration/Responses/contentType``.
    package var namesContentType = false
}

/// What to do about a request.
package struct Decision: Sendable {
    /// The answer to send; `nil` if the transport has already handled the request.
    package var answer: Answer?
    /// A stream limit to announce with SETTINGS before the answer; `nil` leaves it unchanged.
    package var streamLimit: Int?
    /// Further actions on the connection, in order; usually none. ``ConnectionAction`` says what precedes the answer
    /// and what follows it.
    package var actions: [ConnectionAction] = []
    /// How the answer is sent, if a scenario delays or changes that; nearly always `nil`.
    package var response: PlannedResponse?
}
