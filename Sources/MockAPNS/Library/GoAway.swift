import MockAPNSCore

extension MockAPNSServer {
    /// A GOAWAY frame (RFC 9113, section 6.8), described as in a scenario's `goAway`.
    ///
    /// ```swift
    /// await apns.goAway()                              // {"reason":"Shutdown"}, as a server that shuts down
    /// try apns.addRule(.goAway(.init(.idleTimeout, lastStream: .previous)), times: 1)
    /// ```
    public struct GoAway: Sendable {
        /// The reason in its debug data, `{"reason":"Shutdown"}`; `nil` for none.
        public var reason: Reason?
        /// Its debug data as text, instead of a reason.
        public var text: String?
        /// Its error code.
        public var errorCode: ErrorCode
        /// The last stream; if `nil`, ``MockAPNSWords/LastStream/this``, or ``MockAPNSWords/LastStream/zero`` at the start
        /// of a connection.
        public var lastStream: LastStream?
        /// The action after it; only the last of several frames may set this.
        public var then: Then?
        /// Whether it is sent instead of the server's SETTINGS; only on ``MockAPNSWords/RuleTrigger/connect``.
        public var beforeSettings = false

        /// Creates a frame with a reason.
        public init(
            _ reason: Reason? = nil, errorCode: ErrorCode = .noError, lastStream: LastStream? = nil, then: Then? = nil
        ) {
            (self.reason, self.errorCode, self.lastStream, self.then) = (reason, errorCode, lastStream, then)
        }

        /// Creates a frame with plain text, as written by the HTTP/2 stack of APNs.
        public init(
            text: String, errorCode: ErrorCode = .noError, lastStream: LastStream? = nil, then: Then? = nil
        ) {
            self.init(errorCode: errorCode, lastStream: lastStream, then: then)
            self.text = text
        }

        /// The frame sent by a server that shuts down.
        public static let shutdown = Self(.shutdown)

        var json: JSONText.Value {
            let members = [
                JSONText.Member("reason", reason.map { JSONText.Value($0.rawValue) }),
                JSONText.Member("text", text.map { JSONText.Value($0) }),
                JSONText.Member("errorCode", JSONText.Value(errorCode.rawValue)),
                JSONText.Member("lastStream", lastStream.map { JSONText.Value($0.rawValue) }),
                JSONText.Member("then", then.map { JSONText.Value($0.rawValue) }),
                JSONText.Member("beforeSettings", beforeSettings ? JSONText.Value(true) : nil),
            ]
            return JSONText.Value(members.compactMap(\.self))
        }
    }
}
