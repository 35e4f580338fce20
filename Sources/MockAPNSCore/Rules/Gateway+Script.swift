/// What a scenario does with a push instead of the checks, or beside them.
extension Gateway {
    /// Who decided about a push instead of the checks, and what.
    struct Script {
        enum Decider {
            case rule(String)
            /// An outage that runs until then.
            case outage(until: Timestamp)
        }

        var decider: Decider
        var step: Step
    }

    /// A request, and where its topic is.
    struct Incoming: ~Escapable {
        let request: RequestFacts
        let push: Push
        let bytes: Span<UInt8>
        let topicRange: ByteRange?
        let topicSource: Span<UInt8>

        @_lifetime(copy bytes, copy topicSource)
        init(
            _ request: RequestFacts, _ push: Push, bytes: Span<UInt8>, topic: ByteRange?,
            in topicSource: Span<UInt8>
        ) {
            self.request = request
            self.push = push
            self.bytes = bytes
            topicRange = topic
            self.topicSource = topicSource
        }

        var topic: Span<UInt8> {
            @_lifetime(copy self)
            get { topicSource.extracting(topicRange?.range ?? 0..<0) }
        }
    }

    /// Decides about a request by an outage or a rule; `nil` when there is none for it.
    @inline(never)
    mutating func receiveScripted(
        _ request: borrowing RequestFacts, _ push: Push, _ record: borrowing RequestRecord,
        bytes: Span<UInt8>, _ credentials: borrowing Credentials, on place: Int, _ providerToken: ProviderToken?,
        at now: Moment, highestBefore: UInt32
    ) -> Decision? {
        var outage: (step: Step, end: Timestamp)?
        if !outages.isEmpty {
            outage = outages.current(at: now.clock)
            if outages.isEmpty { isScripted = rules.triggers.contains(.push) }
        }
        guard push.topic == nil, credentials.method == .certificate, let only = credentials.topics?.only else {
            return play(
                outage, request, push, topic: push.topic, in: bytes, record, bytes: bytes, credentials, on: place,
                providerToken, at: now, highestBefore: highestBefore)
        }
        // The one topic of the certificate is meant.
        let decision = play(
            outage, request, push, topic: ByteRange(start: 0, count: only.count), in: only.span, record, bytes: bytes,
            credentials, on: place, providerToken, at: now, highestBefore: highestBefore)
        if decision != nil { log.attach(only.span, as: .topic) }
        return decision
    }

    /// Plays what is found for a request with that topic; `nil` when there is nothing.
    private mutating func play(
        _ outage: (step: Step, end: Timestamp)?, _ request: borrowing RequestFacts, _ push: Push, topic: ByteRange?,
        in topicSource: Span<UInt8>, _ record: borrowing RequestRecord, bytes: Span<UInt8>,
        _ credentials: borrowing Credentials, on place: Int, _ providerToken: ProviderToken?, at now: Moment,
        highestBefore: UInt32
    ) -> Decision? {
        let text = topicSource.extracting(topic?.range ?? 0..<0)
        guard
            outage != nil
                || rules.finds(push, bytes, headerLength: request.headerLength, topic: text, devices),
            let script = script(
                outage, request, push, record, bytes: bytes, topic: topic, in: topicSource, on: place, providerToken)
        else { return nil }
        let incoming = Incoming(copy request, push, bytes: bytes, topic: topic, in: topicSource)
        return play(
            script, incoming, copy record, credentials, on: place, providerToken, at: now, highestBefore: highestBefore)
    }

    /// The outage that runs, or the rule that decides, of those that were found for the request.
    private mutating func script(
        _ outage: (step: Step, end: Timestamp)?, _ request: borrowing RequestFacts, _ push: Push,
        _ record: borrowing RequestRecord, bytes: Span<UInt8>, topic: ByteRange?, in topicSource: Span<UInt8>,
        on place: Int, _ providerToken: ProviderToken?
    ) -> Script? {
        if let outage { return Script(decider: .outage(until: outage.end), step: outage.step) }
        var subject = RuleSubject(
            bytes: bytes, push: push, headerLength: request.headerLength, topic: topic, in: topicSource)
        subject.bodyLength = request.bodyLength
        subject.token = providerToken
        subject.connectionID = connections.open[place].id
        subject.connection = connections.open[place].number
        subject.requestOnConnection = connections.open[place].requests
        subject.providerToken = record.providerToken == 0 ? nil : Int(record.providerToken)
        subject.inFlight = request.inFlight
        subject.serverName = connections.open[place].facts.serverName
        return rules.choose(&subject, devices, &random, request: log.latestSequence + 1).map {
            Script(decider: .rule($0.rule), step: $0.step)
        }
    }

    /// Plays a step on a push and records it.
    private mutating func play(
        _ script: Script, _ incoming: borrowing Incoming, _ record: RequestRecord,
        _ credentials: borrowing Credentials, on place: Int, _ providerToken: ProviderToken?, at now: Moment,
        highestBefore: UInt32
    ) -> Decision {
        let step = script.step
        let stream = incoming.request.streamID
        let isSandbox = connections.open[place].isSandbox
        let course = Course(step, stream: stream, highestStream: highestBefore)
        if !course.isProcessed { connections.open[place].orders.highestStream = highestBefore }
        var record = record
        let delay = step.delay?.draw(&random) ?? 0
        var answer: Answer? = identify(incoming.push, &record)
        let examination = Examination(
            bytes: incoming.bytes, push: incoming.push, topicRange: incoming.topicRange,
            topicSource: incoming.topicSource, headerLength: incoming.request.headerLength,
            bodyLength: incoming.request.bodyLength, credentials: copy credentials,
            device: standing(
                of: incoming.push.deviceToken, for: incoming.topic, isSandbox: isSandbox, at: now.clock))

        var refusal = course.asksChecks ? Check.firstRefusal(of: examination, by: configuration, devices) : nil
        if course.delivers, refusal == nil {
            refusal = deliver(examination, isSandbox: isSandbox, at: now.clock, &record)
        }
        switch step.outcome {
        case .reject(let reason, let status, let timestamp):
            answer?.reject(reason, status, timestamp, since: examination.device?.registration, at: now.clock)
        case .outage(let outage):
            begin(outage, with: step, at: now.clock)
            answer?.reject(outage.reason, nil, nil, since: examination.device?.registration, at: now.clock)
        case .respond(let response):
            answer?.status = UInt16(clamping: response.status)
        case _ where course.isAnswered:
            if let refusal {
                answer?.refuse(refusal)
            } else if course.fails {
                answer?.reject(.internalServerError, nil, nil, since: nil, at: now.clock)
            } else if isSandbox, var accepted = answer {
                addUniqueID(to: &accepted, &record)
                answer = accepted
            }
        default:
            answer = nil
        }

        record.status = answer?.status
        record.reason = answer?.reason
        record.outcome = delay > 0 ? .delayed : course.outcome
        record.decidedBy = if case .outage = script.decider { .outage } else { .rule }
        let why = script.explanation(course, refusal, isDelivered: record.delivery != nil, delay: delay)
        log.append(
            record, request: incoming.bytes, headerLength: incoming.request.headerLength, token: providerToken,
            plain: incoming.push.plainPath)
        count(record, topic: devices.topics.find(incoming.topic))
        log.attach(why.utf8.span, as: .explanation)
        if let device = examination.device { attachName(of: device.index) }
        if case .rule(let name) = script.decider {
            let bytes = Array(name.utf8)
            log.attach(bytes.span, as: .rule)
        }
        if let change = step.deviceChange, let device = incoming.push.deviceToken.flatMap({ devices.find($0) }) {
            apply(change, to: device, at: now.clock)
        }
        let later = AnswerPlan.Later(step, course.outcome, answer)
        var decision = Decision(answer: answer, streamLimit: nil)
        if delay == 0 { decision.actions = act(later, stream: stream, on: place) }
        decision.streamLimit = streamLimit(
            after: answer?.status, answer?.reason, isSenderKnown: credentials.refusal == nil, on: place)
        if delay == 0, let end = countError(answer?.status, answer?.reason, on: place) { decision.actions.append(end) }
        if AnswerPlan.isNeeded(for: step, delay: delay) {
            decision.script = AnswerPlan(
                step, sequence: log.latestSequence, connection: connections.open[place].id, stream: stream,
                delay: delay, later: later, generation: generation)
        }
        return decision
    }

    /// Does to the connection what goes with a push.
    private mutating func act(_ later: AnswerPlan.Later, stream: UInt32, on place: Int) -> [ConnectionAction] {
        var actions: [ConnectionAction] = []
        if let change = later.settings {
            actions.append(
                connections.open[place].limitStreams(to: change.maxConcurrentStreams, for: change.duration))
        }
        if let plan = later.goAway { actions.append(goAway(plan, with: stream, on: place).action) }
        if !later.resetCodes.isEmpty { actions.append(.resetStream(later.resetCodes)) }
        if let ending = later.close {
            connections.open[place].orders.close(ending, by: ClosedBy(ending))
            actions.append(.close(ending))
        }
        return actions
    }
}

// MARK: What was delayed

extension Gateway {
    /// The delay of an answer has passed: what is to be done now beside sending it. `nil` when its connection has ended;
    /// then ``abandon(_:as:)`` is to be called.
    ///
    /// - Parameter latencyMicroseconds: from the request's last byte to now.
    public mutating func due(_ plan: AnswerPlan, latencyMicroseconds: Int) -> DueAnswer? {
        guard let place = connections.places(of: plan.connection).first else { return nil }
        var actions = act(plan.later, stream: plan.stream, on: place)
        if let end = countError(plan.later.status, plan.later.reason, on: place) { actions.append(end) }
        // A GOAWAY that came meanwhile may have left it out: then it is not sent.
        let isLeftOut = plan.stream > connections.open[place].orders.lastStream
        return DueAnswer(
            actions: actions,
            change: end(
                plan, as: isLeftOut ? .goAway : plan.later.outcome,
                latencyMicroseconds: UInt32(clamping: latencyMicroseconds)))
    }

    /// A delayed answer will never be sent.
    ///
    /// - Parameter outcome: ``Outcome/cancelled`` when the client took the request back or left, ``Outcome/closed`` when
    ///   the server ended the connection.
    public mutating func abandon(_ plan: AnswerPlan, as outcome: Outcome = .cancelled) -> RecordChange? {
        end(plan, as: outcome, latencyMicroseconds: nil)
    }

    private mutating func end(
        _ plan: AnswerPlan, as outcome: Outcome, latencyMicroseconds: UInt32?
    ) -> RecordChange? {
        guard plan.generation == generation else { return nil }
        let update = RequestUpdate(outcome: outcome, latencyMicroseconds: latencyMicroseconds)
        statistics.countChange(from: .delayed, to: outcome)
        // A record that was dropped is told of all the same: the log's file has it.
        changeRecord(plan.sequence, update)
        return RecordChange(sequence: plan.sequence, update: update)
    }
}
