/// One request on its way through rules, checks, delivery and log: what it says, where it comes from, who sends it and
/// what is known of its device.
///
/// It is made once for each request, with its topic resolved, and cannot outlive the bytes that it looks at. It is handed
/// on `inout` although it seldom changes: the compiler copies a borrowed struct of this size at each call.
struct RequestContext: ~Escapable {
    /// What the transport knows of it.
    let facts: RequestFacts
    /// Header fields, then the stored part of the body.
    let bytes: Span<UInt8>
    /// What the fields say.
    let push: Push
    /// The connection that it came on.
    let origin: RequestOrigin
    /// When it is decided.
    let now: Moment
    /// Whether the sender may push, and for whom.
    private(set) var credentials: Credentials
    /// What ``topicRange`` is a range of: ``bytes``, or the only topic of the client certificate.
    private var topicSource: Span<UInt8>
    /// Where the topic is; `nil` without one.
    private var topicRange: ByteRange?
    /// Whether the topic is that of the client certificate, since the request names none.
    private(set) var hasCertificateTopic = false
    /// What the topic's text alone tells; ``Topic/Form/malformed`` without one.
    private(set) var topicForm: Topic.Form
    /// What is known of the device; `nil` for one that nobody declared and nobody pushed to, or without a token.
    var device: DeviceStanding?
    /// Whether the payload was read for a rule, and what it is when it is JSON.
    private var payload: JSONText.Value??

    /// A request of which nobody has judged yet who sends it.
    @_lifetime(copy bytes)
    @inline(__always)
    init(
        _ request: consuming ParsedRequest, bytes: Span<UInt8>, from origin: consuming RequestOrigin, at now: Moment
    ) {
        self.bytes = bytes
        push = request.push
        facts = request.facts
        self.origin = origin
        self.now = now
        credentials = Credentials(method: .none)
        topicSource = bytes
        topicRange = push.topic
        topicForm = push.topicForm
    }

    /// Takes what came of judging who sends it, and resolves the topic: a certificate for one topic is its default.
    ///
    /// - Parameter only: that topic, where the credentials have one.
    @_lifetime(self: copy self, copy only)
    @inline(__always)
    mutating func take(_ credentials: consuming Credentials, defaultTopic only: Span<UInt8>) {
        if push.topic == nil, credentials.method == .certificate, credentials.topics?.count == 1 {
            topicSource = only
            topicRange = ByteRange(start: 0, count: only.count)
            hasCertificateTopic = true
            topicForm = Topic.form(of: only)
        }
        self.credentials = credentials
    }
}

extension RequestContext {
    /// The value of a field, or nothing when it is absent.
    @_lifetime(copy self)
    @inline(__always)
    func text(_ range: ByteRange?) -> Span<UInt8> { bytes.extracting(range?.range ?? 0..<0) }

    /// The topic, or nothing when it is absent.
    var topic: Span<UInt8> {
        @_lifetime(copy self)
        @inline(__always)
        get { topicSource.extracting(topicRange?.range ?? 0..<0) }
    }

    /// Whether there is a topic, which may be an empty one.
    var hasTopic: Bool { topicRange != nil }

    /// The stored part of the body.
    var body: Span<UInt8> {
        @_lifetime(copy self)
        @inline(__always)
        get { bytes.extracting(droppingFirst: facts.headerLength) }
    }

    /// The payload, read when it is asked for first; `nil` when it is no JSON, or not stored as a whole.
    var payloadValue: JSONText.Value? {
        mutating get {
            if let payload { return payload }
            let read =
                facts.bodyLength == bytes.count - facts.headerLength ? try? JSONText.read(body, .recorded) : nil
            payload = .some(read)
            return read
        }
    }
}

/// Where a request comes from: its connection, as it is when the request has come.
struct RequestOrigin {
    /// The connection's index among the open ones.
    let index: Int
    /// The connection's id.
    let id: Int
    /// The connection's number in the run; `nil` for one that was open at a reset.
    let number: Int?
    /// The number of the request on its connection, 1 being the first.
    let request: Int
    /// Whether it is a connection to the sandbox.
    let isSandbox: Bool
    /// The number of the client's server name in the log.
    let serverNameIndex: UInt16
    /// The server name itself, where a rule may ask for it.
    let serverName: String?
    /// The highest stream of a request that was processed before.
    let highestStream: UInt32

    /// The origin of the next request on a connection.
    ///
    /// - Parameter isScripted: whether rules may ask for the server's name, which is not copied in vain.
    @inline(__always)
    init(_ connections: inout Connections, at index: Int, isScripted: Bool) {
        connections.open[index].requests += 1
        self.index = index
        id = connections.open[index].id
        number = connections.open[index].number
        request = connections.open[index].requests
        isSandbox = connections.open[index].isSandbox
        serverNameIndex = connections.open[index].serverName
        serverName = isScripted ? connections.open[index].facts.serverName : nil
        highestStream = connections.open[index].orders.highestStream
    }
}
