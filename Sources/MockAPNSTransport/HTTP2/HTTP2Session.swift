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
    var sniffer: HTTP1Sniffer? = HTTP1Sniffer()
    /// Whether a reset by the client is among the bytes not yet passed to nghttp2, completely or in part.
    var sawReset = false
    var walker = FrameWalker(skipping: HTTP1Sniffer.preface.count)
    /// The highest stream on which the client has sent HEADERS.
    var opened: Int32 = 0
    var skipped = SkippedStreams()
    var hosts = HostCompletion()
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

    /// Why the connection failed.
    package internal(set) var fault: ProtocolFault?
    /// The code and the text of the GOAWAY with which nghttp2 ended the connection.
    var ending: (code: UInt32, text: String)?

    /// The text sent to the client when its connection failed, if that was more than an error code.
    package internal(set) var goAwayText: String?

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

    // MARK: What was received

    /// The requests from the last ``receive(_:)``, in the order they were completed.
    package var requests: [ReceivedRequest] { unsafe intake.pointee.requests }

    /// Streams that the client has reset with an answer pending, since the last ``recycleRequests()``.
    package var cancelledStreams: [(stream: Int32, errorCode: UInt32)] { unsafe intake.pointee.cancelledStreams }

    /// The counters so far.
    package var counters: Counters { unsafe intake.pointee.counters }

    /// The number of streams with an incomplete request or answer, not counting refused and ignored ones.
    package var openStreams: Int { unsafe intake.pointee.openStreams }

    /// The highest stream with a request; 0 before the first.
    package var highestStream: Int32 { unsafe intake.pointee.highestStream }

    /// The limit of concurrent streams announced last.
    package var maxConcurrentStreams: Int { unsafe waitingLimit ?? intake.pointee.limit.announced }

    /// Whether the client has sent GOAWAY: it will open no more streams.
    package var isPeerLeaving: Bool { unsafe intake.pointee.counters.peerGoAway != nil }

    /// Returns the batch to the pool and clears ``requests`` and ``cancelledStreams``.
    package func recycleRequests() {
        unsafe intake.pointee.recycle()
    }

    /// Ends the connection: incomplete requests appear in ``requests`` as canceled.
    package func end() {
        isFailed = true
        unsafe intake.pointee.abandonAll(fault)
    }
}
