/// How much of each budget an app has used.
struct BudgetUse: Sendable {
    private var rates: [DeviceBudget: PushRate] = [:]

    /// Counts a push if the budget allows it.
    ///
    /// - Returns: when the budget allows the next; `nil` if this one is within it.
    mutating func admit(_ budget: Circumstances.Budget, at now: Timestamp) -> Timestamp? {
        var rate = rates[budget.kind] ?? PushRate(allowed: budget.limit.allowed, per: budget.limit.per)
        (rate.allowed, rate.per) = (budget.limit.allowed, budget.limit.per)
        defer { rates[budget.kind] = rate }
        return rate.admit(at: now) ? nil : rate.end
    }
}

extension Circumstances.Budget {
    /// What an app has had too much of, as the beginning of a sentence.
    func exceeded(_ consequence: String) -> String {
        "The app has had its \(counted(limit.allowed, kind.noun, kind.plural)) within \(DurationText.text(limit.per)), \(consequence)"
    }
}

extension DeviceBudget {
    fileprivate var noun: String {
        switch self {
        case .background: "background push"
        case .pushToStart: "start by push"
        case .liveActivityPriority10: "push of priority 10 to Live Activities"
        case .widgets: "widget push"
        }
    }

    fileprivate var plural: String {
        switch self {
        case .background: "background pushes"
        case .pushToStart: "starts by push"
        case .liveActivityPriority10: "pushes of priority 10 to Live Activities"
        case .widgets: "widget pushes"
        }
    }
}
