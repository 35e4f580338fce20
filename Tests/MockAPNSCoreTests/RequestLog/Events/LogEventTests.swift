import GatewayRigs
import Testing

@testable import MockAPNSCore

/// Each kind of event in its two forms: the line of the log and, of those that replicas ship, the bytes of a frame.
@Suite struct LogEventTests {
    private static let now = GatewayRig.now
    private static let token = DeviceToken(hex: JudgeRig.bob)!

    private static func device(_ change: (inout Device) -> Void) -> Device {
        var device = Device(topics: [])
        change(&device)
        return device
    }

    private static func connection(isClosed: Bool) -> ConnectionEvent {
        var facts = ConnectionFacts.example
        (facts.alpn, facts.serverName) = ("h2", "api.push.apple.com")
        facts.clientCertificate = .init(
            subject: "CN = \"ü\"", serial: "1F", topics: ["com.example.app"], isForProduction: false)
        let reference = ConnectionReference(id: 7, number: isClosed ? nil : 3)
        guard isClosed else { return ConnectionEvent(.opened(facts), reference, at: now) }
        var connection = OpenConnection(id: 7, number: nil, facts: facts, openedAt: now)
        (connection.teamID, connection.requests) = ("DEF123GHIJ", 12)
        var counters = ConnectionCounters()
        (counters.pings, counters.bytesSent, counters.settingsSent) = (1, 2, 3)
        (counters.goAwaysSent, counters.inFlight) = (4, 5)
        let end = ConnectionEnd(of: connection, by: .fault, "It broke.", counters)
        return ConnectionEvent(.closed(end), reference, at: now.advanced(by: 5))
    }

    private static func activity(_ state: ActivityChange.State) -> ActivityChange {
        var change = ActivityChange(state, name: "game", channel: "AAAA")
        (change.channelName, change.sequence) = ("scores", 9)
        change.neverUpdates("It never updates.")
        return change
    }

    /// At least one of each kind, with every member, and with none that may be absent.
    static let all: [LogEvent] = {
        var update = RequestUpdate(
            delivery: .deliveredFromStorage, replacedBy: 77, outcome: .reset, resetCode: 7, latencyMicroseconds: 0,
            delivered: 0)
        update.explanation = Array(#"Rule "ü" did it."#.utf8)
        let later = now.advanced(by: 1000)
        let gone = device { $0.registration = .expired(at: later) }
        let full = device {
            ($0.name, $0.isOnline, $0.allowsNotifications, $0.savesPower) = ("bob", false, false, true)
            $0.registration = .unregistered(at: later, acceptFor: 90_000)
        }
        let odd = device { device in
            device.phone.platform = .tvOS
            device.phone.app.state = .forceQuit
            device.phone.apps["com.example.other"] = Phone.AppCondition()
            device.phone.permission.authorization = .provisional
            device.phone.permission.showsBadge = false
            device.phone.budgets[.background] = Phone.Budget(allowed: 3, per: 3_600_000)
        }
        let changed = DeviceEvent(state: .changed, clock: later, token: token, device: full)
        var own = ActivityChange(.updated, name: nil, channel: nil)
        (own.app, own.token) = ("com.example.app", token)
        var over = ActivityChange(.ended, name: nil, channel: nil)
        over.isByItself = true
        var renewed = DeviceEvent(state: .renewed, clock: later, token: token, newToken: token, device: gone)
        renewed.startTokens = [
            StartToken(app: "com.example.app", token: token), StartToken(app: "com.example.other", token: token),
        ]
        var declared = DeviceEvent(
            state: .declared, clock: now, token: token, device: device { $0.isSandbox = false })
        declared.topics = ["com.example.app", "com.example.app.voip"]
        var valid = DeviceEvent(state: .declared, clock: now, token: token, device: Device(topics: []))
        valid.topics = []
        let channel = BroadcastChannel(
            id: ChannelID("AAAA"), name: "scores", topic: "com.example.app", isSandbox: false, policy: .none,
            createdAt: later)
        let answer = ResponseEvent(
            clock: later, token: token, deviceName: "bob", sequence: 4, action: "REPLY", text: "Grüße")
        let dismissal = ResponseEvent(
            clock: now, token: token, sequence: 5, action: ResponseEvent.dismiss, reachesApp: false)
        let told = ResponseEvent(clock: now, token: token, sequence: 5, action: ResponseEvent.dismiss)
        return [
            .response(answer), .response(dismissal), .response(told),
            .device(DeviceEvent(state: .changed, clock: now, token: token, device: odd)),
            .update(UpdateEvent(of: 3, update, clock: later)), .update(UpdateEvent(of: 1, RequestUpdate(), clock: now)),
            .update(UpdateEvent(of: 1, RequestUpdate(resetCode: 0xDEAD), clock: now)),
            .connection(connection(isClosed: false)), .connection(connection(isClosed: true)),
            .device(changed), .device(DeviceEvent(state: .removed, clock: now, token: token, device: gone)),
            .device(DeviceEvent(state: .declared, clock: now, token: token, device: Device(topics: []))),
            .device(declared), .device(valid),
            .device(renewed),
            .activity(
                ActivityEvent(
                    clock: later, device: token, deviceName: "bob", isOnline: false, change: activity(.started))),
            .activity(ActivityEvent(clock: now, device: token, deviceName: nil, change: own)),
            .activity(ActivityEvent(clock: now, device: token, deviceName: nil, change: over)),
            .channel(ChannelEvent(state: .created, clock: later, channel: channel)),
            .channel(ChannelEvent(state: .deleted, clock: later, channel: channel)),
            .rule(RuleEvent(state: .added, clock: now, rule: "slow", trigger: .ping)),
            .rule(RuleEvent(state: .removed, clock: now, rule: "slow")),
            .scenario(ScenarioEvent(state: .started, clock: later, scenario: nil, seed: .max)),
            .scenario(ScenarioEvent(state: .played, clock: later, scenario: "busy", seed: 1)),
            .clock(ClockEvent(from: now, to: later)), .reset,
            .fleet(
                FleetMember(fleet: "f", replica: "a", started: 5, epoch: StreamID(milliseconds: 6, number: 7))),
            .log(.reopened(after: 4, scenario: "busy", seed: .max)), .log(.lost(lines: 3)),
        ]
    }()

    @Test func everyKindIsTried() { #expect(Set(Self.all.map(\.name)) == Set(LogEvent.Name.allCases.map(\.rawValue))) }

    private static func line(_ event: LogEvent) -> [UInt8] {
        var line: [UInt8] = []
        event.appendLine(at: now, to: &line)
        return line
    }

    @Test("Its line says all of it", arguments: all)
    func line(_ event: LogEvent) throws {
        let line = Self.line(event)
        let recorded = try RecordedLine(line, try JSONText.read(Array(line.dropLast())))
        let copy = try #require(try LogEvent(recorded))
        #expect(Self.line(copy) == line)
        // A device's environment is that of its connection, and a certificate with topics is one for pushes.
        #expect("\(copy)" == "\(event)")
    }

    @Test("The time on the scenario's clock is that of its line", arguments: all)
    func time(_ event: LogEvent) throws {
        let line = Self.line(event)
        let recorded = try RecordedLine(line, try JSONText.read(Array(line.dropLast())))
        let told = try recorded.memberIfAny("clock") == nil ? nil : recorded.clock
        #expect(event.scenarioTime == told)
    }

    @Test("So do its bytes", arguments: all.filter(\.isShipped))
    func frame(_ event: LogEvent) throws {
        var frame = ReplicaFrame()
        frame.madeAt = Self.now.advanced(by: 50)
        frame.events = [LoggedEvent(event, at: Self.now.advanced(by: -7), after: 5)]
        let copy = try #require(try ReplicaFrame(frame.bytes.span).events.first)
        #expect("\(copy)" == "\(frame.events[0])")
    }

    @Test("What only a later version knows is no event")
    func unknown() throws {
        for line in [
            #"{"event":"weather"}"#, #"{"event":"connection","connection":1,"state":"renamed"}"#,
            #"{"event":"scenario","state":"paused"}"#, #"{"event":"log","state":"burnt"}"#,
            #"{"event":"rule","rule":"slow","state":"paused"}"#, #"{"event":"fleet","state":"left"}"#,
            #"{"event":"channel","channel":"AAAA","state":"renamed"}"#, #"{"event":"clock"}"#,
        ] {
            let bytes = Array(line.utf8)
            #expect(try LogEvent(RecordedLine(bytes, JSONText.read(bytes))) == nil, "\(line)")
        }
    }
}
