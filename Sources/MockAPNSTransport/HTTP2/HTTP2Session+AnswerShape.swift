internal import CMockNGHTTP2

/// Answers with unusual shapes.
extension HTTP2Session {
    /// The type of the frame for ``AnswerShape/unknownFrame``.
    private static let unassignedType: UInt8 = 0xBE
    /// A flag in addition to the body's shape: trailers follow.
    private static let trailersFollow: Int32 = 0x100

    /// Queues the answer to a request with an unusual shape; see ``respond(to:fields:body:)``.
    ///
    /// Anything that precedes the answer is queued with it, and may be sent before answers queued earlier.
    @discardableResult
    package func respond(
        to stream: Int32, fields: borrowing FieldBlock, body: [UInt8]? = nil, shape: AnswerShape
    ) -> Bool {
        guard let open = unsafe beginAnswer(stream) else { return false }
        if shape.stallsWindow { consumesBodies = false }
        if settingsRoom >= shape.settingsFrames {
            for _ in 0..<shape.settingsFrames { announce(maxConcurrentStreams: maxConcurrentStreams) }
        } else {
            answerFaults.append(AnswerFault(stream: stream, kind: .settingsLeftOut))
        }
        if shape.unknownFrame, !hasSentGoAway {
            unsafe nghttp2_submit_extension(session, Self.unassignedType, 0, stream, nil)
        }
        if let status = shape.informationalStatus { submitHeaders(FieldBlock(status: status), to: stream, ends: false) }
        guard let body else {
            guard let trailers = shape.trailers else { return unsafe submit(fields, to: stream, nil) }
            let isSent =
                submitHeaders(fields, to: stream, ends: false) && submitHeaders(trailers, to: stream, ends: true)
            if !isSent { refuseAnswer(to: stream, because: "nghttp2 does not take its header fields") }
            return isSent
        }
        unsafe open.pointee.body = body
        if let trailers = shape.trailers { unsafe intake.pointee.trailers[stream] = trailers }
        let source = unsafe nghttp2_data_source(
            fd: shape.body.rawValue | (shape.trailers == nil ? 0 : Self.trailersFollow))
        var provider = unsafe nghttp2_data_provider(source: source, read_callback: Self.readShapedBody)
        return unsafe submit(fields, to: stream, &provider)
    }

    /// Queues 100 for a client that waits for it before it sends the body (RFC 9110, section 10.1.1).
    func submitContinue(to stream: Int32) { submitHeaders(FieldBlock(status: 100), to: stream, ends: false) }

    @discardableResult
    private func submitHeaders(_ block: borrowing FieldBlock, to stream: Int32, ends: Bool) -> Bool {
        guard !block.lacksFields else { return false }
        return unsafe withFields(of: block, to: stream) { fields, count in
            let flags = ends ? UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) : 0
            return unsafe nghttp2_submit_headers(session, flags, stream, nil, fields, count, nil)
        } == 0
    }

    /// Queues the trailers of streams whose last DATA frame has been sent.
    func submitTrailers() {
        for stream in unsafe intake.pointee.trailersDue {
            guard let trailers = unsafe intake.pointee.trailers.removeValue(forKey: stream) else { continue }
            submitHeaders(trailers, to: stream, ends: true)
        }
        unsafe intake.pointee.trailersDue.removeAll()
    }

    /// Provides nghttp2 with the next bytes of a body, in the shape given by the data source.
    private static let readShapedBody: nghttp2_data_source_read_callback = {
        _, id, buffer, space, flags, source, user in
        guard let source = unsafe source, let stream = unsafe intake(user).pointee.streams.find(id) else {
            return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
        }
        let shape = unsafe source.pointee.fd
        let offset = unsafe Int(stream.pointee.bodyOffset)
        let count = unsafe stream.pointee.body?.count ?? 0
        var space = space
        switch AnswerShape.Body(rawValue: shape & ~trailersFollow) {
        case .split where offset < count / 2:
            space = min(space, count / 2 - offset)
        case .emptyLast where offset < count:
            // The stream is ended with the next frame.
            return unsafe copyBody(of: stream, to: buffer, min(space, count - offset))
        default: break
        }
        let length = unsafe copyBody(of: stream, to: buffer, min(space, count - offset))
        guard offset + length == count else { return length }
        unsafe stream.pointee.body = nil
        unsafe flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
        if shape & trailersFollow != 0 {
            unsafe flags?.pointee |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
            unsafe intake(user).pointee.trailersDue.append(id)
        }
        return length
    }
}
