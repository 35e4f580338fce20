import GatewayRigs
import Testing

@testable import MockAPNSCore

/// What the API asks of the gateway beside its log: pages of devices, what is due next, rules by themselves.
@Suite struct ControlPartsTests {
    // MARK: Devices

    @Test(arguments: [1, 7, 1000])
    func pagesAreTheSameWhateverThePieceSize(count: Int) throws {
        let devices = (10..<60).map { #"{"name": "d\#($0)", "token": "\#(String(repeating: "\($0)", count: 32))"}"# }
        var rig = try DeliveryRig(devices.joined(separator: ","))
        // A gap in the order.
        let gone = rig.gateway.devices.find(name: "d13")
        _ = rig.gateway.remove(try #require(gone), at: rig.now)
        var query = DeviceQuery()
        query.page.limit = 10
        var names: [String?] = []
        while true {
            var page = Page<DeviceView>()
            repeat {
                rig.gateway.look(for: query, at: rig.now, count: count, &page)
            } while !page.isComplete(query.page)
            names += page.elements.map(\.device.name)
            guard let next = page.next else { break }
            #expect(page.elements.count == 10)
            query.page.after = next
        }
        #expect(names == (10..<60).filter { $0 != 13 }.map { "d\($0)" })
    }

    @Test func thePageWithTheLastDeviceIsLast() throws {
        var rig = try DeliveryRig(DeliveryRig.alice())
        var query = DeviceQuery()
        query.page.limit = 1
        var page = Page<DeviceView>()
        rig.gateway.look(for: query, at: rig.now, &page)
        #expect(page.elements.count == 1)
        #expect(page.next == nil)
        for beyond in [Int(UInt32.max), Int.max] {
            query.page.after = beyond
            page = Page<DeviceView>()
            rig.gateway.look(for: query, at: rig.now, &page)
            #expect(page.elements.isEmpty && page.next == nil)
        }
        try rig.change { $0.isOnline = false }
    }

    @Test func whatIsRegisteredDependsOnTheTime() throws {
        var rig = try DeliveryRig(DeliveryRig.alice(#""registered": {"expiredAt": "2027-01-01T00:00:00Z"}"#))
        func count(_ isRegistered: Bool, _ rig: borrowing DeliveryRig) throws -> Int {
            var page = Page<DeviceView>()
            rig.gateway.look(
                for: try DeviceQuery(parameters: [("registered", "\(isRegistered)")]), at: rig.now, &page)
            return page.elements.count
        }
        #expect(try (count(true, rig), count(false, rig)) == (1, 0))
        try rig.advance(seconds: 365 * 86_400)
        #expect(try (count(true, rig), count(false, rig)) == (0, 1))
    }

    @Test func aDeviceForEveryTopicHasEach() throws {
        let rig = try DeliveryRig(
            #"{"name": "all", "token": "TOKEN"}, {"name": "one", "topic": "a.b", "token": "\#(other)"}"#)
        for (topic, names) in [("a.b", ["all", "one"]), ("a.c", ["all"])] {
            var page = Page<DeviceView>()
            rig.gateway.look(for: try DeviceQuery(parameters: [("topic", topic)]), at: rig.now, &page)
            #expect(page.elements.map(\.device.name) == names)
        }
    }

    // MARK: What is due

    @Test func whatNoLongerMattersIsNotDue() throws {
        var rig = try DeliveryRig(
            DeliveryRig.alice(#""online": false"#),
            #""timeline": [{"at": "1d", "do": {"device": "alice", "online": true}}],"#)
        let timeline = ScheduledEvent(time: rig.now.advanced(by: 86_400_000), kind: .timeline(entry: 0))
        #expect(rig.gateway.nextEvent(at: rig.now) == timeline)
        let seconds = rig.now.seconds + 60
        let push = rig.send(("apns-expiration", "\(seconds)"))
        let token = try #require(DeviceToken(hex: GatewayRig.deviceToken))
        #expect(
            rig.gateway.nextEvent(at: rig.now)
                == ScheduledEvent(time: Timestamp(seconds: seconds), kind: .expiry(device: token, sequence: push)))
        try rig.change { $0.isOnline = true }
        #expect(rig.gateway.nextEvent(at: rig.now) == timeline)
        // Of two times at which a token ceases to be good, the later order counts.
        for day: Int64 in [2, 3] {
            try rig.change { $0.registration = .expired(at: Timestamp(seconds: Self.day(day))) }
        }
        try rig.advance(seconds: 86_400)
        #expect(
            rig.gateway.nextEvent(at: rig.now)
                == ScheduledEvent(time: Timestamp(seconds: Self.day(3)), kind: .registration(device: token)))
        try rig.advance(seconds: 3 * 86_400)
        #expect(rig.gateway.nextEvent(at: rig.now) == nil)
    }

    @Test("An event that comes no later than the end of an outage is due first", arguments: [-1, 0, 1])
    func outageOrTimelineIsDueNext(more: Int64) throws {
        var rig = try DeliveryRig(
            DeliveryRig.alice(), #""timeline": [{"at": "60s", "do": {"device": "alice", "online": false}}],"#)
        let outage = Outage(reason: .shutdown, duration: 60_000 + more)
        rig.gateway.begin(outage, ResponsePlan(during: outage), at: rig.now)
        let end = ScheduledEvent(
            time: rig.now.advanced(by: 60_000 + more), kind: .outage(reason: .shutdown, rule: nil))
        let timeline = ScheduledEvent(time: rig.now.advanced(by: 60_000), kind: .timeline(entry: 0))
        #expect(rig.gateway.nextEvent(at: rig.now) == (more < 0 ? end : timeline))
    }

    @Test(
        "Of two outages, the end of the one that applies is due next, with the rule that began it",
        arguments: [
            (0, 30_000, .outage(reason: .shutdown, rule: "short")),
            (29_999, 30_000, .outage(reason: .shutdown, rule: "short")),
            (30_000, 60_000, .outage(reason: .serviceUnavailable, rule: nil)), (60_000, 0, nil),
        ] as [(Int64, Int64, ScheduledEvent.Kind?)])
    func endOfAnOutageIsDue(after passed: Int64, end: Int64, kind: ScheduledEvent.Kind?) throws {
        var rig = try DeliveryRig()
        let long = Outage(reason: .serviceUnavailable, duration: 60_000)
        let short = Outage(reason: .shutdown, duration: 30_000)
        rig.gateway.begin(long, ResponsePlan(during: long), at: rig.now)
        rig.gateway.begin(short, ResponsePlan(during: short), by: "short", at: rig.now)
        let expected = kind.map { ScheduledEvent(time: DeliveryRig.start.advanced(by: end), kind: $0) }
        #expect(rig.gateway.nextEvent(at: DeliveryRig.start.advanced(by: passed)) == expected)
    }

    private static func day(_ number: Int64) -> Int64 { DeliveryRig.start.seconds + number * 86_400 }

    // MARK: Rules

    @Test func theListSaysWhichRulesWereAdded() throws {
        var rig = try DeliveryRig("", #""rules": [{"name": "own", "then": {"reject": "TooManyRequests"}}],"#)
        #expect(rig.gateway.add(Rule(name: "new", steps: .push([Step(.pass)])), at: rig.now) == "new")
        let rules = rig.gateway.look(for: RuleQuery()).page.elements
        #expect(rules.map(\.name) == ["new", "own"] && rules.map(\.isAdded) == [true, false])
    }

    private static let twoRules = #"""
        "rules": [{"name": "first", "times": 1, "then": {"reject": "TooManyRequests"}},
         {"name": "second", "times": 1, "then": {"reject": "TooManyRequests"}}],
        """#

    @Test func thePagesOfTheListFollowTheRules() throws {
        var rig = try DeliveryRig("", Self.twoRules)
        for name in ["earlier", "later"] {
            #expect(rig.gateway.add(Rule(name: name, steps: .push([Step(.pass)])), at: rig.now) == name)
        }
        var query = RuleQuery()
        query.page.limit = 1
        var names: [String] = []
        for left in [3, 2, 1, 0] {
            let (page, total) = rig.gateway.look(for: query)
            #expect(total == 4 && (page.next == nil) == (left == 0))
            names += page.elements.map(\.name)
            query.page.after = page.next ?? query.page.after
        }
        #expect(names == ["later", "earlier", "first", "second"])
    }

    @Test("The list can be limited to the rules that were added, or to the others", arguments: [true, false])
    func listOfAddedRules(isAdded: Bool) throws {
        var rig = try DeliveryRig("", Self.twoRules)
        #expect(rig.gateway.add(Rule(name: "new", steps: .push([Step(.pass)])), at: rig.now) == "new")
        var query = RuleQuery()
        query.isAdded = isAdded
        let (page, total) = rig.gateway.look(for: query)
        #expect(page.elements.map(\.name) == (isAdded ? ["new"] : ["first", "second"]))
        #expect(total == page.elements.count && page.next == nil)
    }

    @Test func addingAndRemovingARuleAreEvents() throws {
        var rig = try DeliveryRig()
        let rule = Rule(name: "", steps: .push([Step(.pass)]))
        #expect(rig.gateway.add(rule, at: rig.now) == "rule-1")
        #expect(rig.gateway.add(Rule(name: "rule-1", steps: .push([Step(.pass)])), at: rig.now) == nil)
        let isRemoved = rig.gateway.remove(rule: "rule-1", at: rig.now)
        let isRemovedAgain = rig.gateway.remove(rule: "rule-1", at: rig.now)
        #expect((isRemoved, isRemovedAgain) == (true, false))
        var lines: [UInt8] = []
        for effect in rig.gateway.takeEffects() { effect.appendLine(at: Timestamp(seconds: 0), to: &lines) }
        #expect(
            String(decoding: lines, as: UTF8.self)
                == ["added", "removed"].map {
                    #"{"event":"rule","time":"1970-01-01T00:00:00.000Z","clock":"\#(rig.now.text)","rule":"rule-1","on":"push","state":"\#($0)"}"#
                        + "\n"
                }.joined())
    }
}

private let other = String(repeating: "0b", count: 32)
