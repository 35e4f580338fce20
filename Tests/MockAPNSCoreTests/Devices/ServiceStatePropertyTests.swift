import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

/// The state that follows a log is that of the server that wrote it, whichever way the log takes: live, as lines, or as
/// the frames of a replica.
@Suite("The state follows the log")
struct ServiceStatePropertyTests {
    /// Something that happens, drawn at random.
    private struct Step: CustomStringConvertible {
        var kind: Int
        var device: Int
        var choice: Int

        init(_ random: inout SeededRandom) {
            kind = Int(random.next() % 43)
            device = Int(random.next() % 6)
            choice = Int(random.next() % 64)
        }

        var description: String {
            let what =
                switch kind {
                case 0..<10: "push"
                case 10..<14: "change"
                case 14: "dismiss"
                case 15: "declare"
                case 16: "remove"
                case 17..<20: "advance"
                case 20..<23: "publish"
                case 23, 24: "start"
                case 25, 26: "activity"
                case 27: "channel"
                case 28, 29: "outage"
                case 30: "reset"
                case 31, 32, 33: "open"
                case 34, 35, 36: "close"
                case 37: "renew"
                case 38, 39: "start with a token"
                default: "update by a token"
                }
            return "\(what) device \(device), choice \(choice)"
        }
    }

    /// The tokens: alice's and bob's, and those of devices that register themselves or are declared later.
    private static let tokens =
        [JudgeRig.alice, JudgeRig.bob] + ["c0", "c1", "c2", "c3"].map { String(repeating: $0, count: 32) }

    private static let more = #"""
        "rules": [{"when": {"header": {"x-outage": "1"}},
                   "then": {"outage": {"reason": "ServiceUnavailable", "for": "20m"}}}],
        "storage": {"perTopic": 2}, "environment": "serverName",
        "channels": [{"name": "final", "topic": "com.example.app", "channelID": "AAAA"},
                     {"name": "silent", "topic": "com.example.app", "channelID": "BBBB", "storage": "none"},
                     {"name": "production", "topic": "com.example.app", "channelID": "DDDD",
                      "environment": "production"}],
        """#
    private static let own = #""liveActivities": {"tokens": "own"}, "#
    private static let channels = ["AAAA", "BBBB", "DDDD", "EEEE"]

    /// A run, with room for few or many devices that register themselves.
    private struct Run {
        var steps: [Step]
        let room: Int
        /// Whether Live Activities have tokens of their own.
        let hasOwnTokens: Bool

        init(_ seed: Int) {
            var random = SeededRandom(seed: UInt64(seed))
            let count = 1 + random.next() % 40
            steps = (0..<count).map { _ in Step(&random) }
            room = seed % 2 == 0 ? 2 : 100
            hasOwnTokens = seed % 3 == 0
        }
    }

    /// A state as at the start.
    private static func start(_ scenario: Scenario, room: Int, _ connections: Connections) -> ServiceState {
        var state = ServiceState(DeviceRegistry(hashSeed: 1, limit: room), connections)
        state.begin(
            .scenario,
            with: .init(
                scenario: scenario, ids: GeneratedIDs(seed: 1), environment: .serverName, hashSeed: 1,
                clock: GatewayRig.now))
        return state
    }

    /// Returns an open connection.
    private static func connection(_ step: Step, _ replica: borrowing ReplicaRig) -> Int? {
        let open = replica.rig.gateway.connections.open.map(\.id).sorted()
        return open.isEmpty ? nil : open[step.choice % open.count]
    }

    private static func facts(_ step: Step) -> ConnectionFacts {
        var facts = ConnectionFacts.example
        facts.remoteAddress = "127.0.0.1:\(50_000 + step.choice)"
        facts.serverName = [nil, "localhost", "api.push.apple.com"][step.choice % 3]
        return facts
    }

    private static func work(_ step: Step, _ replica: inout ReplicaRig) throws {
        guard let connection = connection(step, replica) else {
            // Nothing can be sent before there is one.
            if step.kind > 28 { _ = replica.open(facts(step)) }
            return
        }
        let token = token(of: step, replica.rig.gateway)
        let found = DeviceToken(hex: token).flatMap { replica.rig.gateway.devices.find($0) }
        switch step.kind {
        case 0..<10: replica.work { rig in rig.send(on: connection) { push(step, to: token, &$0) } }
        case 10..<14:
            guard let found else { return }
            replica.change(found) { change(step.choice, &$0) }
        case 14:
            guard let found else { return }
            replica.control { gateway, now in
                gateway.respond(
                    .dismissal, to: max(1, gateway.log.latestSequence - step.choice % 8), on: found, at: now)
            }
        case 15:
            var device = DeclaredDevice(token: try #require(DeviceToken(hex: tokens[step.device])))
            // A verdict calls alice and bob by the names that the scenario gives them.
            let names = step.device < 2 ? [["alice", "bob"][step.device]] : ["carol", "dave", nil, nil]
            device.name = names[step.choice % names.count]
            device.topics = step.choice % 3 == 0 ? ["com.example.app", "com.example.other"] : []
            device.isOnline = step.choice % 5 != 0
            device.isSandbox = step.choice % 7 == 0 ? false : nil
            replica.control { gateway, now in gateway.declare(device, at: now)?.1 ?? [] }
        case 16:
            guard let found else { return }
            replica.control { gateway, now in gateway.remove(found, at: now) }
        case 17..<20:
            try replica.control { gateway, _ in try gateway.advance(by: Int64(1 + step.choice) * 60_000) }
        case 20..<23:
            replica.work { rig in
                let now = rig.gateway.clock.time(at: rig.time)
                rig.send(published(step, at: now), on: connection)
            }
        case 23, 24:
            replica.work { rig in
                let now = rig.gateway.clock.time(at: rig.time)
                rig.send(on: connection) {
                    start(step, to: token, #""input-push-channel":"\#(channels[step.choice % 4])""#, &$0, at: now)
                }
            }
        case 25, 26:
            guard let found else { return }
            replica.change(found) { change in
                switch step.choice % 3 {
                case 0: change.unsubscribe = ["final", "silent", "production", "none"][step.choice % 4]
                case 1: change.endActivity = "match"
                default:
                    change.subscribe = DeclaredActivity(channel: channels[step.choice % 4])
                    if step.choice % 2 == 0 { change.subscribe?.name = "match" }
                }
            }
        case 28, 29:
            replica.work { rig in
                rig.send(on: connection) {
                    push(step, to: token, &$0)
                    $0.fields.append(("x-outage", "1"))
                }
            }
        case 30: replica.reset()
        case 31...33: _ = replica.open(facts(step))
        case 34...36:
            replica.close(connection, pings: step.choice % 3)
        case 37:
            guard let found else { return }
            replica.change(found) { $0.newToken = true }
        case 38...42: workWithOwnTokens(step, found, on: connection, &replica)
        default:
            var late = DeclaredChannel(name: "late", topic: "com.example.app")
            late.id = ChannelID("EEEE")
            let channel = late
            replica.control { gateway, now in
                if let number = gateway.channels.existing(channels[step.choice % 4]), step.choice % 3 == 0 {
                    gateway.delete(channel: number, at: now)
                } else {
                    _ = gateway.declare(channel, at: now)
                }
                return gateway.takeEffects()
            }
        }
    }

    /// Starts a Live Activity with a token of its own, by a push or as the app does, or changes one.
    private static func workWithOwnTokens(
        _ step: Step, _ device: DeviceIndex?, on connection: Int, _ replica: inout ReplicaRig
    ) {
        guard let device else { return }
        let known = replica.rig.gateway.state.subscriptions
        let time = replica.rig.gateway.clock.time(at: replica.rig.time)
        let starts = known.tokens.startTokens(of: device)
        let activities = known.activities(of: device, at: time).compactMap(\.token)
        if step.kind < 40, !starts.isEmpty {
            let token = starts[step.choice % starts.count].token.hex
            replica.work { rig in
                rig.send(on: connection) { start(step, to: token, #""input-push-token":1"#, &$0, at: time) }
            }
        } else if let token = activities.isEmpty ? nil : activities[step.choice % activities.count].hex {
            replica.work { rig in
                rig.send(on: connection) { update(step, to: token, &$0, at: time) }
            }
        } else {
            replica.change(device) { change in
                change.startActivity = DeclaredActivity()
                if step.choice % 2 == 0 { change.startActivity?.name = "match" }
            }
        }
    }

    /// The token of a step's device: mostly the latest that it has got.
    private static func token(of step: Step, _ gateway: borrowing Gateway) -> String {
        var token = tokens[step.device]
        while step.choice % 4 > 0 {
            let next = DeviceToken(seed: gateway.configuration.tokenSeed, for: "after \(token)")
            guard gateway.devices.find(next) != nil else { break }
            token = next.hex
        }
        return token
    }

    private static func push(_ step: Step, to token: String, _ push: inout ExamplePush) {
        push.path = "/3/device/" + token
        let seconds = GatewayRig.now.seconds
        push.fields = [
            ("apns-priority", step.choice % 2 == 0 ? "5" : "10"),
            (
                "apns-expiration",
                ["0", "\(seconds + 600)", "\(seconds + 7200)", "\(seconds + 86_400)"][step.choice % 4]
            ),
        ]
        if step.choice % 3 == 0 { push.fields.append(("apns-collapse-id", "\(step.choice % 2)")) }
        if step.choice % 5 == 0 { push.fields.append(("apns-push-type", "background")) }
        push.body = Array(#"{"aps":{"alert":"\#(step.choice)","badge":\#(step.choice % 4)}}"#.utf8)
    }

    private static func published(_ step: Step, at now: Timestamp) -> ExamplePush {
        var push = ExamplePush.publish(to: channels[step.choice % 4])
        push.fields.removeAll { $0.0 == "apns-expiration" }
        push.fields.append(("apns-expiration", step.choice % 3 == 0 ? "0" : "\(now.seconds + 3600)"))
        let event = step.choice % 7 == 0 ? "end" : "update"
        push.body = Array(
            #"{"aps":{"timestamp":\#(now.seconds),"event":"\#(event)","content-state":{"n":\#(step.choice)}}}"#.utf8)
        return push
    }

    private static func update(_ step: Step, to token: String, _ push: inout ExamplePush, at now: Timestamp) {
        push.path = "/3/device/" + token
        push.topic = "com.example.app.push-type.liveactivity"
        push.fields = [("apns-push-type", "liveactivity"), ("apns-expiration", "\(now.seconds + 7200)")]
        let event = step.choice % 5 == 0 ? "end" : "update"
        push.body = Array(
            #"{"aps":{"timestamp":\#(now.seconds),"event":"\#(event)","content-state":{"n":\#(step.choice)}}}"#.utf8)
    }

    /// - Parameter input: how it is updated, as a member of `aps`.
    private static func start(
        _ step: Step, to token: String, _ input: String, _ push: inout ExamplePush, at now: Timestamp
    ) {
        update(step, to: token, &push, at: now)
        let attributes = step.choice % 9 == 0 ? "" : #""attributes-type":"Match","#
        push.body = Array(
            #"{"aps":{"timestamp":\#(now.seconds),"event":"start",\#(attributes)"attributes":{},"content-state":{"n":0},"alert":{"title":"x"},\#(input)}}"#
                .utf8)
    }

    private static func change(_ choice: Int, _ change: inout DeviceChange) {
        switch choice % 9 {
        case 6: change.phone.app.state = AppState.allCases[choice % AppState.allCases.count]
        case 7: change.phone.budgets[.background] = Phone.Budget(allowed: choice % 3, per: 60_000)
        case 8: change.phone.permission.showsBanners = choice % 4 < 2
        case 0, 1: change.isOnline = choice % 4 < 2
        case 2: change.savesPower = choice % 4 < 2
        case 3: change.allowsNotifications = choice % 4 < 2
        case 4: change.registration = .unregistered(at: choice % 4 < 2 ? nil : GatewayRig.now, acceptFor: 60_000)
        default: change.registration = .registered
        }
    }

    /// Plays the steps; returns the three states as text: the server's own, that of its lines and that of its frames.
    private static func play(_ run: Run) throws -> [[String]] {
        let more = run.hasOwnTokens ? own + more : more
        var replica = try ReplicaRig(more)
        var collector = try CollectorRig("", more, replicas: ["a"])
        let scenario = replica.rig.gateway.scenario
        func begin(_ gateway: inout Gateway) {
            gateway.state = start(scenario, room: run.room, gateway.connections)
            gateway.state.tokenSeed = gateway.configuration.tokenSeed
        }
        begin(&replica.rig.gateway)
        begin(&collector.gateway)
        for (number, step) in run.steps.enumerated() {
            let generation = replica.rig.gateway.generation
            try work(step, &replica)
            if replica.rig.gateway.generation > generation {
                collector.reset(replicas: ["a"])
            }
            // Some frames have one step, some many.
            if number % 3 == 0 {
                try collector.take(replica.frames(), of: 0)
                collector.proceed()
            }
        }
        try collector.take(replica.frames(), of: 0)
        collector.proceed()
        let recorded = try follow(replica.log, scenario, room: run.room)
        let (log, now) = (replica.rig.gateway.log.snapshot, replica.rig.gateway.clock.time(at: replica.rig.time))
        return [
            try replica.rig.gateway.state.texts(log, at: now), try recorded.run.state.state.texts(log, at: now),
            // A collector follows no channels.
            try replica.rig.gateway.state.texts(log, at: now, isOfReplica: true),
            try collector.gateway.state.texts(log, at: now, isOfReplica: true),
            try views(replica.rig.gateway, at: now), try judged(replica.log, scenario),
        ]
    }

    /// Follows the lines of a log as a verdict on it does, but follows all devices.
    private static func follow(_ log: [UInt8], _ scenario: Scenario, room: Int) throws -> RecordedRuns {
        var runs = RecordedRuns(of: scenario, isOfSession: false, roomForOthers: room)
        for bytes in log.split(separator: UInt8(ascii: "\n")).map(Array.init) {
            try runs.replay(RecordedLine(bytes, JSONText.read(bytes)))
        }
        return runs
    }

    /// The devices of the scenario, live.
    private static func views(_ gateway: borrowing Gateway, at now: Timestamp) throws -> [String] {
        var views: [DeviceView] = []
        for declared in gateway.scenario.devices {
            if let known = gateway.state.device(declared) { views.append(gateway.view(of: known, at: now)) }
        }
        let input = gateway.verificationInput(at: GatewayRig.now)
        return texts(&views, gateway.log.snapshot) + [input.connections.text]
    }

    /// The devices of the scenario, as a verdict on the log sees them.
    private static func judged(_ log: [UInt8], _ scenario: Scenario) throws -> [String] {
        let input = try RecordedLog.read(log, scenario).input
        var views = input.devices.sorted { $0.key < $1.key }.map(\.value)
        return texts(&views, input.log) + [input.connections.text]
    }

    /// What they are and show, but for the names and topics that a new declaration gave them.
    private static func texts(_ views: inout [DeviceView], _ log: RequestSnapshot) -> [String] {
        DeviceView.complete(&views, from: log)
        return views.map { view in
            var json: [UInt8] = []
            view.appendJSON(to: &json)
            let text = String(decoding: json, as: UTF8.self)
            return view.token.hex + (text.firstRange(of: #""online""#).map { String(text[$0.lowerBound...]) } ?? text)
        }
    }

    private static func agree(_ run: Run) throws -> Bool {
        let states = try play(run)
        // A verdict has room for every device of the scenario.
        return states[0] == states[1] && states[2] == states[3] && (run.room == 2 || states[4] == states[5])
    }

    /// Returns the run without the steps that do not matter for the difference.
    private static func shortest(_ run: Run) throws -> Run {
        var run = run
        var index = 0
        while index < run.steps.count {
            var fewer = run
            fewer.steps.remove(at: index)
            if try agree(fewer) { index += 1 } else { run = fewer }
        }
        return run
    }

    @Test("A thousand runs, live, as lines and as frames", arguments: 0..<10)
    func sameState(part: Int) throws {
        for seed in 0..<100 {
            let run = Run(part * 100 + seed)
            guard try !Self.agree(run) else { continue }
            let shortest = try Self.shortest(run)
            let states = try Self.play(shortest)
            Issue.record(
                """
                \(shortest.steps.map(\.description).joined(separator: "\n"))
                live: \(states[0].joined(separator: "\n"))
                lines: \(states[1].joined(separator: "\n"))
                without channels: \(states[2].joined(separator: "\n"))
                frames: \(states[3].joined(separator: "\n"))
                devices of the scenario: \(states[4].joined(separator: "\n"))
                as a verdict sees them: \(states[5].joined(separator: "\n"))
                """)
            return
        }
    }
}

extension ServiceState {
    /// Each device with what it stores and displays, and each channel with its figures.
    ///
    /// - Parameter isOfReplica: leaves out what a collector does not follow: channels, and connections from before the
    ///   run.
    fileprivate func texts(
        _ log: RequestSnapshot, at now: Timestamp, isOfReplica: Bool = false
    ) throws -> [String] {
        var views: [DeviceView] = []
        var device = devices.next(after: nil)
        while let known = device {
            let view = DeviceView(
                known, in: devices, mailboxes.mailbox(of: known), Apps([]), at: now,
                latestSequence: log.latestSequence)
            views.append(isOfReplica ? view : view.adding(subscriptions, of: known))
            device = devices.next(after: known)
        }
        DeviceView.complete(&views, from: log)
        let figures = channels.existing.map { channel in
            let figures = channels.number(of: channel.id).map { subscriptions.figures(of: $0, at: now) }
            return "channel \(channel.id): \(figures ?? ChannelFigures())"
        }
        let texts = views.map { view in
            var json: [UInt8] = []
            view.appendJSON(to: &json)
            return String(decoding: json, as: UTF8.self)
        }
        let starts = views.flatMap { view in
            view.startTokens.map { "\($0.app) of \(view.token.hex): \($0.token.hex)" }
        }
        let order = devices.evictionOrder.map { devices.token(of: $0).hex }.joined(separator: " ")
        let bytes = "bytes stored \(mailboxes.storedBytes), displayed \(mailboxes.displayedBytes)"
        let halves = halfStarts.keys.sorted()
        let settings = "\(environment), late subscribers \(deliversToLateSubscribers), half starts \(halves)"
        return (isOfReplica ? texts : texts + figures + starts + [settings]).sorted() + ["order \(order)", bytes]
            + connections.texts(isOfReplica: isOfReplica)
    }
}

extension Connections {
    /// Each connection, and the totals.
    fileprivate func texts(isOfReplica: Bool) -> [String] {
        let ofRun = all.filter { !isOfReplica || $0.number != nil && $0.openedAt != nil }
        let texts = ofRun.map { connection in
            let (facts, time) = (connection.facts, connection.openedAt?.milliseconds ?? 0)
            var text = "\(facts.remoteAddress) \(facts.serverName ?? "") opened \(time) requests \(connection.requests)"
            if !isOfReplica { text += " id \(connection.id) number \(connection.number ?? 0)" }
            guard !connection.isOpen else { return text }
            text += " closed \(connection.closedAt?.milliseconds ?? 0) \(connection.closedBy?.name ?? "")"
            text += " \(connection.explanation ?? "") \(connection.teamID ?? "") \(connection.providerTokens)"
            return text + " \(connection.counters)"
        }
        return texts.sorted() + ["\(count) opened, \(openCount) open, \(pings) pings"]
    }
}

extension VerificationInput.Connections {
    fileprivate var text: String { "\(opened) opened, \(pings) pings, latest before \(latestBefore)" }
}
