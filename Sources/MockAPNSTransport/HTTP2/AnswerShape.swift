/// How an answer is sent if it is to differ from those of APNs: all of it is legal in HTTP/2, and none of it has ever
/// been seen from APNs. The unchanged value is an ordinary answer.
///
/// ```swift
/// var shape = AnswerShape()
/// shape.body = .split
/// session.respond(to: request.streamID, fields: fields, body: body, shape: shape)
/// ```
package struct AnswerShape: Sendable {
    /// How a body is divided into DATA frames; flow control may divide it further.
    package enum Body: Int32, Sendable {
        /// One frame, which ends the stream.
        case whole
        /// Two frames.
        case split
        /// One frame, then an empty one that ends the stream; with trailers, those end it, and there is no empty frame.
        case emptyLast
    }

    /// How the body is divided; has no effect on an answer without one.
    package var body = Body.whole
    /// HEADERS that end the stream, after the body or, without one, after the answer's own HEADERS (RFC 9113, section
    /// 8.1). No field name may start with a colon.
    package var trailers: FieldBlock?
    /// HEADERS before the answer with only this status, 100 or 102 to 199 (RFC 9110, section 15.2).
    package var informationalStatus: Int?
    /// Number of SETTINGS frames before the answer, each with all five current entries; nghttp2's clients give up with
    /// 2000 at once, but not with 100. All are left out for a client that leaves too many unacknowledged
    /// (``HTTP2Session/unacknowledgedSettingsLimit``).
    package var settingsFrames = 0
    /// Whether a frame of the unassigned type 0xBE precedes the answer on its stream (RFC 9113, section 5.5).
    package var unknownFrame = false
    /// Whether WINDOW_UPDATE is withheld from now on: ``HTTP2Session/consumesBodies``.
    package var stallsWindow = false

    /// Creates the shape of an ordinary answer.
    package init() {}
}
