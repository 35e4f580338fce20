/// Incoming requests. Each becomes one ``RequestContext``.
extension Gateway {
    /// Decides about one request and records it.
    ///
    /// - Parameters:
    ///   - request: the transport's facts about the request, and its parsed fields.
    ///   - bytes: the header fields, then the stored part of the body.
    ///   - connection: the id from ``open(_:after:at:)``.
    ///   - now: the time of the decision.
    package mutating func receive(
        _ request: consuming ParsedRequest, bytes: Span<UInt8>, on connection: Int, at now: Moment
    ) -> Decision {
        let decision = decide(request, bytes: bytes, on: connection, at: now)
        if rules.hasUndecided { explainUndecidedRules() }
        if watch.isNeeded, !order.takeHasPostponed() { noteRequest(at: now.clock) }
        return decision
    }

    @inline(__always)
    private mutating func decide(
        _ request: consuming ParsedRequest, bytes: Span<UInt8>, on connection: Int, at now: Moment
    ) -> Decision {
        let index = connections.index(of: connection)
        let origin = RequestOrigin(&connections, at: index, isScripted: isScripted)
        var context = RequestContext(request, bytes: bytes, from: origin, at: now)
        if context.facts.fault != nil || connections.open[index].life.fate(of: context.facts.streamID) != .processed {
            context.device = knownDevice(of: &context)
            return recordUnprocessed(&context)
        }
        connections.open[index].life.processed(context.facts.streamID)
        let credentials = credentials(of: &context)
        let only = credentials.method == .certificate ? credentials.topics?.only ?? [] : []
        context.take(credentials, defaultTopic: only.span)
        if case .call(let path, let bundle) = context.push.path {
            prepare(&context, as: path, bundle: bundle)
        } else {
            context.device = knownDevice(of: &context)
            if order.isOn, postpones(&context) { return Decision(answer: nil, streamLimit: nil) }
            if let relaying { return relay(&context, by: relaying) }
        }
        return decide(&context)
    }

    /// Decides about a request whose sender and device are known: by a rule or an outage, if there are any, or else by
    /// the checks.
    @inline(__always)
    mutating func decide(_ request: inout RequestContext) -> Decision {
        if isScripted || request.call != nil, let decision = play(on: &request) { return decision }
        return answer(&request, by: nil)
    }

    /// Returns whether the sender may push. In most cases this connection has already shown that.
    @inline(__always)
    private mutating func credentials(of request: inout RequestContext) -> Credentials {
        let index = request.origin.index
        if let token = request.facts.providerToken, let last = connections.open[index].authorization,
            last.holds(
                for: token, generation: authenticationGeneration,
                at: configuration.authentication.time(of: request.now))
        {
            return Credentials(
                method: .token, rejection: nil, team: last.team, tokenNumber: last.tokenNumber,
                topicKey: last.topicKey, topics: configuration.authentication.topics(of: last))
        }
        return validator.credentials(
            of: &request, on: &state.connections.open[index], by: configuration, generation: authenticationGeneration)
    }

    /// Returns what is known about the device of a request; `nil` for a token that was neither declared nor pushed to.
    @inline(__always)
    mutating func knownDevice(of request: inout RequestContext) -> KnownDevice? {
        guard let token = request.push.deviceToken else { return nil }
        guard let index = state.devices.find(token) else { return deviceOfActivity(token, &request) }
        let topic = state.devices.topics.find(request.topic)
        var isForTopic = state.devices.accepts(topic, index)
        if request.isToLiveActivities, state.subscriptions.tokens.hasStartTokens(index) {
            isForTopic = false
        }
        return KnownDevice(
            index: index, name: state.devices.name(of: index), topic: topic, isForTopic: isForTopic,
            activity: .ofDevice,
            isForEnvironment: state.devices.isSandbox(index) == request.origin.isSandbox,
            registration: state.devices.hasDefaultState(index)
                ? .registered : state.devices.registration(of: index).status(at: request.now.clock))
    }

    /// Returns the device whose Live Activities a token stands for, which is no device token.
    @inline(never)
    private mutating func deviceOfActivity(_ token: DeviceToken, _ request: inout RequestContext) -> KnownDevice? {
        guard !state.subscriptions.tokens.isEmpty, let entry = state.subscriptions.tokens[token] else { return nil }
        let event = request.payloadValue.flatMap { LiveActivityPush($0)?.event }
        var registration = state.devices.registration(of: entry.device).status(at: request.now.clock)
        let activity: KeptPush.Activity
        var end: Timestamp?
        switch entry.use {
        case .start: activity = .starts
        case .update(let id):
            activity = .updates(Int32(clamping: id))
            end = state.subscriptions.activity(id, at: request.now.clock)?.endedAt
        case .expired(_, let since): (activity, end) = (.gone, since)
        }
        if let end, registration == .registered { registration = .refused(.expiredToken, since: end) }
        let isForEvent = event == nil || (activity == .starts) == (event == .start)
        let app = state.subscriptions.app(of: entry)
        return KnownDevice(
            index: entry.device, name: state.devices.name(of: entry.device),
            topic: state.devices.topics.find(request.topic),
            isForTopic: isForEvent && request.isForActivities(of: app), activity: activity,
            isForEnvironment: state.devices.isSandbox(entry.device) == request.origin.isSandbox,
            registration: registration)
    }
}

extension RequestContext {
    /// Whether it is a push to Live Activities, by its push type or, without one, by its topic.
    @inline(__always)
    var isToLiveActivities: Bool {
        switch push.pushType {
        case .value(let type): type == .liveactivity
        case .absent: PushType(ofTopic: topic) == .liveactivity
        case .unreadable: false
        }
    }

    /// Whether it is a push to the Live Activities of an app; an empty or unknown one means any app.
    fileprivate func isForActivities(of app: String?) -> Bool {
        guard isToLiveActivities else { return false }
        let suffix = PushType.liveactivity.topicSuffix ?? ""
        guard let app, !app.isEmpty else { return topic.ends(with: suffix) }
        return topic.equals(Array((app + suffix).utf8).span)
    }
}
