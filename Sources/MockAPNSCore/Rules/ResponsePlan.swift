/// What a step of a rule does about a push: made out once, when the rule comes into force.
///
/// Everything that depends on the push itself is left to ``PlannedResponse``: how long it waits this time, and what the
/// checks say.
package final class ResponsePlan: Sendable {
    /// What is answered.
    enum Reply: Sendable {
        /// What the checks say; where they find nothing wrong, 200, or 500 InternalServerError if it has to be a failure.
        case checked(needsFailure: Bool)
        /// That reason, whatever the checks say; status and timestamp are Apple's unless they are given.
        case rejection(Reason, status: UInt16?, timestamp: Timestamp?)
        /// That status; the rest is in ``ResponsePlan/response``.
        case status(UInt16)
        /// Nothing.
        case nothing
    }

    /// What is done to the connection.
    struct ConnectionChange: Sendable {
        var settings: StreamLimitChange?
        var goAway: GoAwayPlan?
        var resetCodes: [UInt32] = []
        var close: ConnectionAction.Ending?
    }

    /// How the bytes of the answer are dealt out; `nil`: all at once.
    package let drip: Step.Drip?
    /// In which unusual way the answer is sent; `nil`: in the usual one.
    package let hostility: Hostility?
    /// The value of `retry-after`, in seconds, to be added to the answer; `nil`: no such field.
    package let retryAfter: Int?
    /// The whole answer, its fields and body, instead of what the decision's ``Answer`` says: not even `apns-id` is
    /// added to it, but ``retryAfter`` is. `nil`: as the decision says.
    package let response: ScriptedAnswer?

    /// Whether the checks are asked: for the answer, or because the push is to be delivered beside another.
    let asksChecks: Bool
    /// Whether the push is delivered if nothing is wrong with it.
    let delivers: Bool
    /// Whether delivery was asked for beside an answer of another kind, so that the record tells of it.
    let tellsDelivery: Bool
    let reply: Reply
    /// What is recorded once the delay has passed.
    let outcome: Outcome
    /// How long everything waits.
    let delay: Step.Delay?
    let connection: ConnectionChange
    /// What changes about the device after the push was decided.
    let deviceChange: DeviceChange?
    /// The outage that begins with the push, and what later pushes get.
    let outage: (outage: Outage, plan: ResponsePlan)?
    /// What it does, in words that follow the rule's name.
    let words: String
    /// What is done instead about a push that the GOAWAY leaves out.
    private let unprocessed: ResponsePlan?

    /// Whether nothing is done about the push itself, since a GOAWAY leaves it out.
    var isProcessed: Bool { outcome != .goAway }

    /// Whether the server needs to know more than the decision's ``Answer`` says.
    var isUnusual: Bool { drip != nil || retryAfter != nil || hostility != nil || response != nil }

    /// What a step does.
    convenience init(_ step: Step) { self.init(step, leavesOut: false) }

    /// What pushes get while an outage runs.
    ///
    /// - Parameter step: the step that it begins with, if it was one: each push is answered as that says.
    convenience init(during outage: Outage, begunBy step: Step? = nil) {
        var rejection = Step(.reject(outage.reason))
        if let step {
            (rejection.retryAfter, rejection.drip, rejection.deliver) = (step.retryAfter, step.drip, step.deliver)
        }
        self.init(rejection)
    }

    /// - Parameter leavesOut: whether the step's GOAWAY leaves the push out.
    private init(_ step: Step, leavesOut: Bool) {
        var reply = Reply.nothing
        var outcome = Outcome.responded
        var connection = ConnectionChange()
        var (hostility, response): (Hostility?, ScriptedAnswer?)
        var outage: (Outage, ResponsePlan)?
        var unprocessed: ResponsePlan?
        connection.settings = step.settings
        switch step.outcome {
        case .pass:
            reply = .checked(needsFailure: false)
            words = "lets the checks decide"
        case .hostile(let kind):
            reply = .checked(needsFailure: kind.needsFailure)
            hostility = kind
            words = "lets the checks decide and sends the answer in an unusual way (\(kind.rawValue))"
        case .reject(let reason, let status, let timestamp):
            reply = .rejection(reason, status: status.map { UInt16(clamping: $0) }, timestamp: timestamp)
            words = "answers \(reason.name)" + (status.map { " with status \($0)" } ?? "")
        case .outage(let begun):
            reply = .rejection(begun.reason, status: nil, timestamp: nil)
            outage = (begun, ResponsePlan(during: begun, begunBy: step))
            words = "begins an outage of \(begun.duration) ms with \(begun.reason.name)"
        case .respond(let answer):
            reply = .status(UInt16(clamping: answer.status))
            response = answer
            words = "answers with status \(answer.status)"
        case .stall:
            outcome = .stalled
            words = "never answers"
        case .resetStream(let codes):
            outcome = .reset
            connection.resetCodes = codes
            words = "resets the stream"
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

    /// What is done about the push of a stream: where the GOAWAY leaves it out, something else.
    ///
    /// - Parameter highestStream: the highest that was processed before.
    func resolved(for stream: UInt32, highestStream: UInt32) -> ResponsePlan {
        guard let unprocessed, let goAway = connection.goAway else { return self }
        let frames = goAway.resolved(for: stream, highestStream: highestStream)
        return frames.allSatisfy { UInt32(clamping: $0.lastStream) >= stream } ? self : unprocessed
    }
}

/// What decides about a push instead of the checks, and what it does.
struct Script {
    enum Decider {
        case rule(name: String)
        /// An outage that runs until then.
        case outage(until: Timestamp)
    }

    let decider: Decider
    let plan: ResponsePlan
    /// How long everything waits this time, in milliseconds.
    let delay: Int64

    init(_ decider: Decider, _ plan: ResponsePlan, _ random: inout SeededRandom) {
        self.decider = decider
        self.plan = plan
        delay = plan.delay?.draw(&random) ?? 0
    }

    var decidedBy: DecidedBy { if case .outage = decider { .outage } else { .rule } }

    /// The rule's name for the record.
    var rule: [UInt8]? { if case .rule(let name) = decider { Array(name.utf8) } else { nil } }

    /// One sentence for the record, and another where a push was or was not delivered beside it.
    func explanation(_ refusal: Refusal?, isDelivered: Bool) -> Explanation {
        let name: String
        switch decider {
        case .rule(let rule): name = rule
        case .outage(let end):
            guard case .rejection(let reason, _, _) = plan.reply else { return .none }
            return "There is an outage until \(end.text): every push gets \(reason.name)."
        }
        let after = delay > 0 ? ", after \(delay) ms" : ""
        guard let refusal else {
            let followUp = plan.tellsDelivery && isDelivered ? " It was delivered all the same." : ""
            return "Rule \(quoted: name) \(plan.words)\(after).\(followUp)"
        }
        // What the checks say of the answer, or why nothing was delivered beside another one.
        if case .checked = plan.reply {
            return "\(refusal.explanation.description) (Rule \(quoted: name) \(plan.words)\(after).)"
        }
        return "Rule \(quoted: name) \(plan.words)\(after). It was not delivered: \(refusal.reason.name)."
    }
}
