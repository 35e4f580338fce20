/// The rule or outage that decides about a push instead of the checks, and its plan.
struct ScriptedPlan {
    enum Decider {
        case rule(name: String)
        /// An outage until this time.
        case outage(until: Timestamp)
    }

    let decider: Decider
    let plan: ResponsePlan
    /// The actual delay, in milliseconds.
    let delay: Int64

    init(_ decider: Decider, _ plan: ResponsePlan, _ random: inout SeededRandom) {
        self.decider = decider
        self.plan = plan
        delay = plan.delay?.draw(&random) ?? 0
    }

    var decidedBy: DecidedBy { if case .outage = decider { .outage } else { .rule } }

    /// The rule's name.
    var ruleName: String? { if case .rule(let name) = decider { name } else { nil } }

    /// The rule's name for the record.
    var rule: [UInt8]? { ruleName.map { Array($0.utf8) } }

    /// Returns a sentence for the record, with another on delivery if the push was or was not delivered in addition.
    ///
    /// - Parameter call: the call about broadcast channels that it is; `nil` for a push to a device.
    func explanation(_ rejection: Rejection?, isDelivered: Bool, _ call: BroadcastCall? = nil) -> Explanation {
        let name: String
        switch decider {
        case .rule(let rule): name = rule
        case .outage(let end):
            guard case .rejection(let reason, _, _) = plan.reply else { return .none }
            let pause = plan.retryAfter.map { " with retry-after \($0)" } ?? ""
            let what = call == nil ? "push" : "call"
            return "There is an outage until \(end.text): every \(what) gets \(reason.name)\(pause)."
        }
        let after = delay > 0 ? ", after \(delay) ms" : ""
        guard let rejection else {
            let followUp = plan.tellsDelivery && isDelivered ? " \(Self.done(call)) all the same." : ""
            return "Rule \(quoted: name) \(plan.words)\(after).\(followUp)"
        }
        // The result of the checks, or why nothing was delivered in addition to another answer.
        if case .checked = plan.reply {
            return "\(rejection.explanation.description) (Rule \(quoted: name) \(plan.words)\(after).)"
        }
        return "Rule \(quoted: name) \(plan.words)\(after). \(Self.notDone(call)): \(rejection.reason.name)."
    }

    private static func done(_ call: BroadcastCall?) -> String {
        switch call {
        case nil: "It was delivered"
        case .create: "The channel was created"
        case .delete: "The channel was deleted"
        case .publish: "The push was published"
        case .read, .list: "The call was carried out"
        }
    }

    private static func notDone(_ call: BroadcastCall?) -> String {
        switch call {
        case nil: "It was not delivered"
        case .create: "The channel was not created"
        case .delete: "The channel was not deleted"
        case .publish: "The push was not published"
        case .read, .list: "The call was not carried out"
        }
    }
}
