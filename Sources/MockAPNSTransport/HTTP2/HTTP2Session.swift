internal import CMockNGHTTP2

/// The server side of an HTTP/2 connection: plaintext in, requests out; answers in, plaintext out.
///
/// A session belongs to one event loop; it is not `Sendable`. Use it in this order: ``receive(_:)``, answer the
/// ``requests`` with ``respond(to:fields:body:)``, ``recycleRequests()``, ``send(into:limit:)``.
///
/// ```swift
/// let session = HTTP2Session()
/// let received = session.receive(plaintext)
/// for request in session.requests where request.fault == nil {
///     session.respond(to: request.streamID, fields: FieldBlock(status: 200))
/// }
/// session.recycleRequests()
/// let hasMore = session.send(into: &output, limit: 16_384)
/// ```
@safe
package final class HTTP2Session {
    /// The values of the SETTINGS frame, by default as observed from APNs (RFC 9113, section 6.5.2), and how much is
    /// stored.
    package struct Settings: Sendable {
        /// HEADER_TABLE_SIZE in bytes.
        package var headerTableSize: UInt32 = 4096
        /// MAX_CONCURRENT_STREAMS; 1 until the first valid provider token.
        package var maxConcurrentStreams = 1
        /// INITIAL_WINDOW_SIZE in bytes.
        package var initialWindowSize: UInt32 = 65_535
        /// MAX_FRAME_SIZE in bytes, 16384 to 16777215.
        package var maxFrameSize: UInt32 = 16_384
        /// MAX_HEADER_LIST_SIZE in bytes; a longer list is answered with 431.
        package var maxHeaderListSize = 8000
        /// Maximum number of stored bytes of a body; further ones are only counted.
        package var storedBodyLimit = 5121

        /// Creates the settings of APNs.
        package init() {}
    }

    /// Whether the connection continues.
    package enum Received: Sendable {
        /// It continues.
        case open
        /// The client violated the protocol, and GOAWAY is queued: send what is pending, then close.
        case failed
    }

    /// The connection's counters.
    package struct Counters: Sendable {
        /// Requests handed over, including those with a fault.
        package var requests = 0
        /// RST_STREAM frames sent.
        package var resetsSent = 0
        /// RST_STREAM frames received.
        package var resetsReceived = 0
        /// PING frames received, excluding acknowledgements.
        package var pings = 0
        /// GOAWAY frames sent.
        package var goAwaysSent = 0
        /// SETTINGS frames sent, excluding acknowledgements.
        package var settingsSent = 0
        /// SETTINGS frames received, excluding acknowledgements.
        package var settingsReceived = 0
        /// Acknowledgements received for our SETTINGS.
        package var settingsAcknowledged = 0
        /// The error code of the client's GOAWAY, if there was one.
        package var peerGoAway: UInt32?
    }

    let intake: UnsafeMutablePointer<SessionIntake>
    let session: OpaquePointer
    private let memory: UnsafeMutablePointer<mock_session_memory>
    private var sniffer: HTTP1Sniffer? = HTTP1Sniffer()
    /// Whether a reset by the client is among the bytes not yet passed to nghttp2, completely or in part.
    private var sawReset = false
    private var walker = FrameWalker(skipping: HTTP1Sniffer.preface.count)
    /// The highest stream on which the client has sent HEADERS.
    private var opened: Int32 = 0
    private var skipped = SkippedStreams()
    private var hosts = HostCompletion()
    /// Frames produced during ``receive(_:)``.
    var outgoing: [UInt8] = []
    /// GOAWAY frames, which nghttp2 does not know about: they are sent when it has nothing more to send.
    var goAways: [UInt8] = []
    /// Whether a GOAWAY has been sent.
    package internal(set) var hasSentGoAway = false
    /// Resets that must not be sent before everything queued on their stream.
    var laterResets: [(stream: Int32, errorCode: UInt32)] = []
    /// The number of them already passed to nghttp2.
    var laterResetsSent = 0
    /// Streams whose reset by nghttp2 is hidden from the client.
    var silencedResets: [Int32] = []
    /// Answers that were not sent as they were given.
    var answerFaults: [AnswerFault] = []
    /// Maximum number of SETTINGS frames that the client has not acknowledged. nghttp2 keeps them in a list, and passes
    /// through all of it for each new one.
    package static let unacknowledgedSettingsLimit = 1000
    /// The number of SETTINGS frames queued so far.
    var settingsQueued = 0
    /// A limit of streams to announce once the client acknowledges SETTINGS.
    var waitingLimit: Int?
    var isFailed = false

    /// What the client was told when its connection failed, if that was more than an error code.
    package private(set) var goAwayText: String?

    /// Whether PING is acknowledged (RFC 9113, section 6.7). If not, the connection appears dead without being closed.
    package var answersPings = true

    /// Called for each PING with the number of open streams; returns whether it is acknowledged. It is not called from
    /// inside nghttp2, and must not use this session.
    package var onPing: ((_ inFlight: Int) -> Bool)?

    /// Whether WINDOW_UPDATE is sent. If not, the client can send only as much body data as its windows still allow, at
    /// most 65535 bytes; what was held back is queued when this becomes `true` again.
    package var consumesBodies = true {
        didSet { consumeBodies() }
    }

    /// Creates a session with its SETTINGS frame ready to send.
    ///
    /// - Parameters:
    ///   - settings: the content of the frame.
    ///   - pool: the request pool of the event loop.
    ///   - sendsSettings: `false` for a connection that does not start with SETTINGS as required (RFC 9113, section
    ///     3.4): a GOAWAY sent before anything is received is then its first frame.
    package init(settings: Settings = Settings(), pool: RequestPool = RequestPool(), sendsSettings: Bool = true) {
        unsafe intake = .allocate(capacity: 1)
        unsafe intake.initialize(to: SessionIntake(settings: settings, pool: pool))
        unsafe memory = .allocate(capacity: 1)
        unsafe memory.initialize(to: mock_session_memory())
        var handle: OpaquePointer?
        let result = unsafe mock_session_server_new(&handle, Self.callbacks, intake, Self.options, memory)
        guard result == 0, let handle = unsafe handle else { fatalError("nghttp2: out of memory") }
        unsafe session = unsafe handle
        if sendsSettings {
            submitSettings()
        } else {
            // The limit applies, and is not the value of a later SETTINGS frame.
            unsafe _ = intake.pointee.limit.send()
        }
    }

    deinit {
        unsafe nghttp2_session_del(session)
        unsafe memory.deallocate()
        unsafe intake.deinitialize(count: 1)
        unsafe intake.deallocate()
    }

    // MARK: Input

    /// The requests from the last ``receive(_:)``, in the order they were completed.
    package var requests: [ReceivedRequest] { unsafe intake.pointee.requests }

    /// Streams that the client has reset with an answer pending, since the last ``recycleRequests()``.
    package var cancelledStreams: [Int32] { unsafe intake.pointee.cancelledStreams }

    /// The counters so far.
    package var counters: Counters { unsafe intake.pointee.counters }

    /// The number of streams with an incomplete request or answer, not counting refused and ignored ones.
    package var openStreams: Int { unsafe intake.pointee.openStreams }

    /// The highest stream with a request; 0 before the first.
    package var highestStream: Int32 { unsafe intake.pointee.highestStream }

    /// The stream above which streams are ignored, as announced by GOAWAY; 2³¹ − 1 before the first.
    package var lastStream: Int32 { unsafe intake.pointee.lastAllowedStream }

    /// The limit of concurrent streams announced last.
    package var maxConcurrentStreams: Int { unsafe waitingLimit ?? intake.pointee.limit.announced }

    /// Whether the client has sent GOAWAY: it will open no more streams.
    package var isPeerLeaving: Bool { unsafe intake.pointee.counters.peerGoAway != nil }

    /// Processes input from the client; ``requests`` is then the batch of completed requests.
    ///
    /// The previous batch has to be returned with ``recycleRequests()`` first, otherwise it is still in ``requests``.
    package func receive(_ plaintext: Span<UInt8>) -> Received {
        guard !isFailed else { return .failed }
        if sniffer != nil { return receiveFirst(plaintext) }
        return unsafe plaintext.withUnsafeBufferPointer { unsafe read($0) }
    }

    private func receiveFirst(_ plaintext: Span<UInt8>) -> Received {
        let verdict = sniffer?.look(at: plaintext) ?? .other
        guard verdict != .undecided else { return .open }
        let bytes = sniffer?.bytes ?? []
        sniffer = nil
        if case .http1(let request) = verdict {
            fail(debugData: Array("Unexpected HTTP/1.x request: ".utf8) + request)
            return .failed
        }
        return unsafe bytes.withUnsafeBufferPointer { unsafe read($0) }
    }

    private func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Received {
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
        if isFailed { unsafe intake.pointee.abandonAll() }
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
                fail(debugData: Array("Stream \(frame.stream) does not exist".utf8))
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
        // What is added is not a field of the request.
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
            fail(debugData: Array("Pseudo-header field '\(name)' found after regular header.".utf8))
        } else {
            fail(NGHTTP2_PROTOCOL_ERROR)
        }
        return false
    }

    /// Ends the connection with only an error code. nghttp2's own GOAWAY would prevent ready answers from being sent.
    private func fail(_ error: nghttp2_error_code) {
        goAway(lastStream: highestStream, errorCode: error.rawValue, debugData: [])
        isFailed = true
    }

    /// Ends the connection like Netty, whose last stream is then the highest possible.
    private func fail(debugData: [UInt8]) {
        goAwayText = String(decoding: debugData, as: UTF8.self)
        goAway(lastStream: .max, errorCode: NGHTTP2_PROTOCOL_ERROR.rawValue, debugData: debugData)
        isFailed = true
    }

    private func consumeBodies() {
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

    private func acknowledgePings() {
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

    /// Returns the batch to the pool and clears ``requests`` and ``cancelledStreams``.
    package func recycleRequests() {
        unsafe intake.pointee.recycle()
    }

    /// Ends the connection: incomplete requests appear in ``requests`` as canceled.
    package func end() {
        isFailed = true
        unsafe intake.pointee.abandonAll()
    }
}
