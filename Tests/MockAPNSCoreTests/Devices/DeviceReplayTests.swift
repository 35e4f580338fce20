import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

/// A device as it was right after a request.
@Suite struct DeviceReplayTests {
    private static func text(_ view: DeviceView) -> String {
        var json: [UInt8] = []
        view.appendJSON(to: &json)
        return String(decoding: json, as: UTF8.self)
    }

    private static func past(_ rig: borrowing RecordedRig, _ name: String, _ sequence: Int) throws -> DeviceView {
        let events = EventSnapshot(log: rig.rig.gateway.log.snapshot, others: rig.events)
        return try DeviceReplay(name, after: sequence, in: events, from: rig.rig.gateway.begun).finish().get()
    }

    /// Devices as they are now, by name, as the API has them.
    private static func now(_ rig: inout RecordedRig) throws -> [String: String] {
        var texts: [String: String] = [:]
        for name in ["alice", "bob"] {
            let found = rig.rig.gateway.devices.find(name: name)
            var views = [
                rig.rig.gateway.view(of: try #require(found), at: rig.rig.gateway.clock.time(at: rig.rig.time))
            ]
            DeviceView.complete(&views, from: rig.rig.gateway.log.snapshot)
            texts[name] = text(views[0])
        }
        return texts
    }

    @Test("A device is shown as it was after each request, whatever came later")
    func everyRequest() throws {
        var rig = try RecordedRig("", #""liveActivities": {"tokens": "own"},"#)
        rig.start()
        let background = ExamplePush {
            $0.fields = [("apns-push-type", "background"), ("apns-priority", "5")]
            $0.body = Array(#"{"aps":{"content-available":1}}"#.utf8)
        }
        var seen: [Int: [String: String]] = [:]
        func step(_ body: (inout RecordedRig) throws -> Void) throws {
            let before = rig.rig.gateway.log.latestSequence
            try body(&rig)
            let latest = rig.rig.gateway.log.latestSequence
            if latest > before { seen[latest] = try Self.now(&rig) }
            // What comes next comes later.
            rig.rig.time.milliseconds += 1
            rig.note(try rig.rig.gateway.advance(by: 1000))
        }
        try step { rig in rig.work { $0.send() } }
        try step { rig in rig.work { $0.send(to: JudgeRig.bob, body: #"{"aps":{"alert":"One","badge":1}}"#) } }
        try step { rig in rig.work { $0.send(to: JudgeRig.bob, body: #"{"aps":{"alert":"Two","badge":2}}"#) } }
        try step { rig in try rig.change("bob") { $0.isOnline = true } }
        try step { rig in rig.work { $0.send(to: JudgeRig.bob) } }
        try step { rig in try rig.change("alice") { $0.phone.app.state = .forceQuit } }
        try step { rig in rig.send(background) }
        let start = try #require(try Self.past(rig, "alice", 1).startTokens.first)
        try step { rig in
            rig.send(
                ExamplePush { push in
                    push.path = "/3/device/" + start.token.hex
                    push.topic = "com.example.app.push-type.liveactivity"
                    push.fields = [("apns-push-type", "liveactivity")]
                    push.body = Array(
                        #"{"aps":{"timestamp":1795255200,"event":"start","attributes-type":"A","attributes":{"a":1},"input-push-token":1,"alert":{"title":"T"},"content-state":{"score":"0-0"}}}"#
                            .utf8)
                })
        }
        try step { rig in rig.work { $0.send(body: "{}", topic: nil) } }
        try step { rig in try rig.change("bob") { $0.registration = .unregistered(at: nil, acceptFor: 0) } }
        try step { rig in rig.work { $0.send(to: JudgeRig.bob) } }
        try #require(seen.count == 8)
        for (sequence, devices) in seen.sorted(by: { $0.key < $1.key }) {
            for (name, text) in devices {
                #expect(Self.text(try Self.past(rig, name, sequence)) == text, "\(name) after \(sequence)")
            }
        }
        #expect(try Self.past(rig, JudgeRig.bob, 2).stored.map(\.sequence) == [2])
    }

    /// The event of the device's beginning may no longer be kept.
    @Test func aReplayNeedsNoEventOfTheBeginning() throws {
        var rig = try RecordedRig("")
        rig.work { $0.send() }
        #expect(try Self.past(rig, "alice", 1).displayed.map(\.sequence) == [1])
    }

    @Test(arguments: [true, false])
    func eventsBeforeTheBeginningAreNotFollowed(isReset: Bool) throws {
        var rig = try RecordedRig("")
        rig.start()
        try rig.change("alice") { $0.isOnline = false }
        if isReset {
            rig.rig.gateway.reset(at: rig.rig.time)
            rig.events.append(LoggedEvent(.reset, at: rig.rig.time, after: 0))
            rig.note(rig.rig.gateway.takeEffects())
        } else {
            rig.work { rig in
                let scenario = rig.gateway.scenario
                rig.gateway.play(scenario, rig.gateway.configuration, at: rig.time)
            }
        }
        // The first one that is followed.
        try rig.change("bob") { $0.isOnline = true }
        rig.work { $0.send() }
        #expect(try Self.past(rig, "alice", 1).device.isOnline)
        #expect(try Self.past(rig, "bob", 1).device.isOnline)
    }

    /// A server answers many requests in a millisecond.
    @Test func laterChangesOfTheSameTimeDoNotCount() throws {
        var rig = try RecordedRig("")
        rig.start()
        for isOnline in [false, true] {
            rig.work { $0.send() }
            try rig.change("alice") { $0.isOnline = isOnline }
        }
        #expect(try !Self.past(rig, "alice", 1).device.isOnline)
        #expect(try Self.past(rig, "alice", 2).device.isOnline)
    }

    /// What a real clock makes happen late keeps its own time.
    @Test(arguments: [(-1000, 0), (1000, 1000)] as [(Int64, Int64)])
    func updatesNeverPutTheClockBack(by milliseconds: Int64, shown: Int64) throws {
        var rig = try RecordedRig("")
        rig.start()
        rig.work { $0.send() }
        let update = UpdateEvent(of: 1, RequestUpdate(), clock: GatewayRig.now.advanced(by: milliseconds))
        rig.events.append(LoggedEvent(.update(update), at: rig.rig.time, after: 1))
        #expect(try Self.past(rig, "alice", 1).time == GatewayRig.now.advanced(by: shown))
    }

    /// No request tells of it.
    @Test(arguments: [(-1000, 0), (1000, 1000)] as [(Int64, Int64)])
    func theClockIsAsFarAsItWasMoved(by milliseconds: Int64, shown: Int64) throws {
        var rig = try RecordedRig("")
        rig.start()
        rig.work { $0.send() }
        let moved = ClockEvent(from: GatewayRig.now, to: GatewayRig.now.advanced(by: milliseconds))
        rig.events.append(LoggedEvent(.clock(moved), at: rig.rig.time, after: 1))
        #expect(try Self.past(rig, "alice", 1).time == GatewayRig.now.advanced(by: shown))
    }

    @Test("Deleted records are passed over, and do not end the replay")
    func deletedRecords() throws {
        var rig = try RecordedRig("")
        rig.start()
        for _ in 1...4 { rig.work { $0.send() } }
        let log = rig.rig.gateway.log.snapshot
        #expect(rig.rig.gateway.deleteRecords([2], foundIn: log) == 1)
        #expect(try Self.past(rig, "alice", 3).displayed.map(\.sequence) == [1, 3])
        #expect(try Self.past(rig, "alice", 2).displayed.map(\.sequence) == [1])
    }

    @Test func aReplayEndsWithTheLatestRequestThoughDeleted() throws {
        var rig = try RecordedRig("")
        rig.start()
        for _ in 1...2 { rig.work { $0.send() } }
        let log = rig.rig.gateway.log.snapshot
        #expect(rig.rig.gateway.deleteRecords([2], foundIn: log) == 1)
        let events = EventSnapshot(log: rig.rig.gateway.log.snapshot, others: rig.events)
        let replay = try DeviceReplay("alice", after: 2, in: events, from: rig.rig.gateway.begun)
        let results = [replay.proceed(), replay.proceed()]
        #expect(try results[1]?.get().displayed.map(\.sequence) == [1])
    }

    @Test func aReplayReachesBackToTheOldestRequest() throws {
        var rig = try RecordedRig("", logLimit: 2)
        rig.start()
        for _ in 1...3 { rig.work { $0.send() } }
        #expect(try Self.past(rig, "alice", 2).displayed.map(\.sequence) == [2])
        let why = "Request 1 is no longer in the log, which begins with 2."
        #expect(throws: DeviceReplay.Missing.dropped(why)) { try Self.past(rig, "alice", 1) }
    }

    @Test("What the log does not have any more is told, and so is an unknown device")
    func missing() throws {
        var rig = try RecordedRig("")
        rig.start()
        for _ in 1...3 { rig.work { $0.send() } }
        #expect(throws: DeviceReplay.Missing.dropped("There is no request 4 yet; the latest is 3.")) {
            try Self.past(rig, "alice", 4)
        }
        #expect(throws: DeviceReplay.Missing.unknown) { try Self.past(rig, "carol", 3) }
        rig.work { rig in
            let scenario = rig.gateway.scenario
            rig.gateway.play(scenario, rig.gateway.configuration, at: rig.time)
        }
        rig.work { $0.send() }
        #expect(throws: DeviceReplay.Missing.dropped("Request 3 is older than the scenario that is played now.")) {
            try Self.past(rig, "alice", 3)
        }
        #expect(try Self.past(rig, "alice", 4).displayed.map(\.sequence) == [4])
    }
}
