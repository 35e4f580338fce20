/// One request on its way through rules, checks, delivery and log: its content, its origin, its sender and its device.
///
/// It is created once per request, with its topic resolved, and cannot outlive the bytes it refers to. It is passed
/// `inout` although it rarely changes, because the compiler copies a borrowed struct of this size on each call.
struct RequestContext: ~Escapable {
    /// The transport's facts about the request.
    let facts: RequestFacts
    /// The header fields, then the stored part of the body.
    let bytes: Span<UInt8>
    /// The parsed fields.
    let push: Push
    /// The connection it arrived on.
    var origin: RequestOrigin
    /// The time of the decision.
    let now: Moment
    /// Whether the sender may push, and for which topics.
    private(set) var credentials: Credentials
    /// The bytes that ``topicRange`` refers to: ``bytes``, or the only topic of the client certificate.
    private var topicSource: Span<UInt8>
    /// The range of the topic; `nil` without one.
    private var topicRange: ByteRange?
    /// Whether the topic comes from somewhere else than `apns-topic`: from the client certificate because the request
    /// names none, or from the path of a call about broadcast channels.
    private(set) var hasOtherTopic = false
    /// The form of the topic, from its text alone; ``Topic/Form/malformed`` without a topic.
    private(set) var topicForm: Topic.Form
    /// The facts about the device; `nil` without a token, or for a device that was neither declared nor pushed to.
    var device: KnownDevice?
    /// The call about broadcast channels; `nil` for a push to a device.
    var call: ReceivedCall?
    /// The payload, once a rule has asked for it; the inner value is `nil` if it is not JSON.
    private var payload: JSONText.Value??

    /// Creates the context of a request whose sender has not been authenticated yet.
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

    /// Sets the credentials and resolves the topic: the topic of a single-topic certificate is the default.
    ///
    /// - Parameter only: that single topic, if the credentials have one.
    @_lifetime(self: copy self, copy only)
    @inline(__always)
    mutating func take(_ credentials: consuming Credentials, defaultTopic only: Span<UInt8>) {
        if push.topic == nil, credentials.method == .certificate, credentials.topics?.count == 1 {
            topicSource = only
            topicRange = ByteRange(start: 0, count: only.count)
            hasOtherTopic = true
            topicForm = Topic.form(of: only)
        }
        self.credentials = credentials
    }

    /// Makes the request a call about broadcast channels, whose topic is the bundle id in its path.
    @_lifetime(self: copy self)
    mutating func take(_ call: ReceivedCall, topic: ByteRange) {
        self.call = call
        topicSource = bytes
        topicRange = topic.isEmpty ? nil : topic
        hasOtherTopic = !topic.isEmpty
        topicForm = Topic.form(of: bytes.extracting(topic.range))
    }
}

extension RequestContext {
    /// Returns the value of a field, empty if the field is absent.
    @_lifetime(copy self)
    @inline(__always)
    func text(_ range: ByteRange?) -> Span<UInt8> { bytes.extracting(range?.range ?? 0..<0) }

    /// The topic, empty if absent.
    var topic: Span<UInt8> {
        @_lifetime(copy self)
        @inline(__always)
        get { topicSource.extracting(topicRange?.range ?? 0..<0) }
    }

    /// Whether there is a topic, even an empty one.
    var hasTopic: Bool { topicRange != nil }

    /// The stored part of the body.
    var body: Span<UInt8> {
        @_lifetime(copy self)
        @inline(__always)
        get { bytes.extracting(droppingFirst: facts.headerLength) }
    }

    /// The payload, parsed on first use; `nil` if it is not JSON or was not stored completely.
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
