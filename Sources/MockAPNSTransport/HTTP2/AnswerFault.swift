internal import CMockNGHTTP2

/// An answer that was not sent as it was given.
package struct AnswerFault: Sendable, Equatable {
    /// The reason, with its effect on the answer.
    package enum Kind: Sendable, Equatable {
        /// Its header fields cannot be sent, for the reason given: the stream is reset with INTERNAL_ERROR.
        case refused(String)
        /// The connection was ended before: nothing is sent.
        case connectionEnded
        /// ``AnswerShape/settingsFrames`` were left out, because the client has left too many unacknowledged.
        case settingsLeftOut
    }

    /// The stream of the request.
    package var stream: Int32
    /// The reason, with its effect on the answer.
    package var kind: Kind
}

extension HTTP2Session {
    /// Whether ``takeAnswerFaults()`` returns any.
    package var hasAnswerFaults: Bool { !answerFaults.isEmpty }

    /// Returns the answers since the last call that were not sent as they were given. Call it after each
    /// ``send(into:limit:holdsGoAways:)``.
    package func takeAnswerFaults() -> [AnswerFault] {
        defer { answerFaults = [] }
        return answerFaults
    }

    /// Resets the stream of an answer that cannot be sent.
    func refuseAnswer(to stream: Int32, because reason: String) {
        answerFaults.append(AnswerFault(stream: stream, kind: .refused(reason)))
        laterResets.append((stream, NGHTTP2_INTERNAL_ERROR.rawValue))
    }

    /// Handles the HEADERS frames that nghttp2 did not send.
    func settleUnsentHeaders() {
        for (stream, code) in unsafe intake.pointee.unsentHeaders {
            switch nghttp2_error(code) {
            // The stream was reset, by the client or by us: no answer is expected any more.
            case NGHTTP2_ERR_STREAM_CLOSED, NGHTTP2_ERR_STREAM_CLOSING, NGHTTP2_ERR_STREAM_SHUT_WR: break
            case NGHTTP2_ERR_SESSION_CLOSING:
                answerFaults.append(AnswerFault(stream: stream, kind: .connectionEnded))
            case NGHTTP2_ERR_FRAME_SIZE_ERROR:
                refuseAnswer(to: stream, because: "its header fields have more than 65,536 bytes in all")
            default:
                refuseAnswer(to: stream, because: unsafe String(cString: nghttp2_strerror(code)))
            }
        }
        unsafe intake.pointee.unsentHeaders.removeAll()
    }
}
