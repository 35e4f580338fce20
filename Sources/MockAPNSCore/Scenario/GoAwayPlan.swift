/// A GOAWAY as a scenario or the API describes it: the value of the step `goAway`. The gateway resolves the streams
/// when the GOAWAY is sent.
package struct GoAwayPlan: Sendable, Equatable {
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
    /// The action after the frames.
    package var then: AfterGoAway

    /// Creates a plan from frames and what follows them.
    package init(_ frames: [Frame], then: AfterGoAway = .drain) {
        self.frames = frames
        self.then = then
    }
}
