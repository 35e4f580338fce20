/// How every request is answered: a rule or the checks decide, the push is delivered to the device, one record is
/// written, and the server gets its instructions.
extension Gateway {
    /// Decides about a request as the script says, or else by the checks.
    @inline(__always)
    mutating func answer(_ request: inout RequestContext, by script: Script?) -> Decision {
        let plan = script?.plan
        var record = RequestRecord(&request)
        let refusal = verdict(on: &request, by: plan, &record)
        if let (outage, later) = plan?.outage { begin(outage, later, at: request.now.clock) }
        let answer = reply(to: &request, by: plan, refusal, &record)
        record.status = answer?.status
        record.reason = answer?.reason
        if let script {
            record.outcome = script.delay > 0 ? .delayed : script.plan.outcome
            record.decidedBy = script.decidedBy
            if script.plan.asksChecks { record.checksResult = refusal?.check.map { .failed($0) } ?? .passed }
            let why = script.explanation(refusal, isDelivered: record.delivery != nil)
            self.record(&record, of: &request, why, rule: script.rule)
        } else {
            if let refusal {
                record.decidedBy = refusal.decidedBy
                if let check = refusal.check { record.checksResult = .failed(check) }
            }
            self.record(&record, of: &request, refusal?.explanation)
        }
        var decision = Decision(answer: answer, streamLimit: nil)
        if let script { follow(script, &request, &decision) }
        if mayChangeConnection(answer, on: request.origin.index) {
            changeConnection(after: answer, &request, countsErrors: script?.delay ?? 0 == 0, &decision)
        }
        return decision
    }

    /// Returns what the checks or the device refuse, as far as the plan runs them. Delivers the push if nothing is
    /// refused.
    @inline(__always)
    private mutating func verdict(
        on request: inout RequestContext, by plan: ResponsePlan?, _ record: inout RequestRecord
    ) -> Refusal? {
        if plan?.asksChecks ?? true, var refusal = Check.firstRefusal(of: &request, by: configuration, devices) {
            explainAdminCall(&request, &refusal)
            return refusal
        }
        return plan?.delivers ?? true ? deliver(&request, &record) : nil
    }

    /// Returns the answer, if there is one.
    @inline(__always)
    private mutating func reply(
        to request: inout RequestContext, by plan: ResponsePlan?, _ refusal: Refusal?,
        _ record: inout RequestRecord
    ) -> Answer? {
        var answer = identify(&request, &record)
        switch plan?.reply ?? .checked(needsFailure: false) {
        case .checked(let needsFailure):
            if let refusal {
                answer.refuse(refusal)
            } else if needsFailure {
                answer.refuse(Refusal(.internalServerError, .none))
            } else if request.origin.isSandbox {
                addUniqueID(to: &answer, &record)
            }
        case .rejection(let reason, let status, let timestamp):
            answer.refuse(Refusal(reason, .none, timestamp: timestamp ?? reason.timestamp(for: &request)))
            if let status { answer.status = status }
        case .status(let status): answer.status = status
        case .nothing: return nil
        }
        return answer
    }

    /// Writes the record of a request. This is the only place that does.
    @inline(__always)
    mutating func record(
        _ record: inout RequestRecord, of request: inout RequestContext, _ explanation: Explanation?,
        rule: [UInt8]? = nil
    ) {
        log.append(
            record, request: request.bytes, headerLength: request.facts.headerLength,
            token: request.facts.providerToken)
        statistics.count(record, topic: request.device?.topic ?? devices.topics.find(request.topic))
        if let explanation { log.attach(explanation.utf8.span, as: .explanation) }
        if let name = request.device?.name { log.attach(name.span, as: .device) }
        if let rule { log.attach(rule.span, as: .rule) }
        if request.hasCertificateTopic { log.attach(request.topic, as: .topic) }
    }

    // MARK: What an answer and its record are made of

    /// Returns the answer to a push that passes. A client's own `apns-id` is echoed byte for byte, unless it is not a
    /// UUID or was sent twice.
    @inline(__always)
    private mutating func identify(_ request: inout RequestContext, _ record: inout RequestRecord) -> Answer {
        var answer: Answer
        if let sent = request.push.apnsID.value, request.push.repeated?.name != .apnsID {
            record.apnsID = request.push.apnsIDText.map { .sent($0) }
            answer = Answer(apnsID: sent)
        } else {
            let made = ids.id(.apnsID, ofRequest: log.latestSequence + 1)
            record.apnsID = .made(made)
            answer = Answer(apnsID: APNSID(high: made.high, low: made.low, uppercase: true))
        }
        answer.omitsBody = request.push.isHEAD
        answer.namesContentType = configuration.responses.contentType
        return answer
    }

    @inline(__always)
    private func addUniqueID(to answer: inout Answer, _ record: inout RequestRecord) {
        let made = ids.id(.uniqueID, ofRequest: log.latestSequence + 1)
        answer.uniqueID = APNSID(high: made.high, low: made.low, uppercase: false)
        record.uniqueID = made
    }
}

extension Answer {
    fileprivate init(apnsID: APNSID) {
        self.init(status: 200, reason: nil, timestamp: nil, apnsID: apnsID, uniqueID: nil)
    }

    fileprivate mutating func refuse(_ refusal: borrowing Refusal) {
        status = refusal.reason.status
        reason = refusal.reason
        timestamp = refusal.timestamp
    }
}

extension Refusal {
    /// The source of this refusal.
    fileprivate var decidedBy: DecidedBy {
        switch reason {
        case .unregistered, .expiredToken, .tooManyRequests: .device
        default: .checks
        }
    }
}

extension Reason {
    /// Returns the `timestamp` that accompanies the reason unless a scenario sets one: when the device token became
    /// invalid, or now.
    fileprivate func timestamp(for request: inout RequestContext) -> Timestamp? {
        guard hasTimestamp else { return nil }
        if case .refused(_, let since) = request.device?.registration { return since }
        return request.now.clock
    }
}

extension RequestRecord {
    /// Creates a record from the request's fields, valid or not, and the result of authenticating its sender.
    @inline(__always)
    init(_ request: inout RequestContext) {
        self.init()
        time = request.now.real
        clock = request.now.clock
        connectionID = UInt32(truncatingIfNeeded: request.origin.id)
        requestOnConnection = UInt32(truncatingIfNeeded: request.origin.request)
        serverName = request.origin.serverNameIndex
        stream = request.facts.streamID
        inFlight = UInt32(truncatingIfNeeded: request.facts.inFlight)
        payloadBytes = UInt32(truncatingIfNeeded: request.facts.bodyLength)
        latencyMicroseconds = UInt32(clamping: request.facts.latencyMicroseconds)
        method = request.push.method
        path = request.push.pathText
        isPathPlain = request.push.deviceToken != nil
        if case .device(let range) = request.push.path { token = range }
        topic = request.push.topic
        pushType = request.push.pushTypeText
        priority = request.push.priority.value?.rawValue
        expiration = request.push.expiration.value
        collapseID = request.push.collapseID
        authentication = request.credentials.method
        providerToken = request.credentials.tokenNumber
        if let refusal = request.credentials.refusal {
            verdict = .refused(refusal.reason)
        } else if request.credentials.method != .none {
            verdict = .valid
        }
    }
}
