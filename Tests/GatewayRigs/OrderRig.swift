package import Testing

@testable package import MockAPNSCore

/// Gateways as the replicas of a fleet, and the stream in which they are given their order.
package final class OrderRig {
    /// What all replicas do at their position in the order.
    package enum Entry {
        /// Pushes that a replica has received, in their binary form.
        case pushes([UInt8], of: Int)
        /// A change of all replicas.
        case change((inout Gateway, _ now: Timestamp) -> [GatewayEffect])
        /// Requests that a replica has counted.
        case counts([(entry: Int, requests: Int)])
    }

    /// One replica.
    package final class Replica {
        package var rig: JudgeRig
        package let number: Int
        package let clockOffset: Int64
        /// The answers to pushes that had to wait, in their order.
        package var answers: [OrderedDecision] = []
        package var source = FrameSource()
        private var others = LatestEvents()
        private var numbers: [Int: Int] = [:]

        /// - Parameter clockOffset: the milliseconds to add to its clock for the engine's.
        package init(_ scenario: Scenario, number: Int, clockOffset: Int64 = 0) throws {
            rig = try JudgeRig(scenario.expectations, scenario.more, clock: scenario.clock)
            rig.time = GatewayRig.now.advanced(by: -clockOffset)
            (self.number, self.clockOffset) = (number, clockOffset)
            var configuration = rig.gateway.configuration
            configuration.replicaSeed = UInt64(number + 1) << 40
            rig.gateway.restart(rig.gateway.scenario, configuration, at: rig.time)
            rig.gateway.followOrder(clockOffset: clockOffset)
            rig.gateway.reset(inOrderAt: GatewayRig.now)
            rig.connection = rig.gateway.openConnection(.example, at: GatewayRig.now)
            rig.gateway.joinOrder()
            noteEffects()
        }

        private func note(_ effects: [GatewayEffect]) {
            for event in effects.compactMap(\.event) {
                others.append(LoggedEvent(event, at: rig.time, after: rig.gateway.log.latestSequence))
            }
        }

        private func noteEffects() { note(rig.gateway.takeEffects()) }

        package func carryOut(_ entry: Entry, number place: Int, at time: Timestamp) throws {
            rig.gateway.beginEntry(at: time)
            defer { rig.gateway.endEntry() }
            let now = rig.gateway.momentOfEntry(orAt: rig.time)
            switch entry {
            case .pushes(let bytes, let other):
                for (index, push) in try OrderedPush.pushes(from: bytes.span).enumerated() {
                    let own = rig.gateway.decideInOrder(
                        push, latencyMicroseconds: other == number ? 0 : nil, seed: UInt64(place * 1000 + index),
                        at: rig.gateway.momentOfEntry(orAt: rig.time))
                    if let own { answers.append(own) }
                }
            case .change(let change):
                note(change(&rig.gateway, now.clock))
            case .counts(let counts):
                for (entry, requests) in counts {
                    rig.gateway.countInOrder(requests, for: entry, at: now.clock)
                }
            }
            noteEffects()
            for (sequence, number) in rig.gateway.order.kept(after: 0) { numbers[sequence] = number }
        }

        /// - Parameter recent: the time at which a record need not be shipped yet.
        package func frames(except recent: ClosedRange<Timestamp>? = nil) -> [ReplicaFrame] {
            let snapshot = rig.gateway.replicaSnapshot(
                others, knownTopics: source.knownTopics, after: source.position.sequence, except: recent)
            var frames: [ReplicaFrame] = []
            while let frame = source.next(from: snapshot, .init(madeAt: rig.time)) { frames.append(frame) }
            return frames
        }

        /// Everything that all replicas have in common, as text.
        ///
        /// - Parameter now: the time of the latest entry.
        package func state(at now: Timestamp) -> String {
            var lines: [String] = []
            for (rule, summary) in zip(rig.gateway.rulesInForce, rig.gateway.look(for: RuleQuery()).page.elements)
            where rule.counting == .fleet {
                lines.append("rule \(rule.name): \(summary.decided ?? -1) \(summary.left ?? -1)")
            }
            let clock = rig.gateway.clock.isManual ? rig.gateway.clock.time(at: rig.time) : now
            lines.append("outages \(rig.gateway.outageSummaries(at: clock)), clock \(clock)")
            for name in rig.gateway.devices.named.keys.sorted() {
                let device = rig.gateway.devices.find(name: name)!
                let mailbox = rig.gateway.state.mailboxes.mailbox(of: device)
                let known = rig.gateway.devices[device]
                lines.append(
                    "\(name): \(known.isOnline) \(known.savesPower) \(known.registration) received \(known.received), rate \(known.rate.map { "\($0)" } ?? "none"), badge \(mailbox?.display.badge ?? 0)"
                )
                for push in mailbox?.stored ?? [] {
                    lines.append("  stores \(text(push)) \(push.delivery) until \(push.time)")
                }
                for push in mailbox?.display.shown ?? [] { lines.append("  shows \(text(push)) since \(push.time)") }
            }
            return lines.joined(separator: "\n")
        }

        private func text(_ push: KeptPush) -> String {
            "\(numbers[push.sequence] ?? push.sequence): \(String(decoding: Array(copying: push.payload), as: UTF8.self))"
        }
    }

    package private(set) var replicas: [Replica] = []
    package private(set) var entries: [(entry: Entry, time: Timestamp)] = []
    /// The engine's time.
    package var now = GatewayRig.now
    package typealias Scenario = (expectations: String, more: String, clock: String)
    private let scenario: Scenario

    /// - Parameter clockOffsets: how far the clock of each replica is behind the engine's, in milliseconds.
    package init(
        _ expectations: String = "", _ more: String = "", clock: String = #"{"manual": "now"}"#,
        clockOffsets: [Int64] = [0, 0, 0]
    ) throws {
        scenario = (expectations, more, clock)
        for (number, offset) in clockOffsets.enumerated() {
            replicas.append(try Replica(scenario, number: number, clockOffset: offset))
        }
    }

    /// Sends a push to a replica, without the order.
    ///
    /// - Returns: the status if it was decided at once; what is to be appended if it has to wait.
    package func receive(
        at replica: Int, to device: String = JudgeRig.bob, id: String? = nil, alert: String = "Hello",
        fields: [(String, String)] = []
    ) -> (status: UInt16?, waiting: [OrderedPush]) {
        var push = ExamplePush()
        push.path = "/3/device/" + device
        push.fields = fields + (id.map { [("apns-collapse-id", $0)] } ?? [])
        push.body = Array(#"{"aps":{"alert":"\#(alert)","badge":\#(alert.utf8.count)}}"#.utf8)
        // As the server does.
        _ = replicas[replica].rig.gateway.advance(to: replicas[replica].rig.time)
        let decision = replicas[replica].rig.send(push)
        return (decision.answer?.status, replicas[replica].rig.gateway.takePostponed())
    }

    /// Moves the real clocks.
    ///
    /// - Parameter milliseconds: the time since the fleet's start.
    package func pass(_ milliseconds: Int64, at replica: Int? = nil) {
        if replica == nil { now = GatewayRig.now.advanced(by: milliseconds) }
        for each in replicas where replica ?? each.number == each.number {
            each.rig.time = GatewayRig.now.advanced(by: milliseconds - each.clockOffset)
        }
    }

    /// Appends an entry, which all replicas carry out at once.
    package func append(_ entry: Entry) throws {
        entries.append((entry, now))
        for replica in replicas { try replica.carryOut(entry, number: entries.count, at: now) }
    }

    /// Sends a push, which gets its position in the order at once.
    ///
    /// - Returns: its status, and the reason.
    @discardableResult
    package func push(
        at replica: Int, to device: String = JudgeRig.bob, id: String? = nil, alert: String = "Hello",
        fields: [(String, String)] = []
    ) throws -> (status: UInt16?, reason: Reason?) {
        let (status, waiting) = receive(at: replica, to: device, id: id, alert: alert, fields: fields)
        guard !waiting.isEmpty else {
            return (status, replicas[replica].rig.gateway.log.open.records.last?.reason)
        }
        try append(.pushes(OrderedPush.bytes(of: waiting), of: replica))
        let answer = replicas[replica].answers.last?.decision.answer
        return (answer?.status, answer?.reason)
    }

    package func change(_ name: String, _ change: (inout DeviceChange) -> Void) throws {
        var value = DeviceChange()
        change(&value)
        let wanted = value
        try append(.change { gateway, now in gateway.change(gateway.devices.find(name: name)!, wanted, at: now).1 })
    }

    package func advance(by milliseconds: Int64) throws {
        try append(.change { gateway, _ in (try? gateway.advance(by: milliseconds)) ?? [] })
    }

    /// Makes a replica that joins now, and carries out everything that was appended.
    package func join() throws -> Replica {
        let late = try Replica(scenario, number: replicas.count)
        for (index, (entry, time)) in entries.enumerated() { try late.carryOut(entry, number: index + 1, at: time) }
        return late
    }

    /// Expects the replicas, and one that joins late, to have everything in common.
    package func expectEqual(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let state = replicas[0].state(at: now)
        for replica in replicas.dropFirst() + [try join()] {
            #expect(replica.state(at: now) == state, "replica \(replica.number)", sourceLocation: sourceLocation)
        }
    }

    /// The status of each answer of a replica that had to wait.
    package func statuses(of replica: Int) -> [UInt16?] { replicas[replica].answers.map(\.decision.answer?.status) }

    /// The records of a replica: what happened to each push, and what replaced it.
    package func deliveries(of replica: Int) -> [(delivery: Delivery?, replacedBy: Int?)] {
        replicas[replica].rig.gateway.log.open.records.map { ($0.delivery, $0.replacedBy) }
    }
}
