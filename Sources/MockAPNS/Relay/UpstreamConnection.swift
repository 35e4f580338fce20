import MockAPNSCore
import MockAPNSTransport
import NIOCore
import NIOPosix

/// The connection to the upstream of a relay that belongs to one provider's connection, on the same event loop.
///
/// Each push has a stream of its own there. What the upstream does is passed on to the provider's connection as an
/// ``UpstreamEvent``.
final class UpstreamConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// A push that was passed on, or waits until the connection is open.
    private struct Passed {
        let id: Int
        /// The provider's stream.
        let stream: Int32
        let since: NIODeadline
        /// When it was passed on.
        var passedAt = NIODeadline.distantFuture
    }

    /// How long connecting may take, and then the TLS handshake.
    private static let connectLimit = TimeAmount.seconds(10)

    private let target: RelayTarget
    private let provider: any Channel
    private let tls: TLSClientConnection
    private let session = HTTP2ClientSession()
    private var context: ChannelHandlerContext?
    /// The pushes that wait for the connection, with what was passed on of them.
    private var waiting: [(push: OrderedPush, passed: Passed)] = []
    /// The pushes without an answer, by their streams here.
    private var passed: [Int32: Passed] = [:]
    /// The highest stream of the provider that the upstream has processed.
    private var highestProcessed: Int32 = 0
    /// Whether nothing more is passed on.
    private(set) var isEnded = false
    private var output: [UInt8] = []
    /// The header fields of the latest push.
    private var fields: [UInt8] = []
    /// Ends a handshake that takes too long.
    private var timer: Scheduled<Void>?

    private init(
        _ target: RelayTarget, for provider: any Channel, _ context: TLSClientContext
    ) throws(OpenSSLError) {
        (self.target, self.provider) = (target, provider)
        tls = try TLSClientConnection(context: context, host: target.host, protocols: ["h2"])
    }

    /// Begins to connect to the upstream; pushes can be passed on at once.
    ///
    /// - Parameter hasCertificate: whether the provider has shown a client certificate.
    static func open(
        to target: RelayTarget, for provider: any Channel, hasCertificate: Bool
    ) throws(OpenSSLError) -> UpstreamConnection {
        let context = hasCertificate ? target.tlsWithCertificate ?? target.tls : target.tls
        let connection = try UpstreamConnection(target, for: provider, context)
        let bound = NIOLoopBound(connection, eventLoop: provider.eventLoop)
        ClientBootstrap(group: provider.eventLoop)
            .connectTimeout(connectLimit)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(bound.value)
                }
            }
            .connect(host: target.host, port: target.port)
            .hop(to: provider.eventLoop)
            .whenFailure { error in
                bound.value.end("The upstream \(bound.value.target.authority) cannot be reached (\(error)).")
            }
        return connection
    }

    // MARK: From the provider

    /// Passes pushes on.
    func pass(_ pushes: [OrderedPush], arrived: NIODeadline) {
        for push in pushes {
            let passed = Passed(id: push.id, stream: Int32(bitPattern: push.stream), since: arrived)
            if context != nil, tls.isHandshakeComplete { submit(push, passed) } else { waiting.append((push, passed)) }
        }
        send()
    }

    private func submit(_ push: OrderedPush, _ passed: Passed) {
        var fields: [UInt8] = []
        // Kept for the next push.
        swap(&fields, &self.fields)
        defer { swap(&fields, &self.fields) }
        push.writeFields(for: target.authority, to: &fields)
        if let stream = session.submit(fields.span, body: push.body) {
            var passed = passed
            passed.passedAt = .now()
            self.passed[stream] = passed
        } else {
            // It takes no more, and its provider is told so: this one came in between.
            let bound = NIOLoopBound(self, eventLoop: provider.eventLoop)
            provider.eventLoop.execute { bound.value.tell([bound.value.lost(passed, bound.value.refusal)]) }
        }
    }

    private var refusal: String { "The upstream \(target.authority) is ending the connection and took no more pushes." }

    /// Resets streams as the provider has, with the same error codes.
    func cancel(_ streams: [(stream: Int32, errorCode: UInt32)]) {
        for (stream, errorCode) in streams {
            waiting.removeAll { $0.passed.stream == stream }
            guard let own = passed.first(where: { $0.value.stream == stream })?.key else { continue }
            passed[own] = nil
            session.reset(stream: own, errorCode: errorCode)
        }
        send()
    }

    /// Reads from the upstream, or lets it wait because the provider does not read.
    func setReading(_ reads: Bool) { try? context?.channel.syncOptions?.setOption(.autoRead, value: reads) }

    /// Leaves the upstream, since the provider has left.
    func leave() {
        isEnded = true
        (waiting, passed) = ([], [:])
        guard let context else { return }
        session.leave()
        send()
        tls.sendCloseNotify()
        writeOutput()
        context.flush()
        context.close(promise: nil)
    }

    // MARK: To the upstream

    private func send() {
        guard let context, tls.isHandshakeComplete else { return }
        var hasMore = true
        while hasMore {
            output.removeAll(keepingCapacity: true)
            hasMore = session.send(into: &output, limit: 16_384)
            tls.write(output)
            writeOutput()
            // What is left stays in nghttp2: as much as the provider's streams have, which are bounded.
            hasMore = hasMore && context.channel.isWritable
        }
        context.flush()
        // What nghttp2 has given up while it wrote, as after a GOAWAY.
        let events = session.takeEvents()
        guard !events.isEmpty else { return }
        let bound = NIOLoopBound(self, eventLoop: provider.eventLoop)
        provider.eventLoop.execute { bound.value.tell(events) }
    }

    private func writeOutput() {
        let bytes = tls.takeOutput()
        if !bytes.isEmpty { context?.write(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil) }
    }

    // MARK: From the upstream

    func channelActive(context: ChannelHandlerContext) {
        // The provider has left meanwhile.
        if isEnded { return context.close(promise: nil) }
        self.context = context
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.connectLimit) { [self] in
            end("The TLS handshake with the upstream \(target.authority) took more than 10 s.")
        }
        _ = tls.receive([])
        writeOutput()
        context.flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let wasOpen = tls.isHandshakeComplete
        let plaintext = tls.receive(Array(unwrapInboundIn(data).readableBytesView))
        if !wasOpen {
            writeOutput()
            context.flush()
        }
        if let failure = tls.failure {
            return end(
                wasOpen
                    ? "The connection to the upstream \(target.authority) broke: \(failure)."
                    : "The TLS handshake with the upstream \(target.authority) failed: \(failure). --upstream-ca names the authorities to trust."
            )
        }
        if !wasOpen, tls.isHandshakeComplete {
            timer?.cancel()
            if let other = tls.applicationProtocol, other != "h2" {
                return end("The upstream \(target.authority) speaks \(PrintableText.line(other)) instead of HTTP/2.")
            }
            let first = waiting
            waiting = []
            for (push, passed) in first { submit(push, passed) }
        }
        tell(session.receive(plaintext))
        send()
        if session.isFailed { end("The upstream \(target.authority) broke HTTP/2.") }
        if tls.isClosed { end("The upstream \(target.authority) closed the connection before it answered.") }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        // A provider that pushes faster than the upstream reads waits, too.
        let reads = context.channel.isWritable && provider.isWritable
        try? provider.syncOptions?.setOption(.autoRead, value: reads)
        if context.channel.isWritable { send() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        timer?.cancel()
        end("The upstream \(target.authority) closed the connection before it answered.")
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end("The connection to the upstream \(target.authority) broke (\(error)).")
    }

    /// Ends the connection: the pushes that have no answer will have none.
    private func end(_ why: String) {
        guard !isEnded else { return }
        isEnded = true
        var event = UpstreamEvent()
        event.answers = (passed.sorted { $0.key < $1.key }.map(\.value) + waiting.map(\.passed)).map { lost($0, why) }
        (waiting, passed) = ([], [:])
        // One that was never open may be open for the next push.
        event.isClosed = tls.isHandshakeComplete
        // An upstream may close a connection on which nothing waits.
        event.why = event.answers.isEmpty && event.isClosed ? nil : why
        context?.close(promise: nil)
        provider.pipeline.fireUserInboundEventTriggered(event)
    }

    private func lost(_ passed: Passed, _ why: String) -> UpstreamEvent.Answer {
        .init(id: passed.id, stream: passed.stream, since: passed.since, UpstreamAnswer(.lost(why)))
    }

    private func tell(_ answers: [UpstreamEvent.Answer]) {
        var event = UpstreamEvent()
        event.answers = answers
        provider.pipeline.fireUserInboundEventTriggered(event)
    }

    private func tell(_ events: [HTTP2ClientSession.Event]) {
        guard !events.isEmpty else { return }
        let now = NIODeadline.now()
        var event = UpstreamEvent()
        for each in events {
            switch each {
            case .answer(let answer):
                guard let passed = passed.removeValue(forKey: answer.stream) else { continue }
                highestProcessed = max(highestProcessed, passed.stream)
                event.answers.append(
                    UpstreamEvent.Answer(
                        answer, to: passed.id, passed.stream, passed.since, now.since(passed.passedAt)))
            case .reset(let stream, let errorCode):
                guard let passed = passed.removeValue(forKey: stream) else { continue }
                let answer = UpstreamAnswer(
                    .reset(errorCode: errorCode), latencyMicroseconds: now.since(passed.passedAt))
                event.answers.append(.init(id: passed.id, stream: passed.stream, since: passed.since, answer))
            case .tooLong(let stream):
                guard let passed = passed.removeValue(forKey: stream) else { continue }
                let limit = HTTP2ClientSession.answerLimit
                let why = "The answer of the upstream \(target.authority) has more than \(limit) bytes."
                event.answers.append(lost(passed, why))
            case .malformed(let stream):
                guard let passed = passed.removeValue(forKey: stream) else { continue }
                let why = "The answer of the upstream \(target.authority) is malformed: it breaks a rule of HTTP/2."
                event.answers.append(lost(passed, why))
            case .streamLimit(let limit): event.streamLimit = limit
            case .goAway(let lastStream, let errorCode, let debugData):
                takeGoAway(lastStream, &event)
                event.goAway = (highestProcessed, errorCode, debugData)
            }
        }
        provider.pipeline.fireUserInboundEventTriggered(event)
    }

    /// Gives up the pushes that the upstream does not process. Those below the last stream of the provider are reset, as
    /// that GOAWAY does not tell of them.
    private func takeGoAway(_ lastStream: Int32, _ event: inout UpstreamEvent) {
        let left = passed.filter { $0.key > lastStream }
        for passed in passed.values where !left.values.contains(where: { $0.id == passed.id }) {
            highestProcessed = max(highestProcessed, passed.stream)
        }
        for (stream, passed) in left.sorted(by: { $0.key < $1.key }) {
            self.passed[stream] = nil
            let isBelow = passed.stream < highestProcessed
            event.answers.append(
                isBelow
                    ? .init(
                        id: passed.id, stream: passed.stream, since: passed.since,
                        UpstreamAnswer(.reset(errorCode: 7)))
                    : lost(passed, "The upstream \(target.authority) sent GOAWAY and did not process it."))
        }
    }
}

extension NIODeadline {
    /// The microseconds since an earlier time.
    func since(_ start: NIODeadline) -> Int { Int((self - start).nanoseconds / 1000) }
}

/// What the upstream of a relay has done, for the provider's connection.
struct UpstreamEvent: Sendable {
    /// The end of a push.
    struct Answer: Sendable {
        /// The id of the push.
        let id: Int
        /// The provider's stream.
        let stream: Int32
        /// When it arrived.
        let since: NIODeadline
        let answer: UpstreamAnswer
        /// The answer as it came.
        var fields = FieldBlock()
        var body: [UInt8] = []

        init(id: Int, stream: Int32, since: NIODeadline, _ answer: UpstreamAnswer) {
            (self.id, self.stream, self.since, self.answer) = (id, stream, since, answer)
        }
    }

    /// In the order in which they came.
    var answers: [Answer] = []
    /// The number of streams that the upstream allows from now on.
    var streamLimit: Int?
    /// The last stream of the provider that is processed, the error code and the debug data.
    var goAway: (lastStream: Int32, errorCode: UInt32, debugData: [UInt8])?
    /// Whether the connection to the upstream was open, and is closed.
    var isClosed = false
    /// Why it was closed or could not be opened, as a sentence.
    var why: String?
}

extension UpstreamEvent.Answer {
    /// The length of `:status`, which is the first field: four bytes of lengths, the name, three digits.
    private static let status = 4 + 7 + 3

    fileprivate init(
        _ answer: HTTP2ClientSession.Answer, to id: Int, _ stream: Int32, _ since: NIODeadline,
        _ latencyMicroseconds: Int
    ) {
        self.init(
            id: id, stream: stream, since: since,
            UpstreamAnswer(
                status: answer.status, body: answer.body, fields: Array(answer.fields.bytes.dropFirst(Self.status)),
                latencyMicroseconds: latencyMicroseconds))
        (fields, body) = (answer.fields, answer.body)
    }
}
