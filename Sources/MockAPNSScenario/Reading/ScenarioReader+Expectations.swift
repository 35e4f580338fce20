import MockAPNSCore

extension ScenarioReader {
    private enum Key: String, CaseIterable {
        case name, requests, inOrder, spacing, device, connections, providerTokens, pings, nothingElse
        case channel, channels, lint
        case count, distinct, each, orNone, displayed, badge, stored, received, history, activities, published,
            subscribers, delivered

        /// The keys that determine the form; an expectation has exactly one.
        static let forms: [Key] = [
            .requests, .inOrder, .spacing, .device, .connections, .providerTokens, .pings, .channel, .channels,
            .lint, .nothingElse,
        ]

        /// The forms that this key may accompany; empty for a form, and for a name.
        var companions: [Key] {
            switch self {
            case .count: [.requests, .lint]
            case .distinct: [.requests]
            case .each, .orNone: [.requests, .inOrder, .spacing]
            case .displayed, .badge, .stored, .received, .history, .activities: [.device]
            case .published, .subscribers, .delivered: [.channel]
            case .name, .requests, .inOrder, .spacing, .device, .connections, .providerTokens, .pings, .nothingElse,
                .channel, .channels, .lint:
                []
            }
        }
    }

    mutating func expectations(_ value: Value) -> [Expectation] {
        var index = 0
        return list(value, of: "expectations") { reader, value in
            defer { index += 1 }
            return reader.expectation(value, path: "expect[\(index)]")
        }
    }

    private mutating func expectation(_ value: Value, path: String) -> Expectation? {
        var name = path
        var count: CountRange?
        var distinct: Expectation.Distinct?
        var each: RequestField?
        var allowsNone = false
        var figures = Expectation.ChannelCounts()
        var state = Expectation.DeviceState()
        let isObject = object(value, "an expectation", example: #"{"requests": {"status": 200}, "count": 1}"#, Key.self)
        { reader, key, value in
            switch key {
            case .name: name = reader.name(value) ?? path
            case .count: count = reader.count(value)
            case .distinct: distinct = reader.distinct(value)
            case .each: each = reader.countField(value, .record)
            case .orNone: allowsNone = reader.bool(value) ?? false
            case .displayed:
                state.displayed = reader.list(value, of: "notifications") { $0.notification($1) }
            case .activities:
                state.activities = reader.list(value, of: "Live Activities") { $0.values($1) }
            case .badge: state.badge = reader.integer(value, in: Self.counts).map(Int64.init)
            case .stored: state.stored = reader.count(value)
            case .received: state.received = reader.count(value)
            case .history: state.history = reader.history(value)
            case .published: figures.published = reader.count(value)
            case .subscribers: figures.subscribers = reader.count(value)
            case .delivered: figures.delivered = reader.count(value)
            default: break
            }
        }
        guard isObject, let key = checkForm(value), let body = value[key.rawValue] else { return nil }
        let form: Expectation.Form? = at(key.rawValue) { reader in
            switch key {
            case .requests:
                let match = reader.match(body, .record)
                return count.map { .requests(match, count: $0, distinct: distinct, each: each) }
            case .inOrder:
                return .inOrder(reader.list(body, of: "conditions", atLeast: 1) { $0.match($1, .record) }, each: each)
            case .spacing: return reader.spacing(body, hasEach: each != nil).map { .spacing($0, each: each) }
            case .device: return reader.deviceIndex(body).map { .device($0, state) }
            case .connections: return reader.count(body).map { .connections($0) }
            case .providerTokens: return reader.count(body).map { .providerTokens($0) }
            case .pings: return reader.count(body).map { .pings($0) }
            case .channel:
                return reader.channelName(body).map { .channel($0, figures) }
            case .channels: return reader.count(body).map { .channels($0) }
            case .lint:
                let query = reader.lintQuery(body)
                return count.map { .lint(query, count: $0) }
            case .nothingElse:
                reader.onlyTrue(body)
                return .nothingElse
            default: return nil
            }
        }
        return form.map { Expectation(name: name, form: $0, allowsNone: allowsNone) }
    }

    /// Reads how often the history of a device has some states.
    private mutating func history(_ value: Value) -> [Expectation.DeviceState.HistoryCount] {
        enum Key: String, CaseIterable {
            case shown, woke, heldByBudget, dropped, ignored, replaced, dismissed, opened
        }
        var counts: [Expectation.DeviceState.HistoryCount] = []
        let isObject = object(value, "\"history\"", example: #"{"woke": 0, "dropped": 1}"#, Key.self) {
            reader, key, value in
            guard let state = HistoryState(rawValue: key.rawValue), let count = reader.count(value) else { return }
            counts.append(.init(state: state, count: count))
        }
        if isObject, value.object?.isEmpty == true {
            note(value.offset, "expects nothing; expected \(Self.list(Key.allCases.map(\.rawValue), "or"))")
        }
        return counts
    }

    /// Returns the key that determines the form, after checking the others.
    private mutating func checkForm(_ value: Value) -> Key? {
        let keys = (value.object ?? []).compactMap { Key(rawValue: $0.key) }
        let forms = keys.filter(Key.forms.contains)
        guard let first = forms.first else {
            if isMeant(Key.forms.map(\.rawValue), in: value) { return nil }
            let words = Self.list(Key.forms.map(\.rawValue), "or")
            note(value.offset, "expects nothing; expected one of \(words)")
            return nil
        }
        for second in forms.dropFirst() {
            noteKey(
                second.rawValue, of: value,
                "cannot be combined with \"\(first.rawValue)\"; expected one form in an expectation")
        }
        if keys.contains(.orNone) { checkOrNone(value, first, hasEach: keys.contains(.each)) }
        for key in keys where key != .orNone && !key.companions.isEmpty && !key.companions.contains(first) {
            let words = Self.list(key.companions.map(\.rawValue), "or")
            noteKey(key.rawValue, of: value, "cannot be combined with \"\(first.rawValue)\"; use it with \(words)")
        }
        if first == .requests || first == .lint, value["count"] == nil {
            missing("count", in: value, expected: "a number, or {\"atLeast\": n, \"atMost\": n}")
        }
        let figures = Key.allCases.filter { $0.companions == [.channel] }
        if first == .channel, !keys.contains(where: figures.contains), !isMeant(figures.map(\.rawValue), in: value) {
            note(
                value.offset,
                "expects nothing of the channel; expected \(Self.list(figures.map(\.rawValue), "or"))")
        }
        let questions = Key.allCases.filter { $0.companions == [.device] }
        if first == .device, !keys.contains(where: questions.contains),
            !isMeant(questions.map(\.rawValue), in: value)
        {
            note(
                value.offset,
                "expects nothing of the device; expected \(Self.list(questions.map(\.rawValue), "or"))")
        }
        return first
    }

    /// Checks that there may be nothing to judge.
    private mutating func checkOrNone(_ value: Value, _ form: Key, hasEach: Bool) {
        let why: String
        switch form {
        case .inOrder, .spacing: return
        case .requests where hasEach: return
        case .requests: why = "without \"each\", \"count\" says how many there may be"
        case .lint: why = "findings always need a push to judge"
        default: why = "\"\(form.rawValue)\" has something to judge even if nothing was pushed"
        }
        noteKey(
            Key.orNone.rawValue, of: value,
            "cannot be used here: \(why); use it with \"inOrder\", \"spacing\", or \"requests\" and \"each\"")
    }

    /// Reads a COUNT.
    mutating func count(_ value: Value) -> CountRange? {
        enum Key: String, CaseIterable { case atLeast, atMost }
        guard value.object != nil else {
            if let number = value.int64, Self.counts.contains(number) {
                return CountRange(atLeast: Int(number), atMost: Int(number))
            }
            wrong(
                value,
                expected:
                    "a count: a whole number \(Self.text(of: Self.counts)), or {\"atLeast\": n, \"atMost\": n} with one or both"
            )
            return nil
        }
        var range = CountRange(atLeast: 0, atMost: nil)
        readMembers(of: value, "a count", Key.self) { reader, key, value in
            switch key {
            case .atLeast: range.atLeast = reader.integer(value, in: Self.counts) ?? 0
            case .atMost: range.atMost = reader.integer(value, in: Self.counts)
            }
        }
        if value["atLeast"] == nil, value["atMost"] == nil, !isMeant(["atLeast", "atMost"], in: value) {
            note(value.offset, "counts nothing; expected \"atLeast\" or \"atMost\"")
        }
        if let most = range.atMost, most < range.atLeast {
            noteKey(
                "atMost", of: value, "is less than \"atLeast\", so no number can match", isCrossReference: true)
        }
        return range
    }

    private mutating func distinct(_ value: Value) -> Expectation.Distinct? {
        if let text = value.string, text.utf8.first == UInt8(ascii: "/") {
            return pointer(text, at: value.offset).map { .payload($0) }
        }
        if let field = value.string.flatMap(RequestField.init(rawValue:)) { return .field(field) }
        let fields = RequestField.allCases.map(\.rawValue)
        let expected = "a field such as \"apnsID\", or a JSON Pointer such as \"/aps/badge\""
        if let text = value.string, text.contains(where: { "./[".contains($0) }) {
            wrong(value, expected: expected + JSONPointer.hint(for: text))
        } else {
            wrongWord(value, fields, expected: expected)
        }
        return nil
    }

    /// Reads what is expected of a displayed notification: of its payload, or of what the user sees, by name.
    private mutating func notification(_ value: Value) -> [Expectation.Value]? {
        values(value, names: ShownNotification.members)
    }

    /// Reads values by their JSON Pointers, or by these names.
    private mutating func values(_ value: Value, names: [String] = []) -> [Expectation.Value]? {
        var values: [Expectation.Value] = []
        let orNames = names.isEmpty ? "" : ", or with the names of what a person reads"
        let example = names.isEmpty ? "{\"/score\": 1}" : "{\"title\": \"Hello\"}"
        freeObject(value, "an object with JSON Pointers as its keys\(orNames), such as \(example)") { reader, member in
            let isName = names.contains(member.key)
            let pointer =
                isName ? JSONPointer([member.key]) : reader.pointer(member.key, at: member.keyOffset, names: names)
            var content = Expectation.Value.Content.json(member.value)
            if member.value.isMatcher {
                guard let matcher = reader.matcher(member.value, .payload) else { return }
                content = .matcher(matcher)
            }
            guard let pointer else { return }
            values.append(Expectation.Value(source: isName ? .shown : .sent, pointer: pointer, content: content))
        }
        return values
    }
}

extension JSONText.Value {
    /// Whether it is an object with only the keys of a matcher; any other object is a value to compare.
    fileprivate var isMatcher: Bool {
        guard let members = object?.filter({ $0.key != "$comment" }), !members.isEmpty else { return false }
        return members.allSatisfy { ScenarioReader.MatcherKey(rawValue: $0.key) != nil }
    }
}

// Spacing
extension ScenarioReader {
    private mutating func spacing(_ value: Value, hasEach: Bool) -> Expectation.Spacing? {
        enum Key: String, CaseIterable { case requests, connections, atLeast, atMost }
        var spacing = Expectation.Spacing()
        let isObject = object(
            value, "\"spacing\"", example: #"{"requests": {"status": 429}, "atLeast": "1s"}"#, Key.self
        ) { reader, key, value in
            switch key {
            case .requests: spacing.requests = reader.match(value, .record)
            case .connections: reader.onlyTrue(value)
            case .atLeast: spacing.atLeast = reader.bound(value)
            case .atMost: spacing.atMost = reader.bound(value)
            }
        }
        guard isObject else { return nil }
        contradiction("requests", "connections", in: value, "the gaps are between requests, or between connections")
        if value["requests"] == nil, value["connections"] == nil, !isMeant(["requests", "connections"], in: value) {
            note(value.offset, "measures nothing; expected \"requests\" with conditions, or \"connections\": true")
        }
        if value["atLeast"] == nil, value["atMost"] == nil, !isMeant(["atLeast", "atMost"], in: value) {
            note(value.offset, "has no bound; expected \"atLeast\" or \"atMost\"")
        }
        if value["connections"] != nil, hasEach {
            noteKey(
                "connections", of: value, "contradicts \"each\": connections have no fields", isCrossReference: true)
        }
        checkBounds(spacing, value)
        return spacing
    }

    private mutating func bound(_ value: Value) -> Expectation.Spacing.Bound? {
        if value.array != nil { return .list(list(value, of: "durations", atLeast: 1) { $0.duration($1) }) }
        return duration(value, or: ", or a list of durations, one for each gap").map { .all($0) }
    }

    private mutating func checkBounds(_ spacing: Expectation.Spacing, _ value: Value) {
        guard let least = spacing.atLeast, let most = spacing.atMost else { return }
        if case .list(let one) = least, case .list(let other) = most, one.count != other.count {
            return noteKey(
                "atMost", of: value, "has \(other.count) gaps, but \"atLeast\" has \(one.count)",
                isCrossReference: true)
        }
        let count = max(least.count, most.count)
        let isEmpty = (0..<count).contains { index in
            guard let least = least.gap(index), let most = most.gap(index) else { return false }
            return least > most
        }
        if isEmpty {
            noteKey("atMost", of: value, "is less than \"atLeast\", so no gap can match", isCrossReference: true)
        }
    }
}

extension Expectation.Spacing.Bound {
    fileprivate var count: Int { if case .list(let list) = self { list.count } else { 1 } }

    /// Returns the bound for one gap; `nil` if a list with mistakes is too short.
    fileprivate func gap(_ index: Int) -> Int64? {
        switch self {
        case .all(let gap): gap
        case .list(let gaps): gaps.indices.contains(index) ? gaps[index] : nil
        }
    }
}
