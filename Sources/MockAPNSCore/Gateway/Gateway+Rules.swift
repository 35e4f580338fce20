/// The rules in force, and their handling for everything but pushes.
extension Gateway {
    /// Whether ``connect(serverName:)`` has to be called when a connection begins.
    package var hasRulesOnConnect: Bool { rules.triggers.contains(.connect) }

    /// The rules in force, in the order they are tried.
    package var rulesInForce: [Rule] { rules.rules.map(\.rule) }

    /// Those of them that may still decide, in their order.
    package var rulesLeft: [Rule] { rules.rules.filter { !$0.isUsedUp }.map(\.rule) }

    /// The names of the rules that decide by their count of matches, and have counted some.
    package var rulesBegun: [String] { rules.rules.filter { $0.rule.isCounted && $0.hasCounted }.map(\.rule.name) }

    /// The names of the rules in force, and of removed ones, which records may still name.
    package var ruleNames: Set<String> { rules.names.union(rules.removed.names) }

    /// Returns the outages in progress at a time on the scenario's clock: first the one that applies.
    package func outageSummaries(at now: Timestamp) -> [OutageSummary] { outages.summaries(at: now) }

    /// Returns whether there is room for another rule.
    package func hasRoom(for rule: Rule) -> Bool { rules.hasRoom(for: rule) }

    /// Adds a rule that is tried before all others. ``takeEffects()`` reports it.
    ///
    /// - Parameters:
    ///   - rule: the rule, with devices given by name; see ``Rule/naming(_:)``. If its name is empty, it is named
    ///     `rule-1`, or the next free number.
    ///   - now: the time on the scenario's clock.
    /// - Returns: its name; `nil` if another rule has it, or there is no room (``hasRoom(for:)``).
    package mutating func add(_ rule: Rule, at now: Timestamp) -> String? {
        guard let name = rules.add(rule, scenario) else { return nil }
        noteRuleChange(RuleEvent(state: .added, clock: now, rule: name, trigger: rule.trigger, definition: rule.json))
        return name
    }

    /// Removes a rule. ``takeEffects()`` reports it.
    ///
    /// - Parameter now: the time on the scenario's clock.
    /// - Returns: whether there was a rule with that name.
    package mutating func remove(rule name: String, at now: Timestamp) -> Bool {
        guard let trigger = rules.remove(name) else { return false }
        noteRuleChange(RuleEvent(state: .removed, clock: now, rule: name, trigger: trigger))
        return true
    }

    private mutating func noteRuleChange(_ event: RuleEvent) {
        isScripted = rules.triggers.contains(.push) || !outages.isEmpty
        emit(.rule(event))
    }

    /// Starts an outage: until it ends, every push gets its reason and no rule is tried. If two overlap, the later one
    /// applies.
    ///
    /// - Parameters:
    ///   - plan: the response to pushes during the outage.
    ///   - rule: the rule that starts it; `nil` for the timeline.
    ///   - now: the time on the scenario's clock.
    mutating func begin(_ outage: Outage, _ plan: ResponsePlan, by rule: String? = nil, at now: Timestamp) {
        outages.begin(outage, plan, by: rule, at: now)
        isScripted = true
    }

    mutating func forgetEndedOutages(at now: Timestamp) {
        guard !outages.isEmpty else { return }
        outages.removeEnded(at: now)
        if outages.isEmpty { isScripted = rules.triggers.contains(.push) }
    }

    /// Ends all outages before their time: rules and checks decide from now on.
    ///
    /// - Parameter now: the time on the scenario's clock.
    /// - Returns: how many were in progress.
    package mutating func endOutages(at now: Timestamp) -> Int {
        let ended = outages.end(at: now)
        isScripted = rules.triggers.contains(.push)
        return ended
    }

    /// Decides how a connection begins. Called when the client has named the server it wants, before the server sends
    /// anything. The id is used up even if the connection is never opened, so that the next one gets the next id.
    ///
    /// Call it only if there are rules on connections (``hasRulesOnConnect``).
    ///
    /// - Parameter serverName: the name the client asked for (SNI), if any.
    package mutating func connect(serverName: String?) -> ConnectDecision {
        var decision = ConnectDecision(id: connections.makeID())
        var subject = ConnectionSubject(
            connectionID: decision.id, number: connections.number(of: decision.id), serverName: serverName)
        guard let (rule, step) = rules.choose(onConnect: &subject, &random) else { return decision }
        decision.rule = rule
        decision.delay = step.delay?.draw(&random) ?? 0
        switch step.outcome {
        case .pass: break
        case .stall: decision.handshake = .stall
        case .tlsAlert(let alert): decision.handshake = .alert(alert)
        case .serverCertificate(let fault): decision.handshake = .certificate(fault)
        case .close(let ending): decision.close = ending
        case .goAway(let plan, let isEarly): decision.goAway = (plan, isEarly)
        }
        return decision
    }

    /// Carries out what was decided when the connection began, now that it is open.
    mutating func follow(_ decision: ConnectDecision, _ opening: inout OpeningInstructions) {
        let index = connections.index(of: opening.id)
        if let (plan, isEarly) = decision.goAway {
            opening.actions.append(connections.open[index].life.goAway(plan))
            opening.omitsSettings = isEarly
        }
        if let ending = decision.close {
            opening.actions.append(connections.open[index].life.close(ending))
            // A connection that is silent from the start gets no bytes at all.
            opening.omitsSettings = ending == .silent
        }
    }

    /// Returns whether a PING frame is acknowledged.
    ///
    /// - Parameter inFlight: the number of open streams on the connection.
    package mutating func ping(on connection: Int, inFlight: Int) -> Bool {
        guard let index = connections.indices(of: connection).first else { return true }
        var subject = ConnectionSubject(
            connectionID: connection, number: connections.open[index].number,
            serverName: connections.open[index].facts.serverName)
        subject.requests = connections.open[index].requests
        subject.inFlight = inFlight
        return switch rules.choose(onPing: &subject, &random) {
        case .pass, nil: true
        case .ignore: false
        }
    }
}

extension Gateway {
    /// The rules that have not applied since the scenario began.
    var unusedRules: UnusedRules {
        let names = rules.unused.map(\.name)
        return replicas.rules.areUnknown
            ? UnusedRules(never: [], unknown: names, by: scenario.unusedRules)
            : UnusedRules(never: names, unknown: [], by: scenario.unusedRules)
    }

    /// The rules that have not applied in the whole run.
    package var unusedRulesOfRun: UnusedRules { expectationHistory.rules.all(rules, of: scenario) }
}

/// How a connection begins.
package struct ConnectDecision: Sendable {
    /// The course of the handshake.
    package enum Handshake: Sendable, Equatable {
        /// It continues.
        case usual
        /// It fails with this alert (RFC 8446, section 6).
        case alert(UInt8)
        /// The server presents a certificate that no client should trust.
        case certificate(ServerCertificateFault)
        /// The ClientHello is never answered.
        case stall
    }

    /// The id of the connection; ``Gateway/open(_:after:at:)`` takes it with this value.
    package let id: Int
    /// The rule that decided, if any.
    package internal(set) var rule: String?
    /// The course of the handshake.
    package internal(set) var handshake = Handshake.usual
    /// Milliseconds of real time before the ClientHello is answered.
    package internal(set) var delay: Int64 = 0
    /// The fault of the certificate that the server presents; `nil` for its own.
    package var certificateFault: ServerCertificateFault? {
        if case .certificate(let fault) = handshake { fault } else { nil }
    }
    var close: Ending?
    var goAway: (plan: GoAwayPlan, isBeforeSettings: Bool)?

    init(id: Int) { self.id = id }
}
