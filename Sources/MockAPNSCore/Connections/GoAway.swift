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

extension [GoAway] {
    /// The last stream that all frames include.
    var lastStream: UInt32 { reduce(.max) { Swift.min($0, UInt32(clamping: $1.lastStream)) } }
}

extension GoAwayPlan {
    /// Returns the frames, with the last streams resolved.
    ///
    /// - Parameters:
    ///   - stream: the stream of the push that triggers it, if any.
    ///   - highestStream: the highest stream processed before.
    func resolved(for stream: UInt32?, highestStream: UInt32) -> [GoAway] {
        frames.map { frame in
            let last: UInt32 =
                switch frame.lastStream {
                case .this: max(stream ?? 0, highestStream)
                case .all: UInt32(GoAway.allStreams)
                // Client streams have odd ids, so the one before is two less.
                case .previous: (stream ?? highestStream) &- min(2, stream ?? highestStream)
                case .zero: 0
                }
            return GoAway(
                lastStream: Int32(clamping: last), errorCode: frame.errorCode, debugData: frame.debugData)
        }
    }
}
