/// How connections open and close, and the orders they are given.
extension Gateway {
    /// Records a new connection and returns its id, its first stream limit, and what else to do after the first
    /// SETTINGS. A certificate that is not valid here gets a GOAWAY at once.
    ///
    /// - Parameter decision: the result of ``connect(serverName:)``, if that was called.
    package mutating func open(
        _ facts: ConnectionFacts, after decision: ConnectDecision? = nil, at now: Timestamp
    ) -> OpeningInstructions {
        let limit = configuration.initialStreamLimit(for: facts)
        let isSandbox =
            facts.isSandboxPort ?? configuration.environment.isSandbox(serverName: facts.serverName)
        let id = recordOpening(facts, after: decision, at: now)
        let index = connections.index(of: id)
        connections.open[index].serverName = log.index(ofServerName: facts.serverName)
        connections.open[index].isSandbox = isSandbox
        connections.open[index].streamLimit = limit
        connections.open[index].hasFullLimit = limit == configuration.connection.maxConcurrentStreams
        var opening = OpeningInstructions(id: id, streamLimit: limit)
        if let certificate = facts.clientCertificate, let reason = certificate.fault(isSandbox: isSandbox) {
            let explanation = certificate.explanation(reason, isSandbox: isSandbox)
            opening.actions = [connections.open[index].life.refuseCertificate(reason, explanation)]
            opening.rejection = explanation
        } else if let decision {
            follow(decision, &opening)
        }
        return opening
    }

    /// Records a connection whose TLS handshake failed, as opened and closed at once.
    ///
    /// - Parameters:
    ///   - decision: the result of ``connect(serverName:)``, if that was called.
    ///   - explanation: one sentence on what was wrong.
    /// - Returns: its id.
    package mutating func noteFailedHandshake(
        _ facts: ConnectionFacts, after decision: ConnectDecision? = nil, by closedBy: ClosedBy, explanation: String,
        counters: ConnectionCounters, at now: Timestamp
    ) -> Int {
        let id = recordOpening(facts, after: decision, at: now)
        closeConnection(id, by: closedBy, explanation: explanation, counters: counters, at: now)
        return id
    }

    /// Records that a connection has opened, and returns its id.
    private mutating func recordOpening(
        _ facts: ConnectionFacts, after decision: ConnectDecision?, at now: Timestamp
    ) -> Int {
        let id = decision?.id ?? connections.makeID()
        recordOpening(ConnectionEvent(.opened(facts), connections.reference(to: id), at: now), at: now)
        return id
    }

    /// Records an opening, and counts it for the expectations unless it began before the run.
    mutating func recordOpening(_ event: ConnectionEvent, at now: Timestamp) {
        watch.counter.noteOpening(of: event.connection, at: now)
        record(.connection(event))
    }

    /// Orders a GOAWAY on one connection or on all open ones. The result is empty if there is none to send it on.
    ///
    /// Requests received from now on with streams above the last one are recorded as ignored, and not processed.
    package mutating func goAway(_ plan: GoAwayPlan, on connection: Int? = nil) -> [ConnectionOrder] {
        order(on: connection) { $0.life.goAway(plan) }
    }

    /// Orders one connection, or all open ones, to be closed. The result is empty if there is none.
    package mutating func close(_ ending: Ending, on connection: Int? = nil) -> [ConnectionOrder] {
        order(on: connection) { $0.life.close(ending) }
    }

    /// Orders the GOAWAY of a server that stops: open streams are answered, then the connection is closed.
    ///
    /// - Parameter lastStream: the highest stream on which a request has begun.
    package mutating func shutDown(_ connection: Int, lastStream: Int32) -> [ConnectionAction] {
        let goAway = [GoAway(lastStream: lastStream, reason: .shutdown)]
        return order(on: connection) { $0.life.apply(.goAway(goAway, then: .drain, by: .server)) }.first?.actions ?? []
    }

    /// Orders a stream limit on one connection or on all open ones. Whatever the answers to pushes, it holds until
    /// another limit is ordered or ``restoreStreamLimit(on:)`` is called.
    ///
    /// - Parameter duration: how long it holds, in milliseconds of real time; `nil` means permanently.
    package mutating func limitStreams(
        to limit: Int, for duration: Int64? = nil, on connection: Int? = nil
    ) -> [ConnectionOrder] {
        order(on: connection) { $0.limitStreams(to: limit, for: duration) }
    }

    /// Returns the stream limit to announce when the last temporary limit has run out; `nil` if the connection has
    /// closed, or a permanent limit was ordered since.
    package mutating func restoreStreamLimit(on connection: Int) -> Int? {
        guard let index = connections.openIndex(of: connection),
            let limit = connections.open[index].heldLimit.timePassed()
        else { return nil }
        connections.open[index].streamLimit = limit
        connections.open[index].hasFullLimit =
            connections.open[index].heldLimit.isHeld || limit == configuration.connection.maxConcurrentStreams
        return limit
    }

    /// Returns what to do to a connection that has been idle for ``GatewayConfiguration/Idle/after``.
    package mutating func idled(_ connection: Int) -> [ConnectionAction] {
        guard let rule = configuration.connection.idle else { return [] }
        return order(on: connection) { connection in
            switch rule.then {
            case .goAway:
                connection.life.goAway(GoAwayPlan([.init(reason: .idleTimeout)], then: .close), by: .idle)
            case .close(let ending): connection.life.close(ending, by: .idle)
            }
        }.first?.actions ?? []
    }

    mutating func order(
        on connection: Int?, _ action: (inout OpenConnection) -> ConnectionAction
    ) -> [ConnectionOrder] {
        connections.indices(of: connection).compactMap { index in
            guard connections.open[index].life.takesOrders else { return nil }
            return ConnectionOrder(
                connection: connections.open[index].id, actions: [action(&connections.open[index])])
        }
    }

    /// Records that a connection has ended.
    ///
    /// - Parameters:
    ///   - closedBy: who ended it, and why.
    ///   - explanation: one sentence on what was wrong, if anything.
    package mutating func closeConnection(
        _ id: Int, by closedBy: ClosedBy, explanation: String? = nil, counters: ConnectionCounters, at now: Timestamp
    ) {
        guard let index = connections.openIndex(of: id) else { return }
        let end = ConnectionEnd(of: connections.open[index], by: closedBy, explanation, counters)
        let connection = ConnectionReference(id: id, number: connections.open[index].number)
        record(.connection(ConnectionEvent(.closed(end), connection, at: now)))
    }

    /// Updates the transport's counters of an open connection, before ``connections`` is read.
    package mutating func updateConnection(_ id: Int, counters: ConnectionCounters) {
        connections.update(id, counters: counters)
    }
}

extension OpenConnection {
    /// Holds the stream limit on behalf of a scenario.
    mutating func limitStreams(to limit: Int, for duration: Int64?) -> ConnectionAction {
        heldLimit.hold(insteadOf: streamLimit, isForAWhile: duration != nil)
        streamLimit = limit
        hasFullLimit = true
        return .settings(maxConcurrentStreams: limit, for: duration)
    }
}

extension ConnectionFacts.ClientCertificate {
    /// Returns the reason why pushes cannot be sent with this certificate in the environment, if there is one.
    func fault(isSandbox: Bool) -> Reason? {
        if !isPush { return .badCertificate }
        return (isSandbox ? isForSandbox : isForProduction) ? nil : .badCertificateEnvironment
    }

    /// Returns why the certificate is refused with a reason, and what to do about it.
    func explanation(_ reason: Reason, isSandbox: Bool) -> String {
        let (own, other) = isSandbox ? ("sandbox", "production") : ("production", "sandbox")
        let explanation: Explanation =
            isPush
            ? """
            The client's certificate \(quoted: subject) is for \(other) only, and the connection is for \(own), so it was \
            refused with \(reason.name); use a certificate for \(own), or start the server with --environment \(other).
            """
            : """
            The client's certificate \(quoted: subject) is not for pushes: it lacks Apple's extensions, or a topic, so it \
            was refused with \(reason.name); use one like client.pem, which `mock-apns certs` makes.
            """
        return explanation.description
    }
}
