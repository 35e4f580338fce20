/// How every request is answered: a rule or the checks decide, a push is delivered to the device or a call is carried
/// out, one record is written, and the server gets its instructions.
extension Gateway {
    /// Decides about a push or a call as the script says, or else by the checks.
    @inline(__always)
    mutating func answer(_ request: inout RequestContext, by script: ScriptedPlan?) -> Decision {
        var record = RequestRecord(&request)
        var rejection = script?.plan.asksChecks ?? true ? failedCheck(of: &request) : nil
        if let check = rejection?.check {
            record.checksResult = .failed(check)
        } else if let script, script.plan.asksChecks {
            record.checksResult = .passed
        }
        if rejection == nil, script?.plan.delivers ?? true { rejection = carryOut(&request, &record) }
        let answer = identify(&request, &record)
        return conclude(&request, Resolution(script: script, rejection: rejection), answer, &record)
    }

    /// Returns why a check refuses the request; `nil` for a valid one.
    @inline(__always)
    mutating func failedCheck(of request: inout RequestContext) -> Rejection? {
        let failed =
            request.call == nil
            ? Check.firstRejection(of: &request, by: configuration, &state)
            : failedCallCheck(of: &request)
        guard var rejection = failed else { return nil }
        explainAdminCall(&request, &rejection)
        return rejection
    }

    @inline(never)
    private mutating func failedCallCheck(of request: inout RequestContext) -> Rejection? {
        CallCheck.firstRejection(of: &request, by: configuration, &state)
    }

    /// Delivers a push, unless its device refuses it; carries out a call.
    @inline(__always)
    private mutating func carryOut(_ request: inout RequestContext, _ record: inout RequestRecord) -> Rejection? {
        guard let call = request.call else { return deliver(&request, &record) }
        carryOut(call, &request)
        return nil
    }

    /// Completes the answer, writes the record, and does what else the script says.
    ///
    /// - Parameter answer: the answer if nothing is refused.
    @inline(__always)
    mutating func conclude(
        _ request: inout RequestContext, _ resolution: Resolution, _ answer: consuming Answer,
        _ record: inout RequestRecord
    ) -> Decision {
        if let script = resolution.script, let (outage, later) = script.plan.outage {
            begin(outage, later, by: script.ruleName, at: request.now.clock)
        }
        var decision = Decision(answer: complete(answer, by: resolution, &request, &record), streamLimit: nil)
        record.status = decision.answer?.status
        record.reason = decision.answer?.reason
        if let call = request.call, let answer = decision.answer {
            call.texts.requestID = Array(copying: answer.apnsID.bytes.span)
        }
        if let script = resolution.script {
            record.outcome = script.delay > 0 ? .delayed : script.plan.outcome
            record.decidedBy = script.decidedBy
            record.retryAfter = script.plan.retryAfterOfAnswer
            if script.delay == 0 { record.resetCode = script.plan.connection.resetCodes.first }
            let isCarriedOut = request.call.map { $0.answer != nil } ?? (record.delivery != nil)
            let why = script.explanation(resolution.rejection, isDelivered: isCarriedOut, request.call?.call)
            self.record(&record, of: &request, why, by: script)
        } else {
            if let rejection = resolution.rejection {
                record.decidedBy = resolution.isForUpstream ? .upstream : rejection.decidedBy
            }
            self.record(&record, of: &request, resolution.rejection?.explanation)
        }
        if let script = resolution.script { follow(script, &request, &decision) }
        if mayChangeConnection(decision.answer, on: request.origin.index) {
            let isAnsweredNow = resolution.script?.delay ?? 0 == 0
            changeConnection(after: decision.answer, &request, countsErrors: isAnsweredNow, &decision)
        }
        // Without this it is copied.
        return consume decision
    }

    /// Returns what the resolution makes of the answer to a valid request; `nil` for no answer.
    @inline(__always)
    private func complete(
        _ answer: consuming Answer, by resolution: Resolution, _ request: inout RequestContext,
        _ record: inout RequestRecord
    ) -> Answer? {
        switch resolution.script?.plan.reply ?? .checked(needsFailure: false) {
        case .checked(let needsFailure):
            if let rejection = resolution.rejection {
                answer.refuse(rejection)
            } else if needsFailure {
                answer.refuse(Rejection(.internalServerError, .none))
            } else if request.origin.isSandbox, request.call.map({ $0.call == .publish }) ?? true {
                addUniqueID(to: &answer, &record)
            }
        case .rejection(let reason, let status, let timestamp):
            answer.refuse(Rejection(reason, .none, timestamp: timestamp ?? reason.timestamp(for: &request)))
            if let status { answer.status = status }
        case .status(let status): answer.status = status
        case .nothing: return nil
        }
        return answer
    }

    /// Writes the record of a request; nothing else does. Requests that another replica of a fleet records are not
    /// recorded here.
    @inline(__always)
    mutating func record(
        _ record: inout RequestRecord, of request: inout RequestContext, _ explanation: Explanation?,
        by script: ScriptedPlan? = nil
    ) {
        if order.isOfAnother { return }
        log.append(
            record, request: request.bytes, headerLength: request.facts.headerLength,
            token: request.facts.providerToken)
        statistics.count(
            record, topic: request.device?.topic ?? state.devices.topics.find(request.topic),
            type: request.push.pushType.value, delay: script?.delay ?? 0)
        if let explanation { log.attach(explanation.utf8.span, as: .explanation) }
        if let name = request.device?.name { log.attach(name.span, as: .device) }
        if let rule = script?.rule { log.attach(rule.span, as: .rule) }
        if request.hasOtherTopic { log.attach(request.topic, as: .topic) }
        if let call = request.call { log.attach(call.record, call.texts) }
    }

    // MARK: Parts of an answer and its record

    /// Returns the answer to a valid request. A client's own `apns-id` is echoed byte for byte, unless it is not a
    /// UUID or was sent twice.
    @inline(__always)
    mutating func identify(_ request: inout RequestContext, _ record: inout RequestRecord) -> Answer {
        var answer: Answer
        if let call = request.call {
            answer = call.validAnswer(ids.id(.apnsID, ofRequest: log.latestSequence + 1))
        } else if let sent = request.push.apnsID.value, request.push.repeated?.name != .apnsID {
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

/// The resolution of a request: the script or the rejection behind its answer.
struct Resolution {
    /// The rule or the outage that decides; `nil`: the checks do.
    var script: ScriptedPlan?
    /// The rejection by the checks or the device.
    var rejection: Rejection?
    /// Whether it stands for the answer of another APNs that has none.
    var isForUpstream = false
}

extension Answer {
    fileprivate init(apnsID: APNSID) {
        self.init(status: 200, reason: nil, timestamp: nil, apnsID: apnsID, uniqueID: nil)
    }

    mutating func refuse(_ rejection: borrowing Rejection) {
        status = UInt16(rejection.reason.status)
        reason = rejection.reason
        timestamp = rejection.timestamp
        // The effect of a call is not reported with an error answer.
        if call != nil { call = CallAnswer() }
    }
}

extension Rejection {
    /// The source of this rejection.
    var decidedBy: DecidedBy {
        switch reason {
        case .unregistered, .expiredToken, .tooManyRequests: .device
        // The fleet has not ordered it, so no check was made.
        case .serviceUnavailable: .connection
        default: .checks
        }
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
        topic = request.call == nil ? request.push.topic : nil
        pushType = request.push.pushTypeText
        priority = request.push.priority.value?.rawValue
        expiration = request.push.expiration.value
        collapseID = request.push.collapseID
        authentication = request.credentials.method
        providerToken = request.credentials.tokenNumber
        if let rejection = request.credentials.rejection {
            verdict = .rejected(rejection.reason)
        } else if request.credentials.method != .none {
            verdict = .valid
        }
    }
}
