/// How an answer is sent that is not to look like one of APNs: all of it is legal in HTTP/2, and none of it was ever
/// seen from APNs. The value without changes is the ordinary answer.
///
/// ```swift
/// var shape = AnswerShape()
/// shape.body = .split
/// session.respond(to: request.streamID, fields: fields, body: body, shape: shape)
/// ```
package struct AnswerShape: Sendable {
    /// How a body is cut into DATA frames; flow control may cut it further.
    package enum Body: Int32, Sendable {
        /// One frame, which ends the stream.
        case whole
        /// Two frames.
        case split
        /// One frame, then an empty one that ends the stream; with trailers they end it, and no empty frame comes.
        case emptyLast
    }

    /// How the body is cut; it does nothing to an answer without one.
    package var body = Body.whole
    /// HEADERS that end the stream, after the body or, without one, after the answer's own HEADERS (RFC 9113,
    /// section 8.1); no field of it may begin with a colon.
    package var trailers: FieldBlock?
    /// HEADERS before the answer with this status alone, 100 or 102 to 199 (RFC 9110, section 15.2).
    package var informationalStatus: Int?
    /// Number of SETTINGS frames before the answer, each with all five entries as they are; with 2000 at once nghttp2's
    /// clients give up, with 100 they do not.
    package var settingsFrames = 0
    /// Whether a frame of the type 0xBE, which nobody has assigned, comes before the answer on its stream (RFC 9113,
    /// section 5.5).
    package var unknownFrame = false
    /// Whether WINDOW_UPDATE is withheld from now on: ``HTTP2Session/consumesBodies``.
    package var stallsWindow = false

    /// The ordinary answer.
    package init() {}
}
