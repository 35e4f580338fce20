/// A request as the transport hands it over, beside its bytes.
package struct RequestFacts: Sendable {
    /// What kept a request from being read whole, or from being processed.
    package enum Fault: Sendable {
        /// More than `maxHeaderListSize` of header fields: answered 431 by the transport.
        case headerListTooLarge
        /// Over the stream limit: RST_STREAM REFUSED_STREAM was sent.
        case refused
        /// Not HTTP/2, for that reason: reset by the transport.
        case malformed(String)
        /// The client reset it before it was whole.
        case cancelled
        /// Above the last stream of a GOAWAY: never answered.
        case ignored
    }

    /// The stream's number.
    package var streamID: UInt32
    /// Number of bytes of the request that are header fields (``HeaderFields``); what follows is the stored body.
    package var headerLength: Int
    /// How long the body was, also where not all of it is stored.
    package var bodyLength: Int
    /// Open streams on the connection, this one included.
    package var inFlight: Int
    /// What is wrong with the request as such, if anything.
    package var fault: Fault?
    /// From the request's last byte to now.
    package var latencyMicroseconds = 0
    /// The size of all its header fields as HTTP/2 counts it: name, value and 32 bytes for each (RFC 9113, section 6.5.2).
    package var headerListSize = 0
    /// What was made of its `authorization` field; `nil` when there is none, or no bearer token in it.
    package var providerToken: ProviderToken?

    /// A request with these properties.
    package init(
        streamID: UInt32, headerLength: Int, bodyLength: Int, inFlight: Int, fault: Fault? = nil,
        providerToken: ProviderToken? = nil
    ) {
        self.streamID = streamID
        self.headerLength = headerLength
        self.bodyLength = bodyLength
        self.inFlight = inFlight
        self.fault = fault
        self.providerToken = providerToken
    }
}

/// A request with everything read that its bytes alone tell: made before the gateway's lock is taken.
package struct ParsedRequest: Sendable {
    /// What the transport knows of it.
    package var facts: RequestFacts
    /// What its header fields say.
    package let push: Push

    /// Reads the header fields, the first `headerLength` of these bytes.
    @inline(__always)
    package init(_ facts: consuming RequestFacts, bytes: Span<UInt8>) {
        push = Push(bytes, headerLength: facts.headerLength)
        self.facts = facts
    }
}

/// Now, by both clocks.
package struct Moment: Sendable {
    /// The time of day: provider tokens are judged by it.
    package var real: Timestamp
    /// The devices' time: the same unless the scenario's clock is manual.
    package var clock: Timestamp

    /// A moment; one time for both clocks unless told otherwise.
    package init(real: Timestamp, clock: Timestamp? = nil) {
        self.real = real
        self.clock = clock ?? real
    }
}

/// The answer to a request.
package struct Answer: Sendable {
    /// The HTTP status.
    package var status: UInt16
    /// Why not 200.
    package var reason: Reason?
    /// Since when the device token is no longer good; only with status 410.
    package var timestamp: Timestamp?
    /// The value of `apns-id`.
    package var apnsID: APNSID
    /// The value of `apns-unique-id`; only with 200 in the sandbox.
    package var uniqueID: APNSID?
    /// Whether the answer has no body although it is an error's: the request's method is HEAD.
    package var omitsBody = false
    /// Whether an error's answer says that its body is JSON; see ``GatewayConfiguration/Responses/contentType``.
    package var namesContentType = false
}

/// What is to be done about a request.
package struct Decision: Sendable {
    /// What to send; `nil`: nothing, the transport has dealt with it.
    package var answer: Answer?
    /// A limit of streams to be announced with SETTINGS before the answer; `nil`: as it is.
    package var streamLimit: Int?
    /// What else is to be done to the connection, in this order; mostly nothing. See ``ConnectionAction`` for what comes
    /// before the answer and what after it.
    package var actions: [ConnectionAction] = []
    /// How the answer is sent, where a scenario delays or changes that; nearly always `nil`.
    package var response: PlannedResponse?
}
