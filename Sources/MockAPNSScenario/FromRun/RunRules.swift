import MockAPNSCore

/// The rules of a run: those that were added, and others that give the answers which nothing else explains.
struct RunRules {
    /// A rule that was added while the run went on.
    private struct Added {
        let name: String
        /// The word for it in `decidedBy`.
        let decider: [UInt8]
        let value: JSONText.Value
        /// The latest request when it was added.
        let after: Int
        /// The latest request when it was removed.
        var removedAfter: Int?
        /// Tells whether a request matches its conditions; `nil` if it is not about pushes.
        let test: RequestTest?
        /// The pushes before it was added that it would have decided.
        var passed = 0
        var decided = 0
    }

    /// Pushes to one device, one after the other, that failed in the same way.
    private struct Failures {
        var target: ObjectText
        var outcome: String
        var name: String
        var skip: Int
        var times: Int
        var sequence: Int
        /// Whether the next push to the device may be another of them.
        var isOpen = true
    }

    private var added: [Added] = []
    private var failures: [Failures] = []
    /// By the text of a target: the pushes so far that no made rule has decided, and the latest failures.
    private var targets: [String: (passed: Int, latest: Int?)] = [:]
    /// Whether rules are made for failures.
    private let infers: Bool

    /// - Parameters:
    ///   - events: the events of the run.
    ///   - infers: whether rules are made for failures.
    init(_ events: [LoggedEvent], infers: Bool) {
        self.infers = infers
        for logged in events {
            guard case .rule(let event) = logged.event else { continue }
            switch event.state {
            case .added:
                guard let value = event.definition else { continue }
                added.append(
                    Added(
                        name: event.rule, decider: Array("rule:\(event.rule)".utf8), value: value, after: logged.after,
                        test: Self.test(value)))
            case .removed:
                if let index = added.lastIndex(where: { $0.name == event.rule && $0.removedAfter == nil }) {
                    added[index].removedAfter = logged.after
                }
            }
        }
    }

    /// Returns what tells whether a request matches the conditions of a rule; `nil` if these are not about pushes.
    private static func test(_ value: JSONText.Value) -> RequestTest? {
        var scenario = Scenario()
        let device = value["when"]?["device"]
        for name in (device?["oneOf"]?.array ?? [device].compactMap(\.self)).compactMap(\.string) {
            var declared = DeclaredDevice(token: DeviceToken(seed: UInt64(scenario.devices.count), for: "name"))
            declared.name = name
            scenario.devices.append(declared)
        }
        guard let match = value["when"].map({ scenario.match(from: $0).0 }) ?? MatchExpression() else { return nil }
        var condition = RequestMatch(match, in: scenario)
        condition.require(.sentBy, .anyOf(Sender.allCases.map { .equals($0.rawValue) }))
        return RequestTest(condition)
    }

    /// Counts a push for the rules.
    ///
    /// - Parameters:
    ///   - target: the condition for pushes to its device.
    ///   - isRepeated: whether the workload has it.
    mutating func take(_ subject: inout RecordSubject, to target: ObjectText, isRepeated: Bool) {
        let (sequence, record) = (subject.sequence, subject.record)
        let decider = subject.text(.decidedBy)
        var isExplained = false
        for index in added.indices {
            if sequence <= added[index].after {
                if isRepeated, added[index].test?.holds(&subject) ?? false { added[index].passed += 1 }
            } else if decider == added[index].decider, sequence <= added[index].removedAfter ?? .max {
                added[index].decided += 1
                isExplained = true
            }
        }
        guard infers, !isExplained, isRepeated else { return }
        let theirs = subject.relayed?.theirs.text
        note(Self.failure(of: subject), target, sequence, record.reason?.name ?? theirs)
    }

    private mutating func note(
        _ outcome: ObjectText?, _ target: ObjectText, _ sequence: Int, _ reason: String?
    ) {
        let key = target.text
        var (passed, latest) = targets[key] ?? (0, nil)
        defer { targets[key] = (passed, latest) }
        guard let outcome else {
            passed += 1
            if let latest { failures[latest].isOpen = false }
            return
        }
        if let latest, failures[latest].isOpen, failures[latest].outcome == outcome.text {
            failures[latest].times += 1
            return
        }
        if let latest { failures[latest].isOpen = false }
        // One more than the steps take, so that they say that there are more.
        guard failures.count <= RunSteps.limit else { return }
        latest = failures.count
        failures.append(
            Failures(
                target: target, outcome: outcome.text, name: "push \(sequence): \(reason ?? "no answer")", skip: passed,
                times: 1, sequence: sequence))
    }

    /// Adds the rules to the steps: the one that was added last comes first, and those made for failures after all others.
    func finish(into run: inout RunSteps) {
        for rule in added.reversed() {
            if rule.removedAfter != nil, rule.decided == 0 { continue }
            var text = ObjectText()
            text.add("name", rule.name)
            let ownSkip = rule.value["skip"]?.int64 ?? 0
            let isPerValue = rule.value["countPer"] != nil
            if isPerValue, rule.passed > 0 {
                run.note("Rule \"\(rule.name)\" counts for each value by itself, and so applies from the beginning.")
            }
            let skip = ownSkip + (isPerValue ? 0 : Int64(rule.passed))
            for member in rule.value.object ?? [] where !["name", "skip"].contains(member.key) {
                if member.key == "times", rule.removedAfter != nil { continue }
                text.add(member.key, member.value)
            }
            if skip > 0 { text.add("skip", json: "\(skip)") }
            if rule.removedAfter != nil { text.add("times", json: "\(rule.decided)") }
            run.add(.rules, text, "rule \"\(rule.name)\" is added", rule.after)
        }
        for failure in failures {
            var text = ObjectText()
            text.add("name", failure.name)
            text.add("when", json: failure.target.text)
            if failure.skip > 0 { text.add("skip", json: "\(failure.skip)") }
            text.add("times", json: "\(failure.times)")
            text.add("then", json: failure.outcome)
            let times = failure.times == 1 ? "" : ", \(failure.times) times"
            run.add(.rules, text, failure.name + times, failure.sequence)
        }
    }

    // MARK: Outcomes

    /// The reasons that follow from the push alone, whoever receives it.
    private static let ofPush: Set<Reason> = [
        .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .badTopic, .duplicateHeaders, .invalidPushType,
        .missingDeviceToken, .missingTopic, .payloadEmpty, .payloadTooLarge, .badPath, .methodNotAllowed,
        .missingProviderToken,
    ]

    /// Returns the step of a rule that gives the same answer; `nil` if the checks or the device give it.
    private static func failure(of subject: borrowing RecordSubject) -> ObjectText? {
        let record = subject.record
        switch (record.decidedBy, record.reason) {
        case (.checks, let reason?) where ofPush.contains(reason): return nil
        case (.device, .unregistered), (.device, .expiredToken): return nil
        default: break
        }
        var step = ObjectText()
        switch record.outcome {
        case .stalled: step.add("stall", json: "true")
        case .reset:
            guard let code = record.resetCode else { return nil }
            step.add("resetStream", json: "\(code)")
        case .goAway: step.add("goAway", json: #"{"lastStream": "previous"}"#)
        case .closed where record.decidedBy == .rule: step.add("close", "reset")
        case .closed, .ignored, .cancelled: return nil
        case .responded, .delayed:
            guard let status = record.status else { return nil }
            if status == 200 {
                // Only an upstream accepts what the checks refuse.
                guard let relayed = subject.relayed, relayed.own.status != 200 else { return nil }
                step.add("respond", json: #"{"status": 200}"#)
            } else if let reason = record.reason {
                step.add("reject", reason.name)
                if reason.status != Int(status) { step.add("status", json: "\(status)") }
            } else {
                var answer = ObjectText()
                answer.add("status", json: "\(status)")
                if let reason = subject.relayed?.theirs.reason {
                    var body = ObjectText()
                    body.add("reason", reason)
                    answer.add("body", body.text)
                }
                step.add("respond", json: answer.text)
            }
            if let seconds = record.retryAfter { step.add("retryAfter", json: "\(seconds)") }
            if record.delivery != nil { step.add("deliver", json: "true") }
        }
        return step
    }

    /// Returns the expectation that a push is answered as it was; `nil` if it was not answered.
    static func expectation(of subject: borrowing RecordSubject, to target: ObjectText) -> String? {
        let record = subject.record
        guard let status = record.status else { return nil }
        var match = target
        for field: RequestField in [.pushType, .collapseID] {
            match.add(field.rawValue, subject.text(field).map { String(decoding: $0, as: UTF8.self) })
        }
        match.add("status", json: "\(status)")
        match.add("reason", record.reason?.name)
        var expectation = ObjectText()
        expectation.add("requests", json: match.text)
        expectation.add("count", json: #"{"atLeast": 1}"#)
        return expectation.text
    }
}
