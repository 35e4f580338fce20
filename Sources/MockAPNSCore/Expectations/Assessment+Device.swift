/// Judging what is expected of a device at the end.
extension Assessment {
    func device(_ index: Int, _ state: Expectation.DeviceState) -> ExpectationResult {
        let name = evidence.scenario.devices.indices.contains(index) ? evidence.scenario.devices[index].name : nil
        let subject = name ?? "the device"
        var result = ExpectationResult(name: "", passed: false, expected: "\(subject) \(state.words)", seen: "")
        guard let known = evidence.devices[index] else {
            result.seen = "\(subject) is not known any more"
            return result
        }
        var views = [known]
        DeviceView.complete(&views, from: evidence.log)
        let view = views[0]
        var seen: [String] = []
        var isRight: [Bool] = []
        var after = ""
        if let displayed = state.displayed {
            let (text, misses, undecided) = compare(view.displayed, displayed)
            seen.append(text)
            if undecided.count > 0 { after = "; \(undecided.words)" }
            isRight.append(misses.isEmpty && displayed.count == view.displayed.count)
            result.nearMisses = Array(misses.prefix(RequestSnapshot.nearMissCount))
        }
        if let badge = state.badge {
            seen.append("shows badge \(view.badge)")
            isRight.append(badge == view.badge)
        }
        if let stored = state.stored {
            seen.append("has \(counted(view.stored.count, "push", "pushes")) stored")
            isRight.append(stored.contains(view.stored.count))
        }
        if let received = state.received {
            seen.append("has received \(counted(Int(view.device.received), "push", "pushes"))")
            isRight.append(received.contains(Int(view.device.received)))
        }
        result.passed = !isRight.contains(false)
        result.seen = "\(subject) \(list(seen, "and"))\(after)"
        return result
    }

    /// What is displayed, in words, and the notifications that are not as expected.
    private func compare(
        _ displayed: [DeviceView.Displayed], _ expected: [[Expectation.Value]]
    ) -> (String, [NearMiss], UndecidedMatches) {
        let payloads = displayed.map { try? JSONText.read($0.payload, .recorded) }
        var misses: [NearMiss] = []
        var undecided = UndecidedMatches()
        for (index, push) in displayed.enumerated() where expected.indices.contains(index) {
            var differences: [NearMiss.Difference] = []
            for value in expected[index] {
                let truth = value.test(payloads[index], patterns)
                if !truth.isTrue { differences.append(value.difference(payloads[index], truth)) }
                if let pattern = truth.undecidedPattern { undecided.add(push.sequence, pattern) }
            }
            if !differences.isEmpty { misses.append(NearMiss(sequence: push.sequence, differences: differences)) }
        }
        let pointers = expected.flatMap { $0.map(\.pointer) }
        let shown = displayed.indices.map { index in
            let values =
                (expected.indices.contains(index) ? expected[index].map(\.pointer) : pointers.first.map { [$0] } ?? [])
                .map { "\($0) \(payloads[index]?[$0].map { RecordValue($0).json } ?? "absent")" }
            return "request \(displayed[index].sequence)\(values.isEmpty ? "" : " with \(list(values, "and"))")"
        }
        let notifications = counted(displayed.count, "notification")
        return (
            "displays \(notifications)\(shown.isEmpty ? "" : " (\(shown.joined(separator: "; ")))")", misses, undecided
        )
    }
}

extension Expectation.Value {
    /// Whether a payload has it.
    fileprivate func test(_ payload: JSONText.Value?, _ patterns: PatternContext) -> Truth {
        let found = payload?[pointer]
        return switch content {
        case .json(let value): Truth(found?.means(value) ?? false)
        case .matcher(let matcher): ValueTest(matcher, patterns).test(found)
        }
    }

    /// What is not right about a payload.
    fileprivate func difference(_ payload: JSONText.Value?, _ truth: Truth) -> NearMiss.Difference {
        NearMiss.Difference(
            field: "payload \(pointer)", expected: content.words + (truth.isFalse ? "" : NearMiss.Difference.undecided),
            found: payload?[pointer].map { RecordValue($0).json } ?? "null")
    }
}

extension Expectation.Value.Content {
    fileprivate var words: String {
        switch self {
        case .json(let value): RecordValue(value).json
        case .matcher(let matcher): matcher.words
        }
    }
}

extension Expectation.DeviceState {
    /// What is expected, after the device's name.
    fileprivate var words: String {
        var parts: [String] = []
        if let displayed {
            let each = displayed.map { values in
                values.isEmpty ? "any" : list(values.map { "\($0.pointer) \($0.content.words)" }, "and")
            }
            let notifications = counted(displayed.count, "notification")
            parts.append("displays \(notifications)\(each.isEmpty ? "" : " (\(each.joined(separator: "; ")))")")
        }
        if let badge { parts.append("shows badge \(badge)") }
        if let stored { parts.append("has \(stored.words("push", "pushes")) stored") }
        if let received { parts.append("has received \(received.words("push", "pushes"))") }
        return list(parts, "and")
    }
}
