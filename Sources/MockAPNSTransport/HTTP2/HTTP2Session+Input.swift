internal import CMockNGHTTP2

// Input: what is passed to nghttp2, what it would let pass, and how a violation ends the connection.

extension HTTP2Session {
    /// Processes input from the client; ``requests`` is then the batch of completed requests.
    ///
    /// The previous batch has to be returned with ``recycleRequests()`` first, otherwise it is still in ``requests``.
    package func receive(_ plaintext: Span<UInt8>) -> Received {
        guard !isFailed else { return .failed }
        if unsafe intake.pointee.invalidFrame != nil { unsafe intake.pointee.invalidFrame = nil }
        if sniffer != nil { return receiveFirst(plaintext) }
        return unsafe plaintext.withUnsafeBufferPointer { unsafe read($0) }
    }

    private func receiveFirst(_ plaintext: Span<UInt8>) -> Received {
        let verdict = sniffer?.look(at: plaintext) ?? .other
        guard verdict != .undecided else { return .open }
        let bytes = sniffer?.bytes ?? []
        sniffer = nil
        if case .http1(let request) = verdict {
            fail(
                .http1(String(decoding: request, as: UTF8.self)),
                debugData: Array("Unexpected HTTP/1.x request: ".utf8) + request)
            return .failed
        }
        if !bytes.starts(with: HTTP1Sniffer.preface) { fault = bytes.first ?? .max <= 2 ? .binary : .preface }
        return unsafe bytes.withUnsafeBufferPointer { unsafe read($0) }
    }

    private func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Received {
        let skipped = walker.partialCount == 0 ? walker.payloadLeft : nil
        if hosts.held.isEmpty {
            if unsafe feed(bytes, &walker) { consumeBodies() }
        } else {
            let whole = unsafe hosts.held + bytes
            hosts.held = []
            if unsafe whole.withUnsafeBufferPointer({ unsafe feed($0, &walker) }) { consumeBodies() }
        }
        acknowledgePings()
        announceWaitingLimit()
        settleStreams()
        if unsafe nghttp2_session_want_write(session) != 0 || !laterResets.isEmpty {
            _ = pump(into: &outgoing, limit: .max)
        }
        if isFailed {
            explainFailure(in: unsafe bytes.span, skipping: skipped)
            unsafe intake.pointee.abandonAll(fault)
        }
        return isFailed ? .failed : .open
    }

    /// Passes the bytes to nghttp2, up to a frame on a stream that the client has ended, or one that it never started
    /// (RFC 9113, section 5.1, closed and idle).
    private func feed(_ bytes: UnsafeBufferPointer<UInt8>, _ walker: inout FrameWalker) -> Bool {
        var fed = 0
        let span = unsafe bytes.span
        while let frame = walker.next(in: span) {
            if hosts.isBlockOpen {
                guard unsafe give(bytes.extracting(fed..<frame.start)), endHeaderBlock() else { return false }
                fed = frame.start
            }
            if frame.type == 3 { sawReset = true }
            if frame.type != 1, frame.stream > opened, Self.needsStream(frame.type) {
                // As observed from APNs, in the words of Netty.
                guard unsafe give(bytes.extracting(fed..<max(frame.start, fed))) else { return false }
                fail(
                    .frame(frame.type, on: frame.stream, ", which does not exist", section: "5.1"),
                    debugData: Array("Stream \(frame.stream) does not exist".utf8))
                return false
            }
            guard frame.type <= 1 else { continue }
            let start = max(frame.start, fed)
            if frame.type == 1 {
                if frame.stream > opened {
                    if hosts.completes(frame, isFirst: opened == 0) {
                        guard unsafe give(bytes.extracting(fed..<start)),
                            unsafe openHeaderBlock(bytes.extracting(start..<start + 9), stream: frame.stream)
                        else { return false }
                        fed = start + 9
                    }
                    if frame.stream - opened > 2 { skipped.insert(after: opened, before: frame.stream) }
                    opened = frame.stream
                    continue
                }
                if skipped.contains(frame.stream) {
                    guard unsafe give(bytes.extracting(fed..<start)) else { return false }
                    // In the words of Netty.
                    fail(
                        .frame(
                            frame.type, on: frame.stream, ", which is below stream \(opened), opened before",
                            section: "5.1.1"),
                        debugData: Array(
                            "Request stream \(frame.stream) is behind the next expected stream \(Int(opened) + 2)".utf8)
                    )
                    return false
                }
            }
            if sawReset {
                guard unsafe give(bytes.extracting(fed..<start)) else { return false }
                fed = start
                sawReset = false
            }
            guard unsafe intake.pointee.isClosedByPeer(frame.stream) else { continue }
            guard unsafe give(bytes.extracting(fed..<start)) else { return false }
            fault = .frame(frame.type, on: frame.stream, ", which the client had ended", section: "5.1")
            fail(NGHTTP2_STREAM_CLOSED)
            return false
        }
        if hosts.isBlockOpen, walker.isBetweenFrames {
            let end = bytes.count - walker.partialCount
            guard unsafe give(bytes.extracting(fed..<end)), endHeaderBlock() else { return false }
            fed = end
        }
        if hosts.isAwaited(isFirst: opened == 0) { hosts.held = walker.takePartial() }
        return unsafe give(bytes.extracting(fed..<bytes.count - hosts.held.count))
    }

    // MARK: Requests that name no host

    /// Passes the header of a HEADERS frame to nghttp2 so that CONTINUATION may follow.
    private func openHeaderBlock(_ header: UnsafeBufferPointer<UInt8>, stream: Int32) -> Bool {
        hosts.openStream = stream
        var header = unsafe Array(header)
        header[4] &= ~UInt8(NGHTTP2_FLAG_END_HEADERS.rawValue)
        return unsafe header.withUnsafeBufferPointer { unsafe give($0) }
    }

    /// Ends the header block, and adds a host for nghttp2 to a request that names none.
    private func endHeaderBlock() -> Bool {
        let frame = unsafe hosts.end(of: intake.pointee.current?.takeUnretainedValue())
        // Added fields are not fields of the request.
        unsafe intake.pointee.current = nil
        return unsafe frame.withUnsafeBufferPointer { unsafe give($0) }
    }

    /// Returns whether frames of a type require an existing stream: DATA, RST_STREAM, WINDOW_UPDATE.
    private static func needsStream(_ type: UInt8) -> Bool { type == 0 || type == 3 || type == 8 }

    private func give(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let start = bytes.baseAddress, unsafe nghttp2_session_mem_recv(session, start, bytes.count) < 0 else {
            return true
        }
        if let (stream, name) = unsafe intake.pointee.misplacedPseudoField {
            // nghttp2 has queued a reset of the stream; APNs has been seen to send only GOAWAY.
            silencedResets.append(stream)
            fail(
                .pseudoField(name, on: stream),
                debugData: Array("Pseudo-header field '\(name)' found after regular header.".utf8))
        } else {
            fail(NGHTTP2_PROTOCOL_ERROR)
        }
        return false
    }

    /// Ends the connection with only an error code. nghttp2's own GOAWAY would prevent ready answers from being sent.
    private func fail(_ error: nghttp2_error_code) { fail(lastStream: highestStream, error, debugData: []) }

    /// Ends the connection like Netty, whose last stream is then the highest possible.
    private func fail(_ fault: ProtocolFault, debugData: [UInt8]) {
        self.fault = fault
        goAwayText = String(decoding: debugData, as: UTF8.self)
        fail(lastStream: .max, NGHTTP2_PROTOCOL_ERROR, debugData: debugData)
    }

    private func fail(lastStream: Int32, _ error: nghttp2_error_code, debugData: [UInt8]) {
        goAway(lastStream: lastStream, errorCode: error.rawValue, debugData: debugData)
        settleStreams()
        isFailed = true
    }

    /// Finds out which frame it was that nghttp2 did not take.
    ///
    /// - Parameter skipped: the number of bytes that belong to an earlier frame; `nil` if a frame header began earlier.
    private func explainFailure(in bytes: Span<UInt8>, skipping skipped: Int?) {
        guard fault == nil, let ending else { return }
        var frame = unsafe intake.pointee.invalidFrame
        if frame == nil, ending.code == NGHTTP2_FRAME_SIZE_ERROR.rawValue, let skipped {
            var walker = FrameWalker(skipping: skipped)
            let limit = unsafe Int(intake.pointee.settings.maxFrameSize)
            while frame == nil, let next = walker.next(in: bytes) {
                if next.hasWrongLength(limit: limit) { frame = (next.type, next.stream) }
            }
        } else if frame == nil, let current = unsafe intake.pointee.current {
            frame = (1, unsafe current._withUnsafeGuaranteedRef { $0.streamID })
        }
        fault = .found(in: frame, code: ending.code, text: ending.text)
    }
}
