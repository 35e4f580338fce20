internal import CMockNGHTTP2

/// The session's output: answers, resets, SETTINGS, GOAWAY, and their bytes.
extension HTTP2Session {
    /// Queues the answer to a request.
    ///
    /// - Parameters:
    ///   - stream: the stream of the request.
    ///   - fields: `:status` and the other fields.
    ///   - body: `nil` ends the stream with HEADERS; otherwise one DATA frame ends it (more if flow control requires
    ///     it).
    /// - Returns: `false` if the stream is not waiting for an answer: canceled, refused, ignored or already answered;
    ///   or if the answer cannot be sent, which ``takeAnswerFaults()`` then reports.
    @discardableResult
    package func respond(to stream: Int32, fields: borrowing FieldBlock, body: [UInt8]? = nil) -> Bool {
        guard let open = unsafe beginAnswer(stream) else { return false }
        guard let body else { return unsafe submit(fields, to: stream, nil) }
        unsafe open.pointee.body = body
        var provider = unsafe nghttp2_data_provider(source: .init(fd: 0), read_callback: Self.readBody)
        return unsafe submit(fields, to: stream, &provider)
    }

    /// Returns the stream if it waits for an answer; from now on it does not.
    func beginAnswer(_ stream: Int32) -> UnsafeMutablePointer<OpenStream>? {
        guard stream > 0, let open = unsafe intake.pointee.streams.find(stream),
            unsafe open.pointee.phase == .waiting && !open.pointee.isIgnored && !open.pointee.isResetByPeer
        else { return nil }
        unsafe open.pointee.phase = .answered
        // There is no tunnel, so the client is to stop sending and read the answer (RFC 9113, section 8.1).
        if unsafe open.pointee.isTunnel && !open.pointee.isEndedByPeer {
            laterResets.append((stream, NGHTTP2_NO_ERROR.rawValue))
        }
        return unsafe open
    }

    func submit(
        _ block: borrowing FieldBlock, to stream: Int32, _ provider: UnsafePointer<nghttp2_data_provider>?
    ) -> Bool {
        if block.lacksFields {
            refuseAnswer(to: stream, because: "the status or the length of a header field has no place in HTTP/2")
            return false
        }
        let result = unsafe withFields(of: block, to: stream) { fields, count in
            unsafe nghttp2_submit_response(session, stream, fields, count, provider)
        }
        if result != 0 { refuseAnswer(to: stream, because: unsafe String(cString: nghttp2_strerror(result))) }
        return result == 0
    }

    /// Lends the fields of a HEADERS frame that nghttp2 is to write, and keeps the others until it is sent.
    @inline(__always)
    func withFields(
        of block: borrowing FieldBlock, to stream: Int32, _ submit: (UnsafePointer<nghttp2_nv>?, Int) -> Int32
    ) -> Int32 {
        let count = block.count
        return unsafe block.bytes.withUnsafeBufferPointer { bytes in
            unsafe withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: max(count, 1)) { fields in
                guard let start = bytes.baseAddress else { return NGHTTP2_ERR_INVALID_ARGUMENT.rawValue }
                // nghttp2 copies the fields and does not write to them.
                var field = unsafe UnsafeMutablePointer(mutating: start)
                var indexed = 0
                for _ in 0..<count {
                    let nameLength = unsafe Int(field[0]) | Int(field[1]) << 8
                    let valueLength = unsafe Int(field[2]) | Int(field[3]) << 8
                    let name = unsafe field + 4
                    if unsafe UnindexedFields.takes(name, nameLength, valueLength: valueLength, in: block) {
                        unsafe intake.pointee.unindexed.append(name, nameLength, valueLength: valueLength)
                    } else {
                        unsafe (fields.baseAddress! + indexed).initialize(
                            to: nghttp2_nv(
                                name: name, value: name + nameLength, namelen: nameLength, valuelen: valueLength,
                                flags: 0))
                        indexed += 1
                    }
                    unsafe field = name + nameLength + valueLength
                }
                unsafe intake.pointee.unindexed.endAnswer(stream)
                return unsafe submit(fields.baseAddress, indexed)
            }
        }
    }

    /// Queues RST_STREAM; a second one for the same stream is sent too.
    package func reset(stream: Int32, errorCode: UInt32) {
        if let open = unsafe intake.pointee.streams.find(stream), stream > 0,
            unsafe open.pointee.phase == .waiting || open.pointee.phase == .receiving
        {
            unsafe open.pointee.phase = .answered
            unsafe nghttp2_submit_rst_stream(session, 0, stream, errorCode)
        } else {
            laterResets.append((stream, errorCode))
        }
    }

    /// Queues SETTINGS, all five entries, with another limit of concurrent streams.
    ///
    /// A lower limit applies to new streams at once, a higher one as soon as the frame is sent. Nothing is announced
    /// after a GOAWAY has been sent: many clients treat any later frame as an error, and lose the reason of the GOAWAY.
    /// While the client leaves ``unacknowledgedSettingsLimit`` frames unacknowledged, the latest limit waits.
    package func announce(maxConcurrentStreams limit: Int) {
        guard !hasSentGoAway else { return }
        guard settingsRoom > 0 else {
            waitingLimit = limit
            return unsafe intake.pointee.limit.reduce(to: limit)
        }
        waitingLimit = nil
        unsafe intake.pointee.limit.announce(limit)
        submitSettings()
    }

    /// Announces the limit that waited for acknowledgements.
    func announceWaitingLimit() {
        guard let waitingLimit, settingsRoom > 0 else { return }
        announce(maxConcurrentStreams: waitingLimit)
    }

    /// The number of SETTINGS frames that may be queued before the client acknowledges one.
    var settingsRoom: Int {
        let acknowledged = unsafe intake.pointee.counters.settingsAcknowledged
        return Self.unacknowledgedSettingsLimit - (settingsQueued - acknowledged)
    }

    func submitSettings() {
        settingsQueued += 1
        let settings = unsafe intake.pointee.settings
        let entries = [
            nghttp2_settings_entry(settings_id: 1, value: settings.headerTableSize),
            // Overwritten when the frame is sent: nghttp2 would end the connection where APNs refuses the stream.
            nghttp2_settings_entry(settings_id: 3, value: UInt32(Int32.max)),
            nghttp2_settings_entry(settings_id: 4, value: settings.initialWindowSize),
            nghttp2_settings_entry(settings_id: 5, value: settings.maxFrameSize),
            nghttp2_settings_entry(settings_id: 6, value: UInt32(settings.maxHeaderListSize)),
        ]
        unsafe nghttp2_submit_settings(session, 0, entries, entries.count)
    }

    /// Queues a GOAWAY frame; several may be sent, with any stream. It is sent with the next
    /// ``send(into:limit:holdsGoAways:)``, after everything else that can be sent by then, whenever that was queued.
    ///
    /// - Parameters:
    ///   - lastStream: 0 to 0x7FFFFFFF.
    ///   - errorCode: see RFC 9113, section 7.
    ///   - debugData: for APNs, JSON with a reason; cut to the size of a frame. When too many frames wait for a client
    ///     that does not read, no more are queued.
    package func goAway(lastStream: Int32, errorCode: UInt32, debugData: [UInt8]) {
        let debugData = debugData.prefix(Self.frameSize - 8)
        if goAways.count < Self.waitingGoAwaysLimit {
            appendFrame(type: 7, stream: 0, payloadLength: 8 + debugData.count)
            appendInteger(UInt32(bitPattern: lastStream))
            appendInteger(errorCode)
            goAways += debugData
            unsafe intake.pointee.counters.goAwaysSent += 1
        }
    }

    /// Ignores streams above this one, without letting the client know: requests on them are handed over, incomplete
    /// ones too, but no answer is sent to them, nor to earlier ones that wait for one, and no stream of them is open.
    package func ignoreStreams(above last: Int32) {
        unsafe intake.pointee.ignoreStreams(above: last)
        settleStreams()
    }

    /// Maximum length of a frame's payload that every client accepts (RFC 9113, section 4.2).
    private static let frameSize = 16_384
    /// The number of bytes of waiting GOAWAY frames from which on no more are queued.
    private static let waitingGoAwaysLimit = 1 << 21

    private func appendFrame(type: UInt8, stream: Int32, payloadLength: Int) {
        appendInteger(UInt32(payloadLength) << 8 | UInt32(type))
        goAways.append(0)
        appendInteger(UInt32(bitPattern: stream))
    }

    private func appendInteger(_ value: UInt32) {
        for shift in [24, 16, 8, 0] { goAways.append(UInt8(truncatingIfNeeded: value >> UInt32(shift))) }
    }

    /// Appends pending frames, always whole ones, until `output` has `limit` bytes or slightly more.
    ///
    /// - Parameter holdsGoAways: whether to hold back GOAWAY, because more is about to be queued that has to be sent
    ///   before it.
    /// - Returns: whether more may be pending; the next call may still append nothing.
    package func send(into output: inout [UInt8], limit: Int, holdsGoAways: Bool = false) -> Bool {
        if !outgoing.isEmpty {
            output += outgoing
            outgoing = []
        }
        if pump(into: &output, limit: limit) { return true }
        if !goAways.isEmpty, !holdsGoAways {
            output += goAways
            goAways = []
            hasSentGoAway = true
        }
        return false
    }

    func pump(into output: inout [UInt8], limit: Int) -> Bool {
        while output.count < limit {
            var frame: UnsafePointer<UInt8>?
            let length = unsafe nghttp2_session_mem_send(session, &frame)
            if length > 0, let frame = unsafe frame {
                let type = unsafe frame[3]
                let bytes = unsafe UnsafeBufferPointer(start: frame, count: length)
                switch type {
                case 1: unsafe appendHeaders(bytes, to: &output)
                case 3, 4, 7: unsafe appendControl(bytes, to: &output)
                default: unsafe output.append(contentsOf: bytes)
                }
            } else if unsafe !intake.pointee.unsentHeaders.isEmpty {
                settleUnsentHeaders()
            } else if unsafe !intake.pointee.trailersDue.isEmpty {
                submitTrailers()
            } else if laterResetsSent < laterResets.count {
                let (stream, errorCode) = laterResets[laterResetsSent]
                laterResetsSent += 1
                unsafe nghttp2_submit_rst_stream(session, 0, stream, errorCode)
            } else {
                if laterResetsSent > 0 { (laterResets, laterResetsSent) = ([], 0) }
                unsafe intake.pointee.unindexed.removeAll()
                return false
            }
        }
        return true
    }

    /// Appends a HEADERS frame, followed by the fields that nghttp2 was not given.
    private func appendHeaders(_ frame: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
        let start = output.count
        unsafe output.append(contentsOf: frame)
        let stream = unsafe Int32(frame[5]) << 24 | Int32(frame[6]) << 16 | Int32(frame[7]) << 8 | Int32(frame[8])
        guard let fields = unsafe intake.pointee.unindexed.take(stream), !fields.isEmpty else { return }
        unsafe output.append(contentsOf: intake.pointee.unindexed.bytes[fields])
        let length = output.count - start - 9
        for index in 0..<3 { output[start + index] = UInt8(truncatingIfNeeded: length >> (16 - 8 * index)) }
    }

    /// Appends a frame that needs inspection: SETTINGS, RST_STREAM or GOAWAY.
    private func appendControl(_ frame: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
        let start = output.count
        unsafe output.append(contentsOf: frame)
        switch unsafe frame[3] {
        case 3:
            let stream = unsafe frame[5..<9].reduce(Int32(0)) { $0 << 8 | Int32($1) }
            if let index = silencedResets.firstIndex(of: stream) {
                silencedResets.remove(at: index)
                output.removeSubrange(start...)
            } else {
                unsafe intake.pointee.counters.resetsSent += 1
            }
        case 4 where unsafe frame[4] & 1 == 0:
            unsafe intake.pointee.counters.settingsSent += 1
            guard let limit = unsafe intake.pointee.limit.send() else { return }
            // The value of the second entry: after 9 bytes of frame header, 6 of the first entry, 2 of the identifier.
            for index in 0..<4 {
                output[start + 17 + index] = UInt8(truncatingIfNeeded: limit >> (24 - 8 * index))
            }
        case 7:
            // Never submitted by us: nghttp2 ends the connection.
            hasSentGoAway = true
            unsafe intake.pointee.counters.goAwaysSent += 1
            isFailed = true
            let code = unsafe frame[13..<17].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            ending = (code, unsafe String(decoding: frame[17...], as: UTF8.self))
        default:
            break
        }
    }
}
