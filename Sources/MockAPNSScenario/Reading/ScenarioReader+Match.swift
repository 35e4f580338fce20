import MockAPNSCore

/// The subject of a MATCH.
enum MatchUse {
    /// `when` of a rule with this trigger.
    case rule(RuleTrigger)
    /// A recorded request.
    case record

    /// The fields available.
    var fields: [RequestField] {
        switch self {
        case .record: RequestField.allCases
        case .rule(.push): RequestField.allCases.filter { !Self.decided.contains($0) && !Self.ofCalls.contains($0) }
        case .rule(.broadcast), .rule(.channels):
            RequestField.allCases.filter { !Self.decided.contains($0) && !Self.ofPushes.contains($0) }
        case .rule(.connect): [.connection, .serverName]
        case .rule(.ping): [.connection, .serverName, .requestOnConnection, .inFlight]
        }
    }

    /// Whether header fields and a payload are available.
    var hasRequest: Bool {
        switch self {
        case .record, .rule(.push), .rule(.broadcast), .rule(.channels): true
        case .rule(.connect), .rule(.ping): false
        }
    }

    /// Whether it applies to a PING, which is not part of a request.
    var isPing: Bool {
        if case .rule(.ping) = self { true } else { false }
    }

    /// Whether it applies to a new connection.
    var isConnect: Bool {
        if case .rule(.connect) = self { true } else { false }
    }

    /// The calls that it applies to; `nil` if it may apply to other requests as well.
    var calls: [BroadcastCall]? {
        guard case .rule(let trigger) = self, trigger == .broadcast || trigger == .channels else { return nil }
        return BroadcastCall.allCases.filter { $0.trigger == trigger }
    }

    /// The fields known only after a request is decided.
    static let decided: Set<RequestField> = [.uniqueID, .status, .reason, .outcome, .decidedBy, .delivery]
    /// The fields that only calls about broadcast channels have.
    static let ofCalls: Set<RequestField> = [.call, .channel, .requestID]
    /// The fields that only pushes to devices have.
    static let ofPushes: Set<RequestField> = [.device, .token, .collapseID, .apnsID]
    /// The same of records, in the order in which they are reported.
    static let ofPushRecords: [RequestField] = [.device, .token, .collapseID, .apnsID, .delivery]
}

extension ScenarioReader {
    /// Returns the trigger of a rule; `push` if it is not given or not readable.
    mutating func trigger(_ when: Value?) -> RuleTrigger {
        when?["on"].flatMap { value in value.string.flatMap(RuleTrigger.init(rawValue:)) } ?? .push
    }

    /// Reads the conditions of a `when` or MATCH.
    mutating func match(_ value: Value, _ use: MatchUse) -> MatchExpression {
        var match = MatchExpression()
        guard let members = value.object else {
            wrong(value, expected: "an object of conditions, such as {\"device\": \"alice\"}")
            return match
        }
        for member in members where member.key != "$comment" {
            if isOver { break }
            at(member.key) { reader in
                if let condition = reader.conditions(member, use) { match.conditions += condition }
            }
        }
        checkContradictions(match, value)
        checkCalls(match, value, use)
        return match
    }

    private mutating func conditions(_ member: JSONText.Member, _ use: MatchUse) -> [MatchExpression.Condition]? {
        let value = member.value
        switch member.key {
        case "on":
            if case .record = use {
                if value.string != "push" { wrong(value, expected: "\"push\", the only trigger outside of rules") }
            } else {
                _ = word(value, RuleTrigger.self)
            }
            return nil
        case "header" where use.hasRequest: return headers(value)
        case "payload" where use.hasRequest: return payload(value)
        default:
            guard let field = RequestField(rawValue: member.key), use.fields.contains(field) else {
                unknownField(member, use)
                return nil
            }
            return condition(value, field, use).map { [$0] }
        }
    }

    private mutating func unknownField(_ member: JSONText.Member, _ use: MatchUse) {
        let others = use.hasRequest ? ["header", "payload"] : []
        let isField = RequestField(rawValue: member.key) != nil || member.key == "header" || member.key == "payload"
        let field = RequestField(rawValue: member.key)
        switch use {
        case .rule(.push) where field.map(MatchUse.ofCalls.contains) ?? false:
            note(
                member.keyOffset,
                "is a field of calls about broadcast channels; expected \"on\": \"broadcast\" or \"channels\" beside it"
            )
        case .rule(.broadcast) where field.map(MatchUse.ofPushes.contains) ?? false,
            .rule(.channels) where field.map(MatchUse.ofPushes.contains) ?? false:
            note(member.keyOffset, "is a field of pushes to devices, but the rule is on calls about broadcast channels")
        case .rule(.push) where isField, .rule(.broadcast) where isField, .rule(.channels) where isField:
            note(member.keyOffset, "is not known before a rule decides; only expectations can ask for it")
        case .rule(let trigger) where isField:
            let fields = Self.list(use.fields.map(\.rawValue), "or")
            note(member.keyOffset, "is a field of a push, but the rule is on \(trigger.rawValue); expected \(fields)")
        default:
            let keys = ["on"] + use.fields.map(\.rawValue) + others
            let hint = MeantWord(member.key, among: keys)?.question ?? "expected \(Self.list(keys, "or"))"
            note(member.keyOffset, "is not a known field; \(hint)")
        }
    }

    private mutating func condition(
        _ value: Value, _ field: RequestField, _ use: MatchUse
    ) -> MatchExpression.Condition? {
        let domain = MatchDomain(field, use)
        let count = mistakes.count
        guard var matcher = matcher(value, domain), mistakes.count == count else { return nil }
        if field.kind == .foldedText { matcher = matcher.lowercased }
        if field == .device, let names = matcher.onlyTexts {
            let indices = names.compactMap { self.names.devices[String(decoding: $0, as: UTF8.self)] }
            return .device(Array(Set(indices)).sorted())
        }
        if let calls = use.calls, field == .call, !calls.contains(where: { ValueTest(matcher).mayHold(for: $0.name) }) {
            let which = Self.list(calls.map(\.name), "and")
            note(
                value.offset, "can never hold, because of \"on\": these rules are tried on \(which)",
                isCrossReference: true)
        } else if field == .channel {
            checkChannels(value, matcher)
        } else if !domain.canHold(matcher) || field == .device && !someDevice(matcher) {
            note(value.offset, "can never hold; expected something that a request can have", isCrossReference: true)
        }
        return .field(field, matcher)
    }

    /// Returns whether a declared device has such a name, or the matcher holds without one.
    private func someDevice(_ matcher: ValueMatcher) -> Bool {
        let test = ValueTest(matcher)
        return test.holdsForAbsence || names.devices.keys.contains { test.mayHold(for: $0) }
    }

    /// Reports names of channels that the scenario does not declare. Any id may be that of a channel that a provider makes.
    private mutating func checkChannels(_ value: Value, _ matcher: ValueMatcher) {
        guard !names.hasOtherChannels, let texts = matcher.onlyTexts else { return }
        for text in texts.map({ String(decoding: $0, as: UTF8.self) }) {
            if names.channels.contains(text) || names.channelIDs.contains(text) || ChannelID(text).hasUsualForm {
                continue
            }
            let near = names.nearest(to: text, among: names.channels).map { "; did you mean \($0.quotedForPeople)?" }
            let what = texts.count == 1 ? "" : " names \(text.quotedForPeople), and"
            note(
                value.offset,
                "\(what.isEmpty ? "is \(text.quotedForPeople), but" : String(what.dropFirst())) no channel has that name or id\(near ?? "")",
                isCrossReference: true)
            return
        }
    }

    /// Reports conditions on calls about broadcast channels that can each hold, but never together.
    private mutating func checkCalls(_ match: MatchExpression, _ value: Value, _ use: MatchUse) {
        let mustBeThere = match.conditions.compactMap { condition -> RequestField? in
            switch condition {
            case .device: .device
            case .field(let field, let matcher): ValueTest(matcher).holdsForAbsence ? nil : field
            case .header, .payload: nil
            }
        }
        guard let ofCalls = mustBeThere.first(where: MatchUse.ofCalls.contains) else { return }
        if let ofPushes = MatchUse.ofPushRecords.first(where: mustBeThere.contains) {
            return noteKey(
                ofPushes.rawValue, of: value,
                "contradicts \"\(ofCalls.rawValue)\": only pushes to devices have it, and no calls about channels",
                isCrossReference: true)
        }
        guard use.calls != nil, mustBeThere.contains(.channel) else { return }
        for case .field(.call, let matcher) in match.conditions {
            let test = ValueTest(matcher)
            let calls = BroadcastCall.allCases.filter { test.mayHold(for: $0.name) }
            if calls.contains(where: \.namesChannel) { continue }
            noteKey(
                "channel", of: value,
                "contradicts \"call\": \(Self.list(calls.map(\.name), "or")) does not name a channel",
                isCrossReference: true)
        }
    }

    private mutating func headers(_ value: Value) -> [MatchExpression.Condition] {
        var conditions: [MatchExpression.Condition] = []
        freeObject(value, "an object with the names of header fields as its keys, such as {\"apns-priority\": \"5\"}") {
            reader, member in
            let name = reader.fieldName(member, allowsPseudo: true)
            if let name, let matcher = reader.matcher(member.value, .text) { conditions.append(.header(name, matcher)) }
        }
        return conditions
    }

    private mutating func payload(_ value: Value) -> [MatchExpression.Condition] {
        var conditions: [MatchExpression.Condition] = []
        freeObject(value, "an object with JSON Pointers as its keys, such as {\"/aps/badge\": 1}") { reader, member in
            let pointer = reader.pointer(member.key, at: member.keyOffset)
            let matcher = reader.matcher(member.value, .payload)
            if let pointer, let matcher { conditions.append(.payload(pointer, matcher)) }
        }
        return conditions
    }

    /// Reports conditions that can each hold, but never together.
    private mutating func checkContradictions(_ match: MatchExpression, _ value: Value) {
        guard let indices = match.onlyDevices, let texts = match.onlyTexts(of: .token) else { return }
        let tokens = texts.map { DeviceToken(hex: String(decoding: $0, as: UTF8.self)) }
        let meet = indices.contains { index in names.tokens[index].map { tokens.contains($0) } ?? true }
        if !meet {
            noteKey(
                "token", of: value, "contradicts \"device\": no such device has that token", isCrossReference: true)
        }
    }
}
