/// What the server has to do to a connection in addition to answering a request: decided by the gateway, or ordered by
/// a scenario or the API.
///
/// Actions are carried out in order. With an answer, ``settings(maxConcurrentStreams:for:)`` is sent before it, the
/// frames of ``goAway(_:then:)`` after it and after everything else that is ready, and the connection is closed last.
package enum ConnectionAction: Sendable, Equatable {
    /// What follows a GOAWAY.
    package enum Then: Sendable, Equatable {
        /// Streams up to the last one are answered, then TLS close and FIN.
        case drain
        /// The connection is closed at once, in this way.
        case close(Ending)
        /// Nothing: the socket stays open, and later streams are never answered.
        case stayOpen
    }

    /// How a connection is closed.
    package enum Ending: String, Sendable, CaseIterable {
        /// TLS close_notify, then FIN.
        case end
        /// FIN without close_notify.
        case truncate
        /// TCP RST.
        case reset
        /// Not closed at all: nothing more is read or written, while TCP stays up.
        case silent
    }

    /// Sends these GOAWAY frames in order.
    case goAway([GoAway], then: Then)
    /// Closes the connection without GOAWAY.
    case close(Ending)
    /// Sends SETTINGS with this stream limit, permanently or for a duration in milliseconds of real time. When the last
    /// of the durations since the last permanent limit has passed, the server calls ``Gateway/restoreStreamLimit(on:)``
    /// and announces the limit that it returns.
    case settings(maxConcurrentStreams: Int, for: Int64?)
    /// Sends RST_STREAM frames on the request's stream instead of an answer, one per error code.
    case resetStream([UInt32])
    /// Stops acknowledging PING frames, or starts again.
    case ignorePings(Bool)
}

/// A GOAWAY frame (RFC 9113, section 6.8), ready to send.
package struct GoAway: Sendable, Equatable {
    /// The id of the last stream that is processed; 2³¹ − 1 includes all streams.
    package var lastStream: Int32
    /// The error code; 0 is NO_ERROR.
    package var errorCode: UInt32
    /// The debug data: from APNs either `{"reason":…}` or plain English text from its HTTP/2 stack.
    package var debugData: [UInt8]

    /// Creates a frame, by default without debug data.
    package init(lastStream: Int32, errorCode: UInt32 = 0, debugData: [UInt8] = []) {
        self.lastStream = lastStream
        self.errorCode = errorCode
        self.debugData = debugData
    }

    /// Creates a frame with the reason as JSON without white space, as APNs sends it.
    package init(lastStream: Int32, errorCode: UInt32 = 0, reason: Reason) {
        self.init(lastStream: lastStream, errorCode: errorCode, debugData: reason.body)
    }

    /// The last-stream id that includes all streams.
    package static let allStreams = Int32.max
}

/// A GOAWAY as a scenario or the API describes it: the value of the step `goAway`. The gateway resolves the streams
/// when the GOAWAY is sent.
package struct GoAwayPlan: Sendable, Equatable {
    /// The last stream that is processed.
    package enum LastStream: Sendable, Equatable {
        /// The stream of the push that triggers it, or a higher one processed before. Without a push: the highest
        /// stream processed.
        case this
        /// All streams: 2³¹ − 1.
        case all
        /// The stream before ``this``, so that the push is not processed.
        case previous
        /// No stream: 0.
        case zero
        /// The stream with this id.
        case number(Int32)
    }

    /// One GOAWAY frame.
    package struct Frame: Sendable, Equatable {
        /// The last stream that is processed.
        package var lastStream: LastStream
        /// The error code; 0 is NO_ERROR.
        package var errorCode: UInt32
        /// The debug data.
        package var debugData: [UInt8]

        /// Creates a frame, by default without debug data.
        package init(lastStream: LastStream = .this, errorCode: UInt32 = 0, debugData: [UInt8] = []) {
            self.lastStream = lastStream
            self.errorCode = errorCode
            self.debugData = debugData
        }

        /// Creates a frame with the reason as JSON.
        package init(lastStream: LastStream = .this, errorCode: UInt32 = 0, reason: Reason) {
            self.init(lastStream: lastStream, errorCode: errorCode, debugData: reason.body)
        }
    }

    /// The frames, sent in order.
    package var frames: [Frame]
    /// What follows the frames.
    package var then: ConnectionAction.Then

    /// Creates a plan from frames and what follows them.
    package init(_ frames: [Frame], then: ConnectionAction.Then = .drain) {
        self.frames = frames
        self.then = then
    }
}

/// Orders for one connection.
package struct ConnectionOrder: Sendable, Equatable {
    /// The id of the connection.
    package var connection: Int
    /// The actions to carry out, in order.
    package var actions: [ConnectionAction]
}

/// Instructions for a newly opened connection.
package struct OpeningInstructions: Sendable, Equatable {
    /// The id of the connection.
    package var id: Int
    /// The stream limit in the first SETTINGS.
    package var streamLimit: Int
    /// The actions after the first SETTINGS; usually none.
    package var actions: [ConnectionAction] = []
    /// Whether the GOAWAY frames in ``actions`` replace the first SETTINGS.
    package var omitsSettings = false
    /// Why the client's certificate is refused, as a sentence.
    package var refusal: String?
}
