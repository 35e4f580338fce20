/// The transport's facts about a request, apart from its bytes.
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
    /// The fault of the request itself, if any.
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
