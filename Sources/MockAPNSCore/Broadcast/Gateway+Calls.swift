/// How a call about broadcast channels is answered: like a push, but with checks, rules and an answer of its own.
extension Gateway {
    /// Decides about a request whose path is about broadcast channels.
    @inline(never)
    mutating func answer(_ path: CallPath, bundle: ByteRange, _ request: inout RequestContext) -> Decision {
        let call = ReceivedCall(path, &request, state.channels)
        request.take(call, topic: bundle)
        request.origin.serverName = connections.open[request.origin.index].facts.serverName
        let script = script(for: call, &request)
        let plan = script?.plan
        if let plan, !plan.isProcessed {
            connections.open[request.origin.index].orders.highestStream = request.origin.highestStream
        }
        var record = RequestRecord(&request)
        record.topic = nil
        var details = CallRecord(of: call)
        var texts = CallRecord.Texts(of: call, &request)
        let refused =
            plan?.asksChecks ?? true
            ? CallCheck.firstRefusal(of: &request, call, by: configuration, state.channels) : nil
        details.failedCheck = refused?.check
        var result: CallAnswer?
        if refused == nil, plan?.delivers ?? true { result = carryOut(call, &request, &details, &texts) }
        if refused == nil, let script, script.plan.asksChecks { record.checksResult = .passed }
        let ruling = Ruling(
            script: script, refusal: refused?.refusal, isCarriedOut: result != nil,
            hasUniqueID: call.call == .publish && request.origin.isSandbox)
        let decision = conclude(&request, ruling, answer(to: call, &request, result), &record)
        texts.requestID = decision.answer.map { Array(copying: $0.apnsID.bytes.span) } ?? texts.requestID
        log.attach(details, texts)
        return decision
    }

    /// Adds to the latest record, of a request that is not processed, that it is a call.
    mutating func noteUnprocessedCall(_ path: CallPath, _ request: inout RequestContext) {
        let call = ReceivedCall(path, &request, state.channels)
        log.attach(CallRecord(of: call), CallRecord.Texts(of: call, &request))
    }

    /// Does what a valid call asks for; returns what its answer has.
    private mutating func carryOut(
        _ call: ReceivedCall, _ request: inout RequestContext, _ details: inout CallRecord,
        _ texts: inout CallRecord.Texts
    ) -> CallAnswer {
        let topic = String(decoding: Array(copying: request.topic), as: UTF8.self)
        // Counted by topic from now on, whether or not a device has it.
        _ = state.devices.topics.intern(pushed: request.topic)
        switch call.call {
        case .create:
            let id = ids.channelID(ofRequest: log.latestSequence + 1)
            let policy = call.policy ?? .none
            let channel = BroadcastChannel(
                id: id, topic: topic, isSandbox: request.origin.isSandbox, policy: policy,
                createdAt: request.now.clock)
            if state.channels.admits(channel) {
                record(.channel(ChannelEvent(state: .created, clock: request.now.clock, channel: channel)))
            }
            details.policy = policy
            texts.channel = id.bytes
            return CallAnswer(channelID: id.bytes)
        case .read:
            if case .known(_, let channel) = call.channel { return .configuration(of: channel) }
        case .delete:
            if case .known(let number, _) = call.channel { delete(channel: number, at: request.now.clock) }
        case .list: return .list(state.channels.channels(of: topic, isSandbox: request.origin.isSandbox))
        case .publish:
            if case .known(let number, let channel) = call.channel {
                let outcome = publish(&request, to: number, channel)
                (details.subscribers, details.delivered) = (outcome.subscribers, outcome.delivered)
                details.isStored = outcome.isStored
                texts.ignored = outcome.ignored.map { Array($0.utf8) }
            }
        case nil: break
        }
        return CallAnswer()
    }

    /// Returns the answer to a call that nothing refuses.
    private func answer(to call: ReceivedCall, _ request: inout RequestContext, _ result: CallAnswer?) -> Answer {
        let made = ids.id(.apnsID, ofRequest: log.latestSequence + 1)
        var answer = Answer(
            status: call.call?.status ?? 200, reason: nil, timestamp: nil,
            apnsID: call.requestID.value ?? APNSID(high: made.high, low: made.low, uppercase: true), uniqueID: nil)
        answer.call = result ?? CallAnswer()
        answer.omitsBody = request.push.isHEAD
        answer.namesContentType = configuration.responses.contentType
        return answer
    }
}

extension CallRecord {
    fileprivate init(of call: ReceivedCall) {
        self.init()
        self.call = call.call
        if case .known(_, let channel) = call.channel { policy = channel.policy }
    }
}

extension CallRecord.Texts {
    fileprivate init(of call: ReceivedCall, _ request: inout RequestContext) {
        self.init()
        if call.channelText != nil { channel = Array(copying: request.text(call.channelText)) }
        channelName = call.channelName.map { Array($0.utf8) }
        if case .value(let id) = call.requestID { requestID = Array(copying: id.bytes.span) }
    }
}
