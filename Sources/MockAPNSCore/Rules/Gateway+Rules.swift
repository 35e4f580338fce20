/// The rules in force, and what is done about them beside pushes.
extension Gateway {
    /// Whether ``connect(serverName:)`` has to be asked when a connection begins.
    package var hasRulesOnConnect: Bool { rules.triggers.contains(.connect) }

    /// Whether ``ping(on:inFlight:)`` has to be asked at each PING.
    package var hasRulesOnPing: Bool { rules.triggers.contains(.ping) }

    /// The rules in force, in the order in which they are tried.
    package var rulesInForce: [Rule] { rules.rules.map(\.rule) }

    /// The rules in force as the API lists them, in the order in which they are tried.
    package var ruleSummaries: [RuleSummary] {
        rules.rules.map { played in
            RuleSummary(
                name: played.rule.name, trigger: played.rule.trigger, steps: played.rule.steps.count,
                decided: played.decided, left: played.left, isUsedUp: played.isUsedUp)
        }
    }

    /// Adds a rule, which is tried before all others. ``takeEffects()`` tells of it.
    ///
    /// - Parameters:
    ///   - rule: its devices are named, see ``Rule/naming(_:)``. With an empty name it gets one: `rule-1`, or the next
    ///     that is free.
    ///   - now: the time by the scenario's clock.
    /// - Returns: its name; `nil` when another rule has it.
    package mutating func add(_ rule: Rule, at now: Timestamp) -> String? {
        var rule = rule
        if rule.name.isEmpty {
            let taken = Set(rulesInForce.map(\.name))
            var number = 1
            while taken.contains("rule-\(number)") { number += 1 }
            rule.name = "rule-\(number)"
        }
        guard rules.add(rule, scenario, devices) else { return nil }
        noteRuleChange(.added, rule.name, at: now)
        return rule.name
    }

    /// Removes a rule. ``takeEffects()`` tells of it.
    ///
    /// - Parameter now: the time by the scenario's clock.
    /// - Returns: whether there was one of that name.
    package mutating func remove(rule name: String, at now: Timestamp) -> Bool {
        guard rules.remove(name, devices) else { return false }
        noteRuleChange(.removed, name, at: now)
        return true
    }

    private mutating func noteRuleChange(_ state: RuleEvent.State, _ name: String, at now: Timestamp) {
        isScripted = rules.triggers.contains(.push) || !outages.isEmpty
        tell(.rule(RuleEvent(state: state, clock: now, rule: name)))
    }

    /// Begins an outage: until it ends, every push gets its reason, and no rule is tried. Of two that run, the later one
    /// counts.
    ///
    /// - Parameters:
    ///   - plan: what pushes get while it runs.
    ///   - now: the time of the scenario's clock.
    mutating func begin(_ outage: Outage, _ plan: ResponsePlan, at now: Timestamp) {
        outages.begin(outage, plan, at: now)
        isScripted = true
    }

    /// Decides how a connection begins: asked when the client has said which server it wants, before the server says
    /// anything. The id is taken even when the connection then comes to nothing, so that the next one has the next.
    ///
    /// Not to be called when no rule is on it (``hasRulesOnConnect``).
    ///
    /// - Parameter serverName: what the client asked for (SNI), if it did.
    package mutating func connect(serverName: String?) -> Connecting {
        var connecting = Connecting(id: connections.makeID())
        var subject = ConnectionSubject(
            connectionID: connecting.id, number: connections.number(of: connecting.id), serverName: serverName)
        guard let (rule, outcome) = rules.choose(onConnect: &subject, &random) else { return connecting }
        connecting.rule = rule
        switch outcome {
        case .pass: break
        case .tlsAlert(let alert): connecting.handshake = .alert(alert)
        case .serverCertificate(let fault): connecting.handshake = .certificate(fault)
        case .close(let ending): connecting.close = ending
        case .goAway(let plan, let isEarly): connecting.goAway = (plan, isEarly)
        }
        return connecting
    }

    /// Does what was decided when a connection began, now that it is open.
    mutating func follow(_ connecting: Connecting, _ opening: inout Opening) {
        let index = connections.index(of: opening.id)
        if let (plan, isEarly) = connecting.goAway {
            let frames = plan.resolved(for: nil, highestStream: 0)
            connections.open[index].orders.goAway(frames, then: plan.then, by: .goAway)
            opening.actions.append(.goAway(frames, then: plan.then))
            opening.omitsSettings = isEarly
        }
        if let ending = connecting.close {
            connections.open[index].orders.close(ending, by: ClosedBy(ending))
            opening.actions.append(.close(ending))
            // A connection that is silent from the start gets no bytes at all.
            opening.omitsSettings = opening.omitsSettings || ending == .silent
        }
    }

    /// Decides about a PING frame: whether it is acknowledged.
    ///
    /// Need not be called when no rule is on it (``hasRulesOnPing``).
    ///
    /// - Parameter inFlight: the connection's open streams.
    package mutating func ping(on connection: Int, inFlight: Int) -> Bool {
        guard hasRulesOnPing, let index = connections.indices(of: connection).first else { return true }
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

/// How a connection begins.
package struct Connecting: Sendable {
    /// What happens to the handshake.
    package enum Handshake: Sendable, Equatable {
        /// It goes on.
        case usual
        /// It fails with that alert (RFC 8446, section 6).
        case alert(UInt8)
        /// The server shows a certificate that no client should trust.
        case certificate(ServerCertificateFault)
    }

    /// The connection's id, to be handed to ``Gateway/open(_:after:at:)`` with the whole.
    package let id: Int
    /// The rule that decided about it, if one did.
    package internal(set) var rule: String?
    /// What happens to the handshake.
    package internal(set) var handshake = Handshake.usual
    var close: ConnectionAction.Ending?
    var goAway: (plan: GoAwayPlan, isBeforeSettings: Bool)?

    init(id: Int) { self.id = id }
}
