/// Requests as they come in: each is made a ``RequestContext`` of, once.
extension Gateway {
    /// Decides about one request, and records it.
    ///
    /// - Parameters:
    ///   - request: what the transport knows about it, and what it says.
    ///   - bytes: its header fields, then the stored part of its body.
    ///   - connection: the id that ``open(_:after:at:)`` gave.
    ///   - now: the time of the decision.
    package mutating func receive(
        _ request: consuming ParsedRequest, bytes: Span<UInt8>, on connection: Int, at now: Moment
    ) -> Decision {
        let decision = decide(request, bytes: bytes, on: connection, at: now)
        if rules.hasUndecided { explainUndecidedRules() }
        if watch.isNeeded { noteRequest(at: now.clock) }
        return decision
    }

    @inline(__always)
    private mutating func decide(
        _ request: consuming ParsedRequest, bytes: Span<UInt8>, on connection: Int, at now: Moment
    ) -> Decision {
        let index = connections.index(of: connection)
        let origin = RequestOrigin(&connections, at: index, isScripted: isScripted)
        var context = RequestContext(request, bytes: bytes, from: origin, at: now)
        if context.facts.fault != nil || context.facts.streamID > connections.open[index].orders.ceiling {
            context.device = standing(of: &context)
            return leave(&context)
        }
        connections.open[index].orders.highestStream = max(context.origin.highestStream, context.facts.streamID)
        let credentials = credentials(of: &context)
        let only = credentials.method == .certificate ? credentials.topics?.only ?? [] : []
        context.take(credentials, defaultTopic: only.span)
        context.device = standing(of: &context)
        if isScripted, let decision = play(on: &context) { return decision }
        return answer(&context, by: nil)
    }

    /// Whether the sender may push. Mostly he has shown that before on this connection.
    @inline(__always)
    private mutating func credentials(of request: inout RequestContext) -> Credentials {
        let index = request.origin.index
        if let token = request.facts.providerToken, let last = connections.open[index].judgement,
            last.holds(for: token, generation: authenticationGeneration, at: request.now.real)
        {
            return Credentials(
                method: .token, refusal: nil, team: last.team, tokenNumber: last.tokenNumber,
                topicKey: last.topicKey, topics: configuration.authentication.topics(of: last))
        }
        return judge.credentials(
            of: &request, on: &connections.open[index], by: configuration, generation: authenticationGeneration)
    }

    /// What is known of the device of a request; `nil` for a token that nobody declared and nobody pushed to.
    @inline(__always)
    mutating func standing(of request: inout RequestContext) -> DeviceStanding? {
        guard let token = request.push.deviceToken, let index = devices.find(token) else { return nil }
        let topic = devices.topics.find(request.topic)
        return DeviceStanding(
            index: index, name: devices.name(of: index), topic: topic, isForTopic: devices.accepts(topic, index),
            isForEnvironment: devices.isSandbox(index) == request.origin.isSandbox,
            registration: devices.isPlain(index)
                ? .registered : devices.registration(of: index).status(at: request.now.clock))
    }
}
