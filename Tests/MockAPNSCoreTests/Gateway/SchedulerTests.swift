import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

@Suite("What is due, and when")
struct SchedulerTests {
    private static func time(_ milliseconds: Int64) -> Timestamp {
        Timestamp(milliseconds: GatewayRig.now.milliseconds + milliseconds)
    }

    /// A gateway on a real clock with one device, whose every push is stored.
    private static func rig(_ members: String = "", _ more: String = "") throws -> Gateway {
        let text = """
            {\(more) "devices": [{"name": "alice", "token": "\(GatewayRig.deviceToken)", "online": false\(members)}]}
            """
        let (scenario, mistakes) = Scenario.read(Array(text.utf8))
        try #require(mistakes.isEmpty, "\(mistakes)")
        let played = try #require(scenario)
        return Gateway(
            played.configuration(seed: 1, defaultTeams: GatewayRig.teams), scenario: played, startedAt: GatewayRig.now)
    }

    private static func send(
        _ number: Int, expiresIn seconds: Int, on connection: Int, at now: Timestamp = GatewayRig.now,
        _ gateway: inout Gateway
    ) {
        var push = ExamplePush()
        push.fields = [("apns-expiration", "\(1_795_255_200 + seconds)")]
        let (bytes, headerLength) = push.bytes
        let token = push.token.flatMap { gateway.remembered($0, proof: .verified) }
        _ = gateway.receive(
            RequestFacts(
                streamID: UInt32(2 * number + 1), headerLength: headerLength, bodyLength: push.body.count, inFlight: 1,
                providerToken: token),
            bytes: bytes.span, on: connection, at: Moment(real: now))
    }

    // MARK: The queue

    @Test("What is due comes in the order of its time, its kind, and its coming", arguments: 0..<20 as Range<UInt64>)
    func order(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var queue = DueQueue()
        var model: [(time: Timestamp, rank: Int, number: Int, event: DueQueue.Event)] = []
        func next() -> (Timestamp, DueQueue.Event)? {
            let first = model.min { ($0.time, $0.rank, $0.number) < ($1.time, $1.rank, $1.number) }
            return first.map { ($0.time, $0.event) }
        }
        for number in 0..<400 {
            if random.next() % 3 > 0 {
                let rank = Int(random.next() % 3)
                let device = DeviceIndex(rawValue: UInt32(number))
                let event: DueQueue.Event = [.expiry(device, sequence: number), .registration(device), .entry(number)][
                    rank]
                let time = Self.time(Int64(random.next() % 12))
                queue.insert(event, at: time)
                model.append((time, rank, number, event))
            } else if random.next() % 20 == 0 {
                let dropped = Set(model.filter { $0.number % 3 == 0 }.map(\.event))
                queue.filter { !dropped.contains($0) }
                model.removeAll { dropped.contains($0.event) }
            } else {
                let now = Self.time(Int64(random.next() % 12))
                let wanted = next().flatMap { $0.0 <= now ? $0 : nil }
                let found = queue.popDue(at: now)
                #expect(found?.time == wanted?.0 && found?.event == wanted?.1)
                if let wanted { model.removeAll { $0.event == wanted.1 } }
            }
            #expect(queue.count == model.count && queue.next == next()?.0 && queue.first?.event == next()?.1)
            #expect(queue.lastEntry == model.filter { $0.rank == 2 }.map(\.time).max())
            #expect(Set((0..<queue.count).map { queue.event(at: $0) }) == Set(model.map(\.event)))
        }
    }

    @Test("Of one kind and time, what was put in first comes first")
    func orderOfOneKind() {
        let device = DeviceIndex(rawValue: 0)
        for kind in 0..<2 {
            var queue = DueQueue()
            let events = (0..<9).map { kind == 0 ? DueQueue.Event.expiry(device, sequence: $0) : .entry($0) }
            for event in events { queue.insert(event, at: GatewayRig.now) }
            var popped: [DueQueue.Event] = []
            while let (_, event) = queue.popDue(at: GatewayRig.now) { popped.append(event) }
            #expect(popped == events)
        }
    }

    // MARK: What is of interest no more

    @Test("When there is much, what is of interest no more is dropped")
    func tidied() throws {
        var gateway = try Self.rig()
        let connection = gateway.openConnection(.example, at: GatewayRig.now)
        // Each replaces the one before, and expires after it.
        for number in 1...1024 { Self.send(number, expiresIn: number, on: connection, &gateway) }
        #expect(gateway.nextDue == Self.time(1000))
        Self.send(1025, expiresIn: 1025, on: connection, &gateway)
        #expect(gateway.nextDue == Self.time(1_025_000))
        // And so on, after as many again.
        for number in 1026...2048 { Self.send(number, expiresIn: number, on: connection, &gateway) }
        #expect(gateway.nextDue == Self.time(1_025_000))
        Self.send(2049, expiresIn: 2049, on: connection, &gateway)
        #expect(gateway.nextDue == Self.time(2_049_000))
        _ = gateway.takeEffects()
        let effects = gateway.advance(to: Self.time(2_049_000))
        #expect(effects.count == 1 && gateway.nextDue == nil)
    }

    @Test("What is of interest is kept, however much it is")
    func keptWhenTidied() throws {
        var gateway = try Self.rig(
            #", "registered": {"unregisteredAt": "2030-01-01T00:00:00Z"}"#,
            #""timeline": [{"at": "1h", "do": {"device": "alice", "online": true}}],"#)
        let connection = gateway.openConnection(.example, at: GatewayRig.now)
        for number in 1...1500 { Self.send(number, expiresIn: 10_000 + number, on: connection, &gateway) }
        #expect(gateway.nextDue == Self.time(3_600_000))
        _ = gateway.advance(to: Self.time(3_600_000))
        var times: [Timestamp] = []
        while let next = gateway.nextDue {
            times.append(next)
            _ = gateway.advance(to: next)
        }
        #expect(times.last == Timestamp(seconds: 1_893_456_000), "the end of the registration")
    }

    @Test("The end of a registration is kept, however much is dropped")
    func registrationKeptWhenTidied() throws {
        var gateway = try Self.rig(#", "registered": {"unregisteredAt": "2026-11-21T12:00:00Z"}"#)
        let connection = gateway.openConnection(.example, at: GatewayRig.now)
        for number in 1...1500 { Self.send(number, expiresIn: 10_000 + number, on: connection, &gateway) }
        _ = gateway.takeEffects()
        #expect(gateway.nextDue == Self.time(7_200_000))
        #expect(gateway.advance(to: Self.time(7_200_000)).count == 1, "the push that is stored is discarded")
    }

    @Test(
        "A stored push that expired before the clock was looked at was not replaced",
        arguments: [(9999, true), (10_000, false)])
    func replacedTooLate(milliseconds: Int64, isReplaced: Bool) throws {
        var gateway = try Self.rig()
        let connection = gateway.openConnection(.example, at: GatewayRig.now)
        Self.send(1, expiresIn: 10, on: connection, &gateway)
        Self.send(2, expiresIn: 20, on: connection, at: Self.time(milliseconds), &gateway)
        let record = try #require(gateway.log.open.records.first)
        #expect(record.replacedBy == (isReplaced ? 2 : nil))
        #expect(record.delivery == (isReplaced ? .storedOffline : .discardedExpired))
    }

    @Test("A queue that was tidied is tidied again when it is twice as long", arguments: [(550, 2050), (551, 1500)])
    func tidyLength(further: Int, left: Int) {
        var scheduler = Scheduler()
        let state = ServiceState(DeviceRegistry(hashSeed: 1))
        func add(_ event: DueQueue.Event) {
            scheduler.schedule(event, at: GatewayRig.now)
            scheduler.tidy(state)
        }
        // Entries are always of interest, and what expires nowhere never is. The first 1025 are all kept.
        for number in 0..<1500 { add(.entry(number)) }
        for number in 0..<further { add(.expiry(DeviceIndex(rawValue: 0), sequence: number)) }
        var count = 0
        while scheduler.popDue(at: GatewayRig.now) != nil { count += 1 }
        #expect(count == left)
    }

    // MARK: Clocks

    @Test("Nothing is due for a device whose token ceased to stand for it before, or ceases to now")
    func pastRegistration() throws {
        for (time, isDue) in [
            ("2026-11-21T09:59:59Z", false), ("2026-11-21T10:00:00Z", false), ("2026-11-21T10:00:01Z", true),
        ] {
            var gateway = try Self.rig(#", "registered": {"expiredAt": "\#(time)"}"#)
            #expect(gateway.nextDue == (isDue ? Self.time(1000) : nil), "\(time)")
        }
    }

    @Test("A manual clock goes on to the last entry of the timeline, and one that is real stays")
    func endOfTimeline() throws {
        let timeline = #"""
            "timeline": [{"at": "10m", "do": {"device": "alice", "online": true}},
            {"at": "30m", "do": {"advance": "5m"}}, {"at": "20m", "do": {"device": "alice", "online": false}}],
            """#
        var rig = try DeliveryRig(DeliveryRig.alice(), timeline)
        rig.send(("apns-expiration", "1795400000"))
        rig.effects += rig.gateway.advanceToEndOfTimeline()
        #expect(rig.now == Timestamp(seconds: DeliveryRig.start.seconds + 35 * 60))
        #expect(rig.gateway.advanceToEndOfTimeline().isEmpty)
        var still = try DeliveryRig(
            DeliveryRig.alice(), #""timeline": [{"at": "0s", "do": {"device": "alice", "online": false}}],"#)
        #expect(!still.gateway.advanceToEndOfTimeline().isEmpty, "an entry that is due now is the last one, too")
        var real = try Self.rig("", #""timeline": [{"at": "10m", "do": {"device": "alice", "online": true}}],"#)
        #expect(real.advanceToEndOfTimeline().isEmpty && real.nextDue == Self.time(600_000))
    }

    // MARK: Moments

    @Test("A moment beyond the last, or before the first, is that one")
    func advanced() {
        let (first, last) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
        #expect(last.advanced(by: 1) == last && last.advanced(by: -1) == Timestamp(milliseconds: .max - 1))
        #expect(first.advanced(by: -1) == first && first.advanced(by: 1) == Timestamp(milliseconds: .min + 1))
        #expect(Self.time(0).advanced(by: 7) == Self.time(7) && Self.time(0).advanced(by: -7) == Self.time(-7))
    }

    @Test("A push is stored until it expires, and for thirty days at most")
    func expiry() {
        let now = GatewayRig.now
        let latest = Timestamp(seconds: now.seconds + 30 * 86_400)
        #expect(DeliveryPolicy.expiry(nil, at: now) == latest)
        for (seconds, wanted) in [
            (0, Timestamp(milliseconds: 0)), (now.seconds + 1, Timestamp(seconds: now.seconds + 1)),
            (latest.seconds, latest), (latest.seconds + 1, latest), (.max, latest),
            (.min, Timestamp(milliseconds: .min)),
            (-5, Timestamp(seconds: -5)), (.max / 1000, latest), (.max / 1000 + 1, latest),
            (.min / 1000 - 1, Timestamp(milliseconds: .min)),
        ] as [(Int64, Timestamp)] {
            #expect(DeliveryPolicy.expiry(seconds, at: now) == wanted, "\(seconds)")
        }
        #expect(DeliveryPolicy.expiry(nil, at: Timestamp(milliseconds: .max)) == Timestamp(milliseconds: .max))
    }
}
