/// Pushes that all replicas of a fleet decide in one order.
///
/// A replica postpones such a push and appends it to the fleet's stream. Where it stands there, every replica decides
/// it, so that rules, rates and devices are the same on all; the one that received it also records and answers it.
extension Gateway {
    /// Lets pushes wait for the order of a fleet, if they need it.
    package mutating func joinOrder() {
        order.isOn = true
        order.begin(scenario)
    }

    // MARK: The clock

    /// Lets a fleet's order say when something is due.
    ///
    /// - Parameter offset: the milliseconds to add to a real time for the engine's clock.
    package mutating func followOrder(clockOffset offset: Int64) {
        if order.clock == nil { order.clock = FleetClock(offset: offset) }
        order.clock?.offset = offset
    }

    /// Starts over at the time at which the fleet has started.
    package mutating func reset(inOrderAt start: Timestamp) {
        followOrder(clockOffset: order.clock?.offset ?? 0)
        order.clock?.setEntry(start)
        reset(at: start)
        endEntry()
    }

    /// Starts carrying out an entry: runs everything due by then, and stops a real clock at its time until
    /// ``endEntry()``. Fetch the effects afterwards.
    ///
    /// - Parameter time: when it was appended, by the engine's clock.
    package mutating func beginEntry(at time: Timestamp) {
        followOrder(clockOffset: order.clock?.offset ?? 0)
        order.clock?.setEntry(time)
        runDue(inOrderAt: time)
        forgetEndedOutages(at: clock.time(at: time))
    }

    /// Lets a real clock go on after an entry.
    package mutating func endEntry() { order.clock?.setEntry(nil) }

    /// Whether something is due that happens only when the order reaches its time.
    ///
    /// - Parameter real: the real time.
    package func isOrderDue(at real: Timestamp) -> Bool {
        guard let time = order.clock?.time(at: real), let next = scheduler.nextOnRealClock else { return false }
        return next <= time
    }

    /// Returns the time of the entry that is being carried out, on both clocks; if there is none, a real time.
    package mutating func momentOfEntry(orAt real: Timestamp) -> Moment {
        guard let clock = order.clock, let entry = clock.entry else { return moment(at: real) }
        return moment(at: clock.real(at: entry))
    }

    // MARK: Waiting

    /// Whether a request needs a position in the fleet's order before it is decided. Changes nothing that counts.
    mutating func needsOrder(_ request: inout RequestContext) -> Bool {
        if let device = request.device {
            if !state.devices.hasDefaultState(device.index), state.devices.isChangedByPushes(device.index) {
                return true
            }
            if device.activity != .ofDevice { return true }
            if let name = device.name, order.expected.contains(name) { return true }
        }
        // During an outage, no rule is tried.
        guard isScripted, outages.isEmpty || outages.current(at: request.now.clock) == nil else { return false }
        return rules.finds(&request, state.devices) && rules.needOrder(for: &request)
    }

    /// Lets a request wait if it needs a position in the order.
    @inline(never)
    mutating func postpones(_ request: inout RequestContext) -> Bool {
        guard needsOrder(&request) else { return false }
        // Two replicas may have connections with the same id.
        let mark = request.origin.id == 0 ? 0 : Int(configuration.replicaSeed >> 33) << 32
        var push = OrderedPush.Content(&request, on: connections.open[request.origin.index].facts, mark: mark)
        push.rejection = request.credentials.rejection?.reason ?? request.topicIsAllowed(by: configuration)?.reason
        if request.hasOtherTopic { push.defaultTopic = Array(copying: request.topic) }
        if isScripted, rules.finds(&request, state.devices) {
            push.ownRules = rules.chooseByReplica(for: &request, &random)
        }
        order.postpone(push)
        return true
    }

    /// Returns the pushes that began to wait for the order since the last call. Call it after each batch of requests.
    package mutating func takePostponed() -> [OrderedPush] { order.takeNew() }

    /// Notes that the client of a push that waits for the order no longer waits for its answer.
    package mutating func cancelPostponed(_ id: Int) { order.cancel(id) }

    // MARK: Deciding

    /// Decides a push where it stands in the fleet's order. A push of another replica changes the same, but is neither
    /// recorded nor answered here.
    ///
    /// - Parameters:
    ///   - push: the push as it was read from the stream.
    ///   - latencyMicroseconds: the time from the last byte of the request until now; `nil` for a push of another
    ///     replica. One of this replica that does not wait any more is treated like another's.
    ///   - seed: a number that is the same on all replicas, for random choices.
    ///   - now: the time, which is the same on all replicas on the scenario's clock.
    /// - Returns: what to answer; `nil` for a push of another replica.
    package mutating func decideInOrder(
        _ push: OrderedPush, latencyMicroseconds: Int?, seed: UInt64, at now: Moment
    ) -> OrderedDecision? {
        let own = latencyMicroseconds == nil ? nil : order.stopWaiting(push.id)
        order.beginDeciding(after: (own ?? push).content.ownRules, isOwn: own != nil)
        defer { order.endDeciding() }
        guard var own else {
            _ = decide(push, connection: nil, seed: seed, at: now)
            _ = rules.takeUndecided()
            _ = takeAdminCaller()
            return nil
        }
        own.latencyMicroseconds = latencyMicroseconds ?? 0
        return decideOwn(own, at: now) { gateway, connection in
            gateway.decide(own, connection: connection, seed: seed, at: now)
        }
    }

    /// Answers a push that did not get its position in the order in time: 503 ServiceUnavailable.
    ///
    /// - Parameter explanation: why, as a sentence.
    /// - Returns: what to answer; `nil` if it does not wait any more.
    package mutating func refusePostponed(
        _ id: Int, because explanation: String, at now: Moment, latencyMicroseconds: Int = 0
    ) -> OrderedDecision? {
        guard var own = order.stopWaiting(id) else { return nil }
        own.latencyMicroseconds = latencyMicroseconds
        return decideOwn(own, at: now) { gateway, connection in
            gateway.rules.takeBack(own.content.ownRules.counted, after: nil)
            return gateway.refuse(own, explanation, connection: connection, at: now)
        }
    }

    /// Decides a push of this replica, and notes that it was recorded.
    mutating func decideOwn(
        _ push: OrderedPush, at now: Moment, _ body: (inout Gateway, _ connection: Int?) -> Decision
    ) -> OrderedDecision {
        let outcome = outcomeOfLeft(push)
        var decision = body(&self, outcome == nil ? push.connection : nil)
        if let outcome {
            setOutcome(outcome)
            decision = Decision(answer: nil, streamLimit: nil)
        } else if push.connection == Connections.adminID, let response = decision.response {
            // Nothing is delayed for the admin API.
            setOutcome(response.plan.outcome)
        }
        if rules.hasUndecided { explainUndecidedRules() }
        let sequence = log.latestSequence
        if watch.isNeeded { noteRequest(at: now.clock) }
        return OrderedDecision(push: push, sequence: sequence, decision: decision)
    }

    /// Records that the delayed answer to a push will not be sent.
    ///
    /// - Parameter outcome: `nil` if its connection has ended, which tells the outcome.
    package mutating func giveUp(_ decided: OrderedDecision, as outcome: Outcome?, at now: Timestamp) {
        guard decided.isDelayed, let response = decided.decision.response else { return }
        abandon(response, as: outcome ?? outcomeOfEnded(decided.push.connection), at: now)
    }

    /// Returns the outcome of what a connection had not answered when it ended.
    private func outcomeOfEnded(_ connection: Int) -> Outcome {
        connections[connection]?.closedBy?.outcomeOfUnanswered ?? .closed
    }

    /// Returns the outcome of a push that its client has given up; `nil` if the client still waits for the answer.
    private func outcomeOfLeft(_ push: OrderedPush) -> Outcome? {
        if push.connection == Connections.adminID { return nil }
        guard let index = connections.openIndex(of: push.connection) else { return outcomeOfEnded(push.connection) }
        if push.isCancelled { return .cancelled }
        return switch connections.open[index].life.fate(of: push.stream) {
        case .ignored: .goAway
        case .tooLate: .closed
        case .processed, .refused: nil
        }
    }

    /// Sets the outcome of the latest record, which has had no reader yet.
    private mutating func setOutcome(_ outcome: Outcome) {
        guard let before = log.open.records.last, before.outcome != outcome else { return }
        if before.sender == .provider { statistics.countChange(from: before.outcome, to: outcome) }
        log.update(log.latestSequence, with: RequestUpdate(outcome: outcome), at: before.clock)
    }

    /// - Parameter connection: the id of its connection; with `nil`, a stand-in is used.
    private mutating func decide(
        _ push: OrderedPush, connection: Int?, seed: UInt64, at now: Moment
    ) -> Decision {
        if rules.changesDevices, push.content.isDeviceKnown, let token = push.content.request.push.deviceToken {
            registerIfUnknown(token, at: now.clock)
        }
        // Random choices are the same on all replicas.
        var seeded = SeededRandom(seed: seed)
        swap(&random, &seeded)
        defer { swap(&random, &seeded) }
        return withContext(of: push, connection: connection, at: now) { gateway, context in gateway.decide(&context) }
    }

    mutating func refuse(
        _ push: OrderedPush, _ explanation: String, connection: Int?, at now: Moment
    ) -> Decision {
        withContext(of: push, connection: connection, at: now) { gateway, context in
            gateway.refuse(&context, .serviceUnavailable, explanation)
        }
    }

    /// Refuses a request in place of those who were to decide it: the replicas of a fleet, or the upstream of a relay.
    mutating func refuse(_ request: inout RequestContext, _ reason: Reason, _ explanation: String) -> Decision {
        var record = RequestRecord(&request)
        let answer = identify(&request, &record)
        let rejection = Rejection(reason, Explanation(stringLiteral: explanation))
        let resolution = Resolution(script: nil, rejection: rejection, isForUpstream: relaying != nil)
        return conclude(&request, resolution, answer, &record)
    }

    mutating func withContext(
        of push: OrderedPush, connection: Int?, at now: Moment,
        _ body: (inout Gateway, inout RequestContext) -> Decision
    ) -> Decision {
        let content = push.content
        let index: Int
        if let connection, let open = connections.openIndex(of: connection) {
            index = open
        } else {
            var facts = ConnectionFacts()
            facts.serverName = content.serverName
            index = connections.beginAdmin(facts, isSandbox: content.isSandbox, at: now.real)
        }
        defer { if connections.open[index].id == Connections.adminID { connections.endAdmin() } }
        let serverName = order.isOfAnother ? 0 : log.index(ofServerName: content.serverName)
        let origin = RequestOrigin(content, at: index, serverNameIndex: serverName)
        var request = content.request
        request.facts.latencyMicroseconds = push.latencyMicroseconds
        var context = RequestContext(request, bytes: content.bytes.span, from: origin, at: now)
        context.take(content.credentials, defaultTopic: content.defaultTopic.span)
        context.device = knownDevice(of: &context)
        return body(&self, &context)
    }

    // MARK: The timeline

    /// Returns the requests counted here since the last call, by the numbers of the timeline entries that wait for them.
    package mutating func takeCountedRequests() -> [(entry: Int, requests: Int)] { order.takeCounted() }

    /// Counts requests of a replica that an entry of the timeline waits for. Runs everything that is due as a result;
    /// fetch the effects afterwards.
    package mutating func countInOrder(_ requests: Int, for entry: Int, at now: Timestamp) {
        if !countAwaited(requests, for: entry, at: now) { watch.forget(entry: entry) }
    }
}

/// A decision about a push in the order of a fleet, made by the replica that received it.
package struct OrderedDecision: Sendable {
    /// The push.
    package let push: OrderedPush
    /// The sequence number of its record.
    package let sequence: Int
    /// The answer, and what else to do; nothing if no client waits for it any more.
    package let decision: Decision

    /// Whether a provider waits for an answer that is not due yet. Nothing is delayed for the admin API.
    package var isDelayed: Bool {
        push.connection != Connections.adminID && (decision.response?.delay ?? 0) > 0
    }
}
