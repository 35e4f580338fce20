import GatewayRigs
import Testing

@testable import MockAPNSCore

/// Pushes that all replicas of a fleet decide in one order.
@Suite("The order of a fleet's pushes")
struct OrderedPushTests {
    private static let other = String(repeating: "c1", count: 32)
    private static let busy = #"{"name": "busy", "times": 2, "then": {"reject": "TooManyRequests"}}"#

    // MARK: What needs the order

    @Test(arguments: [
        ("", JudgeRig.alice, false), ("", JudgeRig.bob, true), ("", other, false),
        (#""rules": [{"then": {"reject": "TooManyRequests"}}],"#, JudgeRig.alice, false),
        (#""rules": [{"probability": 0.5, "then": {"reject": "TooManyRequests"}}],"#, JudgeRig.alice, false),
        (#""rules": [{"times": 2, "then": {"reject": "TooManyRequests"}}],"#, JudgeRig.alice, true),
        (#""rules": [{"times": 2, "then": {"reject": "TooManyRequests"}}],"#, other, true),
        (#""rules": [{"every": 2, "then": {"reject": "TooManyRequests"}}],"#, JudgeRig.alice, true),
        (#""rules": [{"skip": 2, "then": {"reject": "TooManyRequests"}}],"#, JudgeRig.alice, true),
        (#""rules": [{"then": [{"reject": "TooManyRequests"}, {"pass": true}]}],"#, JudgeRig.alice, true),
        (#""rules": [{"then": [{"reject": "TooManyRequests"}]}],"#, JudgeRig.alice, true),
        (#""rules": [{"times": 2, "when": {"device": "bob"}, "then": {"pass": true}}],"#, JudgeRig.alice, false),
        (#""rules": [{"times": 2, "count": "replica", "then": {"reject": "Shutdown"}}],"#, JudgeRig.alice, false),
        (#""rules": [{"times": 2, "count": "fleet", "then": {"reject": "TooManyRequests"}}],"#, JudgeRig.alice, true),
        // What an earlier rule decides forever never reaches a later one.
        (
            #""rules": [{"when": {"device": "alice"}, "then": {"reject": "Shutdown"}}, {"times": 2, "then": {"pass": true}}],"#,
            JudgeRig.alice, false
        ),
        (
            #""rules": [{"probability": 0.5, "then": {"reject": "TooManyRequests"}}, {"times": 2, "then": {"pass": true}}],"#,
            JudgeRig.alice, true
        ),
        // What all replicas have in common is changed.
        (#""rules": [{"then": {"outage": {"reason": "ServiceUnavailable", "for": "1m"}}}],"#, JudgeRig.alice, true),
        (#""rules": [{"then": {"pass": true, "device": {"online": false}}}],"#, JudgeRig.alice, true),
    ])
    func whatNeedsTheOrder(_ more: String, _ device: String, needsIt: Bool) throws {
        let rig = try OrderRig("", more)
        #expect(rig.receive(at: 0, to: device).waiting.isEmpty != needsIt)
    }

    @Test func devicesThatAreExpectedOfNeedTheOrder() throws {
        let rig = try OrderRig(#"{"device": "alice", "badge": 1}"#)
        #expect(rig.receive(at: 0, to: JudgeRig.alice).waiting.count == 1)
    }

    @Test func aDeviceThatSavesPowerNeedsTheOrder() throws {
        let rig = try OrderRig()
        #expect(rig.receive(at: 0, to: JudgeRig.alice).waiting.isEmpty)
        try rig.change("alice") { $0.savesPower = true }
        #expect(rig.receive(at: 0, to: JudgeRig.alice).waiting.count == 1)
    }

    /// Another rule that counts may still be reached, but not by this push.
    @Test func usedUpRulesNeedNoOrderBesideOthers() throws {
        let rig = try OrderRig(
            "",
            #"""
            "rules": [{"times": 1, "then": {"reject": "TooManyRequests"}},
              {"when": {"payload": {"/aps/alert": "x"}}, "times": 9, "then": {"reject": "Shutdown"}}],
            """#)
        #expect(try rig.push(at: 0, to: JudgeRig.alice).status == 429)
        #expect(rig.receive(at: 1, to: JudgeRig.alice).waiting.isEmpty)
        #expect(rig.receive(at: 1, to: JudgeRig.alice, alert: "x").waiting.count == 1)
    }

    @Test func usedUpRulesNeedNoOrder() throws {
        let rig = try OrderRig("", #""rules": [\#(Self.busy)],"#)
        for replica in 0..<2 { #expect(try rig.push(at: replica, to: JudgeRig.alice).status == 429) }
        for replica in 0..<3 { #expect(rig.receive(at: replica, to: JudgeRig.alice).waiting.isEmpty) }
    }

    /// A value that is undecided counts once for each push, whether the order decides it or not.
    @Test func aPatternIsGivenUpAfterTenPushes() throws {
        func rule(_ name: String, _ more: String) -> String {
            #"""
            {"name": "\#(name)", "when": {"device": "\#(name)", "header": {"x": {"matches": "\#(EndlessPattern.text)"}}},
             \#(more)"then": {"reject": "Shutdown"}}
            """#
        }
        let rig = try OrderRig(
            "", #""rules": [\#(rule("alice", "")), \#(rule("bob", #""times": 9, "#))],"#, clockOffsets: [0])
        let undecided = [("x", EndlessPattern.value)]
        for _ in 1...3 {
            try rig.push(at: 0, to: JudgeRig.alice, fields: undecided)
            try rig.push(at: 0, to: JudgeRig.alice)
            try rig.push(at: 0, to: JudgeRig.bob, fields: undecided)
            try rig.push(at: 0, to: JudgeRig.alice, fields: undecided)
        }
        _ = rig.replicas[0].rig.gateway.takeEffects()
        try rig.push(at: 0, to: JudgeRig.alice, fields: undecided)
        let events = rig.replicas[0].rig.gateway.takeEffects()
        #expect(events.contains { if case .pattern = $0 { true } else { false } })
    }

    @Test func pushesThatWaitAreNumbered() throws {
        let rig = try OrderRig()
        #expect((1...3).map { _ in rig.receive(at: 0).waiting.map(\.id) } == [[1], [2], [3]])
        #expect(rig.receive(at: 1).waiting.map(\.id) == [1])
    }

    @Test func withoutAFleetNothingWaits() throws {
        var rig = try JudgeRig("", #""rules": [\#(Self.busy)],"#)
        #expect(rig.send(to: JudgeRig.bob).answer?.status == 429)
        #expect(rig.gateway.takePostponed().isEmpty)
    }

    // MARK: What is decided

    @Test func timesHoldInTheWholeFleet() throws {
        let rig = try OrderRig("", #""rules": [\#(Self.busy)],"#)
        let statuses = try (0..<30).map { try rig.push(at: $0 % 3, to: Self.other).status }
        #expect(statuses == [429, 429] + Array(repeating: 200, count: 28))
        try rig.expectEqual()
    }

    /// They were received before the rule was used up, and get their place after that.
    @Test func pushesWaitingTogetherAreCountedOneByOne() throws {
        let rig = try OrderRig("", #""rules": [\#(Self.busy)],"#)
        let waiting = (0..<3).map { replica in
            (0..<4).flatMap { _ in rig.receive(at: replica, to: JudgeRig.alice).waiting }
        }
        #expect(waiting.map(\.count) == [4, 4, 4])
        for (replica, pushes) in waiting.enumerated() {
            try rig.append(.pushes(OrderedPush.bytes(of: pushes), of: replica))
        }
        #expect(rig.statuses(of: 0) == [429, 429, 200, 200])
        #expect(rig.statuses(of: 1) + rig.statuses(of: 2) == Array(repeating: 200, count: 8))
        #expect(rig.replicas.map { $0.rig.gateway.log.latestSequence } == [4, 4, 4])
        try rig.expectEqual()
    }

    @Test func connectionCountsAreSeparatePerReplica() throws {
        let rig = try OrderRig(
            "", #""rules": [{"countPer": "connection", "times": 1, "then": {"reject": "TooManyRequests"}}],"#)
        #expect(try (0..<3).map { try rig.push(at: $0, to: JudgeRig.alice).status } == [429, 429, 429])
        #expect(try (0..<3).map { try rig.push(at: $0, to: JudgeRig.alice).status } == [200, 200, 200])
    }

    @Test func aRateHoldsInTheWholeFleet() throws {
        let rig = try OrderRig()
        try rig.append(
            .change { gateway, now in
                var carol = DeclaredDevice(token: DeviceToken(hex: Self.other)!)
                carol.name = "carol"
                carol.rate = PushRate(allowed: 3, per: 60_000)
                return gateway.declare(carol, at: now)?.1 ?? []
            })
        #expect(
            try (0..<6).map { try rig.push(at: $0 % 3, to: Self.other).status } == [200, 200, 200, 429, 429, 429])
        try rig.advance(by: 60_000)
        #expect(try rig.push(at: 2, to: Self.other).status == 200)
        try rig.expectEqual()
    }

    @Test func ofManyStoredPushesOneIsDelivered() throws {
        let rig = try OrderRig()
        for number in 0..<30 { #expect(try rig.push(at: number % 3, id: "x", alert: "\(number)").status == 200) }
        try rig.change("bob") { $0.isOnline = true }
        let all = (0..<3).flatMap { rig.deliveries(of: $0) }
        #expect(all.count == 30)
        #expect(all.count { $0.replacedBy != nil } == 29)
        #expect(all.count { $0.delivery == .deliveredFromStorage } == 1)
        #expect(rig.deliveries(of: 2).last?.delivery == .deliveredFromStorage)
        try rig.expectEqual()
        // The collector names each by its own number.
        var collector = try CollectorRig(replicas: ["a", "b", "c"])
        for replica in [1, 0, 2] { try collector.take(rig.replicas[replica].frames(), of: replica) }
        collector.proceed()
        let records = collector.gateway.log.open.records
        let sequences = Set(1...30)
        #expect(records.count == 30)
        #expect(records.count { $0.replacedBy.map { sequences.contains($0) } ?? false } == 29)
        #expect(records.count { $0.delivery == .deliveredFromStorage } == 1)
        let bob = collector.gateway.devices.find(name: "bob")!
        #expect(collector.gateway.state.mailboxes.stored(for: bob).isEmpty)
        #expect(collector.gateway.devices[bob].received == 1)
    }

    @Test func deliveredPushesMayPrecedeThoseTheyReplaced() throws {
        let rig = try OrderRig()
        for number in 0..<30 { try rig.push(at: number % 3, id: "x", alert: "\(number)") }
        for replica in rig.replicas { replica.rig.time = replica.rig.time.advanced(by: 1000) }
        try rig.change("bob") { $0.isOnline = true }
        var collector = try CollectorRig(replicas: ["a", "b", "c"])
        for (number, replica) in rig.replicas.enumerated() {
            var frames = replica.frames()
            // Those of the last one lie before all others, as far as the collector can tell.
            for index in frames.indices { frames[index].clockOffset = number == 2 ? -100 : 0 }
            try collector.take(frames, of: number)
        }
        collector.proceed()
        let bob = collector.gateway.devices.find(name: "bob")!
        #expect(collector.gateway.log.open.records[9].delivery == .deliveredFromStorage)
        #expect(collector.gateway.state.mailboxes.stored(for: bob).isEmpty)
        #expect(collector.gateway.devices[bob].received == 1)
        #expect(collector.gateway.state.mailboxes.mailbox(of: bob)?.display.shown.map(\.sequence) == [10])
    }

    @Test func anOutageARuleBeginsAffectsAllReplicas() throws {
        let rig = try OrderRig(
            "",
            #""rules": [{"times": 1, "then": {"outage": {"reason": "ServiceUnavailable", "for": "1m"}}}, \#(Self.busy)],"#
        )
        #expect(try rig.push(at: 0, to: JudgeRig.alice).status == 503)
        #expect(rig.receive(at: 1, to: JudgeRig.alice).status == 503)
        #expect(rig.receive(at: 2, to: Self.other).status == 503)
        try rig.expectEqual()
        try rig.advance(by: 60_000)
        #expect(try (0..<3).map { try rig.push(at: $0, to: JudgeRig.alice).status } == [429, 429, 200])
    }

    @Test func rulesChangeTheirDeviceOnAllReplicas() throws {
        let rig = try OrderRig("", #""rules": [{"then": {"pass": true, "device": {"online": false}}}],"#)
        #expect(try rig.push(at: 0, to: Self.other).status == 200)
        for replica in rig.replicas {
            let found = replica.rig.gateway.devices.find(DeviceToken(hex: Self.other)!)
            let device = try #require(found)
            #expect(!replica.rig.gateway.devices[device].isOnline)
        }
    }

    /// Where rules change devices, a push shows others that its device is known.
    @Test(arguments: [false, true])
    func aDeviceThatIsKnownToOneReplica(rulesChangeDevices: Bool) throws {
        let changing =
            #"{"when": {"payload": {"/aps/alert": "y"}}, "then": {"pass": true, "device": {"online": false}}},"#
        let rig = try OrderRig(
            "",
            #"""
            "rules": [\#(rulesChangeDevices ? changing : "")
              {"when": {"payload": {"/aps/alert": "x"}}, "times": 9, "then": {"reject": "TooManyRequests"}}],
            """#)
        let (known, unknown) = (Self.other, String(repeating: "c2", count: 32))
        #expect(rig.receive(at: 0, to: known).status == 200)
        #expect(try rig.push(at: 0, to: known, alert: "x").status == 429)
        #expect(try rig.push(at: 0, to: unknown, alert: "x").status == 429)
        for (device, isKnown) in [(known, rulesChangeDevices), (unknown, false)] {
            let token = try #require(DeviceToken(hex: device))
            let found = rig.replicas[1].rig.gateway.devices.find(token)
            #expect((found != nil) == isKnown)
        }
    }

    @Test func whatWaitsIsCountedOnceItIsDecided() throws {
        let rig = try OrderRig(#"{"requests": {}, "count": 3}"#)
        #expect(rig.receive(at: 0, to: Self.other).status == 200)
        #expect(try rig.push(at: 0).status == 200)
        #expect(rig.receive(at: 0, to: Self.other).status == 200)
        #expect(rig.replicas[0].rig.passed == [true])
    }

    /// A rule that each replica counts decides the same on all, if the push needs the order for another reason.
    @Test func aReplicasOwnCountsReachAllReplicas() throws {
        let rig = try OrderRig(
            "", #""rules": [{"name": "own", "every": 2, "count": "replica", "then": {"reject": "TooManyRequests"}}],"#)
        #expect(try (0..<4).map { try rig.push(at: $0 / 2).status } == [200, 429, 200, 429])
        #expect(rig.receive(at: 0, to: JudgeRig.alice).status == 200)
        #expect(rig.receive(at: 0, to: JudgeRig.alice).status == 429)
        let stored = rig.replicas.map { $0.state(at: rig.now).split(separator: "\n").count { $0.contains("stores") } }
        #expect(stored == [1, 1, 1])
    }

    /// It is the rule that the replica has named which decides, though an earlier one is counted by replicas as well.
    @Test func theRuleNamedByTheReplicaDecides() throws {
        let rig = try OrderRig(
            "",
            #"""
            "rules": [{"when": {"payload": {"/aps/alert": "x"}}, "times": 9, "count": "replica", "then": {"reject": "Shutdown"}},
              {"name": "own", "times": 9, "count": "replica", "then": {"reject": "TooManyRequests"}}],
            """#)
        let answer = try rig.push(at: 0)
        #expect(answer.status == 429 && answer.reason == .tooManyRequests)
        let line = rig.replicas[0].rig.gateway.log.snapshot.record(1) ?? []
        #expect(String(decoding: line, as: UTF8.self).contains(#""decidedBy":"rule:own""#))
    }

    /// For example, because it plays another scenario.
    @Test(arguments: [1, 2, 1 << 32])
    func aReplicaMayNameAnUnknownStep(step: Int) throws {
        let rig = try OrderRig(
            "", #""rules": [{"name": "own", "times": 9, "count": "replica", "then": {"reject": "TooManyRequests"}}],"#)
        var waiting = rig.receive(at: 0).waiting
        #expect(waiting.map(\.content.ownRules.choice) == [.init(rule: "own", step: 0)])
        waiting[0].content.ownRules.choice?.step = step
        try rig.append(.pushes(OrderedPush.bytes(of: waiting), of: 1))
        #expect(rig.replicas[1].state(at: rig.now).contains("stores"))
    }

    /// A rule that counts nothing decides as things are when the push has its position.
    @Test func rulesWithoutACountDecideInTheOrder() throws {
        let rig = try OrderRig(
            "",
            #"""
            "rules": [{"skip": 1, "when": {"payload": {"/aps/alert": "x"}}, "then": {"reject": "Shutdown"}},
              {"when": {"device": "alice"}, "count": "replica", "then": {"reject": "TooManyRequests"}}],
            """#)
        try rig.append(.change { gateway, now in gateway.remove(gateway.devices.find(name: "alice")!, at: now) })
        let waiting = rig.receive(at: 0, to: JudgeRig.alice, alert: "x").waiting
        #expect(waiting.count == 1)
        try rig.append(
            .change { gateway, now in
                var alice = DeclaredDevice(token: DeviceToken(hex: JudgeRig.alice)!)
                alice.name = "alice"
                return gateway.declare(alice, at: now)?.1 ?? []
            })
        try rig.append(.pushes(OrderedPush.bytes(of: waiting), of: 0))
        #expect(rig.statuses(of: 0) == [429])
    }

    @Test func countsTakenBackPassToTheNextPush() throws {
        let rig = try OrderRig(
            "",
            #""rules": [{"every": 2, "times": 1, "count": "replica", "then": {"reject": "TooManyRequests"}}],"#)
        #expect(try rig.push(at: 0).status == 200)
        let waiting = (0..<2).flatMap { _ in rig.receive(at: 0).waiting }
        let replica = rig.replicas[0]
        for push in waiting {
            _ = replica.rig.gateway.refusePostponed(
                push.id, because: "The engine is slow.", at: replica.rig.gateway.moment(at: replica.rig.time))
        }
        #expect(try (0..<3).map { _ in try rig.push(at: 0).status } == [429, 200, 200])
    }

    @Test func orderedPushesDoNotAskUsedUpRules() throws {
        let rig = try OrderRig(
            "",
            #"""
            "rules": [{"when": {"header": {"x": {"matches": "\#(EndlessPattern.text)"}}}, "times": 1,
              "then": {"reject": "TooManyRequests"}}],
            """#)
        #expect(try rig.push(at: 0, fields: [("x", "b")]).status == 429)
        #expect(try rig.push(at: 0, fields: [("x", EndlessPattern.value)]).status == 200)
        let line = String(decoding: rig.replicas[0].rig.gateway.log.snapshot.record(2) ?? [], as: UTF8.self)
        #expect(line.contains(#""explanation":null"#), "\(line)")
    }

    /// A device registers itself on the replica that it was pushed to, unless rules change devices.
    @Test func orderedPushesRegisterDevicesOnOneReplica() throws {
        let rig = try OrderRig("", #""rules": [{"every": 2, "then": {"reject": "TooManyRequests"}}],"#)
        #expect(try rig.push(at: 0, to: Self.other).status == 200)
        let token = try #require(DeviceToken(hex: Self.other))
        #expect(rig.replicas.map { $0.rig.gateway.devices.find(token) != nil } == [true, false, false])
    }

    /// The others have no record that could change.
    @Test func onlyTheReceivingReplicaReportsDelivery() throws {
        let rig = try OrderRig()
        try rig.push(at: 0)
        var told: [Int] = []
        try rig.append(
            .change { gateway, now in
                var change = DeviceChange()
                change.isOnline = true
                let effects = gateway.change(gateway.devices.find(name: "bob")!, change, at: now).1
                told.append(effects.compactMap(\.update).count)
                return effects
            })
        #expect(told == [1, 0, 0])
    }

    /// An earlier rule, an outage or the lack of a position in the order decides before the rule is reached.
    @Test(arguments: ["", #""countPer": "topic", "#])
    func countsMadeInVainAreTakenBack(_ countPer: String) throws {
        let rig = try OrderRig(
            "",
            #"""
            "rules": [{"name": "first", "times": 1, "then": {"reject": "Shutdown"}},
              {"name": "outage", "skip": 1, "times": 1, "then": {"outage": {"reason": "InternalServerError", "for": "1m"}}},
              {"name": "own", "times": 2, "count": "replica", \#(countPer)"then": {"reject": "TooManyRequests"}}],
            """#)
        // All of them wait at the same time.
        let waiting = (0..<4).map { _ in rig.receive(at: 0).waiting }
        let refused = rig.replicas[0]
        _ = refused.rig.gateway.refusePostponed(
            waiting[0][0].id, because: "The engine is slow.", at: refused.rig.gateway.moment(at: refused.rig.time))
        for push in waiting.dropFirst() { try rig.append(.pushes(OrderedPush.bytes(of: push), of: 0)) }
        try rig.advance(by: 60_000)
        for _ in 0..<3 { try rig.push(at: 0) }
        let reasons = refused.rig.gateway.log.open.records.map(\.reason)
        #expect(
            reasons == [
                .serviceUnavailable, .shutdown, nil, .internalServerError, .tooManyRequests, .tooManyRequests, nil,
            ])
        try rig.expectEqual()
    }

    /// Nor does it keep a scenario from saying that the rule was never used.
    @Test(arguments: ["", #""countPer": "topic", "#])
    func aRuleTakenBackHasNotApplied(_ countPer: String) throws {
        let rig = try OrderRig(
            "",
            #"""
            "rules": [{"name": "first", "when": {"header": {"x": "y"}}, "times": 1, "then": {"reject": "Shutdown"}},
              {"name": "own", "times": 2, "count": "replica", \#(countPer)"then": {"reject": "TooManyRequests"}}],
            """#)
        let replica = rig.replicas[0]
        let waiting = rig.receive(at: 0, fields: [("x", "y")]).waiting
        _ = replica.rig.gateway.refusePostponed(
            waiting[0].id, because: "The engine is slow.", at: replica.rig.gateway.moment(at: replica.rig.time))
        #expect(replica.rig.gateway.rules.rules.map(\.hasApplied) == [false, false])
        #expect(try rig.push(at: 0).status == 429)
        #expect(replica.rig.gateway.rules.rules.map(\.hasApplied) == [false, true])
    }

    @Test func whatIsRefusedIsStoredNowhere() throws {
        let rig = try OrderRig()
        #expect(try rig.push(at: 0, fields: [("apns-priority", "7")]).status == 400)
        #expect(try rig.push(at: 1, fields: [("apns-push-type", "background"), ("apns-priority", "10")]).status == 400)
        #expect(rig.replicas.allSatisfy { !$0.state(at: rig.now).contains("stores") })
        try rig.expectEqual()
    }

    @Test func whoeverMayNotPushStoresNothingAnywhere() throws {
        let rig = try OrderRig()
        let replica = rig.replicas[0]
        replica.rig.send(token: ExamplePush.bearer(issuedAt: "1795250000")) { $0.path = "/3/device/" + JudgeRig.bob }
        try rig.append(.pushes(OrderedPush.bytes(of: replica.rig.gateway.takePostponed()), of: 0))
        #expect(replica.answers.map(\.decision.answer?.reason) == [.expiredProviderToken])
        #expect(rig.replicas.allSatisfy { !$0.state(at: rig.now).contains("stores") })
        try rig.expectEqual()
    }

    /// All replicas store it under that topic, so that the next push to the topic replaces it.
    @Test func aCertificatesOnlyTopicAppliesOnAllReplicas() throws {
        let rig = try OrderRig()
        let replica = rig.replicas[0]
        var facts = ConnectionFacts.example
        facts.clientCertificate = .init(
            subject: "CN = Apple Push Services", serial: "1F", topics: TopicList(["com.example.app"]))
        let connection = replica.rig.gateway.openConnection(facts, at: GatewayRig.now)
        replica.rig.send(on: connection, token: nil) { push in
            (push.topic, push.token, push.path) = (nil, nil, "/3/device/" + JudgeRig.bob)
        }
        try rig.append(.pushes(OrderedPush.bytes(of: replica.rig.gateway.takePostponed()), of: 0))
        #expect(rig.statuses(of: 0) == [200])
        try rig.expectEqual()
        #expect(try rig.push(at: 1).status == 200)
        try rig.expectEqual()
        for replica in rig.replicas {
            #expect(replica.state(at: rig.now).split(separator: "\n").count { $0.contains("stores") } == 1)
        }
    }

    /// The admin API has one connection for the whole fleet, as on a single server, and nothing is delayed for it.
    @Test func adminAPIPushesAreOrderedToo() throws {
        let rig = try OrderRig(
            "",
            #""rules": [{"countPer": "connection", "times": 1, "then": {"reject": "Shutdown", "delay": "1s"}}],"#)
        for number in 0..<2 {
            let replica = rig.replicas[number]
            replica.rig.sendAsAdmin()
            let waiting = replica.rig.gateway.takePostponed()
            #expect(waiting.map(\.connection) == [0] && waiting.map(\.content.connectionKey) == [0])
            try rig.append(.pushes(OrderedPush.bytes(of: waiting), of: number))
            let record = try #require(replica.rig.gateway.log.open.records.last)
            #expect(record.status == (number == 0 ? 503 : 200) && record.outcome == .responded)
            #expect(record.sender == .admin && replica.rig.gateway.log.latestSequence == 1)
            #expect(replica.rig.gateway.statistics.count(of: .responded) == 0)
        }
        try rig.expectEqual()
    }

    @Test func otherReplicasPushesLeaveNoConnectionOpen() throws {
        let rig = try OrderRig()
        let before = rig.replicas.map { $0.rig.gateway.connections.open.count }
        for replica in 0..<3 { _ = try rig.push(at: replica) }
        #expect(rig.replicas.map { $0.rig.gateway.connections.open.count } == before)
    }

    @Test func aRuleWhosePatternIsUndecidedSaysSo() throws {
        let rig = try OrderRig(
            "",
            #""rules": [{"name": "hang", "times": 9, "when": {"payload": \#(EndlessPattern.payload)}, "then": {"reject": "Shutdown"}}],"#
        )
        let replica = rig.replicas[0]
        for number in 1...2 {
            replica.rig.send { push in
                push.path = "/3/device/" + JudgeRig.bob
                push.body = Array(EndlessPattern.body().utf8)
            }
            try rig.append(.pushes(OrderedPush.bytes(of: replica.rig.gateway.takePostponed()), of: 0))
            let record = try JSONText.read(try #require(replica.rig.gateway.log.snapshot.record(number)))
            #expect(record["status"]?.int64 == 200)
            #expect(record["explanation"]?.string?.contains(#"Rule "hang" did not apply"#) == true, "\(record)")
        }
    }

    @Test func theAnswerToAProviderIsDelayed() throws {
        let rig = try OrderRig("", #""rules": [{"times": 1, "then": {"reject": "Shutdown", "delay": "1s"}}],"#)
        #expect(try rig.push(at: 0).status == 503)
        #expect(rig.replicas[0].rig.gateway.log.open.records.map(\.outcome) == [.delayed])
    }

    /// The replica that received it has its connection, and only that one records who it was.
    @Test func aPushIsRecordedOnItsConnection() throws {
        let rig = try OrderRig()
        let replica = rig.replicas[0]
        var facts = ConnectionFacts.example
        facts.serverName = "push.example"
        let connection = replica.rig.gateway.openConnection(facts, at: GatewayRig.now)
        replica.rig.send(on: connection) { $0.path = "/3/device/" + JudgeRig.bob }
        try rig.append(.pushes(OrderedPush.bytes(of: replica.rig.gateway.takePostponed()), of: 0))
        let log = replica.rig.gateway.log.snapshot
        let record = try JSONText.read(try #require(log.record(1)))
        #expect(record["connectionID"]?.int64 == Int64(connection) && record["latencyMicroseconds"]?.int64 ?? 0 == 0)
        #expect(log.serverNames.map { String(decoding: $0, as: UTF8.self) } == ["push.example"])
        #expect(log.open.records[0].serverName == 1)
        #expect(rig.replicas[1].rig.gateway.log.serverNames.isEmpty)
    }

    @Test func theLatencyIsThatOfTheReplica() throws {
        let rig = try OrderRig()
        let gateway = rig.replicas[0]
        let waiting = (0..<4).flatMap { _ in rig.receive(at: 0).waiting }
        let now = gateway.rig.gateway.moment(at: gateway.rig.time)
        _ = gateway.rig.gateway.decideInOrder(waiting[0], latencyMicroseconds: 0, seed: 1, at: now)
        _ = gateway.rig.gateway.decideInOrder(waiting[1], latencyMicroseconds: 250, seed: 1, at: now)
        _ = gateway.rig.gateway.refusePostponed(waiting[2].id, because: "It is late.", at: now)
        _ = gateway.rig.gateway.refusePostponed(
            waiting[3].id, because: "It is late.", at: now, latencyMicroseconds: 350)
        #expect(gateway.rig.gateway.log.open.records.map(\.latencyMicroseconds) == [0, 250, 0, 350])
    }

    // MARK: Without an answer

    @Test func pushesNotPlacedInTimeAreRefused() throws {
        let rig = try OrderRig("", #""rules": [\#(Self.busy)],"#)
        let waiting = rig.receive(at: 0, to: JudgeRig.alice).waiting
        let gateway = rig.replicas[0]
        let refused = gateway.rig.gateway.refusePostponed(
            waiting[0].id, because: "The engine is gone.", at: gateway.rig.gateway.moment(at: gateway.rig.time))
        #expect(refused?.decision.answer?.status == 503)
        #expect(refused?.decision.answer?.reason == .serviceUnavailable)
        let record = try #require(gateway.rig.gateway.log.open.records.last)
        #expect(record.status == 503 && record.delivery == nil && record.decidedBy != .upstream)
        // The entry comes all the same: all do as if another replica had received it.
        try rig.append(.pushes(OrderedPush.bytes(of: waiting), of: 0))
        #expect(gateway.answers.isEmpty && gateway.rig.gateway.log.latestSequence == 1)
        try rig.expectEqual()
        #expect(gateway.state(at: rig.now).contains("rule busy: 1 1"))
    }

    /// The push that has replaced it has no record anywhere.
    @Test(arguments: [false, true])
    func pushesReplacedByRefusedOnesAreNotStored(isShippedBefore: Bool) throws {
        let rig = try OrderRig()
        var collector = try CollectorRig(replicas: ["a", "b", "c"])
        func ship() throws {
            for replica in 0..<3 { try collector.take(rig.replicas[replica].frames(), of: replica) }
            collector.proceed()
        }
        #expect(try rig.push(at: 0, alert: "first").status == 200)
        if isShippedBefore { try ship() }
        let waiting = rig.receive(at: 1, alert: "second").waiting
        let b = rig.replicas[1]
        _ = b.rig.gateway.refusePostponed(
            waiting[0].id, because: "The engine is slow.", at: b.rig.gateway.moment(at: b.rig.time))
        try rig.append(.pushes(OrderedPush.bytes(of: waiting), of: 1))
        try ship()
        let bob = collector.gateway.devices.find(name: "bob")!
        #expect(collector.gateway.state.mailboxes.stored(for: bob).isEmpty)
        #expect(collector.gateway.log.open.records.map(\.status) == [200, 503])
    }

    @Test func aPushWhoseClientHasLeftCounts() throws {
        let rig = try OrderRig("", #""rules": [\#(Self.busy)],"#)
        let gone = rig.receive(at: 0, to: JudgeRig.alice).waiting
        let cancelled = rig.receive(at: 1, to: JudgeRig.alice).waiting
        rig.replicas[0].rig.gateway.closeConnection(
            rig.replicas[0].rig.connection, by: .client, counters: ConnectionCounters(), at: GatewayRig.now)
        rig.replicas[1].rig.gateway.cancelPostponed(cancelled[0].id)
        try rig.append(.pushes(OrderedPush.bytes(of: gone), of: 0))
        try rig.append(.pushes(OrderedPush.bytes(of: cancelled), of: 1))
        for replica in 0..<2 {
            #expect(rig.replicas[replica].rig.gateway.log.open.records.map(\.outcome) == [.cancelled])
            #expect(rig.statuses(of: replica) == [nil])
        }
        try rig.expectEqual()
        #expect(rig.receive(at: 2, to: JudgeRig.alice).status == 200)
    }

    @Test(arguments: [
        (ClosedBy.client, Outcome.cancelled), (.clientReset, .cancelled), (.fault, .closed), (.server, .closed),
    ])
    func theOutcomeFollowsHowTheConnectionEnded(_ closedBy: ClosedBy, _ outcome: Outcome) throws {
        let rig = try OrderRig()
        let replica = rig.replicas[0]
        let waiting = rig.receive(at: 0).waiting
        replica.rig.gateway.closeConnection(
            replica.rig.connection, by: closedBy, counters: ConnectionCounters(), at: GatewayRig.now)
        try rig.append(.pushes(OrderedPush.bytes(of: waiting), of: 0))
        #expect(replica.rig.gateway.log.open.records.map(\.outcome) == [outcome] && rig.statuses(of: 0) == [nil])
        let statistics = replica.rig.gateway.statistics
        #expect(statistics.count(of: outcome) == 1 && statistics.count(of: .responded) == 0)
        try rig.expectEqual()
    }

    @Test func onlyStreamsAGoAwayCoversAreAnswered() throws {
        let rig = try OrderRig()
        let replica = rig.replicas[0]
        let waiting = (0..<3).map { _ in rig.receive(at: 0).waiting }
        let index = replica.rig.gateway.connections.index(of: replica.rig.connection)
        replica.rig.gateway.connections.open[index].life.apply(.goAway([GoAway(lastStream: 3)], then: .stayOpen))
        for push in waiting { try rig.append(.pushes(OrderedPush.bytes(of: push), of: 0)) }
        #expect(replica.rig.gateway.log.open.records.map(\.outcome) == [.responded, .responded, .goAway])
        #expect(rig.statuses(of: 0) == [200, 200, nil])
    }

    @Test func closingConnectionsAnswerNothing() throws {
        let rig = try OrderRig()
        let replica = rig.replicas[0]
        let waiting = rig.receive(at: 0).waiting
        _ = replica.rig.gateway.close(.end)
        try rig.append(.pushes(OrderedPush.bytes(of: waiting), of: 0))
        #expect(replica.rig.gateway.log.open.records.map(\.outcome) == [.closed] && rig.statuses(of: 0) == [nil])
    }

    /// An answer that is no longer awaited is no error of the connection.
    @Test(arguments: [false, true])
    func whatIsAnsweredCountsOnItsConnection(isCancelled: Bool) throws {
        let rig = try OrderRig("", #""connection": {"closeAfterErrors": 1}, "rules": [\#(Self.busy)],"#)
        let gateway = rig.replicas[0]
        let waiting = rig.receive(at: 0, to: JudgeRig.alice).waiting
        if isCancelled { gateway.rig.gateway.cancelPostponed(waiting[0].id) }
        try rig.append(.pushes(OrderedPush.bytes(of: waiting), of: 0))
        #expect(gateway.answers.map(\.decision.actions.count) == [isCancelled ? 0 : 1])
        let index = try #require(gateway.rig.gateway.connections.indices(of: gateway.rig.connection).first)
        #expect(gateway.rig.gateway.connections.open[index].errors == (isCancelled ? 0 : 1))
    }

    // MARK: The timeline

    @Test func theTimelineCountsTheRequestsOfAll() throws {
        let rig = try OrderRig(
            "",
            #""timeline": [{"after": {"requests": {"status": 200}, "count": 3}, "do": {"device": "bob", "online": true}}],"#
        )
        func count() throws {
            for replica in rig.replicas { try rig.append(.counts(replica.rig.gateway.takeCountedRequests())) }
        }
        for replica in 0..<2 { #expect(rig.receive(at: replica, to: Self.other).status == 200) }
        try count()
        #expect(rig.replicas.allSatisfy { $0.state(at: rig.now).contains("bob: false") })
        #expect(rig.receive(at: 2, to: Self.other).status == 200)
        #expect(rig.replicas.allSatisfy { $0.state(at: rig.now).contains("bob: false") })
        try count()
        #expect(rig.replicas.allSatisfy { $0.state(at: rig.now).contains("bob: true") })
        try rig.expectEqual()
        // Nothing waits for further ones.
        #expect(rig.receive(at: 0, to: Self.other).status == 200)
        #expect(rig.replicas[0].rig.gateway.takeCountedRequests().isEmpty)
    }

    @Test func aReplicaCountsUntilAllHaveCounted() throws {
        let rig = try OrderRig(
            "",
            #""timeline": [{"after": {"requests": {"status": 200}, "count": 3}, "do": {"device": "bob", "online": true}}],"#
        )
        for _ in 0..<2 { #expect(rig.receive(at: 0, to: Self.other).status == 200) }
        #expect(rig.replicas[0].rig.gateway.takeCountedRequests().map(\.requests) == [2])
    }

    /// It did not know that an entry waits no more, or plays another scenario.
    @Test func aReplicaMayCountForEntriesNotWaiting() throws {
        let rig = try OrderRig(
            "",
            #""timeline": [{"after": {"requests": {"status": 200}, "count": 2}, "do": {"device": "bob", "online": true}}],"#
        )
        try rig.append(.counts([(entry: 0, requests: 2)]))
        #expect(rig.replicas.allSatisfy { $0.state(at: rig.now).contains("bob: true") })
        try rig.change("bob") { $0.isOnline = false }
        try rig.append(.counts([(entry: 0, requests: 1), (entry: 1, requests: 1)]))
        #expect(rig.replicas.allSatisfy { $0.state(at: rig.now).contains("bob: false") })
    }

    // MARK: The binary form

    private static func read(_ push: OrderedPush) throws -> OrderedPush {
        let pushes = try OrderedPush.pushes(from: OrderedPush.bytes(of: [push]).span)
        return try #require(pushes.first)
    }

    @Test func whatOthersNeedToKnowIsPassedOn() throws {
        let rig = try OrderRig()
        var push = try #require(rig.receive(at: 0).waiting.first)
        for (isSandbox, isDeviceKnown) in [(false, false), (false, true), (true, false), (true, true)] {
            (push.content.isSandbox, push.content.isDeviceKnown) = (isSandbox, isDeviceKnown)
            let read = try Self.read(push)
            #expect(read.content.isSandbox == isSandbox && read.content.isDeviceKnown == isDeviceKnown)
        }
        for number in [nil, 0, 1, 7] {
            push.content.connectionNumber = number
            #expect(try Self.read(push).content.connectionNumber == number)
        }
        for rejection in [nil] + Reason.allCases.map(Optional.some) {
            push.content.rejection = rejection
            let read = try Self.read(push)
            #expect(read.content.rejection == rejection && read.content.credentials.rejection?.reason == rejection)
        }
        for choice in [nil, OrderedPush.Choice(rule: "a", step: 0), .init(rule: "b", step: 3)] {
            push.content.ownRules.choice = choice
            #expect(try Self.read(push).content.ownRules.choice == choice)
        }
        for (keyID, teamID) in [(nil, nil), ("k", nil), (nil, "t"), ("k", "t")] as [(String?, String?)] {
            push.content.request.facts.providerToken = ProviderToken(
                recorded: [], hash: 0, keyID: keyID, teamID: teamID, issuedAt: nil, signatureForm: nil)
            let token = try Self.read(push).content.request.facts.providerToken
            #expect(token?.keyID == keyID && token?.teamID == teamID)
            #expect((token == nil) == (keyID == nil && teamID == nil))
        }
    }

    @Test func orderedPushesAreReadWithinLimits() throws {
        let rig = try OrderRig()
        let push = try Self.read(try #require(rig.receive(at: 0).waiting.first))
        func isRead(_ change: (inout OrderedPush) -> Void) -> Bool {
            var changed = push
            change(&changed)
            return (try? Self.read(changed)) != nil
        }
        let limit = 1 << 52
        #expect(isRead { $0.id = limit } && !isRead { $0.id = limit + 1 })
        #expect(isRead { $0.content.connectionNumber = limit - 1 } && !isRead { $0.content.connectionNumber = limit })
        #expect(
            isRead { $0.content.requestOnConnection = limit } && !isRead { $0.content.requestOnConnection = limit + 1 })
        let step = 1 << 32
        #expect(isRead { $0.content.ownRules.choice = .init(rule: "a", step: step) })
        #expect(!isRead { $0.content.ownRules.choice = .init(rule: "a", step: step + 1) })
        let body = push.content.bytes.count - push.content.request.facts.headerLength
        #expect(
            isRead { $0.content.request.facts.bodyLength = body }
                && !isRead { $0.content.request.facts.bodyLength = body - 1 })
        for length in [1 << 20, 1 << 20 + 1] {
            let isShort = isRead { push in
                push.content.request.facts.bodyLength = length
                push.content.bytes += Array(repeating: UInt8(ascii: " "), count: length - push.content.bytes.count)
            }
            #expect(isShort == (length == 1 << 20))
        }
        for count in [1000, 1001] {
            let pushes = try? OrderedPush.pushes(from: OrderedPush.bytes(of: Array(repeating: push, count: count)).span)
            #expect(pushes?.count == (count == 1000 ? 1000 : nil))
        }
        #expect(OrderedPush.batchLimit == 1000)
        var bytes = OrderedPush.bytes(of: [push])
        bytes[0] = 2
        #expect(throws: FrameMistake.self) { try OrderedPush.pushes(from: bytes.span) }
    }

    @Test func aPushWithoutABodyIsPassedOn() throws {
        let rig = try OrderRig()
        var push = try #require(rig.receive(at: 0).waiting.first)
        push.content.bytes = Array(push.content.bytes.prefix(push.content.request.facts.headerLength))
        push.content.request.facts.bodyLength = 0
        #expect(try Self.read(push).content.request.facts.bodyLength == 0)
    }

    @Test func signaturesAreNotPassedOn() throws {
        let rig = try OrderRig()
        let waiting = rig.receive(at: 0).waiting
        let bytes = OrderedPush.bytes(of: waiting)
        let signature = Array(try #require(ExamplePush.bearer().split(separator: ".").last).utf8)
        #expect(!bytes.contains(signature))
        let pushes = try OrderedPush.pushes(from: bytes.span)
        let read = try #require(pushes.first)
        #expect(read.content.request.facts.providerToken?.keyID == "ABC123DEFG")
        #expect(read.content.request.facts.streamID == 1 && read.content.request.facts.inFlight == 1)
        #expect(OrderedPush.bytes(of: [read]) == bytes)
    }

    @Test func whatIsNoPushIsAnError() throws {
        let rig = try OrderRig()
        let bytes = OrderedPush.bytes(of: rig.receive(at: 0, id: "x").waiting)
        for count in bytes.indices {
            #expect(throws: FrameMistake.self) {
                try OrderedPush.pushes(from: Array(bytes[..<count]).span)
            }
        }
        #expect(throws: FrameMistake.self) { try OrderedPush.pushes(from: (bytes + [0]).span) }
        // Whatever a byte is changed to, nothing traps.
        for index in bytes.indices {
            for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
                var changed = bytes
                changed[index] = value
                guard let read = try? OrderedPush.pushes(from: changed.span) else { continue }
                for push in read {
                    _ = rig.replicas[1].rig.gateway.decideInOrder(
                        push, latencyMicroseconds: nil, seed: 1, at: Moment(real: GatewayRig.now))
                }
            }
        }
    }

    // MARK: Whatever happens

    /// All replicas, and one that joins late, have the same of everything that they have in common.
    @Test(arguments: 0..<20)
    func replicasWithOneOrderAreEqual(_ seed: UInt64) throws {
        let rules = """
            "rules": [
              {"name": "third", "every": 3, "when": {"device": "alice"}, "then": {"reject": "TooManyRequests"}},
              {"name": "maybe", "times": 9, "probability": 0.5, "then": {"reject": "InternalServerError"}},
              {"name": "own", "skip": 3, "times": 4, "count": "replica", "then": {"reject": "ServiceUnavailable"}},
              {"name": "each", "countPer": "collapseID", "times": 1, "then": [{"reject": "Shutdown"}]},
              {"name": "outage", "skip": 20, "times": 1, "then": {"outage": {"reason": "ServiceUnavailable", "for": "30s"}}},
              {"name": "wakes", "skip": 15, "times": 2, "when": {"device": "bob"},
                "then": {"pass": true, "device": {"online": true}}}
            ],
            """
        let rig = try OrderRig(
            #"{"device": "alice", "badge": 1}, {"device": "bob", "badge": 1}"#, #""storage": {"perTopic": 3},"# + rules)
        var random = SeededRandom(seed: seed)
        /// Pushes that have not got their place yet.
        var waiting: [[[OrderedPush]]] = [[], [], []]
        func one(of words: [String]) -> String { words.randomElement(using: &random)! }
        func flush(_ replica: Int) throws {
            let pushes = waiting[replica].flatMap(\.self)
            waiting[replica] = []
            if !pushes.isEmpty { try rig.append(.pushes(OrderedPush.bytes(of: pushes), of: replica)) }
        }
        for step in 0..<200 {
            let replica = Int.random(in: 0..<3, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0: try rig.change("bob") { $0.isOnline = step % 2 == 0 }
            case 1: try rig.change("alice") { $0.savesPower = step % 3 == 0 }
            case 2: try rig.advance(by: Int64.random(in: 0..<20_000, using: &random))
            case 3: try rig.change("bob") { $0.allowsNotifications = step % 4 != 0 }
            case 4:
                let name = "added-\(step)"
                try rig.append(
                    .change { gateway, now in
                        var rule = Rule(name: name, steps: .push([Step(.reject(.shutdown))]))
                        (rule.times, rule.every) = (2, 2)
                        _ = gateway.add(rule, at: now)
                        return gateway.takeEffects()
                    })
            case 5...7: try flush(replica)
            default:
                let fields = [
                    ("apns-priority", one(of: ["10", "5", "1", "x"])),
                    ("apns-expiration", one(of: ["0", "1795255230", "1895255230"])),
                ]
                let (_, pushes) = rig.receive(
                    at: replica, to: one(of: [JudgeRig.alice, JudgeRig.bob]), id: one(of: ["x", "y", "z"]),
                    alert: "push \(step)", fields: fields)
                waiting[replica].append(pushes)
            }
        }
        for replica in 0..<3 { try flush(replica) }
        try rig.expectEqual()
        #expect(rig.replicas.allSatisfy { !$0.answers.isEmpty })
    }

    /// Given the same order, a fleet answers like a server by itself.
    @Test(arguments: 0..<10)
    func aFleetAnswersLikeOneServer(_ seed: UInt64) throws {
        let more = #"""
            "rules": [{"every": 3, "when": {"device": "alice"}, "then": {"reject": "TooManyRequests"}},
            {"times": 5, "then": [{"reject": "Shutdown"}, {"pass": true}, {"reject": "InternalServerError"}, {"pass": true}, {"pass": true}]}],
            """#
        let rig = try OrderRig(#"{"device": "alice", "badge": 1}, {"device": "bob", "badge": 1}"#, more)
        var single = try JudgeRig(#"{"device": "alice", "badge": 1}, {"device": "bob", "badge": 1}"#, more)
        var random = SeededRandom(seed: seed)
        for step in 0..<100 {
            let device = Bool.random(using: &random) ? JudgeRig.alice : JudgeRig.bob
            let fields = [("apns-priority", ["10", "5", "7"].randomElement(using: &random)!)]
            if step % 10 == 9 {
                let isOnline = Bool.random(using: &random)
                try rig.change("bob") { $0.isOnline = isOnline }
                try single.change("bob") { $0.isOnline = isOnline }
            }
            let answer = try rig.push(
                at: Int.random(in: 0..<3, using: &random), to: device, alert: "\(step)", fields: fields)
            let alone = single.send { push in
                push.path = "/3/device/" + device
                push.fields = fields
            }
            #expect(answer.status == alone.answer?.status && answer.reason == alone.answer?.reason, "push \(step)")
        }
        let bob = single.gateway.devices.find(name: "bob")!
        #expect(rig.replicas[0].rig.gateway.devices[bob].received == single.gateway.devices[bob].received)
    }
}
