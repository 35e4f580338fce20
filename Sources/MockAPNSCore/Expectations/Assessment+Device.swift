/// Judging what is expected of a device at the end.
extension Assessment {
    func device(_ place: Int, _ state: Expectation.DeviceState) -> ExpectationResult {
        let name = evidence.scenario.devices.indices.contains(place) ? evidence.scenario.devices[place].name : nil
        let subject = name ?? "the device"
        var result = ExpectationResult(name: "", passed: false, expected: "\(subject) \(state.words)", seen: "")
        guard let known = evidence.devices[place] else {
            result.seen = "\(subject) is not known any more"
            return result
        }
        var views = [known]
        DeviceView.complete(&views, from: evidence.log)
        let view = views[0]
        var seen: [String] = []
        var isRight: [Bool] = []
        if let displayed = state.displayed {
            let (text, misses) = compare(view.displayed, displayed)
            seen.append(text)
            isRight.append(misses.isEmpty && displayed.count == view.displayed.count)
            result.nearMisses = Array(misses.prefix(RequestSnapshot.nearMissCount))
        }
        if let badge = state.badge {
            seen.append("shows badge \(view.badge)")
            isRight.append(badge == view.badge)
        }
        if let stored = state.stored {
            seen.append("has \(view.stored.count) stored")
            isRight.append(stored.contains(view.stored.count))
        }
        if let received = state.received {
            seen.append("has received \(view.device.received)")
            isRight.append(received.contains(Int(view.device.received)))
        }
        result.passed = !isRight.contains(false)
        result.seen = "\(subject) \(list(seen, "and"))"
        return result
    }

    /// What is displayed, in words, and the notifications that are not as expected.
    private func compare(
        _ displayed: [DeviceView.Displayed], _ expected: [[Expectation.Value]]
    ) -> (String, [NearMiss]) {
        let payloads = displayed.map { try? JSONText.read($0.payload, .recorded) }
        var misses: [NearMiss] = []
        for (place, push) in displayed.enumerated() where expected.indices.contains(place) {
            let differences = expected[place].compactMap { $0.difference(payloads[place]) }
            if !differences.isEmpty { misses.append(NearMiss(sequence: push.sequence, differences: differences)) }
        }
        let pointers = expected.flatMap { $0.map(\.pointer) }
        let shown = displayed.indices.map { place in
            let values =
                (expected.indices.contains(place) ? expected[place].map(\.pointer) : pointers.first.map { [$0] } ?? [])
                .map { "\($0) \(payloads[place]?[$0].map { RecordValue($0).json } ?? "absent")" }
            return "request \(displayed[place].sequence)\(values.isEmpty ? "" : " with \(list(values, "and"))")"
        }
        let notifications = counted(displayed.count, "notification")
        return ("displays \(notifications)\(shown.isEmpty ? "" : " (\(shown.joined(separator: "; ")))")", misses)
    }
}

extension Expectation.Value {
    /// What is not right about a payload; `nil` when it is.
    fileprivate func difference(_ payload: JSONText.Value?) -> NearMiss.Difference? {
        let found = payload?[pointer]
        let isRight =
            switch content {
            case .json(let value): found?.means(value) ?? false
            case .matcher(let matcher): ValueTest(matcher).holds(found)
            }
        if isRight { return nil }
        return NearMiss.Difference(
            field: "payload \(pointer)", expected: content.words, found: found.map { RecordValue($0).json } ?? "null")
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
        if let stored { parts.append("has \(stored.words) stored") }
        if let received { parts.append("has received \(received.words)") }
        return list(parts, "and")
    }
}
