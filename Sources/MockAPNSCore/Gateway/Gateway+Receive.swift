extension Gateway {
    /// Decides about one request, and records it.
    ///
    /// - Parameters:
    ///   - request: what the transport knows about it.
    ///   - bytes: its header fields, then the stored part of its body.
    ///   - connection: the id that ``open(_:after:at:)`` gave.
    ///   - providerToken: what was made of the `authorization` field; `nil` when there is none, or no bearer token in it.
    ///   - now: the time of the decision.
    public mutating func receive(
        _ request: RequestFacts, bytes: Span<UInt8>, on connection: Int, providerToken: ProviderToken?, at now: Moment
    ) -> Decision {
        let decision = record(request, bytes: bytes, on: connection, providerToken: providerToken, at: now)
        if rules.hasUndecided { explainUndecidedRules() }
        if watch.isNeeded { noteRequest(at: now.clock) }
        return decision
    }

    @inline(__always)
    private mutating func record(
        _ request: RequestFacts, bytes: Span<UInt8>, on connection: Int, providerToken: ProviderToken?, at now: Moment
    ) -> Decision {
        let push = Push(bytes, headerLength: request.headerLength)
        let place = connections.place(of: connection)
        connections.open[place].requests += 1
        var record = RequestRecord(request, push, at: now)
        record.connectionID = UInt32(truncatingIfNeeded: connection)
        record.requestOnConnection = UInt32(truncatingIfNeeded: connections.open[place].requests)
        record.serverName = connections.open[place].serverName
        if request.fault != nil || request.streamID > connections.open[place].orders.ceiling {
            return leave(request, record, bytes: bytes, on: place, providerToken)
        }
        let highestBefore = connections.open[place].orders.highestStream
        connections.open[place].orders.highestStream = max(highestBefore, request.streamID)

        let credentials = credentials(providerToken, push, bytes, on: place, at: now.real)
        record.describe(credentials)

        if isScripted,
            let decision = receiveScripted(
                request, push, record, bytes: bytes, credentials, on: place, providerToken, at: now,
                highestBefore: highestBefore)
        {
            return decision
        }
        let answer: Answer
        if push.topic == nil, credentials.method == .certificate, let only = credentials.topics?.only {
            // A certificate for one topic is its default.
            answer = decide(
                request, push, &record, bytes: bytes, topic: ByteRange(start: 0, count: only.count), in: only.span,
                credentials, on: place, providerToken, at: now)
            log.attach(only.span, as: .topic)
        } else {
            answer = decide(
                request, push, &record, bytes: bytes, topic: push.topic, in: bytes, credentials, on: place,
                providerToken, at: now)
        }
        var decision = Decision(answer: answer, streamLimit: nil)
        if mayChangeConnection(answer, on: place) {
            changeConnection(after: answer, credentials, on: place, &decision)
        }
        return decision
    }

    @inline(__always)
    private mutating func credentials(
        _ token: ProviderToken?, _ push: Push, _ bytes: Span<UInt8>, on place: Int, at now: Timestamp
    ) -> Credentials {
        if let token, let last = connections.open[place].judgement,
            last.holds(for: token, generation: authenticationGeneration, at: now)
        {
            return Credentials(
                method: .token, refusal: nil, team: last.team, tokenNumber: last.tokenNumber,
                topicKey: last.topicKey, topics: configuration.authentication.topics(of: last))
        }
        return judge.credentials(
            token, field: push.authorization, in: bytes, on: &connections.open[place], at: now,
            generation: authenticationGeneration, by: configuration)
    }

    /// Runs the checks and records what came of them.
    @inline(__always)
    private mutating func decide(
        _ request: RequestFacts, _ push: Push, _ record: inout RequestRecord, bytes: Span<UInt8>, topic: ByteRange?,
        in topicSource: Span<UInt8>, _ credentials: Credentials, on place: Int, _ providerToken: ProviderToken?,
        at now: Moment
    ) -> Answer {
        var answer = identify(push, &record)
        let isSandbox = connections.open[place].isSandbox
        let examination = Examination(
            bytes: bytes, push: push, topicRange: topic, topicSource: topicSource, headerLength: request.headerLength,
            bodyLength: request.bodyLength, credentials: credentials,
            device: standing(
                of: push.deviceToken, for: topicSource.extracting(topic?.range ?? 0..<0), isSandbox: isSandbox,
                at: now.clock))
        let refusal =
            Check.firstRefusal(of: examination, by: configuration, devices)
            ?? deliver(examination, isSandbox: isSandbox, at: now.clock, &record)
        if let refusal {
            answer.refuse(refusal)
            record.status = answer.status
            record.reason = refusal.reason
            switch refusal.reason {
            case .unregistered, .expiredToken, .tooManyRequests: record.decidedBy = .device
            default: record.decidedBy = .checks
            }
        } else {
            if isSandbox { addUniqueID(to: &answer, &record) }
            record.status = 200
        }
        log.append(
            record, request: bytes, headerLength: request.headerLength, token: providerToken, plain: push.plainPath)
        count(record, topic: devices.topics.find(examination.topic))
        if let refusal { log.attach(refusal.explanation.utf8.span, as: .explanation) }
        if let device = examination.device { attachName(of: device.index) }
        return answer
    }

    // MARK: What an answer and its record are made of

    /// The answer to a push in which nothing is wrong. The client's own id is echoed to the byte; one that is no UUID, or
    /// that came twice, is not.
    @inline(__always)
    mutating func identify(_ push: borrowing Push, _ record: inout RequestRecord) -> Answer {
        var answer: Answer
        if let sent = push.apnsID.value, push.repeated?.name != .apnsID {
            record.apnsID = push.apnsIDText.map { .sent($0) }
            answer = Answer(apnsID: sent)
        } else {
            let made = makeID()
            record.apnsID = .made(made)
            answer = Answer(apnsID: APNSID(high: made.high, low: made.low, uppercase: true))
        }
        answer.omitsBody = push.isHEAD
        answer.namesContentType = configuration.responses.contentType
        return answer
    }

    @inline(__always)
    mutating func addUniqueID(to answer: inout Answer, _ record: inout RequestRecord) {
        let made = makeID()
        answer.uniqueID = APNSID(high: made.high, low: made.low, uppercase: false)
        record.uniqueID = made
    }

    /// Adds to the latest record what the scenario calls its device.
    @inline(__always)
    mutating func attachName(of device: DeviceIndex) {
        if let name = devices.name(of: device) { log.attach(name.span, as: .device) }
    }

    // MARK: The device

    /// What is known of the device of a token; `nil` for a token that nobody declared and nobody pushed to.
    @inline(__always)
    func standing(
        of token: DeviceToken?, for topic: Span<UInt8>, isSandbox: Bool, at now: Timestamp
    ) -> DeviceStanding? {
        guard let token, let index = devices.find(token) else { return nil }
        return DeviceStanding(
            index: index, isForTopic: devices.accepts(devices.topics.find(topic), index),
            isForEnvironment: devices.isSandbox(index) == isSandbox,
            registration: devices.isPlain(index) ? .registered : devices.registration(of: index).standing(at: now))
    }

    /// Gives a push in which nothing is wrong to its device, which may have had too many.
    @inline(__always)
    mutating func deliver(
        _ request: borrowing Examination, isSandbox: Bool, at now: Timestamp, _ record: inout RequestRecord
    ) -> Refusal? {
        if let device = request.device, !devices.isPlain(device.index),
            let refusal = tooManyRequests(request, device.index, at: now)
        {
            return refusal
        }
        record.delivery = take(request, isSandbox: isSandbox, at: now)
        return nil
    }

    private mutating func tooManyRequests(
        _ request: borrowing Examination, _ device: DeviceIndex, at now: Timestamp
    ) -> Refusal? {
        guard !devices.takePush(to: device, at: now), let rate = devices[device].rate else { return nil }
        return Refusal(
            .tooManyRequests,
            """
            The device token \(quoted: devices.token(of: device).hex) has had its \(rate.allowed) pushes in \
            \(rate.per) ms; wait before the next.
            """
        )
    }

    @inline(__always)
    mutating func count(_ record: borrowing RequestRecord, topic: TopicIndex?) {
        statistics.count(
            status: record.status, reason: record.reason, outcome: record.outcome, topic: topic,
            latencyMicroseconds: Int(record.latencyMicroseconds), at: record.time)
    }

    private mutating func makeID() -> RequestRecord.MadeID {
        RequestRecord.MadeID(high: random.next(), low: random.next())
    }
}

extension Answer {
    fileprivate init(apnsID: APNSID) {
        self.init(status: 200, reason: nil, timestamp: nil, apnsID: apnsID, uniqueID: nil)
    }

    mutating func refuse(_ refusal: Refusal) {
        status = refusal.reason.status
        reason = refusal.reason
        timestamp = refusal.timestamp
    }
}

extension RequestRecord {
    /// What the request says of itself, right or wrong.
    @inline(__always)
    fileprivate init(_ request: RequestFacts, _ push: Push, at now: Moment) {
        self.init()
        time = now.real
        clock = now.clock
        stream = request.streamID
        inFlight = UInt32(truncatingIfNeeded: request.inFlight)
        payloadBytes = UInt32(truncatingIfNeeded: request.bodyLength)
        latencyMicroseconds = UInt32(clamping: request.latencyMicroseconds)
        method = push.method
        path = push.pathText
        if case .device(let range) = push.path { token = range }
        topic = push.topic
        pushType = push.pushTypeText
        priority = push.priority.value?.rawValue
        expiration = push.expiration.value
        collapseID = push.collapseID
    }

    @inline(__always)
    fileprivate mutating func describe(_ credentials: Credentials) {
        authentication = credentials.method
        providerToken = credentials.tokenNumber
        if let refusal = credentials.refusal {
            verdict = .refused(refusal.reason)
        } else if credentials.method != .none {
            verdict = .valid
        }
    }
}
