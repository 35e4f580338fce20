import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

@Suite struct TimelineTests {
    /// The clock of each effect, in minutes after the start, and what it is.
    private static func course(_ rig: borrowing DeliveryRig) -> [String] {
        func minutes(_ time: Timestamp) -> Int64 { (time.milliseconds - DeliveryRig.start.milliseconds) / 60_000 }
        return rig.effects.map { effect in
            switch effect {
            case .event(.update(let event)):
                "\(minutes(event.clock)) push \(event.sequence) \(event.change.delivery?.name ?? "replaced")"
            case .event(.device(let event)): "\(minutes(event.clock)) \(event.device.isOnline ? "online" : "offline")"
            case .event(.clock(let event)): "\(minutes(event.start)) to \(minutes(event.end))"
            case .event(.channel(let event)): "\(minutes(event.clock)) channel"
            case .event(.rule(let event)): "\(minutes(event.clock)) rule \(event.rule) \(event.state)"
            case .event(.scenario(let event)): "\(minutes(event.clock)) scenario"
            case .connections(let orders): "orders \(orders.map(\.connection))"
            case .event(let event): event.name
            case .pattern(let event): "\(event)"
            }
        }
    }

    @Test("A clock that an entry has moved does not go back for another that waits for the same request")
    func clockDoesNotGoBack() throws {
        var rig = try DeliveryRig(
            DeliveryRig.alice(""),
            """
            "timeline": [{"after": {"requests": {}, "count": 1}, "do": {"advance": "10m"}},
              {"after": {"requests": {}, "count": 1}, "do": {"device": "alice", "online": false}}],
            """)
        rig.send()
        #expect(Self.course(rig) == ["0 to 10", "10 offline"])
        try rig.advance(seconds: 60)
        #expect(Self.course(rig).last == "10 to 11")
    }

    @Test func allHappensInOrder() throws {
        var rig = try DeliveryRig(
            DeliveryRig.alice(#""online": false"#),
            """
            "timeline": [{"at": "30m", "do": {"device": "alice", "online": false}},
              {"at": "10m", "do": [{"device": "alice", "online": true}, {"goAway": {"reason": "Shutdown"}}]},
              {"at": "20m", "do": {"close": "end", "connection": 7}}],
            """)
        let push = rig.send()
        try rig.advance(seconds: 599)
        #expect(Self.course(rig) == ["0 to 9"])
        try rig.advance(seconds: 3600)
        #expect(
            Self.course(rig) == [
                "0 to 9", "10 online", "10 push \(push) Delivered to Device (From Storage)", "orders [1]", "30 offline",
                "9 to 69",
            ])
    }

    @Test func advancesInTheTimelineAddToTheMove() throws {
        var rig = try DeliveryRig(
            DeliveryRig.alice(),
            """
            "timeline": [{"at": "10m", "do": [{"advance": "1h"}, {"device": "alice", "online": false}]},
              {"at": "20m", "do": [{"advance": "1h"}, {"device": "alice", "online": true}]}],
            """)
        // The second entry turns the device online while it is; so nothing is told of that.
        try rig.advance(seconds: 900)
        #expect(Self.course(rig) == ["20 to 80", "10 to 130", "130 offline", "0 to 135"])
        #expect(rig.now == Timestamp(seconds: DeliveryRig.start.seconds + 135 * 60))
    }

    @Test func advancingByZeroLeavesTheClockAlone() throws {
        var rig = try DeliveryRig(DeliveryRig.alice())
        try rig.advance(seconds: 0)
        #expect(rig.now == DeliveryRig.start && rig.effects.isEmpty)
    }

    @Test func manyMovesInEachOther() throws {
        let entries = (1...20_000).map { #"{"at": "\#($0)ms", "do": {"advance": "1m"}}"# }
        var rig = try DeliveryRig("", #""timeline": [\#(entries.joined(separator: ","))],"#)
        try rig.advance(seconds: 1)
        #expect(rig.now == Timestamp(seconds: DeliveryRig.start.seconds + 20_000 * 60 + 1))
    }

    @Test func anEntryWaitsForRequests() throws {
        var rig = try DeliveryRig(
            DeliveryRig.alice(),
            """
            "timeline": [
              {"after": {"requests": {}, "count": 2}, "do": {"device": "alice", "online": false}},
              {"at": "5m", "after": {"requests": {"status": 200}}, "do": {"device": "alice", "online": true}}],
            """)
        #expect(rig.gateway.awaitedRequests.map(\.entry) == [0, 1])
        let now = rig.now
        let first = [0, 1].map { rig.gateway.noteAwaitedRequest($0, at: now) }
        #expect(first == [true, false])
        #expect(rig.gateway.awaitedRequests.map(\.entry) == [0])
        let second = [0, 0].map { rig.gateway.noteAwaitedRequest($0, at: now) }
        #expect(second == [false, false], "neither the last one nor one that is not awaited")
        rig.effects += rig.gateway.takeEffects()
        try rig.advance(seconds: 600)
        #expect(Self.course(rig) == ["0 offline", "5 online", "0 to 10"])
    }

    @Test func advancesCausedByRequestsAreReportedOnce() throws {
        var rig = try DeliveryRig(
            DeliveryRig.alice(), #""timeline": [{"after": {"requests": {}}, "do": {"advance": "1h"}}],"#)
        rig.send()
        rig.effects += rig.gateway.takeEffects()
        #expect(Self.course(rig) == ["0 to 60"])
    }

    @Test func aKeyIsRevoked() throws {
        var rig = try DeliveryRig(
            "",
            """
            "authentication": {"teams": [{"teamID": "DEF123GHIJ", "keys": [{"keyID": "ABC123DEFG"}]}]},
            "timeline": [{"at": "1m", "do": {"key": "ABC123DEFG", "revoked": true}}],
            """)
        rig.send()
        try rig.advance(seconds: 60)
        let refused = rig.send()
        #expect(rig.record(1)?.status == 200 && rig.record(refused)?.reason == .invalidProviderToken)
    }

    @Test func aRealClockIsNotMovedByHand() throws {
        let (scenario, _) = Scenario.read(
            Array(
                #"{"devices": [{"name": "a", "token": "\#(GatewayRig.deviceToken)"}], "timeline": [{"at": "1m", "do": {"device": "a", "online": false}}]}"#
                    .utf8))
        let read = try #require(scenario)
        var gateway = Gateway(
            read.configuration(seed: 1, defaultTeams: GatewayRig.teams), scenario: read, startedAt: GatewayRig.now)
        #expect(throws: ClockIsReal.self) { _ = try gateway.advance(by: 1) }
        let due = Timestamp(seconds: GatewayRig.now.seconds + 60)
        #expect(gateway.nextDue == due)
        #expect(gateway.advance(to: GatewayRig.now).isEmpty)
        #expect(gateway.advance(to: Timestamp(seconds: due.seconds + 5)).count == 1)
        #expect(gateway.nextDue == nil)
    }

    @Test("A manual clock is not waited for, nor are requests that no entry asks for")
    func nothingIsDueOnAManualClock() throws {
        var rig = try DeliveryRig("", #""timeline": [{"at": "1m", "do": {"close": "end"}}],"#)
        #expect(rig.gateway.nextDue == nil)
        #expect(rig.gateway.advance(to: DeliveryRig.start.advanced(by: 3_600_000)).isEmpty)
        #expect(Scheduler(.real, rig.gateway.scenario.timeline).waitingEntries.isEmpty)
    }

    @Test func dueEventsComeInOrder() {
        var random = SeededRandom(seed: 3)
        var queue = DueQueue()
        for number in 0..<5000 {
            let time = Timestamp(milliseconds: Int64(random.next() % 300))
            if random.next() % 3 == 0 {
                queue.insert(.expiry(DeviceIndex(rawValue: 1), sequence: number), at: time)
            } else {
                queue.insert(.entry(number), at: time)
            }
            if number == 3000 {
                queue.filter { if case .entry(let number) = $0 { number % 2 == 0 } else { true } }
            }
        }
        var last = (time: Int64.min, rank: 0, number: -1)
        var count = 0
        while let (time, event) = queue.popDue(at: Timestamp(milliseconds: 1000)) {
            let place: (Int64, Int, Int) =
                switch event {
                case .expiry(_, let number): (time.milliseconds, 0, number)
                case .registration, .endOfActivity: (time.milliseconds, 1, 0)
                case .entry(let number): (time.milliseconds, 2, number)
                }
            #expect(last < place)
            last = place
            count += 1
        }
        #expect(count > 3000 && queue.next == nil)
    }
}
