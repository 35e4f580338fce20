import MockAPNSCore

extension ScenarioReader {
    private enum Key: String, CaseIterable {
        case pass, reject, respond, stall, resetStream, goAway, close, outage, hostile
        case tlsAlert, serverCertificate, ignore
        case status, timestamp, delay, drip, deliver, retryAfter, settings, device

        /// Whether it is an outcome; a step has exactly one.
        var isOutcome: Bool {
            switch self {
            case .pass, .reject, .respond, .stall, .resetStream, .goAway, .close, .outage, .hostile, .tlsAlert,
                .serverCertificate, .ignore:
                true
            case .status, .timestamp, .delay, .drip, .deliver, .retryAfter, .settings, .device: false
            }
        }

        static let outcomes = allCases.filter(\.isOutcome)

        /// Returns the outcomes allowed for a trigger.
        static func outcomes(on trigger: RuleTrigger) -> [Key] {
            switch trigger {
            case .push, .broadcast, .channels:
                outcomes.filter { ![.tlsAlert, .serverCertificate, .ignore].contains($0) }
            case .connect: [.pass, .stall, .tlsAlert, .serverCertificate, .close, .goAway]
            case .ping: [.pass, .ignore]
            }
        }

        /// Returns whether this key, which is no outcome, may be in a step of a rule with this trigger.
        func canAccompany(_ trigger: RuleTrigger) -> Bool {
            trigger.isRequest || trigger == .connect && self == .delay
        }

        /// The outcomes that this key may accompany; empty for an outcome.
        var companions: [Key] {
            switch self {
            case .status, .timestamp: [.reject]
            case .retryAfter: [.reject, .respond, .outage, .hostile]
            case .drip: [.pass, .reject, .respond, .goAway, .outage, .hostile]
            case .deliver: Self.outcomes(on: .push).filter { $0 != .pass }
            case .delay: Self.outcomes.filter { $0 != .stall }
            case .settings, .device: Self.outcomes
            case .pass, .reject, .respond, .stall, .resetStream, .goAway, .close, .outage, .hostile, .tlsAlert,
                .serverCertificate, .ignore:
                []
            }
        }
    }

    /// Reads the steps of a rule with this trigger.
    mutating func steps(_ value: Value, _ trigger: RuleTrigger) -> Rule.Steps {
        let steps = oneOrMore(value, of: "steps") { $0.step($1, trigger) }
        return switch trigger {
        case .push: .push(steps.compactMap(\.push))
        case .connect:
            .connect(
                steps.compactMap { step in step.onConnect.map { ConnectStep(outcome: $0, delay: step.step.delay) } })
        case .ping: .ping(steps.compactMap(\.onPing))
        case .broadcast: .broadcast(steps.compactMap(\.push))
        case .channels: .channels(steps.compactMap(\.push))
        }
    }

    /// The content of a step, before its use is known.
    private struct StepText {
        /// The options of an outcome for pushes.
        var step = Step(.pass)
        var onPush: PushOutcome?
        var onConnect: ConnectOutcome?
        var onPing: PingOutcome?

        var push: Step? {
            guard let onPush else { return nil }
            var step = step
            step.outcome = onPush
            return step
        }
    }

    private mutating func step(_ value: Value, _ trigger: RuleTrigger) -> StepText? {
        var text = StepText()
        var status: Int?
        var timestamp: Timestamp?
        let isObject = object(value, "a step", example: #"{"reject": "TooManyRequests"}"#, Key.self) {
            reader, key, value in
            switch key {
            case .pass:
                reader.onlyTrue(value)
                (text.onPush, text.onConnect, text.onPing) = (.pass, .pass, .pass)
            case .reject: if let reason = reader.reason(value, mayRespond: true) { text.onPush = .reject(reason) }
            case .respond: if let answer = reader.respond(value) { text.onPush = .respond(answer) }
            case .stall:
                reader.onlyTrue(value)
                (text.onPush, text.onConnect) = (.stall, .stall)
            case .resetStream:
                text.onPush = .resetStream(
                    reader.oneOrMore(value, of: "error codes", atMost: SendLimit.frames) { $0.errorCode($1) })
            case .goAway:
                guard let (plan, isEarly) = reader.goAway(value, trigger == .connect ? .connect : .push) else { return }
                text.onPush = .goAway(plan)
                text.onConnect = .goAway(plan, beforeSettings: isEarly)
            case .close:
                guard let ending = reader.ending(value) else { return }
                (text.onPush, text.onConnect) = (.close(ending), .close(ending))
            case .outage: if let outage = reader.outage(value) { text.onPush = .outage(outage) }
            case .hostile: if let hostility = reader.word(value, Hostility.self) { text.onPush = .hostile(hostility) }
            case .tlsAlert:
                if let alert = reader.choice(value, TLSAlert.all.map { ($0.alert.rawValue, $0.code) }) {
                    text.onConnect = .tlsAlert(alert)
                }
            case .serverCertificate:
                guard let fault = reader.word(value, ServerCertificateFault.self) else { return }
                text.onConnect = .serverCertificate(fault)
            case .ignore:
                reader.onlyTrue(value)
                text.onPing = .ignore
            case .status: status = reader.integer(value, in: 200...599, "an HTTP status")
            case .timestamp: timestamp = reader.timestamp(value)
            case .delay: text.step.delay = reader.delay(value)
            case .drip: text.step.drip = reader.drip(value)
            case .deliver: text.step.deliver = reader.bool(value) ?? false
            case .retryAfter: text.step.retryAfter = reader.integer(value, in: Self.counts, "a number of seconds")
            case .settings: text.step.settings = reader.settings(value)
            case .device: text.step.deviceChange = reader.deviceChange(value)
            }
        }
        guard isObject else { return nil }
        checkKeys(value, trigger)
        if case .reject(let reason, _, _) = text.onPush {
            text.onPush = .reject(reason, status: status, timestamp: timestamp)
        }
        return text
    }

    private mutating func checkKeys(_ value: Value, _ trigger: RuleTrigger) {
        let keys = (value.object ?? []).compactMap { Key(rawValue: $0.key) }
        let outcomes = keys.filter(\.isOutcome)
        let allowed = Key.outcomes(on: trigger)
        guard let first = outcomes.first else {
            if isMeant(Key.outcomes.map(\.rawValue), in: value) { return }
            let words = Self.list(allowed.map(\.rawValue), "or")
            let advice = keys.isEmpty ? "" : "; \"pass\": true lets the checks decide"
            return note(value.offset, "has no outcome; expected exactly one of \(words)\(advice)")
        }
        for second in outcomes.dropFirst() {
            noteKey(
                second.rawValue, of: value,
                "is a second outcome beside \"\(first.rawValue)\"; expected exactly one in a step")
        }
        for key in keys {
            if key == .device, trigger.isRequest, trigger != .push {
                noteKey(
                    key.rawValue, of: value,
                    "cannot be combined with \"on\": \"\(trigger.rawValue)\", because the request is not for a device")
            } else if key.isOutcome ? !allowed.contains(key) : !key.canAccompany(trigger) {
                let words = Self.list(allowed.map(\.rawValue), "or")
                noteKey(
                    key.rawValue, of: value,
                    "cannot be combined with \"on\": \"\(trigger.rawValue)\"; expected \(words)")
            } else if !key.isOutcome, !key.companions.contains(first), key != .deliver || value["deliver"]?.bool == true
            {
                let words = Self.list(key.companions.map(\.rawValue), "or")
                noteKey(
                    key.rawValue, of: value, "contradicts \"\(first.rawValue)\"; use it with \(words)")
            }
        }
    }

    /// Reads the timestamp of a rejection: a time, or the number to be sent.
    private mutating func timestamp(_ value: Value) -> Timestamp? {
        if value.number != nil {
            return integer(value, in: 0...253_402_300_799_999, "a time as in RFC 3339, or milliseconds since 1970")
                .map { Timestamp(milliseconds: Int64($0)) }
        }
        return time(value, or: ", or milliseconds since 1970")
    }
}

// Options of an outcome
extension ScenarioReader {
    private mutating func delay(_ value: Value) -> Step.Delay? {
        enum Key: String, CaseIterable { case uniform, lognormal }
        guard let members = value.object else {
            let others =
                ", {\"uniform\": [\"10ms\", \"50ms\"]} or {\"lognormal\": {\"median\": \"40ms\", \"p99\": \"2s\"}}"
            return duration(value, or: others).map { .fixed($0) }
        }
        var delay: Step.Delay?
        readMembers(of: value, "a delay", Key.self) { reader, key, value in
            switch key {
            case .uniform: delay = reader.uniform(value)
            case .lognormal: delay = reader.lognormal(value)
            }
        }
        contradiction("uniform", "lognormal", in: value, "a delay has one distribution")
        let keys = Key.allCases.map(\.rawValue)
        if !members.contains(where: { keys.contains($0.key) }), !isMeant(keys, in: value) {
            note(value.offset, "has no distribution; expected \"uniform\" or \"lognormal\"")
        }
        return delay
    }

    private mutating func uniform(_ value: Value) -> Step.Delay? {
        guard let elements = value.array, elements.count == 2 else {
            wrong(value, expected: "a list of the shortest and the longest delay, such as [\"10ms\", \"50ms\"]")
            return nil
        }
        let bounds = list(value, of: "durations") { $0.duration($1) }
        guard bounds.count == 2 else { return nil }
        if bounds[0] > bounds[1] {
            note(value.offset, "ends before it begins; expected the shorter delay first", isCrossReference: true)
        }
        return .uniform(bounds[0], bounds[1])
    }

    private mutating func lognormal(_ value: Value) -> Step.Delay? {
        enum Key: String, CaseIterable { case median, p99 }
        var median: Int64?
        var p99: Int64?
        let isObject = object(value, "\"lognormal\"", example: #"{"median": "40ms", "p99": "2s"}"#, Key.self) {
            reader, key, value in
            switch key {
            case .median: median = reader.duration(value, isPositive: true)
            case .p99: p99 = reader.duration(value, isPositive: true)
            }
        }
        guard isObject else { return nil }
        if value["median"] == nil { missing("median", in: value, expected: "a duration such as \"40ms\"") }
        if value["p99"] == nil { missing("p99", in: value, expected: "a duration such as \"2s\"") }
        guard let median, let p99 else { return nil }
        if p99 < median {
            noteKey("p99", of: value, "is less than \"median\"; expected a longer duration", isCrossReference: true)
        }
        return .lognormal(median: median, p99: p99)
    }

    private mutating func drip(_ value: Value) -> Step.Drip? {
        enum Key: String, CaseIterable { case bytes, every }
        var bytes: Int?
        var every: Int64?
        let isObject = object(value, "\"drip\"", example: #"{"bytes": 16, "every": "10ms"}"#, Key.self) {
            reader, key, value in
            switch key {
            case .bytes: bytes = reader.integer(value, in: Self.positives)
            case .every: every = reader.duration(value, isPositive: true)
            }
        }
        guard isObject else { return nil }
        if value["bytes"] == nil { missing("bytes", in: value, expected: "a number of bytes") }
        if value["every"] == nil { missing("every", in: value, expected: "a duration such as \"10ms\"") }
        guard let bytes, let every else { return nil }
        return Step.Drip(bytes: bytes, every: every)
    }
}
