/// Which way a push goes that a step is played on.
struct Course {
    /// Whether the push is looked at: not where a GOAWAY leaves it out.
    var isProcessed = true
    /// Whether it is answered as the checks say, or so in an unusual way.
    var isAnswered = true
    /// Whether the checks are asked: for the answer, or because it is to be delivered beside another.
    var asksChecks: Bool
    /// Whether it is delivered if nothing is wrong with it.
    var delivers: Bool
    /// Whether a good push is answered with a failure.
    var fails = false
    /// What is recorded, once what is delayed has come.
    var outcome = Outcome.responded

    init(_ step: Step, stream: UInt32, highestStream: UInt32) {
        asksChecks = step.deliver
        delivers = step.deliver
        switch step.outcome {
        case .pass, .tlsAlert, .serverCertificate, .ignorePing:
            asksChecks = true
            delivers = true
        case .hostile(let hostility):
            asksChecks = true
            fails = hostility.needsFailure
            delivers = delivers || !fails
        case .goAway(let plan, _):
            let frames = plan.resolved(for: stream, highestStream: highestStream)
            isProcessed = frames.allSatisfy { UInt32(clamping: $0.lastStream) >= stream }
            isAnswered = isProcessed
            asksChecks = asksChecks || isProcessed
            delivers = delivers || isProcessed
            if !isProcessed { outcome = .goAway }
        case .stall: (isAnswered, outcome) = (false, .stalled)
        case .resetStream: (isAnswered, outcome) = (false, .reset)
        case .close: (isAnswered, outcome) = (false, .closed)
        case .reject, .respond, .outage: break
        }
    }
}

extension AnswerPlan.Later {
    init(_ step: Step, _ outcome: Outcome, _ answer: Answer?) {
        settings = step.settings
        self.outcome = outcome
        status = answer?.status
        reason = answer?.reason
        switch step.outcome {
        case .goAway(let plan, _): goAway = plan
        case .close(let ending): close = ending
        case .resetStream(let codes): resetCodes = codes
        default: break
        }
    }
}

extension Answer {
    /// Refuses the push as a scenario has it: with a 410 comes the time since which the token is no good, or now.
    mutating func reject(
        _ reason: Reason, _ status: Int?, _ timestamp: Timestamp?, since standing: Device.Standing?, at now: Timestamp
    ) {
        self.reason = reason
        self.status = status.map { UInt16(clamping: $0) } ?? reason.status
        self.timestamp = timestamp
        guard timestamp == nil, reason.hasTimestamp else { return }
        if case .refused(_, let since) = standing { self.timestamp = since } else { self.timestamp = now }
    }
}

extension Gateway.Script {
    /// One sentence for the record, and another where a push was or was not delivered beside it.
    func explanation(_ course: Course, _ refusal: Refusal?, isDelivered: Bool, delay: Int64) -> Explanation {
        guard case .rule(let name) = decider else {
            guard case .outage(let end) = decider, case .reject(let reason, _, _) = step.outcome else { return .none }
            return "There is an outage until \(end.text): every push gets \(reason.name)."
        }
        let what: String =
            switch step.outcome {
            case .reject(let reason, let status, _):
                "answers \(reason.name)" + (status.map { " with status \($0)" } ?? "")
            case .respond(let response): "answers with status \(response.status)"
            case .stall: "never answers"
            case .resetStream: "resets the stream"
            case .goAway:
                course.isProcessed
                    ? "sends GOAWAY and lets the checks decide" : "sends GOAWAY and leaves this push unprocessed"
            case .close(let ending): "closes the connection (\(ending.rawValue))"
            case .outage(let outage): "begins an outage of \(outage.duration) ms with \(outage.reason.name)"
            case .hostile(let hostility):
                "lets the checks decide and sends the answer in an unusual way (\(hostility.rawValue))"
            case .pass, .tlsAlert, .serverCertificate, .ignorePing: "lets the checks decide"
            }
        let after = delay > 0 ? ", after \(delay) ms" : ""
        let followUp: String
        if let refusal {
            // What the checks say of the answer, or why nothing was delivered beside another one.
            followUp = course.isProcessed && isDecidedByChecks ? "" : " It was not delivered: \(refusal.reason.name)."
            if followUp.isEmpty {
                return "\(refusal.explanation.description) (Rule \(quoted: name) \(what)\(after).)"
            }
        } else {
            followUp = step.deliver && isDelivered ? " It was delivered all the same." : ""
        }
        return "Rule \(quoted: name) \(what)\(after).\(followUp)"
    }

    /// Whether the answer is what the checks say.
    private var isDecidedByChecks: Bool {
        switch step.outcome {
        case .pass, .goAway, .hostile: true
        default: false
        }
    }
}
