import GatewayRigs
import Testing

@testable import MockAPNSCore

/// What a collector shows of devices is what the replica shows that decided about them.
@Suite("The devices of a fleet")
struct FleetDevicesTests {
    private static let other = String(repeating: "c1", count: 32)

    private struct Pair: ~Copyable {
        var replica: ReplicaRig
        var collector: CollectorRig

        /// - Parameter before: records of another replica, so that sequence numbers differ.
        static func start(_ more: String = "") throws -> Pair {
            var pair = Pair(
                replica: try ReplicaRig(more), collector: try CollectorRig("", more, replicas: ["a", "b"]))
            var other = try ReplicaRig(more)
            other.work { rig in for _ in 0..<3 { rig.send(to: "none") } }
            try pair.collector.take(other.frames(isLast: true), of: 1)
            try pair.ship()
            return pair
        }

        /// Takes what the replica has decided. The numbers of pushes are those of the replica, which are three less.
        mutating func ship() throws {
            try collector.take(replica.frames(), of: 0)
            collector.proceed()
        }

        mutating func push(
            to device: String = JudgeRig.bob, alert: String? = "Hello", id: String = "", _ fields: (String, String)...
        ) throws {
            replica.work { rig in
                rig.send { push in
                    push.path = "/3/device/" + device
                    if fields.contains(where: { $0.0 == "apns-topic" }) { push.topic = nil }
                    push.fields = fields + (id.isEmpty ? [] : [("apns-collapse-id", id)])
                    push.body = Array(
                        (alert.map { #"{"aps":{"alert":"\#($0)"}}"# } ?? #"{"aps":{"content-available":1}}"#).utf8)
                }
            }
            try ship()
        }

        mutating func change(_ device: String = JudgeRig.bob, _ change: (inout DeviceChange) -> Void) throws {
            try replica.change(index(of: device), change)
            try ship()
        }

        func index(of device: String) throws -> DeviceIndex {
            let token = try #require(DeviceToken(hex: device))
            let found = replica.rig.gateway.devices.find(token)
            return try #require(found)
        }

        /// Expects the same devices on both, and returns what one of them displays and has stored.
        func expectSame(
            _ device: String = JudgeRig.bob, sourceLocation: SourceLocation = #_sourceLocation
        ) throws -> String {
            let (own, all) = (try replica.rig.gateway.shown(less: 0), try collector.gateway.shown(less: 3))
            #expect(all == own, sourceLocation: sourceLocation)
            return try #require(all[device], sourceLocation: sourceLocation).short
        }
    }

    @Test func whatADeviceDisplays() throws {
        var pair = try Pair.start()
        let alice = JudgeRig.alice
        try pair.push(to: alice, alert: "one", id: "x")
        try pair.push(to: alice, alert: "two")
        #expect(try pair.expectSame(alice) == "shows one, two; stores nothing; received 2")
        try pair.push(to: alice, alert: "three", id: "x", ("apns-push-type", "alert"))
        try pair.push(to: alice, alert: nil, ("apns-push-type", "background"), ("apns-priority", "5"))
        try pair.push(to: alice, alert: "unseen", ("apns-push-type", "voip"), ("apns-topic", "com.example.app.voip"))
        #expect(try pair.expectSame(alice) == "shows three, two; stores nothing; received 5")
        pair.replica.control { gateway, now in
            gateway.respond(.dismissal, to: 2, on: gateway.devices.find(name: "alice")!, at: now)
        }
        try pair.ship()
        #expect(try pair.expectSame(alice) == "shows three; stores nothing; received 5")
    }

    @Test func whatIsStoredForADevice() throws {
        var pair = try Pair.start(#""storage": {"perTopic": 3},"#)
        try pair.push(alert: "one", ("apns-priority", "5"))
        try pair.push(alert: "two", id: "x")
        try pair.push(alert: "three", id: "x", ("apns-expiration", "1795255260"))
        #expect(try pair.expectSame() == "shows nothing; stores one, three; received 0")
        try pair.change { ($0.isOnline, $0.savesPower) = (true, true) }
        #expect(try pair.expectSame() == "shows three; stores one; received 1")
        #expect(try pair.collector.gateway.shown(less: 3)[JudgeRig.bob]?.reasons == "Stored - Power Considerations")
        try pair.push(alert: "four", ("apns-priority", "5"))
        try pair.push(alert: "five")
        #expect(try pair.expectSame() == "shows three, five; stores one, four; received 2")
        try pair.change { $0.savesPower = false }
        #expect(try pair.expectSame() == "shows three, five, one, four; stores nothing; received 4")
    }

    @Test func whatIsDiscarded() throws {
        var pair = try Pair.start(#""storage": {"perTopic": 3},"#)
        try pair.push(alert: "one", ("apns-expiration", "1795255260"))
        try pair.push(alert: "two")
        try pair.replica.control { gateway, _ in try gateway.advance(by: 60_000) }
        try pair.ship()
        #expect(try pair.expectSame() == "shows nothing; stores two; received 0")
        try pair.change { ($0.isOnline, $0.allowsNotifications) = (true, false) }
        try pair.push(alert: "three")
        #expect(try pair.expectSame() == "shows nothing; stores nothing; received 0")
        try pair.change { ($0.allowsNotifications, $0.registration) = (true, .unregistered(at: nil, acceptFor: 1000)) }
        try pair.push(alert: "four")
        #expect(try pair.expectSame() == "shows nothing; stores nothing; received 0")
        try pair.change { $0.registration = .registered }
        try pair.push(alert: "five")
        #expect(try pair.expectSame() == "shows five; stores nothing; received 1")
    }

    /// Everything is shipped at once, so that the records say already what became of the pushes.
    @Test func whatHasChangedBeforeItIsShipped() throws {
        var pair = try Pair.start(#""storage": {"perTopic": 3},"#)
        func push(_ alert: String, _ fields: [(String, String)], _ pair: inout Pair) {
            pair.replica.work { rig in
                rig.send { push in
                    push.path = "/3/device/" + JudgeRig.bob
                    push.fields = fields
                    push.body = Array(#"{"aps":{"alert":"\#(alert)"}}"#.utf8)
                }
            }
        }
        push("one", [("apns-collapse-id", "x")], &pair)
        push("two", [("apns-collapse-id", "x")], &pair)
        push("three", [("apns-expiration", "1795255260")], &pair)
        push("four", [("apns-priority", "5")], &pair)
        try pair.replica.control { gateway, _ in try gateway.advance(by: 60_000) }
        try pair.change { ($0.isOnline, $0.savesPower) = (true, true) }
        #expect(try pair.expectSame() == "shows two; stores four; received 1")
    }

    @Test func aDeviceThatRegistersItself() throws {
        var pair = try Pair.start()
        let other = Self.other
        try pair.push(to: other, alert: "one")
        try pair.push(to: other, alert: "two")
        #expect(try pair.expectSame(other) == "shows one, two; stores nothing; received 2")
        #expect(!pair.collector.gateway.state.mailboxes.hasMailbox(try pair.index(of: other)))
        let device = try pair.index(of: other)
        pair.replica.control { gateway, now in gateway.respond(.dismissal, to: 1, on: device, at: now) }
        try pair.ship()
        #expect(try pair.expectSame(other) == "shows two; stores nothing; received 2")
        try pair.change(other) { $0.isOnline = false }
        try pair.push(to: other, alert: "three")
        #expect(try pair.expectSame(other) == "shows two; stores three; received 2")
        try pair.change(other) { $0.isOnline = true }
        #expect(try pair.expectSame(other) == "shows two, three; stores nothing; received 3")
    }

    @Test(arguments: [
        ("production", "api.sandbox.push.apple.com", false), ("sandbox", "api.push.apple.com", true),
        ("serverName", "api.push.apple.com", false), ("serverName", "api.sandbox.push.apple.com", true),
        ("serverName", nil, true),
    ])
    func theEnvironmentOfADeviceThatRegistersItself(_ environment: String, _ name: String?, isSandbox: Bool) throws {
        var pair = try Pair.start(#""environment": "\#(environment)","#)
        var facts = ConnectionFacts.example
        facts.serverName = name
        let connection = pair.replica.open(facts)
        pair.replica.work { $0.send(to: Self.other, on: connection) }
        try pair.ship()
        _ = try pair.expectSame(Self.other)
        #expect(pair.collector.gateway.devices.isSandbox(try pair.index(of: Self.other)) == isSandbox)
    }

    /// The replicas play the timeline; a collector that played it as well would do everything twice.
    @Test func aCollectorPlaysNoTimeline() throws {
        var pair = try Pair.start(#""timeline": [{"at": "1m", "do": {"device": "bob", "online": true}}],"#)
        // The clock was moved, and nothing else happened.
        _ = pair.collector.gateway.takeEffects()
        let effects = try pair.collector.gateway.advance(by: 600_000)
        #expect(effects.count == 1)
        try pair.push(alert: "one")
        try pair.replica.control { gateway, _ in try gateway.advance(by: 60_000) }
        try pair.ship()
        #expect(try pair.expectSame() == "shows one; stores nothing; received 1")
    }

    @Test func declaredAndRemoved() throws {
        var pair = try Pair.start()
        let other = Self.other
        func declare(_ pair: inout Pair) throws {
            var carol = DeclaredDevice(token: try #require(DeviceToken(hex: other)))
            (carol.name, carol.isOnline, carol.isSandbox) = ("carol", false, false)
            pair.replica.control { gateway, now in gateway.declare(carol, at: now)?.1 ?? [] }
            try pair.ship()
        }
        try declare(&pair)
        #expect(try pair.expectSame(other) == "shows nothing; stores nothing; received 0")
        #expect(pair.collector.gateway.devices.find(name: "carol") != nil)
        for token in [other, JudgeRig.bob] {
            let device = try pair.index(of: token)
            pair.replica.control { gateway, now in gateway.remove(device, at: now) }
        }
        try pair.ship()
        #expect(try pair.collector.gateway.shown(less: 3).count == 1)
        // Now it has registered itself before.
        try pair.push(to: other, alert: "one")
        try declare(&pair)
        #expect(try pair.expectSame(other) == "shows one; stores nothing; received 1")
        // Another replica declares it as well.
        let event = DeviceEvent(
            state: .declared, clock: GatewayRig.now, token: try #require(DeviceToken(hex: other)),
            device: Device(topics: []))
        pair.replica.note(.device(event))
        try pair.ship()
        #expect(try pair.expectSame(other) == "shows one; stores nothing; received 1")
    }

    /// The record of the push that registered it was dropped before it could be shipped.
    /// In an ordered fleet all replicas say so, and one of them may come before the record.
    @Test func aPushEndsALiveActivityWhenItsRecordIsThere() throws {
        let own = #""liveActivities": {"tokens": "own"},"#
        var pair = try Pair.start(own)
        try pair.change(JudgeRig.alice) { $0.startActivity = DeclaredActivity() }
        let alice = try pair.index(of: JudgeRig.alice)
        func shown() throws -> LiveActivity? {
            let index = pair.collector.gateway.devices.find(try #require(DeviceToken(hex: JudgeRig.alice)))
            return pair.collector.gateway.view(of: try #require(index), at: GatewayRig.now).activities.last
        }
        let token = try #require(try shown()?.token)
        var other = try ReplicaRig(own)
        for state in [ActivityChange.State.ended, .dismissed] {
            var change = ActivityChange(state, name: nil, channel: nil)
            (change.token, change.sequence) = (token, FleetOrder.firstNumber + 7)
            other.note(
                .activity(
                    ActivityEvent(
                        clock: GatewayRig.now, device: pair.replica.rig.gateway.devices.token(of: alice),
                        deviceName: "alice", change: change)))
            try pair.collector.take(other.frames(), of: 1)
            pair.collector.proceed()
            // Its user needs no record.
            #expect(try shown()?.hasEnded == (state == .ended ? false : nil))
        }
    }

    @Test func aChangeMakesAnUnknownDeviceKnown() throws {
        var pair = try Pair.start()
        let other = Self.other
        pair.replica.work { $0.send(to: other) }
        _ = pair.replica.rig.gateway.deleteAllRecords()
        try pair.change(other) { $0.isOnline = false }
        let (own, all) = (try pair.replica.rig.gateway.shown(less: 0), try pair.collector.gateway.shown(less: 3))
        #expect(all[other]?.json.contains(#""online":false"#) == true)
        #expect(all.keys.sorted() == own.keys.sorted())
        // What the collector does not know cannot be removed or dismissed.
        let device = try pair.index(of: other)
        pair.replica.control { gateway, now in
            gateway.respond(.dismissal, to: 1, on: device, at: now) + gateway.remove(device, at: now)
        }
        let event = DeviceEvent(
            state: .removed, clock: GatewayRig.now, token: try #require(DeviceToken(hex: other)),
            device: Device(topics: []))
        pair.replica.note(.device(event))
        try pair.ship()
        #expect(try pair.collector.gateway.shown(less: 3)[other] == nil)
    }
}

/// A device as the API shows it.
private struct Shown: Equatable {
    var json: String
    var displayed: [String]
    var stored: [String]
    var reasons: String
    var received: Int

    var short: String {
        func list(_ texts: [String]) -> String { texts.isEmpty ? "nothing" : texts.joined(separator: ", ") }
        return "shows \(list(displayed)); stores \(list(stored)); received \(received)"
    }
}

extension Gateway {
    /// All devices by token.
    ///
    /// - Parameter difference: what has to be taken from its sequence numbers to compare them.
    fileprivate func shown(less difference: Int) throws -> [String: Shown] {
        var shown: [String: Shown] = [:]
        var device = devices.next(after: nil)
        while let known = device {
            var views = [view(of: known, at: GatewayRig.now)]
            DeviceView.complete(&views, from: log.snapshot)
            func alert(_ payload: [UInt8]) throws -> String {
                try JSONText.read(payload)["aps"]?["alert"]?.string ?? "?"
            }
            var json: [UInt8] = []
            views[0].appendJSON(to: &json)
            var text = String(decoding: json, as: UTF8.self)
            for push in views[0].history.latest.map(\.sequence) + views[0].stored.map(\.sequence) {
                text = text.replacing(#""sequence":\#(push),"#, with: #""sequence":-\#(push - difference),"#)
                    .replacing("Push \(push) has", with: "Push -\(push - difference) has")
            }
            shown[devices.token(of: known).hex] = Shown(
                json: text, displayed: try views[0].displayed.map { try alert($0.payload) },
                stored: try views[0].stored.map { try alert($0.payload) },
                reasons: views[0].stored.map(\.delivery.name).joined(separator: ", "),
                received: views[0].device.received)
            device = devices.next(after: known)
        }
        return shown
    }
}
