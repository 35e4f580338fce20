import MockAPNSCore

/// Judges expectations of a device's final state.
extension Assessment {
    func device(_ index: Int, _ state: Expectation.DeviceState) -> ExpectationResult {
        let name = input.scenario.devices.indices.contains(index) ? input.scenario.devices[index].name : nil
        let subject = name ?? "the device"
        var result = ExpectationResult(name: "", passed: false, expected: "\(subject) \(state.words)", seen: "")
        guard let known = input.devices[index] else {
            result.seen = "\(subject) is no longer known"
            return result
        }
        var views = [known]
        DeviceView.complete(&views, from: input.log)
        let view = views[0]
        var seen: [String] = []
        var isRight: [Bool] = []
        var after = ""
        func judge(_ onScreen: [OnScreen], _ expected: [[Expectation.Value]]?, _ verb: String, _ noun: String) {
            guard let expected else { return }
            let found = compare(onScreen, expected)
            let all = found.texts.isEmpty ? "" : " (\(found.texts.joined(separator: "; ")))"
            seen.append("\(verb) \(counted(onScreen.count, noun, noun.plural))\(all)")
            if found.undecided.count > 0 { after += "; \(found.undecided.words(input.name(ofRequest:)))" }
            isRight.append(found.isRight && expected.count == onScreen.count)
            result.nearMisses += found.misses.prefix(RequestSnapshot.nearMissCount - result.nearMisses.count)
        }
        if state.displayed != nil {
            judge(view.displayed.map(OnScreen.init), state.displayed, "displays", "notification")
        }
        if state.activities != nil {
            judge(view.activities.map(OnScreen.init), state.activities, "has", "Live Activity")
            if isRight.last == false { after += vainPushes(of: view) }
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
        if !state.history.isEmpty {
            let all = view.history.latest
            let found = state.history.map { expected in all.count { $0.state == expected.state } }
            seen.append(Expectation.DeviceState.words(zip(state.history, found).map { "\($1) \($0.state.rawValue)" }))
            isRight.append(zip(state.history, found).allSatisfy { $0.count.contains($1) })
            if isRight.last == false { after += entries(of: view.history) }
        }
        result.passed = !isRight.contains(false)
        result.seen = "\(subject) \(list(seen, "and"))\(after)"
        return result
    }

    /// The result of a comparison with the screen.
    private struct Comparison {
        /// Each item on the screen in words, with its values of the expected fields.
        var texts: [String] = []
        /// Whether each item on the screen has what is expected of it.
        var isRight = true
        /// The differences of those that come from a push.
        var misses: [NearMiss] = []
        var undecided = UndecidedMatches()
    }

    /// Compares what is on the screen with what is expected.
    private func compare(_ onScreen: [OnScreen], _ expected: [[Expectation.Value]]) -> Comparison {
        var result = Comparison()
        for (each, values) in zip(onScreen, expected) {
            var differences: [NearMiss.Difference] = []
            for value in values {
                let match = value.test(each, patterns)
                if !match.isTrue { differences.append(value.difference(each, match)) }
                if let pattern = match.undecidedPattern { result.undecided.add(each.sequence, pattern) }
            }
            guard !differences.isEmpty else { continue }
            result.isRight = false
            if each.sequence > 0 {
                result.misses.append(NearMiss(sequence: each.sequence, differences: differences))
            }
        }
        let first = expected.first { !$0.isEmpty }?.first
        result.texts = onScreen.enumerated().map { index, each in
            let values = expected.indices.contains(index) ? expected[index] : first.map { [$0] } ?? []
            let found = values.map { "\($0.name) \($0.found(in: each).map { RecordValue($0).json } ?? "absent")" }
            let isUntouched = each.sequence == 0
            let request = isUntouched ? "one as it started" : "request \(input.name(ofRequest: each.sequence))"
            return found.isEmpty ? request : "\(request) with \(list(found, "and"))"
        }
        return result
    }

    /// Returns the latest entries of a history, each after a semicolon.
    private func entries(of history: DeviceHistory) -> String {
        history.latest.suffix(RequestSnapshot.nearMissCount).map { entry in
            let why = entry.why.hasSuffix(".") ? entry.why.dropLast() : entry.why[...]
            return "; request \(input.name(ofRequest: entry.sequence)) (\(entry.state.rawValue)): \(why)"
        }.joined()
    }

    /// Returns the latest pushes to Live Activities that were in vain and why, each after a semicolon.
    private func vainPushes(of device: DeviceView) -> String {
        var reasons: [Int: (state: HistoryState, why: String)] = [:]
        for entry in device.history.latest where [.ignored, .dropped].contains(entry.state) {
            let type = input.log.withSubject(entry.sequence) { $0.text($0.record.pushTypeRange) }
            guard type == PushType.liveactivity.name else { continue }
            reasons[entry.sequence] = (entry.state, entry.why)
        }
        // Those of broadcast channels are not in the history. Several Live Activities may have ignored the same push.
        for push in device.activities.flatMap(\.ignored) { reasons[push.sequence] = (.ignored, push.why) }
        return reasons.sorted { $0.key < $1.key }.suffix(RequestSnapshot.nearMissCount).map { sequence, push in
            let why = push.why.hasSuffix(".") ? push.why.dropLast() : push.why[...]
            return "; request \(input.name(ofRequest: sequence)) was \(push.state.rawValue): \(why)"
        }.joined()
    }
}

/// Judges expectations of a broadcast channel.
extension Assessment {
    func channel(_ expected: Expectation.ChannelCounts, _ figures: ChannelFigures) -> ExpectationResult {
        var result = ExpectationResult(name: "", passed: true, expected: "", seen: "")
        var (wanted, seen): ([String], [String]) = ([], [])
        func judge(_ count: CountRange?, _ number: Int, _ singular: String, _ plural: String) {
            guard let count else { return }
            wanted.append(count.words(singular, plural))
            seen.append(counted(number, singular, plural))
            if !count.contains(number) { result.passed = false }
        }
        judge(expected.published, figures.published, "published push", "published pushes")
        judge(expected.subscribers, figures.subscribers, "subscriber", "subscribers")
        judge(expected.delivered, figures.delivered, "delivery", "deliveries")
        (result.expected, result.seen) = (list(wanted, "and"), list(seen, "and"))
        return result
    }
}

/// A notification or a Live Activity on the screen.
private struct OnScreen {
    /// The sequence number of its push; 0 for a Live Activity that none has changed yet.
    let sequence: Int
    /// The payload, or the state of the activity.
    let sent: JSONText.Value?
    /// The text shown to the user.
    let shown: JSONText.Value?

    init(_ push: DeviceView.Displayed) {
        (sequence, sent, shown) = (push.sequence, try? JSONText.read(push.payload, .recorded), push.shown?.json)
    }

    init(_ activity: LiveActivity) { (sequence, sent, shown) = (activity.sequence ?? 0, activity.state, nil) }
}

extension String {
    fileprivate var plural: String { self == "Live Activity" ? "Live Activities" : self + "s" }
}

extension Expectation.Value {
    fileprivate func found(in onScreen: OnScreen) -> JSONText.Value? {
        switch source {
        case .sent: onScreen.sent?[pointer]
        case .shown: onScreen.shown?[pointer]
        }
    }

    /// The name in the expectation.
    fileprivate var name: String {
        switch source {
        case .sent: pointer.description
        case .shown: String(pointer.description.dropFirst())
        }
    }

    /// Tests whether an item on the screen has this value.
    fileprivate func test(_ onScreen: OnScreen, _ patterns: PatternContext) -> MatchResult {
        let found = found(in: onScreen)
        return switch content {
        case .json(let value): MatchResult(found?.means(value) ?? false)
        case .matcher(let matcher): ValueTest(matcher, patterns).test(found)
        }
    }

    /// Returns the difference of an item on the screen.
    fileprivate func difference(_ onScreen: OnScreen, _ result: MatchResult) -> NearMiss.Difference {
        NearMiss.Difference(
            field: source == .sent ? "payload \(name)" : name,
            expected: content.words + (result.isFalse ? "" : NearMiss.Difference.undecided),
            found: found(in: onScreen).map { RecordValue($0).json } ?? "null")
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
    /// The expected state, as words that follow the device's name.
    fileprivate var words: String {
        var parts: [String] = []
        func say(_ expected: [[Expectation.Value]]?, _ verb: String, _ noun: String) {
            guard let expected else { return }
            let each = expected.map { values in
                values.isEmpty ? "any" : list(values.map { "\($0.name) \($0.content.words)" }, "and")
            }
            let all = each.isEmpty ? "" : " (\(each.joined(separator: "; ")))"
            parts.append("\(verb) \(counted(expected.count, noun, noun.plural))\(all)")
        }
        say(displayed, "displays", "notification")
        say(activities, "has", "Live Activity")
        if let badge { parts.append("shows badge \(badge)") }
        if let stored { parts.append("has \(stored.words("push", "pushes")) stored") }
        if let received { parts.append("has received \(received.words("push", "pushes"))") }
        if !history.isEmpty {
            parts.append(Self.words(history.map { $0.count.words($0.state.rawValue, $0.state.rawValue) }))
        }
        return list(parts, "and")
    }

    /// Some states of the history with their numbers, as words that follow the device's name.
    fileprivate static func words(_ counts: [String]) -> String { "has \(list(counts, "and")) in its history" }
}
