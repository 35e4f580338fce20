import Testing

@testable import MockAPNSCore

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
            kind = Int(random.next() % 20)
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
                default: "advance"
                }
            return "\(what) device \(device), choice \(choice)"
        }
    }

    /// The tokens: alice's and bob's, and those of devices that register themselves or are declared later.
    private static let tokens =
        [JudgeRig.alice, JudgeRig.bob] + ["c0", "c1", "c2", "c3"].map { String(repeating: $0, count: 32) }

    private static let more = #""storage": {"perTopic": 2},"#

    /// A state as at the start, with room for two devices that register themselves.
    private static func start(_ scenario: Scenario) -> ServiceState {
        var devices = DeviceRegistry(hashSeed: 1, limit: 2)
        devices.declare(scenario.devices, at: GatewayRig.now, in: .sandbox)
        return ServiceState(devices)
    }

    private static func work(_ step: Step, _ replica: inout ReplicaRig) throws {
        let found = DeviceToken(hex: tokens[step.device]).flatMap { replica.rig.gateway.devices.find($0) }
        switch step.kind {
        case 0..<10: replica.work { rig in rig.send { push(step, &$0) } }
        case 10..<14:
            guard let found else { return }
            replica.change(found) { change(step.choice, &$0) }
        case 14:
            guard let found else { return }
            replica.control { gateway, now in
                gateway.dismiss(max(1, gateway.log.latestSequence - step.choice % 8), on: found, at: now)
            }
        case 15:
            var device = DeclaredDevice(token: try #require(DeviceToken(hex: tokens[step.device])))
            device.name = ["carol", "dave", nil, nil][step.choice % 4]
            device.topics = step.choice % 3 == 0 ? ["com.example.app", "com.example.other"] : []
            device.isOnline = step.choice % 5 != 0
            device.isSandbox = step.choice % 7 == 0 ? false : nil
            replica.control { gateway, now in gateway.declare(device, at: now)?.1 ?? [] }
        case 16:
            guard let found else { return }
            replica.control { gateway, now in gateway.remove(found, at: now) }
        default: try replica.control { gateway, _ in try gateway.advance(by: Int64(1 + step.choice) * 60_000) }
        }
    }

    private static func push(_ step: Step, _ push: inout ExamplePush) {
        push.path = "/3/device/" + tokens[step.device]
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

    private static func change(_ choice: Int, _ change: inout DeviceChange) {
        switch choice % 6 {
        case 0, 1: change.isOnline = choice % 4 < 2
        case 2: change.savesPower = choice % 4 < 2
        case 3: change.allowsNotifications = choice % 4 < 2
        case 4: change.registration = .unregistered(at: choice % 4 < 2 ? nil : GatewayRig.now, acceptFor: 60_000)
        default: change.registration = .registered
        }
    }

    /// Plays the steps; returns the three states as text: the server's own, that of its lines and that of its frames.
    private static func play(_ steps: [Step]) throws -> [[String]] {
        var replica = try ReplicaRig(more)
        var collector = try CollectorRig("", more, replicas: ["a"])
        let scenario = replica.rig.gateway.scenario
        replica.rig.gateway.state = start(scenario)
        collector.gateway.state = start(scenario)
        for (number, step) in steps.enumerated() {
            try work(step, &replica)
            // Some frames have one step, some many.
            if number % 3 == 0 {
                try collector.take(replica.frames(), of: 0)
                collector.proceed()
            }
        }
        try collector.take(replica.frames(), of: 0)
        collector.proceed()
        let recorded = try follow(replica.log, scenario)
        let (log, now) = (replica.rig.gateway.log.snapshot, replica.rig.gateway.clock.time(at: replica.rig.time))
        return [
            try replica.rig.gateway.state.texts(log, at: now), try recorded.texts(log, at: now),
            try collector.gateway.state.texts(log, at: now),
        ]
    }

    /// Follows the lines of a log.
    private static func follow(_ log: [UInt8], _ scenario: Scenario) throws -> ServiceState {
        var state = start(scenario)
        var latest = 0
        for bytes in log.split(separator: UInt8(ascii: "\n")).map(Array.init) {
            let line = try RecordedLine(bytes, try JSONText.read(bytes))
            guard line.event == "request" else {
                if let event = try LogEvent(line) { state.apply(event, after: latest) }
                continue
            }
            let request = try RequestLine(line)
            let (fields, topic) = (request.bytes.span, request.topic ?? [])
            state.apply(
                DecidedPush(
                    request.record, as: request.sequence, fields: fields,
                    payload: fields.extracting(droppingFirst: request.headerLength), topic: topic.span))
            latest = request.sequence
        }
        return state
    }

    private static func agree(_ steps: [Step]) throws -> Bool {
        let states = try play(steps)
        return states.allSatisfy { $0 == states[0] }
    }

    /// Returns the steps without those that do not matter for the difference.
    private static func shortest(_ steps: [Step]) throws -> [Step] {
        var steps = steps
        var index = 0
        while index < steps.count {
            var fewer = steps
            fewer.remove(at: index)
            if try agree(fewer) { index += 1 } else { steps = fewer }
        }
        return steps
    }

    @Test("A thousand runs, live, as lines and as frames", arguments: 0..<10)
    func sameState(part: Int) throws {
        for seed in 0..<100 {
            var random = SeededRandom(seed: UInt64(part * 100 + seed))
            let count = 1 + random.next() % 40
            let steps = (0..<count).map { _ in Step(&random) }
            guard try !Self.agree(steps) else { continue }
            let fewest = try Self.shortest(steps)
            let states = try Self.play(fewest)
            Issue.record(
                """
                \(fewest.map(\.description).joined(separator: "\n"))
                live: \(states[0].joined(separator: "\n"))
                lines: \(states[1].joined(separator: "\n"))
                frames: \(states[2].joined(separator: "\n"))
                """)
            return
        }
    }
}

extension ServiceState {
    /// Each device with what it stores and displays.
    fileprivate func texts(_ log: RequestSnapshot, at now: Timestamp) throws -> [String] {
        var views: [DeviceView] = []
        var device = devices.next(after: nil)
        while let known = device {
            views.append(
                DeviceView(
                    known, in: devices, mailboxes.mailbox(of: known), Apps([]), at: now,
                    latestSequence: log.latestSequence))
            device = devices.next(after: known)
        }
        DeviceView.complete(&views, from: log)
        return views.map { view in
            var json: [UInt8] = []
            view.appendJSON(to: &json)
            return String(decoding: json, as: UTF8.self)
        }.sorted()
    }
}
