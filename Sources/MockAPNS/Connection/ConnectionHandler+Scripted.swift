import MockAPNSCore
import MockAPNSTransport
import NIOCore

// Applies a scenario to answers: delays them, sends them slowly (drip), or gives them unusual forms.

extension ConnectionHandler {
    /// An answer that is not due yet.
    struct DelayedAnswer {
        let response: PlannedResponse
        let answer: Answer?
        /// When its request was read.
        var arrived: NIODeadline
        let timer: Scheduled<Void>
    }

    /// An answer sent slowly, and the output queued behind it, because frames are sent in order.
    struct Drip {
        let pace: Step.Drip
        var queue = DripQueue()
        /// Number of bytes in the queue that belong to the answer.
        var left = 0
        /// Maximum number of queued bytes; when it is reached, nothing more is read.
        static let limit = 65_536
    }

    // MARK: Delayed

    /// Answers according to the plan, now or later.
    func follow(
        _ response: PlannedResponse, _ answer: Answer?, on session: HTTP2Session, _ context: ChannelHandlerContext
    ) {
        guard response.delay > 0 else {
            if let answer { send(answer, by: response, on: session, context) }
            return
        }
        let stream = Int32(response.stream)
        let timer = schedule(context, after: .milliseconds(response.delay)) { $0.answerIsDue(to: stream, $1) }
        delayed[stream] = DelayedAnswer(response: response, answer: answer, arrived: lastRead, timer: timer)
    }

    private func answerIsDue(to stream: Int32, _ context: ChannelHandlerContext) {
        // If the connection is closing, its end records the outcome of the answer.
        guard life.answers, let session, let late = delayed.removeValue(forKey: stream),
            let actions = engine.due(late.response, arrived: late.arrived)
        else { return }
        begin(actions, on: session, stream: stream, context)
        if let answer = late.answer { send(answer, by: late.response, on: session, context) }
        send(context)
        settle(context)
    }

    /// Answers pushes that have waited for the order of a fleet.
    func answer(_ decided: [OrderedDecision], _ context: ChannelHandlerContext) {
        guard life.answers, let session else { return engine.giveUp(decided, as: life.closedBy.outcomeOfUnanswered) }
        for each in decided {
            let stream = Int32(each.push.stream)
            var decision = each.decision
            if postponed.removeValue(forKey: stream) == nil {
                // The client has just canceled it. The rest of the decision holds for the whole connection.
                engine.giveUp([each], as: .cancelled)
                (decision.answer, decision.response) = (nil, nil)
            }
            perform(decision, for: stream, on: session, context)
            // It has waited for its turn, while others may have been read.
            delayed[stream]?.arrived = .now() - .microseconds(Int64(each.push.latencyMicroseconds))
        }
        send(context)
        settle(context)
    }

    /// Handles requests canceled by the client.
    func abandonAnswers(to streams: [(stream: Int32, errorCode: UInt32)]) {
        var relayed: [(stream: Int32, id: Int, errorCode: UInt32)] = []
        for (stream, errorCode) in streams {
            if let id = postponed.removeValue(forKey: stream) {
                engine.cancelPostponed(id)
                relayed.append((stream, id, errorCode))
            }
            guard let late = delayed.removeValue(forKey: stream) else { continue }
            late.timer.cancel()
            engine.abandon(late.response, as: .cancelled)
        }
        cancelRelayed(relayed)
    }

    /// Abandons all delayed answers when the connection has closed.
    func abandonAllAnswers() {
        if life.closedBy == .fault, session?.fault != nil, !delayed.isEmpty {
            let (late, fault) = (delayed.sorted { $0.key < $1.key }, protocolFault)
            delayed = [:]
            for (_, each) in late { each.timer.cancel() }
            return engine.noteUnsent(
                late.map { UnsentAnswer(stream: UInt32($0.key), .connectionBroken(fault), of: $0.value.response) },
                on: connectionID)
        }
        for (_, late) in delayed.sorted(by: { $0.key < $1.key }) {
            late.timer.cancel()
            engine.abandon(late.response, as: life.closedBy.outcomeOfUnanswered)
        }
        delayed = [:]
    }

    // MARK: Unusual

    private func send(
        _ answer: Answer, by planned: PlannedResponse, on session: HTTP2Session, _ context: ChannelHandlerContext
    ) {
        let plan = planned.plan
        var body: [UInt8]?
        if let response = plan.response {
            scratch.fields.write(response)
            body = answer.omitsBody ? nil : response.body
        } else {
            scratch.fields.write(answer, plan.hostility)
            body = plan.hostility == .notJSON ? answer.body.map { _ in Self.text } : answer.body
        }
        if let seconds = plan.retryAfter {
            scratch.fields.append("retry-after", Array(String(seconds).utf8).span)
        }
        if plan.hostility == .emptyBody { body = nil }
        if let pace = plan.drip, drip == nil {
            // Output before it is not sent slowly; a GOAWAY waits for it.
            send(context, holdsGoAways: true)
            drip = Drip(pace: pace)
            scheduleDrop(context, after: .zero)
        }
        let isDripping = drip.map { $0.left == 0 && $0.queue.isEmpty } ?? false
        let shape = AnswerShape(plan.hostility)
        session.respond(to: Int32(planned.stream), fields: scratch.fields, body: body, shape: shape)
        if session.hasAnswerFaults { keepAnswerFaults(of: session, planned) }
        guard isDripping else { return }
        fillDrip(from: session, context, holdsGoAways: true)
        let count = drip?.queue.count ?? 0
        drip?.left = count
    }

    /// Keeps what was not sent as it was decided, until the batch is over.
    private func keepAnswerFaults(of session: HTTP2Session, _ planned: PlannedResponse? = nil) {
        unsent += session.takeAnswerFaults().map { fault in
            UnsentAnswer(fault, of: planned.flatMap { Int32($0.stream) == fault.stream ? $0 : nil })
        }
    }

    /// Changes the records of answers that were not sent as they were decided.
    func noteUnsentAnswers(on session: HTTP2Session) {
        keepAnswerFaults(of: session)
        engine.noteUnsent(unsent, on: connectionID)
        unsent = []
    }

    /// The body of an error answer that is not JSON.
    private static let text = Array("Something went wrong.".utf8)

    // MARK: Drip

    /// Moves output from the session into the queue, as far as there is room.
    func fillDrip(from session: HTTP2Session, _ context: ChannelHandlerContext, holdsGoAways: Bool = false) {
        while drip?.queue.count ?? Drip.limit < Drip.limit {
            scratch.output.removeAll(keepingCapacity: true)
            let more = session.send(
                into: &scratch.output, limit: LoopScratch.recordSize, holdsGoAways: holdsGoAways)
            drip?.queue.append(scratch.output)
            if !more { break }
        }
        let hasRoom = drip?.queue.count ?? 0 < Drip.limit
        if life.answers { setReading(context, hasRoom && context.channel.isWritable) }
    }

    private func scheduleDrop(_ context: ChannelHandlerContext, after delay: TimeAmount) {
        nextDrop = schedule(context, after: delay) { handler, context in handler.sendDrop(context) }
    }

    private func sendDrop(_ context: ChannelHandlerContext) {
        guard life.answers, var drip else { return }
        // A client that does not read gets no more until it does.
        if context.channel.isWritable {
            let drop = drip.left > 0 ? drip.queue.next(min(drip.pace.bytes, drip.left)) : []
            drip.left -= drop.count
            // The bytes queued behind the answer are sent at once.
            let rest = drip.left == 0 && !drip.queue.isEmpty ? drip.queue.next(drip.queue.count) : []
            self.drip = drip.left == 0 ? nil : drip
            for bytes in [drop, rest] where !bytes.isEmpty { try? tls.write(bytes.span) }
            writeCiphertext(context)
            context.flush()
        }
        guard self.drip == nil else {
            return scheduleDrop(context, after: .milliseconds(drip.pace.every))
        }
        setReading(context, true)
        send(context)
        settle(context)
    }
}

extension AnswerShape {
    /// Creates the shape for this hostility.
    fileprivate init(_ hostility: Hostility?) {
        self.init()
        switch hostility {
        case .splitBody: body = .split
        case .emptyLastData: body = .emptyLast
        case .trailers:
            var fields = FieldBlock()
            fields.append("x-mock-apns", Array("trailers".utf8).span)
            trailers = fields
        case .informational: informationalStatus = 103
        case .settingsFlood: settingsFrames = 100
        case .unknownFrame: unknownFrame = true
        case .windowStall: stallsWindow = true
        // These are handled by the fields and the body.
        case .emptyBody, .notJSON, .noAPNsID, .otherCaseAPNsID, nil: break
        }
    }
}
