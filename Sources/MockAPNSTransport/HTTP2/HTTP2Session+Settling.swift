internal import CMockNGHTTP2

// The effects of received frames without a decision: windows, PING, refusals, 431, 100.

extension HTTP2Session {
    /// Lets the client send as much again as was received, unless that is held back.
    func consumeBodies() {
        guard consumesBodies, unsafe intake.pointee.unconsumed > 0 else { return }
        unsafe nghttp2_session_consume_connection(session, intake.pointee.unconsumed)
        unsafe intake.pointee.unconsumed = 0
        guard unsafe !intake.pointee.toConsume.isEmpty else { return }
        for id in unsafe intake.pointee.toConsume {
            guard let stream = unsafe intake.pointee.streams.find(id) else { continue }
            unsafe nghttp2_session_consume_stream(session, id, Int(stream.pointee.unconsumed))
            unsafe stream.pointee.unconsumed = 0
        }
        unsafe intake.pointee.toConsume.removeAll(keepingCapacity: true)
    }

    /// Acknowledges the PING frames received, except those that stay unanswered.
    func acknowledgePings() {
        guard unsafe !intake.pointee.pings.isEmpty else { return }
        if answersPings {
            for var data in unsafe intake.pointee.pings {
                if let onPing, !onPing(openStreams) { continue }
                unsafe withUnsafeBytes(of: &data) { data in
                    let bytes = unsafe data.bindMemory(to: UInt8.self).baseAddress
                    unsafe nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_ACK.rawValue), bytes)
                }
            }
        }
        unsafe intake.pointee.pings.removeAll(keepingCapacity: true)
    }

    /// Handles what follows automatically from the frames: refusals, 431, 100, or nothing at all.
    func settleStreams() {
        if unsafe !intake.pointee.expectant.isEmpty, !isFailed {
            for stream in unsafe intake.pointee.takeExpectant() { submitContinue(to: stream) }
        }
        if unsafe !intake.pointee.refused.isEmpty {
            for (stream, isEnded) in unsafe intake.pointee.refused {
                unsafe nghttp2_submit_rst_stream(session, 0, stream, NGHTTP2_REFUSED_STREAM.rawValue)
                // APNs answers the DATA that follows with a second reset.
                if !isEnded { laterResets.append((stream, NGHTTP2_STREAM_CLOSED.rawValue)) }
            }
            unsafe intake.pointee.refused.removeAll()
        }
        if unsafe !intake.pointee.tooLarge.isEmpty {
            let streams = unsafe intake.pointee.tooLarge
            unsafe intake.pointee.tooLarge.removeAll()
            for stream in streams {
                let isEnded = unsafe intake.pointee.streams.find(stream)?.pointee.isEndedByPeer ?? true
                respond(to: stream, fields: FieldBlock(status: 431))
                // The answer is complete: the client is to stop sending, and to read it (RFC 9113, section 8.1). Netty
                // uses PROTOCOL_ERROR here, with which curl would lose the answer.
                if !isEnded { laterResets.append((stream, NGHTTP2_NO_ERROR.rawValue)) }
            }
        }
        if unsafe !intake.pointee.ignored.isEmpty {
            for stream in unsafe intake.pointee.ignored {
                // nghttp2 has to forget the stream, without the client noticing.
                silencedResets.append(stream)
                unsafe nghttp2_submit_rst_stream(session, 0, stream, 0)
            }
            unsafe intake.pointee.ignored.removeAll()
        }
    }
}
