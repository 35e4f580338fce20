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
        let terms = Connection.Terms(
            isSandbox: isSandbox, serverName: log.index(ofServerName: facts.serverName), streamLimit: limit,
            hasFullLimit: limit == configuration.connection.maxConcurrentStreams)
        let id = connections.open(facts, as: decision?.id, at: now, terms)
        noteOpening(of: id, at: now)
        var opening = OpeningInstructions(id: id, streamLimit: limit)
        if let reason = facts.clientCertificate?.fault(isSandbox: isSandbox) {
            let frame = GoAway(lastStream: 0, reason: reason)
            let index = connections.index(of: id)
            connections.open[index].orders.goAway([frame], then: .close(.end), by: .certificate)
            opening.refusal = facts.clientCertificate?.explanation(reason, isSandbox: isSandbox)
            connections.open[index].explanation = opening.refusal
            opening.actions = [.goAway([frame], then: .close(.end))]
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
        let id = connections.open(facts, as: decision?.id, at: now, Connection.Terms())
        noteOpening(of: id, at: now)
        closeConnection(id, by: closedBy, explanation: explanation, counters: counters, at: now)
        return id
    }

    /// Reports a connection that was opened, and counts it for the expectations unless it began before the run.
    mutating func noteOpening(of id: Int, at now: Timestamp) {
        if let number = connections.number(of: id) { watch.judge.noteOpening(of: number, at: now) }
        if let connection = connections[id] { emit(.connection(ConnectionEvent(opened: connection))) }
    }

    /// Orders a GOAWAY on one connection or on all open ones. The result is empty if there is none to send it on.
    ///
    /// Requests received from now on with streams above the last one are recorded as ignored, and not processed.
    package mutating func goAway(_ plan: GoAwayPlan, on connection: Int? = nil) -> [ConnectionOrder] {
        goAway(plan, on: connection, by: .goAway)
    }

    private mutating func goAway(_ plan: GoAwayPlan, on connection: Int?, by closedBy: ClosedBy) -> [ConnectionOrder] {
        order(on: connection) { connection in
            let frames = plan.resolved(for: nil, highestStream: connection.orders.highestStream)
            connection.orders.goAway(frames, then: plan.then, by: closedBy)
            return .goAway(frames, then: plan.then)
        }
    }

    /// Orders one connection, or all open ones, to be closed. The result is empty if there is none.
    package mutating func close(_ ending: ConnectionAction.Ending, on connection: Int? = nil) -> [ConnectionOrder] {
        order(on: connection) { connection in
            connection.orders.close(ending, by: ClosedBy(ending))
            return .close(ending)
        }
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
        guard let index = connections.indices(of: connection).first,
            let limit = connections.open[index].orders.limitTimePassed()
        else { return nil }
        connections.open[index].streamLimit = limit
        connections.open[index].hasFullLimit =
            connections.open[index].orders.holdsLimit || limit == configuration.connection.maxConcurrentStreams
        return limit
    }

    /// Returns what to do to a connection that has been idle for ``GatewayConfiguration/Idle/after``.
    package mutating func idled(_ connection: Int) -> [ConnectionAction] {
        guard let rule = configuration.connection.idle else { return [] }
        return order(on: connection) { connection in
            switch rule.then {
            case .goAway:
                let frames = [
                    GoAway(lastStream: Int32(clamping: connection.orders.highestStream), reason: .idleTimeout)
                ]
                connection.orders.goAway(frames, then: .close(.end), by: .idle)
                return .goAway(frames, then: .close(.end))
            case .close(let ending):
                connection.orders.close(ending, by: .idle)
                return .close(ending)
            }
        }.first?.actions ?? []
    }

    /// Orders a GOAWAY triggered by a push.
    mutating func goAway(_ plan: GoAwayPlan, with stream: UInt32, on index: Int) -> ConnectionAction {
        let frames = plan.resolved(for: stream, highestStream: connections.open[index].orders.highestStream)
        connections.open[index].orders.goAway(frames, then: plan.then, by: .goAway)
        return .goAway(frames, then: plan.then)
    }

    private mutating func order(
        on connection: Int?, _ action: (inout Connection) -> ConnectionAction
    ) -> [ConnectionOrder] {
        connections.indices(of: connection).compactMap { index in
            guard !connections.open[index].orders.isClosed else { return nil }
            return ConnectionOrder(
                connection: connections.open[index].id, actions: [action(&connections.open[index])])
        }
    }

    /// Records that a connection has ended.
    ///
    /// - Parameter closedBy: who ended it. ``ClosedBy/server`` is enough if the server carried out an action; the
    ///   record then gets the reason of that action.
    package mutating func closeConnection(
        _ id: Int, by closedBy: ClosedBy, explanation: String? = nil, counters: ConnectionCounters, at now: Timestamp
    ) {
        connections.close(id, by: closedBy, explanation: explanation, counters: counters, at: now)
        if let event = connections[id].flatMap({ ConnectionEvent(closed: $0) }) { emit(.connection(event)) }
    }

    /// Updates the transport's counters of an open connection, before ``connections`` is read.
    package mutating func updateConnection(_ id: Int, counters: ConnectionCounters) {
        connections.update(id, counters: counters)
    }
}

extension Connection {
    /// Holds the stream limit on behalf of a scenario.
    mutating func limitStreams(to limit: Int, for duration: Int64?) -> ConnectionAction {
        orders.holdLimit(insteadOf: streamLimit, isForAWhile: duration != nil)
        streamLimit = limit
        hasFullLimit = true
        return .settings(maxConcurrentStreams: limit, for: duration)
    }
}

extension GoAwayPlan {
    /// Returns the frames, with the last streams resolved.
    ///
    /// - Parameters:
    ///   - stream: the stream of the push that triggers it, if any.
    ///   - highestStream: the highest stream processed before.
    func resolved(for stream: UInt32?, highestStream: UInt32) -> [GoAway] {
        frames.map { frame in
            let last: UInt32 =
                switch frame.lastStream {
                case .this: max(stream ?? 0, highestStream)
                case .all: UInt32(GoAway.allStreams)
                // Client streams have odd ids, so the one before is two less.
                case .previous: (stream ?? highestStream) &- min(2, stream ?? highestStream)
                case .zero: 0
                case .number(let number): UInt32(clamping: number)
                }
            return GoAway(
                lastStream: Int32(clamping: last), errorCode: frame.errorCode, debugData: frame.debugData)
        }
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
