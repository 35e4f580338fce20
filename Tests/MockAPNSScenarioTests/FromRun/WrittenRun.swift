import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

/// A run whose records and events are written one by one, so that there is nothing else in it.
struct WrittenRun {
    static let alice = JudgeRig.alice
    static let bob = JudgeRig.bob
    static let carol = String(repeating: "ca", count: 32)

    var log: RequestLog
    var others: LatestEvents

    init(log: RequestLog = RequestLog(limit: 2000), others: LatestEvents = LatestEvents()) {
        (self.log, self.others) = (log, others)
    }

    static func scenario(_ text: String) throws -> Scenario {
        let (scenario, mistakes) = Scenario.read(Array(text.utf8))
        try #require(mistakes.isEmpty, "\(mistakes)")
        return try #require(scenario)
    }

    /// What the run becomes.
    func steps(
        after start: EventPosition = EventPosition(), of scenario: Scenario? = nil, begunRules: [String] = []
    ) -> RunSteps {
        let events = EventSnapshot(log: log.snapshot, others: others)
        return RunReader(events, after: start, of: scenario, begunRules: begunRules).finish()
    }

    /// Adds a push that was delivered, unless that is changed.
    ///
    /// - Parameters:
    ///   - token: the device token in its path.
    ///   - relayed: what another APNs answered.
    mutating func push(
        to token: String? = alice, relayed: RelayedAnswer? = nil, _ change: (inout RecordedPush) -> Void = { _ in }
    ) {
        var push = RecordedPush()
        (push.record.status, push.record.delivery) = (200, .delivered)
        if let token {
            push.add(":path", "/3/device/" + token) {
                $0.token = ByteRange(start: Int($1.start) + 10, count: token.utf8.count)
            }
        }
        change(&push)
        push.append(to: &log)
        if let relayed { log.attach(relayed) }
    }

    /// Adds an event after the latest request.
    mutating func note(_ event: LogEvent) {
        others.append(LoggedEvent(event, at: GatewayRig.now, after: log.latestSequence))
    }

    /// Adds a change of a device that was in its default state, apart from what is changed.
    mutating func note(
        _ state: DeviceEvent.State, of token: String = alice, topics: [String]? = nil,
        _ change: (inout Device) -> Void = { _ in }
    ) throws {
        var device = Device(topics: [])
        change(&device)
        let token = try #require(DeviceToken(hex: token))
        note(.device(DeviceEvent(state: state, clock: GatewayRig.now, token: token, device: device, topics: topics)))
    }

    /// Gives a device a new token.
    mutating func renew(_ token: String, to newToken: String) throws {
        let (old, new) = (try #require(DeviceToken(hex: token)), try #require(DeviceToken(hex: newToken)))
        note(
            .device(
                DeviceEvent(
                    state: .renewed, clock: GatewayRig.now, token: old, newToken: new, device: Device(topics: []))))
    }

    mutating func add(rule definition: String, on trigger: RuleTrigger? = .push) throws {
        let value = try JSONText.read(Array(definition.utf8))
        let name = try #require(value["name"]?.string)
        note(
            .rule(
                RuleEvent(
                    state: .added, clock: GatewayRig.now, rule: name, trigger: trigger, definition: value)))
    }

    mutating func remove(rule name: String) {
        note(.rule(RuleEvent(state: .removed, clock: GatewayRig.now, rule: name, trigger: .push)))
    }

    mutating func moveClock(by milliseconds: Int64) {
        let end = Timestamp(milliseconds: GatewayRig.now.milliseconds + milliseconds)
        note(.clock(ClockEvent(from: GatewayRig.now, to: end)))
    }
}

extension RecordedPush {
    /// Gives its device this name.
    mutating func name(_ device: String) { attachments.append((.device, device)) }

    mutating func refuse(_ reason: Reason, by decider: DecidedBy = .checks) {
        (record.status, record.reason, record.delivery) = (UInt16(reason.status), reason, nil)
        record.decidedBy = decider
    }

    mutating func leaveUnanswered(_ outcome: Outcome, by decider: DecidedBy = .rule) {
        (record.status, record.delivery) = (nil, nil)
        (record.outcome, record.decidedBy) = (outcome, decider)
    }

    mutating func decide(by rule: String) {
        record.decidedBy = .rule
        attachments.append((.rule, rule))
    }
}

extension RunSteps {
    func elements(_ list: List) -> [String] { steps.filter { $0.list == list }.map(\.element) }

    func texts(_ list: List) -> [String] { steps.filter { $0.list == list }.map(\.text) }
}
