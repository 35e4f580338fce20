/// Applies a scenario to a request, instead of the checks or in addition to them.
extension Gateway {
    /// Decides about a request by an outage or a rule; returns `nil` if neither applies.
    @inline(never)
    mutating func play(on request: inout RequestContext) -> Decision? {
        guard let script = script(for: &request) else { return nil }
        return play(script, on: &request)
    }

    /// Decides about a request as an outage or a rule says.
    mutating func play(_ script: ScriptedPlan, on request: inout RequestContext) -> Decision {
        if !script.plan.isProcessed, order.deciding == nil {
            connections.open[request.origin.index].life.leftOut(after: request.origin.highestStream)
        }
        return answer(&request, by: script)
    }

    /// Returns the current outage, or the rule that decides.
    mutating func script(for request: inout RequestContext) -> ScriptedPlan? {
        if let script = outageScript(at: request.now.clock) {
            if let deciding = order.deciding { rules.takeBack(deciding.counted, after: nil) }
            return script
        }
        guard rules.finds(&request, state.devices),
            let (name, plan) = rules.choose(
                for: &request, after: order.deciding, &random, request: log.latestSequence + 1)
        else { return nil }
        if let deciding = order.deciding { rules.takeBack(deciding.counted, after: name) }
        let resolved = plan.resolved(for: request.facts.streamID, highestStream: request.origin.highestStream)
        return ScriptedPlan(.rule(name: name), resolved, &random)
    }

    private mutating func outageScript(at now: Timestamp) -> ScriptedPlan? {
        guard !outages.isEmpty else { return nil }
        // In a fleet, an entry that comes later may be of an earlier time.
        if order.clock.map({ $0.entry != nil }) ?? true { forgetEndedOutages(at: now) }
        return outages.current(at: now).map { ScriptedPlan(.outage(until: $0.1), $0.0, &random) }
    }

    /// Carries out the rest of a plan after the push is recorded: at once, unless it is delayed.
    mutating func follow(_ script: ScriptedPlan, _ request: inout RequestContext, _ decision: inout Decision) {
        let plan = script.plan
        if let change = plan.deviceChange,
            let device = request.device?.index ?? request.push.deviceToken.flatMap({ state.devices.find($0) })
        {
            apply(change, to: device, at: request.now.clock)
        }
        if script.delay == 0 {
            decision.actions = act(plan.connection, stream: request.facts.streamID, on: request.origin.index)
        }
        if script.delay > 0 || plan.isUnusual {
            decision.response = PlannedResponse(
                script, to: &request, decision.answer, record: (log.latestSequence, generation))
        }
    }

    /// Applies the changes to the connection that accompany a push.
    private mutating func act(
        _ change: ResponsePlan.ConnectionChange, stream: UInt32, on index: Int
    ) -> [ConnectionAction] {
        var actions: [ConnectionAction] = []
        if let settings = change.settings {
            actions.append(
                connections.open[index].limitStreams(to: settings.maxConcurrentStreams, for: settings.duration))
        }
        if let plan = change.goAway { actions.append(connections.open[index].life.goAway(plan, with: stream)) }
        if !change.resetCodes.isEmpty { actions.append(.resetStream(change.resetCodes)) }
        if let ending = change.close { actions.append(connections.open[index].life.close(ending)) }
        return actions
    }
}

// MARK: Delayed answers

extension Gateway {
    /// Handles the end of an answer's delay. Returns what to do to the connection, which may reset the stream instead of
    /// answering; `nil` if the connection has closed, in which case ``abandon(_:as:at:)`` has to be called.
    ///
    /// - Parameters:
    ///   - latencyMicroseconds: the time from the last byte of the request until now.
    ///   - now: the time on the scenario's clock.
    package mutating func due(
        _ response: PlannedResponse, latencyMicroseconds: Int, at now: Timestamp
    ) -> [ConnectionAction]? {
        guard let index = connections.openIndex(of: response.connection) else { return nil }
        var actions = act(response.plan.connection, stream: response.stream, on: index)
        if let end = countError(response.status, response.reason, on: index) { actions.append(end) }
        // A GOAWAY in the meantime may have excluded its stream: then it is not sent.
        let isLeftOut = connections.open[index].life.fate(of: response.stream) == .ignored
        end(
            response, as: isLeftOut ? .goAway : response.plan.outcome,
            latencyMicroseconds: UInt32(clamping: latencyMicroseconds), at: now)
        return actions
    }

    /// Records that a delayed answer will never be sent.
    ///
    /// - Parameters:
    ///   - outcome: ``Outcome/cancelled`` if the client canceled the request or left, ``Outcome/closed`` if the server
    ///     closed the connection.
    ///   - now: the time on the scenario's clock.
    package mutating func abandon(
        _ response: PlannedResponse, as outcome: Outcome = .cancelled, at now: Timestamp
    ) {
        end(response, as: outcome, latencyMicroseconds: nil, at: now)
    }

    /// Records the final outcome of a delayed answer, unless a reset has deleted the record.
    mutating func end(
        _ response: PlannedResponse, as outcome: Outcome, latencyMicroseconds: UInt32?, at now: Timestamp
    ) {
        guard response.generation == generation else { return }
        let update = RequestUpdate(
            outcome: outcome, resetCode: outcome == .reset ? response.plan.connection.resetCodes.first : nil,
            latencyMicroseconds: latencyMicroseconds)
        if response.connection != Connections.adminID { statistics.countChange(from: .delayed, to: outcome) }
        changeRecord(response.sequence, update, at: now)
    }
}
