/// The plan of a step of a rule for a push, prepared once when the rule comes into force.
///
/// Everything that depends on the push itself is left to ``PlannedResponse``: the actual delay, and the result of the
/// checks.
package final class ResponsePlan: Sendable {
    /// The kind of answer.
    enum Reply: Sendable {
        /// The result of the checks. If they pass: 200, or 500 InternalServerError if it has to be a failure.
        case checked(needsFailure: Bool)
        /// This reason, whatever the checks find; status and timestamp are Apple's unless given.
        case rejection(Reason, status: UInt16?, timestamp: Timestamp?)
        /// This status; the rest is in ``ResponsePlan/response``.
        case status(UInt16)
        /// No answer.
        case nothing
    }

    /// The changes to the connection.
    struct ConnectionChange: Sendable {
        var settings: StreamLimitChange?
        var goAway: GoAwayPlan?
        var resetCodes: [UInt32] = []
        var close: Ending?
    }

    /// How slowly the bytes of the answer are sent; `nil` means all at once.
    package let drip: Step.Drip?
    /// How the answer deviates from a normal one; `nil` if it does not.
    package let hostility: Hostility?
    /// The value of `retry-after` in seconds, added to the answer; `nil` means no such field.
    package let retryAfter: Int?
    /// The complete answer, fields and body, replacing the decision's ``Answer``: not even `apns-id` is added to it,
    /// but ``retryAfter`` is. `nil` means the decision's answer.
    package let response: ScriptedAnswer?

    /// The whole seconds of the answer's `retry-after`: of the step or, without it, of the fields that it defines.
    var retryAfterOfAnswer: UInt32? {
        if let retryAfter { return UInt32(clamping: retryAfter) }
        return response?.fields.last { $0.name == "retry-after" }.flatMap { UInt32($0.value) }
    }

    /// Whether the checks run: for the answer, or because the push is to be delivered in addition to another answer.
    let asksChecks: Bool
    /// Whether the push is delivered if it passes the checks.
    let delivers: Bool
    /// Whether delivery was requested in addition to another kind of answer, so that the record mentions it.
    let tellsDelivery: Bool
    let reply: Reply
    /// The outcome recorded after the delay.
    let outcome: Outcome
    /// The delay of everything.
    let delay: Step.Delay?
    let connection: ConnectionChange
    /// The change to the device after the push is decided.
    let deviceChange: DeviceChange?
    /// The outage that the push starts, and the response to later pushes.
    let outage: (outage: Outage, plan: ResponsePlan)?
    /// A description that follows the rule's name.
    let words: String
    /// The plan for a push that the GOAWAY excludes.
    private let unprocessed: ResponsePlan?

    /// Whether it changes nothing: what decides is what would have decided without it.
    var onlyPasses: Bool {
        guard case .checked(needsFailure: false) = reply else { return false }
        return connection.settings == nil && connection.goAway == nil && delay == nil && deviceChange == nil
            && !isUnusual
    }

    /// Whether the push itself is processed, not excluded by a GOAWAY.
    var isProcessed: Bool { outcome != .goAway }

    /// Whether the server needs more than the decision's ``Answer``.
    var isUnusual: Bool { drip != nil || retryAfter != nil || hostility != nil || response != nil }

    /// Creates the plan of a step.
    convenience init(_ step: Step) { self.init(step, leavesOut: false) }

    /// Creates the response to pushes during an outage.
    ///
    /// - Parameter step: the step that started it, if any; its `retryAfter`, `drip` and `deliver` apply to each push.
    convenience init(during outage: Outage, begunBy step: Step? = nil) {
        var rejection = Step(.reject(outage.reason))
        if let step {
            (rejection.retryAfter, rejection.drip, rejection.deliver) = (step.retryAfter, step.drip, step.deliver)
        }
        self.init(rejection)
    }

    /// - Parameter leavesOut: whether the step's GOAWAY excludes the push.
    private init(_ step: Step, leavesOut: Bool) {
        var reply = Reply.nothing
        var outcome = Outcome.responded
        var connection = ConnectionChange()
        var (hostility, response): (Hostility?, ScriptedAnswer?)
        var outage: (Outage, ResponsePlan)?
        var unprocessed: ResponsePlan?
        let pause = step.retryAfter.map { " with retry-after \($0)" } ?? ""
        connection.settings = step.settings
        switch step.outcome {
        case .pass:
            reply = .checked(needsFailure: false)
            words = "lets the checks decide"
        case .hostile(let kind):
            reply = .checked(needsFailure: kind.needsFailure)
            hostility = kind
            words = "lets the checks decide and sends the answer in an unusual way (\(kind.rawValue))" + pause
        case .reject(let reason, let status, let timestamp):
            reply = .rejection(reason, status: status.map { UInt16(clamping: $0) }, timestamp: timestamp)
            words = "answers \(reason.name)" + (status.map { " with status \($0)" } ?? "") + pause
        case .outage(let begun):
            reply = .rejection(begun.reason, status: nil, timestamp: nil)
            outage = (begun, ResponsePlan(during: begun, begunBy: step))
            words = "begins an outage of \(begun.duration) ms with \(begun.reason.name)" + pause
        case .respond(let answer):
            reply = .status(UInt16(clamping: answer.status))
            response = answer
            words = "answers with status \(answer.status)" + pause
        case .stall:
            outcome = .stalled
            words = "never answers"
        case .resetStream(let codes):
            outcome = .reset
            connection.resetCodes = codes
            words =
                "resets the stream"
                + (codes.first == ErrorCode.refusedStream.code ? " with REFUSED_STREAM" : "")
        case .close(let ending):
            outcome = .closed
            connection.close = ending
            words = "closes the connection (\(ending.rawValue))"
        case .goAway(let goAway):
            connection.goAway = goAway
            if leavesOut {
                outcome = .goAway
                words = "sends GOAWAY and leaves this push unprocessed"
            } else {
                reply = .checked(needsFailure: false)
                unprocessed = ResponsePlan(step, leavesOut: true)
                words = "sends GOAWAY and lets the checks decide"
            }
        }
        if case .checked(let needsFailure) = reply {
            asksChecks = true
            delivers = !needsFailure || step.deliver
        } else {
            asksChecks = step.deliver
            delivers = step.deliver
        }
        tellsDelivery = step.deliver
        self.reply = reply
        self.outcome = outcome
        self.connection = connection
        self.hostility = hostility
        self.response = response
        self.outage = outage
        self.unprocessed = unprocessed
        drip = step.drip
        retryAfter = step.retryAfter
        delay = step.delay
        deviceChange = step.deviceChange
    }

    /// Returns the plan for the push on a stream: a different one if the GOAWAY excludes it.
    ///
    /// - Parameter highestStream: the highest stream processed before.
    func resolved(for stream: UInt32, highestStream: UInt32) -> ResponsePlan {
        guard let unprocessed, let goAway = connection.goAway else { return self }
        // What it does to a connection on which nothing else was ordered.
        var life = ConnectionLife.open
        life.processed(highestStream)
        _ = life.goAway(goAway, with: stream)
        return life.fate(of: stream) == .ignored ? unprocessed : self
    }
}
