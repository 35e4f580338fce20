import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge
@testable import MockAPNSScenario

/// Pushes of the admin API: judged like those of a provider, and kept apart from them.
@Suite struct AdminPushTests {
    private static func push(_ json: String) throws -> AdminPush {
        let (push, mistakes) = Scenario().adminPush(from: try JSONText.read(Array(json.utf8)))
        try #require(mistakes.isEmpty, "\(mistakes)")
        return try #require(push)
    }

    /// Sends one with a provider token of its own, as the server does.
    private static func send(
        _ json: String, _ gateway: inout Gateway, at now: Timestamp = GatewayRig.now
    ) throws {
        let push = try push(json)
        guard case .token(let token) = push.recipient else { return }
        let (bytes, headerLength) = push.bytes(
            to: .device(token: token, topic: "com.example.app"),
            authorization: ExamplePush.bearer(issuedAt: "1795255101"))
        var request = ParsedRequest(
            RequestFacts(streamID: 0, headerLength: headerLength, bodyLength: push.body.count, inFlight: 1),
            bytes: bytes.span)
        if let range = request.push.authorization {
            request.facts.providerToken = gateway.remembered(
                String(decoding: bytes[range.range], as: UTF8.self), proof: .verified)
        }
        gateway.receiveFromAdmin(request, bytes: bytes.span, at: gateway.moment(at: now))
    }

    private static let good = #"{"token": "\#(GatewayRig.deviceToken)", "payload": {"aps": {"alert": "Hello"}}}"#

    private static func latest(_ gateway: borrowing Gateway) throws -> JSONText.Value {
        let log = gateway.log.snapshot
        return try JSONText.read(try #require(log.record(log.latestSequence)))
    }

    @Test func itIsDecidedAndDeliveredWithoutAConnection() throws {
        var rig = GatewayRig()
        try Self.send(Self.good, &rig.gateway)
        let record = try Self.latest(rig.gateway)
        #expect(record["status"]?.int64 == 200 && record["sentBy"]?.string == "admin")
        #expect(record["delivery"]?.string == "Delivered to Device")
        for member in ["connection", "connectionID", "stream"] { #expect(record[member]?.isNull == true, "\(member)") }
        let (count, open) = (rig.gateway.connections.count, rig.gateway.connections.all.count)
        #expect(count == 1 && open == 1)
        rig.send()
        #expect(try Self.latest(rig.gateway)["connection"]?.int64 == 1)
    }

    @Test(
        "The checks judge its fields",
        arguments: [
            (#""priority": 7"#, "BadPriority"), (#""expiration": "soon""#, "BadExpirationDate"),
            (#""topic": null"#, "MissingTopic"),
            (#""pushType": "alarm""#, "InvalidPushType"),
            (#""collapseID": "\#(String(repeating: "x", count: 65))""#, "BadCollapseId"),
            (#""apnsID": "1""#, "BadMessageId"), (#""headers": {"authorization": null}"#, "MissingProviderToken"),
            (#""headers": {"apns-priority": 3}"#, "BadPriority"),
        ])
    func checks(_ member: String, _ reason: String) throws {
        var rig = GatewayRig()
        try Self.send(#"{"token": "\#(GatewayRig.deviceToken)", "payload": {}, \#(member)}"#, &rig.gateway)
        #expect(try Self.latest(rig.gateway)["reason"]?.string == reason)
    }

    @Test func aPushTypeSuffixesTheDefaultTopic() throws {
        var rig = GatewayRig()
        try Self.send(#"{"token": "\#(GatewayRig.deviceToken)", "body": "{}", "pushType": "voip"}"#, &rig.gateway)
        let record = try Self.latest(rig.gateway)
        #expect(record["topic"]?.string == "com.example.app.voip" && record["status"]?.int64 == 200)
    }

    @Test(
        "A rule applies to both; what it does to stream and connection is only recorded",
        arguments: [
            (#"{"reject": "TooManyRequests", "delay": "1h"}"#, "responded"), (#"{"resetStream": "CANCEL"}"#, "reset"),

            (#"{"close": "reset"}"#, "closed"),
            (#"{"stall": true}"#, "stalled"),
        ])
    func rules(_ step: String, _ outcome: String) throws {
        var rig = ScriptRig(#"{"name": "all", "then": \#(step)}"#)
        try Self.send(Self.good, &rig.gateway)
        let record = try Self.latest(rig.gateway)
        #expect(record["decidedBy"]?.string == "rule:all" && record["outcome"]?.string == outcome)
        let count = rig.gateway.connections.all.count
        #expect(count == 1)
        #expect(rig.send().record.decidedBy == .rule)
    }

    @Test("A delay is over at once, which changes the record; nothing else does")
    func changes() throws {
        for (more, isChanged) in [("", false), (#", "retryAfter": 3"#, false), (#", "delay": "1h""#, true)] {
            var rig = ScriptRig(#"{"then": {"reject": "TooManyRequests"\#(more)}}"#)
            try Self.send(Self.good, &rig.gateway)
            #expect(rig.gateway.takeUpdates().map(\.change.outcome) == (isChanged ? [.responded] : []))
        }
    }

    @Test func itHasNoServerName() throws {
        var rig = ScriptRig("", serverName: "localhost")
        rig.send()
        try Self.send(Self.good, &rig.gateway)
        for (sender, count) in [("provider", 1), ("admin", 0)] {
            let query = try RequestQuery(
                parameters: [("sentBy", sender), ("serverName", "localhost")], at: GatewayRig.now)
            #expect(rig.gateway.log.snapshot.find(query).total == count)
        }
    }

    @Test("A rule can tell them apart", arguments: ["provider", "admin"]) func ruleForOne(_ sender: String) throws {
        var rig = ScriptRig(#"{"when": {"sentBy": "\#(sender)"}, "then": {"reject": "TooManyRequests"}}"#)
        try Self.send(Self.good, &rig.gateway)
        #expect(try Self.latest(rig.gateway)["status"]?.int64 == (sender == "admin" ? 429 : 200))
        #expect(rig.send().status == (sender == "admin" ? 200 : 429))
    }

    @Test("Matches mean providers unless they say otherwise, live and from a log")
    func matches() throws {
        var rig = try RecordedRig(
            """
            {"requests": {}, "count": 1}, {"requests": {"sentBy": "admin"}, "count": 2},
            {"requests": {"sentBy": {"oneOf": ["provider", "admin"]}}, "count": 3}, {"providerTokens": 1},
            {"requests": {}, "count": 1, "each": "token"}, {"inOrder": [{}, {}]}, {"connections": 1},
            {"requests": {"status": 410}, "count": 1}, {"nothingElse": true}
            """)
        let good = Self.good
        try rig.work { rig in
            try Self.send(good, &rig.gateway, at: rig.time)
            try Self.send(good, &rig.gateway, at: rig.time)
        }
        rig.send(ExamplePush())
        let live = rig.rig.gateway.verificationInput(at: GatewayRig.now).verify()
        #expect(live.results.map(\.passed) == [true, true, true, true, true, false, true, false, true])
        // What is not meant comes near to nothing.
        #expect(live.results[7].nearMisses.map(\.sequence) == [3])
        #expect(try rig.recorded().input.verify().json == live.json)
        let log = rig.rig.gateway.log.snapshot
        #expect(log.count(RequestMatch()) == 1)
        let query = try RequestQuery(parameters: [("sentBy", "admin")], at: GatewayRig.now)
        #expect(log.find(query).total == 2)
    }

    @Test("They are near misses only of a match that names them, and do not count as other requests")
    func othersAndNearMisses() throws {
        let delivered =
            #"{"requests": {"sentBy": "admin", "delivery": "Delivered to Device (From Storage)"}, "count": 1}"#
        var rig = try JudgeRig(#"{"requests": {}, "count": 0}, {"nothingElse": true}, \#(delivered)"#)
        try Self.send(#"{"token": "\#(JudgeRig.bob)", "payload": {"aps": {}}}"#, &rig.gateway, at: rig.time)
        #expect(rig.passed == [true, true, false])
        #expect(rig.results[2].nearMisses.map(\.sequence) == [1])
        // A change after the decision does not make it another request either.
        try rig.change("bob") { $0.isOnline = true }
        #expect(rig.passed == [true, true, true])
    }

    @Test("A delayed answer to one changes no count of the providers' requests")
    func delayedIsNotCounted() throws {
        var rig = ScriptRig(#"{"then": {"reject": "TooManyRequests", "delay": "1h"}}"#)
        try Self.send(Self.good, &rig.gateway)
        for outcome in [Outcome.delayed, .responded] { #expect(rig.gateway.statistics.count(of: outcome) == 0) }
    }

    @Test func theSummaryCountsThemApart() throws {
        var rig = GatewayRig()
        try Self.send(Self.good, &rig.gateway)
        rig.send()
        let summary = rig.gateway.summary(at: rig.now)
        #expect(summary.requests == 1 && summary.requestsByAdmin == 1)
        #expect(summary.byStatus.map(\.count) == [1] && summary.text.contains("1 push by the admin API."))
    }

    @Test("What becomes of it in storage is in no metric")
    func storedPush() throws {
        var rig = try JudgeRig("")
        rig.sendAsAdmin(to: JudgeRig.bob)
        try rig.change("bob") { $0.isOnline = true }
        #expect(rig.gateway.log.open.records.map(\.delivery) == [.deliveredFromStorage])
        let counts = [Delivery.storedOffline, .deliveredFromStorage].map { rig.gateway.statistics.count(of: $0, nil) }
        #expect(counts == [0, 0])
    }

    @Test func aChannelIsAddressedByPathAndID() throws {
        let (bytes, headerLength) = try Self.push(#"{"channel": "scores", "payload": {}}"#).bytes(
            to: .channel(id: "AAAA", topic: "com.example.app", isSandbox: true), authorization: "bearer x")
        var fields = HeaderFields(length: headerLength)
        var told: [String] = []
        while let field = fields.next(in: bytes.span) {
            told += [field.name, field.value].map { String(decoding: bytes[$0.range], as: UTF8.self) }
        }
        let address = [":path", "/4/broadcasts/apps/com.example.app", "apns-channel-id", "AAAA"]
        #expect(told == [":method", "POST"] + address + ["authorization", "bearer x"])
        #expect(Array(bytes[headerLength...]) == Array("{}".utf8))
    }

    @Test(
        "Only a channel belongs to an environment",
        arguments: [
            (.device(token: "ab", topic: "com.example.app"), nil),
            (.channel(id: "AAAA", topic: "com.example.app", isSandbox: true), true),
            (.channel(id: "AAAA", topic: "com.example.app", isSandbox: false), false),
        ] as [(AdminPush.Address, Bool?)])
    func environments(address: AdminPush.Address, isSandbox: Bool?) { #expect(address.isSandbox == isSandbox) }

    @Test(
        "What is wrong with the request itself has its place",
        arguments: [
            ("{}", "has no recipient"), (#"{"token": "a", "device": "b"}"#, "contradicts"),
            (#"{"channel": "a", "device": "b"}"#, "contradicts"), (#"{"token": "a", "channel": "b"}"#, "contradicts"),
            (#"{"channel": "a", "topic": "b"}"#, "a topic of its own"),
            (#"{"token": 1}"#, "expected a device token"),
            (#"{"token": "a", "payload": 1, "body": ""}"#, "contradicts"),
            (#"{"token": "a", "every": "1s"}"#, "needs \"repeat\""),
            (#"{"token": "a", "repeat": 1001}"#, "from 1 to 1000"),
            (#"{"token": "a", "topic": []}"#, "expected a string, a number"),
            (#"{"token": "a", "headers": {"x y": "1"}}"#, "is not the name of a header field"),
            (#"{"token": "a", "headers": {"x": "1\n"}}"#, "without control characters"),
            (#"{"tokn": "a"}"#, "did you mean \"token\"?"),
        ])
    func mistakes(_ json: String, _ message: String) throws {
        let (push, mistakes) = Scenario().adminPush(from: try JSONText.read(Array(json.utf8)))
        #expect(push == nil && mistakes.contains { $0.message.contains(message) }, "\(mistakes)")
    }
}
