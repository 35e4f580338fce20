import MockAPNSCore

extension MockAPNSServer {
    /// A GOAWAY frame (RFC 9113, section 6.8), in the words of a scenario's `goAway`.
    ///
    /// ```swift
    /// await apns.goAway()                              // {"reason":"Shutdown"}, as a server that shuts down
    /// try apns.addRule(.goAway(.init(.idleTimeout, lastStream: .previous)), times: 1)
    /// ```
    public struct GoAway: Sendable {
        /// Which stream is the last that is processed.
        public enum LastStream: String, Sendable, CaseIterable {
            /// That of the push; without a push, the highest that was processed.
            case this
            /// All streams: 2³¹ − 1.
            case all
            /// The one before ``this``, so that the push is not processed.
            case previous
            /// None: 0.
            case zero
        }

        /// What it is followed by.
        public enum Then: String, Sendable, CaseIterable {
            /// Streams up to the last one are answered, then TLS close and FIN.
            case drain
            /// TLS close and FIN at once.
            case close
            /// Nothing: the socket stays open, and later streams are never answered.
            case stayOpen
        }

        /// The reason in its debug data, `{"reason":"Shutdown"}`; `nil`: there is none.
        public var reason: Reason?
        /// Its debug data as text, instead of a reason.
        public var text: String?
        /// Its error code.
        public var errorCode: ErrorCode
        /// Which stream is the last; `nil`: ``LastStream/this``, and ``LastStream/zero`` where a connection begins.
        public var lastStream: LastStream?
        /// What follows it; only the last of several frames says so.
        public var then: Then?
        /// Whether it comes instead of the server's SETTINGS; only on ``MockAPNSServer/Trigger/connect``.
        public var beforeSettings = false

        /// A frame with a reason.
        public init(
            _ reason: Reason? = nil, errorCode: ErrorCode = .noError, lastStream: LastStream? = nil, then: Then? = nil
        ) {
            (self.reason, self.errorCode, self.lastStream, self.then) = (reason, errorCode, lastStream, then)
        }

        /// A frame with plain text, as the HTTP/2 stack of APNs writes it.
        public init(
            text: String, errorCode: ErrorCode = .noError, lastStream: LastStream? = nil, then: Then? = nil
        ) {
            self.init(errorCode: errorCode, lastStream: lastStream, then: then)
            self.text = text
        }

        /// What a server says that shuts down.
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
