/// What the server has to do to a connection, beside answering a request: decided by the gateway, or ordered by a
/// scenario or the API.
///
/// Actions are done in their order. Where they come with an answer: ``settings(maxConcurrentStreams:for:)`` leaves before
/// it, the frames of ``goAway(_:then:)`` after it and after all else that is ready, the end of the connection last.
package enum ConnectionAction: Sendable, Equatable {
    /// What a GOAWAY is followed by.
    package enum Then: Sendable, Equatable {
        /// Streams up to the last one are answered, then TLS close and FIN.
        case drain
        /// The connection ends at once, in that way.
        case close(Ending)
        /// Nothing: the socket stays open, and later streams are never answered.
        case stayOpen
    }

    /// How a connection ends.
    package enum Ending: String, Sendable, CaseIterable {
        /// TLS close_notify, then FIN.
        case end
        /// FIN without close_notify.
        case truncate
        /// TCP RST.
        case reset
        /// It does not end: nothing more is read or written while TCP stays up.
        case silent
    }

    /// These GOAWAY frames, one after the other.
    case goAway([GoAway], then: Then)
    /// The end, without GOAWAY.
    case close(Ending)
    /// SETTINGS with this limit of streams. With a duration, in milliseconds of real time, the server calls
    /// ``Gateway/restoreStreamLimit(on:)`` after it and announces what that returns.
    case settings(maxConcurrentStreams: Int, for: Int64?)
    /// RST_STREAM frames on the stream of the request instead of an answer, one for each error code.
    case resetStream([UInt32])
    /// PING frames are no longer acknowledged, or are again.
    case ignorePings(Bool)
}

/// One GOAWAY frame (RFC 9113, section 6.8), ready to be sent.
package struct GoAway: Sendable, Equatable {
    /// The number of the last stream that is processed; 2³¹ − 1 names them all.
    package var lastStream: Int32
    /// The error code; 0 is NO_ERROR.
    package var errorCode: UInt32
    /// The debug data: with APNs `{"reason":…}`, or the English text of its HTTP/2 stack.
    package var debugData: [UInt8]

    /// A frame with that debug data, or none.
    package init(lastStream: Int32, errorCode: UInt32 = 0, debugData: [UInt8] = []) {
        self.lastStream = lastStream
        self.errorCode = errorCode
        self.debugData = debugData
    }

    /// A frame with the reason as JSON, as APNs writes it: without white space.
    package init(lastStream: Int32, errorCode: UInt32 = 0, reason: Reason) {
        self.init(lastStream: lastStream, errorCode: errorCode, debugData: reason.body)
    }

    /// A frame with plain text, as the HTTP/2 stack of APNs writes it.
    package init(lastStream: Int32, errorCode: UInt32 = 0, text: String) {
        self.init(lastStream: lastStream, errorCode: errorCode, debugData: Array(text.utf8))
    }

    /// The frame of a server that shuts down.
    package static func shutdown(lastStream: Int32) -> GoAway { GoAway(lastStream: lastStream, reason: .shutdown) }

    /// The last-stream id that leaves no stream out.
    package static let allStreams = Int32.max
}

/// A GOAWAY as a scenario or the API words it: the value of the step `goAway`. The gateway finds out which stream is
/// meant when its time has come.
package struct GoAwayPlan: Sendable, Equatable {
    /// Which stream is the last.
    package enum LastStream: Sendable, Equatable {
        /// The stream of the push that it comes with, or a higher one that was processed before; without a push the
        /// highest that was processed.
        case this
        /// All streams: 2³¹ − 1.
        case all
        /// The one before ``this``, so that the push is not processed.
        case previous
        /// None: 0.
        case zero
        /// That one.
        case number(Int32)
    }

    /// One frame.
    package struct Frame: Sendable, Equatable {
        /// Which stream is the last.
        package var lastStream: LastStream
        /// The error code; 0 is NO_ERROR.
        package var errorCode: UInt32
        /// The debug data.
        package var debugData: [UInt8]

        /// A frame with that debug data, or none.
        package init(lastStream: LastStream = .this, errorCode: UInt32 = 0, debugData: [UInt8] = []) {
            self.lastStream = lastStream
            self.errorCode = errorCode
            self.debugData = debugData
        }

        /// A frame with the reason as JSON.
        package init(lastStream: LastStream = .this, errorCode: UInt32 = 0, reason: Reason) {
            self.init(lastStream: lastStream, errorCode: errorCode, debugData: reason.body)
        }

        /// A frame with plain text.
        package init(lastStream: LastStream = .this, errorCode: UInt32 = 0, text: String) {
            self.init(lastStream: lastStream, errorCode: errorCode, debugData: Array(text.utf8))
        }
    }

    /// The frames, sent one after the other.
    package var frames: [Frame]
    /// What they are followed by.
    package var then: ConnectionAction.Then

    /// These frames, and what follows.
    package init(_ frames: [Frame], then: ConnectionAction.Then = .drain) {
        self.frames = frames
        self.then = then
    }

    /// What a server says that shuts down.
    package static let shutdown = GoAwayPlan([Frame(reason: .shutdown)])
}

/// What is to be done to one connection.
package struct ConnectionOrder: Sendable, Equatable {
    /// The connection's id.
    package var connection: Int
    /// What to do, in this order.
    package var actions: [ConnectionAction]
}

/// What is to be done when a connection has opened.
package struct Opening: Sendable, Equatable {
    /// The connection's id.
    package var id: Int
    /// The limit of streams in the first SETTINGS.
    package var streamLimit: Int
    /// What to do after the first SETTINGS; mostly nothing.
    package var actions: [ConnectionAction] = []
    /// Whether the GOAWAY frames of ``actions`` are sent instead of the first SETTINGS.
    package var omitsSettings = false
}
