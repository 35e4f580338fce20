/// How much of each budget the apps of a device have used.
struct BudgetUse: Sendable {
    /// A budget of an app: one kind of push has one topic in each app.
    private struct Key: Hashable {
        var kind: DeviceBudget
        var topic: UInt16
    }

    private var rates: [Key: PushRate] = [:]

    /// Counts a push if the budget allows it.
    ///
    /// - Parameter topic: the number of its topic.
    /// - Returns: when the budget allows the next; `nil` if this one is within it.
    mutating func admit(_ budget: Circumstances.Budget, _ topic: UInt16, at now: Timestamp) -> Timestamp? {
        let key = Key(kind: budget.kind, topic: topic)
        var rate = rates[key] ?? PushRate(allowed: budget.limit.allowed, per: budget.limit.per)
        (rate.allowed, rate.per) = (budget.limit.allowed, budget.limit.per)
        defer { rates[key] = rate }
        return rate.admit(at: now) ? nil : rate.end
    }
}

extension Circumstances.Budget {
    /// What becomes of a push beyond it that is not held.
    var drops: Reaction {
        let consequence =
            switch kind {
            case .background: "so this one does not wake it."
            case .pushToStart: "so no Live Activity starts."
            case .liveActivityPriority10: "so the Live Activity stays as it is."
            case .widgets: "so the widgets are not reloaded."
            }
        return Reaction(.dropped, exceeded(consequence))
    }

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
