internal import CMockNGHTTP2

/// nghttp2's callbacks: each writes to the intake, and none calls nghttp2.
extension HTTP2Session {
    static func intake(_ user: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<SessionIntake> {
        unsafe user.unsafelyUnwrapped.assumingMemoryBound(to: SessionIntake.self)
    }

    static nonisolated(unsafe) let options: OpaquePointer? = {
        var options: OpaquePointer?
        unsafe nghttp2_option_new(&options)
        unsafe nghttp2_option_set_no_auto_window_update(options, 1)
        // The session acknowledges PING itself, or does not if told so.
        unsafe nghttp2_option_set_no_auto_ping_ack(options, 1)
        // nghttp2 knows no limit of streams, and so would remember closed streams without limit.
        unsafe nghttp2_option_set_no_closed_streams(options, 1)
        unsafe nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(options, 1)
        return unsafe options
    }()

    static nonisolated(unsafe) let callbacks: OpaquePointer? = {
        var callbacks: OpaquePointer?
        unsafe nghttp2_session_callbacks_new(&callbacks)
        unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, user in
            guard let frame = unsafe frame else { return 0 }
            if unsafe frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST {
                unsafe HTTP2Session.intake(user).pointee.beginStream(frame.pointee.hd.stream_id)
            }
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, _, name, nameLength, value, valueLength, _, user in
            unsafe HTTP2Session.addField(
                UnsafeBufferPointer(start: name, count: nameLength),
                UnsafeBufferPointer(start: value, count: valueLength), user)
        }
        unsafe nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks) {
            _, _, name, nameLength, value, valueLength, _, user in
            unsafe HTTP2Session.addField(
                UnsafeBufferPointer(start: name, count: nameLength),
                UnsafeBufferPointer(start: value, count: valueLength), user)
        }
        unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, id, data, length, user in
            let intake = unsafe HTTP2Session.intake(user)
            unsafe intake.pointee.unconsumed += length
            guard let stream = unsafe intake.pointee.streams.find(id) else { return 0 }
            let limit = unsafe intake.pointee.settings.storedBodyLimit
            unsafe stream.pointee.request?.appendBody(data.unsafelyUnwrapped, length, limit: limit)
            let before = unsafe stream.pointee.unconsumed
            unsafe stream.pointee.unconsumed += Int32(length)
            let consumedAtOnce = unsafe intake.pointee.consumedAtOnce
            if before < consumedAtOnce, unsafe stream.pointee.unconsumed >= consumedAtOnce {
                unsafe intake.pointee.toConsume.append(id)
            }
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, user in
            guard let frame = unsafe frame else { return 0 }
            unsafe HTTP2Session.intake(user).pointee.addFrame(frame)
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, errorCode, user in
            unsafe HTTP2Session.intake(user).pointee.closeStream(id, errorCode: errorCode)
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { _, frame, code, user in
            guard let frame = unsafe frame, unsafe frame.pointee.hd.type == UInt8(NGHTTP2_HEADERS.rawValue) else {
                return 0
            }
            unsafe HTTP2Session.intake(user).pointee.unsentHeaders.append((frame.pointee.hd.stream_id, code))
            return 0
        }
        unsafe nghttp2_session_callbacks_set_error_callback2(callbacks) { _, _, text, length, user in
            guard let text = unsafe text else { return 0 }
            let bytes = unsafe UnsafeRawBufferPointer(start: text, count: length)
            // An ignored frame is not a fault, and would wrongly explain a later one.
            guard unsafe !bytes.starts(with: "Ignoring".utf8) else { return 0 }
            unsafe HTTP2Session.intake(user).pointee.errorText = String(decoding: bytes, as: UTF8.self)
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks) { _, frame, code, user in
            guard let frame = unsafe frame else { return 0 }
            return unsafe HTTP2Session.intake(user).pointee.addInvalidFrame(frame, code: code)
        }
        unsafe nghttp2_session_callbacks_set_pack_extension_callback(callbacks) { _, buffer, _, _, _ in
            // The payload of an unknown frame does not matter.
            let payload: StaticString = "unknown."
            unsafe buffer?.update(from: payload.utf8Start, count: payload.utf8CodeUnitCount)
            return payload.utf8CodeUnitCount
        }
        return unsafe callbacks
    }()

    @inline(__always)
    private static func addField(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, _ user: UnsafeMutableRawPointer?
    ) -> Int32 {
        let intake = unsafe intake(user)
        guard let current = unsafe intake.pointee.current, let nameStart = name.baseAddress,
            let valueStart = value.baseAddress
        else { return 0 }
        let limit = unsafe intake.pointee.settings.maxHeaderListSize
        unsafe current._withUnsafeGuaranteedRef { request in
            request.state.headerListSize += name.count + value.count + 32
            if request.state.headerListSize <= limit {
                if unsafe !name.isEmpty && name[0] != UInt8(ascii: ":") { request.state.hasRegularField = true }
                unsafe request.appendField(nameStart, name.count, valueStart, value.count)
                if name.count == 6, value.count == 12, unsafe isExpectation(name, value) {
                    request.state.expectsContinue = true
                }
            } else if !request.state.hasFault, unsafe !intake.pointee.ignores(request.state.streamID) {
                request.fault = .headerListTooLarge
            }
        }
        return 0
    }

    /// Returns whether a field is `expect: 100-continue`; the case of the value does not matter.
    private static func isExpectation(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe name.elementsEqual("expect".utf8) && value.elementsEqual("100-continue".utf8) { $0 | 0x20 == $1 | 0x20 }
    }

    /// Provides nghttp2 with the next bytes of an answer's body.
    static let readBody: nghttp2_data_source_read_callback = { _, id, buffer, capacity, flags, _, user in
        guard let stream = unsafe HTTP2Session.intake(user).pointee.streams.find(id),
            let buffer = unsafe buffer, let body = unsafe stream.pointee.body
        else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
        let length = min(capacity, body.count - Int(unsafe stream.pointee.bodyOffset))
        unsafe copyBody(of: stream, to: buffer, length)
        if unsafe Int(stream.pointee.bodyOffset) == body.count {
            unsafe stream.pointee.body = nil
            unsafe flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
        }
        return length
    }

    /// Copies the next bytes of the stream's body, which have to exist.
    @discardableResult
    static func copyBody(
        of stream: UnsafeMutablePointer<OpenStream>, to buffer: UnsafeMutablePointer<UInt8>?, _ length: Int
    ) -> Int {
        guard length > 0, let buffer = unsafe buffer else { return 0 }
        unsafe stream.pointee.body?.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            unsafe buffer.update(from: start + Int(stream.pointee.bodyOffset), count: length)
        }
        unsafe stream.pointee.bodyOffset += Int32(length)
        return length
    }
}

extension SessionIntake {
    fileprivate mutating func addFrame(_ frame: UnsafePointer<nghttp2_frame>) {
        let header = unsafe frame.pointee.hd
        let isEnded = header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        switch UInt32(header.type) {
        case NGHTTP2_DATA.rawValue:
            if isEnded, let stream = unsafe streams.find(header.stream_id) { unsafe endRequest(stream) }
        case NGHTTP2_HEADERS.rawValue:
            if unsafe frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST {
                endHeaders(header.stream_id, isEnded: isEnded)
            } else if isEnded, let stream = unsafe streams.find(header.stream_id) {
                unsafe endRequest(stream)
            }
        case NGHTTP2_RST_STREAM.rawValue:
            counters.resetsReceived += 1
            guard let stream = unsafe streams.find(header.stream_id) else { return }
            unsafe stream.pointee.isResetByPeer = true
            unsafe stream.pointee.isEndedByPeer = true
        case NGHTTP2_SETTINGS.rawValue:
            if header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0 {
                counters.settingsAcknowledged += 1
                limit.acknowledge()
            } else {
                counters.settingsReceived += 1
            }
        case NGHTTP2_PING.rawValue:
            guard header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 else { return }
            counters.pings += 1
            unsafe pings.append(frame.pointee.ping.opaque_data)
        case NGHTTP2_GOAWAY.rawValue:
            counters.peerGoAway = unsafe frame.pointee.goaway.error_code
        default:
            break
        }
    }

    /// Handles a frame that nghttp2 answers with RST_STREAM or GOAWAY.
    fileprivate mutating func addInvalidFrame(_ frame: UnsafePointer<nghttp2_frame>, code: Int32) -> Int32 {
        let header = unsafe frame.pointee.hd
        invalidFrame = (header.type, header.stream_id)
        guard let stream = unsafe streams.find(header.stream_id), header.stream_id > 0,
            unsafe stream.pointee.phase == .receiving, let request = unsafe stream.pointee.request
        else { return 0 }
        let name = unsafe current != nil && request.state.hasRegularField ? pseudoFieldName(in: errorText) : nil
        defer { errorText = "" }
        unsafe current = nil
        guard let name else {
            let text = errorText.isEmpty ? unsafe String(cString: nghttp2_strerror(code)) : errorText
            // Without the value of the field, which may be a provider token with its signature.
            if let name = text.firstRange(of: "name: ["), let value = text.firstRange(of: "], value: [") {
                request.fault = .malformed(
                    "invalid field \(text[name.upperBound..<max(name.upperBound, value.lowerBound)].prefix(1000))")
            } else {
                request.fault = .malformed(String(text.prefix(1000)))
            }
            return 0
        }
        request.fault = .broken(.pseudoField(name, on: header.stream_id))
        misplacedPseudoField = (header.stream_id, name)
        return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
    }

    /// Returns the name in `…, name: [:method], value: [POST]`, if it is that of a pseudo-header field.
    private func pseudoFieldName(in text: String) -> String? {
        guard let start = text.firstRange(of: "name: [:"), let end = text.firstRange(of: "], value: [") else {
            return nil
        }
        // GOAWAY repeats it.
        return String(text[text.index(start.upperBound, offsetBy: -1)..<end.lowerBound].prefix(1000))
    }

    mutating func recycle() {
        pool.giveBack(&requests)
        if requests.capacity > 128 { requests = [] }
        if !cancelledStreams.isEmpty { cancelledStreams.removeAll() }
    }
}
