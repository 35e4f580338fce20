/// Pushes that another APNs answers: what no rule decides is passed on to it, and what the checks say is recorded beside its
/// answer.
extension Gateway {
    /// Lets another APNs answer the pushes that no rule decides.
    ///
    /// - Parameter hasCertificate: whether pushes of providers with a client certificate can be passed on, too.
    package mutating func beginRelaying(withCertificate hasCertificate: Bool) {
        relaying = Relaying(hasCertificate: hasCertificate)
    }

    /// What the gateway knows of the other APNs.
    struct Relaying: Sendable {
        /// Whether there is a client certificate for it.
        var hasCertificate: Bool
    }

    /// Decides a push by an outage or a rule that does more than pass; else lets it wait for the other APNs, unless that
    /// cannot get it.
    @inline(never)
    mutating func relay(_ request: inout RequestContext, by relaying: Relaying) -> Decision {
        if isScripted, let script = script(for: &request), !script.plan.onlyPasses {
            return play(script, on: &request)
        }
        // The API has no connection that an upstream could have one for.
        if request.origin.id == Connections.adminID { return answer(&request, by: nil) }
        if let why = request.obstacle(to: relaying) {
            differences.countUnanswered()
            return refuse(&request, why.reason, why.sentence)
        }
        // A pattern without a result is explained in the record of its push, which is not there yet.
        _ = rules.takeUndecided()
        order.postpone(OrderedPush.Content(&request, on: connections.open[request.origin.index].facts))
        return Decision(answer: nil, streamLimit: nil)
    }

    /// Records a push with the answer of the other APNs.
    ///
    /// - Parameters:
    ///   - id: the id of the push, of those from ``takePostponed()``.
    ///   - latencyMicroseconds: the time from the last byte of the request until now.
    /// - Returns: what to do about it; `nil` if it does not wait any more.
    package mutating func decideRelayed(
        _ id: Int, by answer: UpstreamAnswer, latencyMicroseconds: Int, at now: Moment
    ) -> OrderedDecision? {
        guard var push = order.stopWaiting(id) else { return nil }
        push.latencyMicroseconds = latencyMicroseconds
        return decideOwn(push, at: now) { gateway, connection in
            if case .lost(let why) = answer.outcome {
                gateway.differences.countUnanswered()
                return gateway.refuse(push, why, connection: connection, at: now)
            }
            return gateway.withContext(of: push, connection: connection, at: now) {
                $0.record(answer, of: &$1)
            }
        }
    }

    /// Orders the stream limit of the other APNs on a provider's connection, unless it has that; returns what to do.
    ///
    /// - Parameter limit: `nil` if the other APNs has none; then it is the one that good provider tokens get here.
    package mutating func relay(streamLimit limit: Int?, on connection: Int) -> [ConnectionAction] {
        let limit = min(limit ?? configuration.connection.maxConcurrentStreams, Int(Int32.max))
        guard let index = connections.openIndex(of: connection) else { return [] }
        let isKnown = connections.open[index].streamLimit == limit
        // It is held in any case, whatever is answered here.
        let orders = limitStreams(to: limit, on: connection)
        return isKnown ? [] : orders.flatMap(\.actions)
    }

    /// Orders the GOAWAY of the other APNs on a provider's connection; returns what to do.
    package mutating func relay(_ goAway: GoAway, on connection: Int) -> [ConnectionAction] {
        order(on: connection) { $0.life.apply(.goAway([goAway], then: .stayOpen, by: .upstream)) }.flatMap(\.actions)
    }

    /// Orders the end of a provider's connection, since the other APNs has ended its own; returns what to do.
    package mutating func relayEnd(on connection: Int) -> [ConnectionAction] {
        order(on: connection) { $0.life.close(.end, by: .upstream) }.flatMap(\.actions)
    }

    private mutating func record(_ answer: UpstreamAnswer, of request: inout RequestContext) -> Decision {
        var record = RequestRecord(&request)
        var rejection = failedCheck(of: &request)
        record.checksResult = rejection?.check.map { .failed($0) } ?? .passed
        // What the other APNs has accepted reaches the device here, too.
        if rejection == nil {
            rejection = answer.isAccepted ? deliver(&request, &record) : refusal(byDeviceOf: &request)
        }
        let own = RelayedAnswer.Verdict(
            status: rejection?.reason.status ?? 200, reason: rejection?.reason.name)
        let relayed = RelayedAnswer(
            theirs: answer.verdict, own: own, fields: answer.fields,
            latencyMicroseconds: answer.latencyMicroseconds)
        var decision = Decision(answer: identify(&request, &record), streamLimit: nil)
        if let id = answer.id("apns-id"), record.sentIDRange.isAbsent { record.apnsID = .made(id) }
        record.uniqueID = answer.id("apns-unique-id")
        record.decidedBy = .upstream
        record.reason = answer.verdict.reason.flatMap { Reason(rawValue: $0) }
        if case .reset(let code) = answer.outcome {
            decision = Decision(answer: nil, streamLimit: nil, actions: [.resetStream([code])])
            (record.outcome, record.resetCode) = (.reset, code)
        } else {
            record.status = answer.verdict.status.map { UInt16(clamping: $0) }
            record.retryAfter = answer.text("retry-after").flatMap { $0.allSatisfy(\.isNumber) ? UInt32($0) : nil }
        }
        self.record(&record, of: &request, Explanation(of: relayed, rejection))
        log.attach(relayed)
        differences.count(relayed, of: log.latestSequence)
        return decision
    }
}

/// What another APNs answered to a push that was passed on to it.
package struct UpstreamAnswer: Sendable {
    package enum Outcome: Sendable, Equatable {
        /// It answered, with this status and the reason of the body, if that has one.
        case answered(status: Int, reason: String?)
        /// It reset the stream with this error code.
        case reset(errorCode: UInt32)
        /// It could not be reached, or broke off; why, as a sentence.
        case lost(String)
    }

    package var outcome: Outcome
    /// The header fields in the form of ``HeaderFields``, without pseudo-header fields.
    package var fields: [UInt8] = []
    /// The time from passing the push on to the answer.
    package var latencyMicroseconds = 0

    package init(_ outcome: Outcome, fields: [UInt8] = [], latencyMicroseconds: Int = 0) {
        (self.outcome, self.fields, self.latencyMicroseconds) = (outcome, fields, latencyMicroseconds)
    }

    /// Creates an answer with a body, of which only the reason is looked at.
    package init(status: Int, body: [UInt8], fields: [UInt8], latencyMicroseconds: Int) {
        let reason = status == 200 ? nil : (try? JSONText.read(body, .recorded))?["reason"]?.string
        self.init(
            .answered(status: status, reason: reason.map(KeptText.cut)), fields: fields,
            latencyMicroseconds: latencyMicroseconds)
    }

    var isAccepted: Bool { if case .answered(200, _) = outcome { true } else { false } }

    var verdict: RelayedAnswer.Verdict {
        switch outcome {
        case .answered(let status, let reason): .init(status: status, reason: reason)
        case .reset(let code): .init(status: nil, reason: ErrorCode.name(of: code) ?? String(code))
        case .lost: .init(status: nil)
        }
    }

    /// Returns the id in a header field, if it has the form of one.
    fileprivate func id(_ name: String) -> MadeID? {
        range(of: name).flatMap { MadeID(fields.span.extracting($0)) }
    }

    /// Returns the text of a header field.
    fileprivate func text(_ name: String) -> String? {
        range(of: name).map { String(decoding: fields[$0], as: UTF8.self) }
    }

    private func range(of name: String) -> Range<Int>? {
        var rest = HeaderFields(length: fields.count)
        while let field = rest.next(in: fields.span) {
            if fields.span.extracting(field.name.range).equals(name) { return field.value.range }
        }
        return nil
    }
}

extension RequestContext {
    /// Returns why a request cannot be passed on.
    fileprivate func obstacle(to relaying: Gateway.Relaying) -> (reason: Reason, sentence: String)? {
        if credentials.method == .certificate, !relaying.hasCertificate {
            return (
                .forbidden,
                "The provider's client certificate cannot be passed on to the upstream; give one with --upstream-certificate and --upstream-key."
            )
        }
        if facts.bodyLength > body.count {
            return (
                .payloadTooLarge,
                "A payload of \(facts.bodyLength) bytes is too long to be passed on to the upstream; \(body.count) bytes are the maximum."
            )
        }
        return nil
    }
}

extension Explanation {
    /// Creates the explanation of an answer that is none of ours; `nil` if there is nothing to explain.
    fileprivate init?(of relayed: RelayedAnswer, _ rejection: Rejection?) {
        if relayed.agrees {
            guard let rejection else { return nil }
            self = rejection.explanation
            return
        }
        let why = rejection.map { " \($0.explanation.description)" } ?? ""
        self.init(
            stringLiteral:
                "The upstream answered \(relayed.theirs.text); mock-apns would have answered \(relayed.own.text).\(why)"
        )
    }
}
