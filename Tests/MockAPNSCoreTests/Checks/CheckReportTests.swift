import Foundation
import GatewayRigs
import Testing

@testable import MockAPNSCore

/// What the API tells of the checks of a recorded request.
@Suite struct CheckReportTests {
    /// The states of all checks of the latest request in a few words: the one that failed, or what all have in common.
    private static func states(_ log: RequestLog) throws -> String {
        let reports = try #require(log.snapshot.checks(of: log.latestSequence))
        #expect(reports.map(\.name) == Check.allCases.map(\.name))
        guard let failed = reports.firstIndex(where: { $0.state == .failed }) else {
            #expect(Set(reports.map(\.state)).count == 1)
            return reports[0].state.rawValue
        }
        #expect(reports[..<failed].allSatisfy { $0.state == .passed })
        #expect(reports[(failed + 1)...].allSatisfy { $0.state == .notReached })
        return reports[failed].name
    }

    private static func found(_ log: RequestLog, _ check: Check) throws -> String? {
        try #require(log.snapshot.checks(of: log.latestSequence))[Int(check.rawValue)].found
    }

    @Test func ofAGoodPushAllHavePassed() throws {
        var rig = GatewayRig()
        rig.send()
        #expect(try Self.states(rig.gateway.log) == "passed")
        #expect(rig.gateway.log.snapshot.checks(of: 2) == nil)
    }

    static let failures: [(check: Check, found: String?, push: ExamplePush)] = [
        (.methodIsPOST, "GET", ExamplePush { $0.method = "GET" }),
        (.pathIsOfADevice, "/3/devices/a", ExamplePush { $0.path = "/3/devices/a" }),
        (.noFieldIsRepeated, "apns-priority: 5", ExamplePush(("apns-priority", "10"), ("apns-priority", "5"))),
        (.apnsIDIsAUUID, "7", ExamplePush(("apns-id", "7"))),
        (.providerMayPush, nil, ExamplePush { $0.token = nil }),
        (.providerMayPush, "Basic a", ExamplePush { $0.token = "Basic a" }),
        (
            .providerMayPush, "kid ABC123DEFG, iss DEF123GHIJ, iat 1795240000 (2026-11-21T05:46:40.000Z)",
            ExamplePush { $0.token = ExamplePush.bearer(issuedAt: "1795240000") }
        ),
        (.topicIsGiven, nil, ExamplePush { $0.topic = nil }),
        (.topicIsWellFormed, "com..app", ExamplePush { $0.topic = "com..app" }),
        (.topicIsAllowed, "<com.app>", ExamplePush { $0.topic = "<com.app>" }),
        (.deviceTokenIsGiven, nil, ExamplePush { $0.path = "/3/device/" }),
        (.payloadIsNotEmpty, "0 bytes", ExamplePush { $0.body = [] }),
        (.payloadIsNotTooLarge, "4097 bytes", ExamplePush { $0.body = [UInt8](repeating: 0x20, count: 4097) }),
        (.expirationIsAnInteger, "1.5", ExamplePush(("apns-expiration", "1.5"))),
        (.priorityIsKnown, "7", ExamplePush(("apns-priority", "7"))),
        (
            .backgroundHasNotPriority10, "apns-priority: 10, apns-push-type: background",
            ExamplePush(("apns-priority", "10"), ("apns-push-type", "background"))
        ),
        (
            .collapseIDIsShort, String(repeating: "é", count: 199) + "…",
            ExamplePush(("apns-collapse-id", String(repeating: "é", count: 300)))
        ),
        (.pushTypeIsKnown, "Alert", ExamplePush(("apns-push-type", "Alert"))),
        (
            .pushTypeSuitsVoIP, "apns-push-type: alert, apns-topic: com.example.app.voip",
            ExamplePush {
                $0.topic = "com.example.app.voip"
                $0.fields = [("apns-push-type", "alert")]
            }
        ),
        (.deviceTokenIsWellFormed, "abc", ExamplePush { $0.path = "/3/device/abc" }),
        (
            .topicHasTheSuffixOfItsType, "apns-push-type: voip, apns-topic: com.example.app",
            ExamplePush(("apns-push-type", "voip"))
        ),
        (.topicIsTheDevices, "com.example.other", ExamplePush { $0.topic = "com.example.other" }),
    ]

    @Test(arguments: failures.indices)
    func theDecidingCheckFailsAndShowsItsFinding(index: Int) throws {
        let row = Self.failures[index]
        var rig = GatewayRig()
        rig.declare { _ in }
        rig.send(row.push)
        #expect(try Self.states(rig.gateway.log) == row.check.name)
        #expect(try Self.found(rig.gateway.log, row.check) == row.found)
        let reason = try #require(rig.gateway.log.open.records.last?.reason)
        #expect(row.check.facts.reasons.contains(reason))
    }

    /// Which fields a push has, and what two checks of two fields each find of them.
    @Test(
        arguments: [
            (nil, nil, nil, nil),
            ("com.example.app", nil, nil, "apns-topic: com.example.app"),
            (nil, "alert", "apns-push-type: alert", "apns-push-type: alert"),
        ] as [(String?, String?, String?, String?)])
    func onlyFieldsThatAPushHasAreFound(
        _ topic: String?, _ type: String?, _ ofPriority: String?, _ ofTopic: String?
    ) throws {
        var rig = GatewayRig()
        rig.send(
            ExamplePush { push in
                push.topic = topic
                push.fields = type.map { [("apns-push-type", $0)] } ?? []
            })
        let found = try [Check.backgroundHasNotPriority10, .topicHasTheSuffixOfItsType].map { check in
            try Self.found(rig.gateway.log, check)
        }
        #expect(found == [ofPriority, ofTopic])
    }

    @Test func ofDevicesTheyTellTheSameReasonApart() throws {
        var unknown = GatewayRig { $0.unknownDevices = .reject }
        unknown.send()
        #expect(try Self.states(unknown.gateway.log) == "deviceIsKnown")
        var production = GatewayRig()
        production.declare { $0.isSandbox = false }
        production.send()
        #expect(try Self.states(production.gateway.log) == "deviceIsOfTheEnvironment")
        var gone = GatewayRig()
        gone.declare { $0.registration = .unregistered(at: GatewayRig.now, acceptFor: 0) }
        gone.send()
        #expect(try Self.states(gone.gateway.log) == "deviceIsRegistered")
        var expired = GatewayRig()
        expired.declare { $0.registration = .expired(at: GatewayRig.now) }
        expired.send()
        #expect(try Self.states(expired.gateway.log) == "deviceTokenHasNotExpired")
        #expect(try Self.found(expired.gateway.log, .deviceTokenHasNotExpired) == GatewayRig.deviceToken)
    }

    @Test func invalidJSONFailsWithTheScenariosReason() throws {
        var rig = GatewayRig { $0.responses.invalidJSON = .payloadEmpty }
        rig.send(ExamplePush { $0.body = Array("no JSON".utf8) })
        #expect(try Self.states(rig.gateway.log) == "payloadIsJSON")
        #expect(try Self.found(rig.gateway.log, .payloadIsJSON) == "no JSON")
    }

    @Test("What comes after the checks is none of them: all have passed")
    func tooManyRequests() throws {
        var rig = GatewayRig()
        rig.declare { $0.rate = PushRate(allowed: 0, per: 1000) }
        #expect(rig.send().reason == "TooManyRequests")
        #expect(try Self.states(rig.gateway.log) == "passed")
    }

    @Test func rulesSkipChecksUnlessTheyPassOrDeliver() throws {
        var rig = ScriptRig(
            #"{"when": {"topic": "com.example.app"}, "times": 1, "then": {"reject": "Shutdown"}},"#
                + #"{"then": {"pass": true, "delay": "1s"}}"#)
        rig.send()
        #expect(try Self.states(rig.gateway.log) == "skipped")
        rig.send(ExamplePush(("apns-priority", "7")))
        #expect(try Self.states(rig.gateway.log) == "priorityIsKnown")
        rig.send()
        #expect(try Self.states(rig.gateway.log) == "passed")
        var delivering = ScriptRig(#"{"then": {"reject": "Shutdown", "deliver": true}}"#)
        delivering.send(ExamplePush(("apns-priority", "7")))
        #expect(try Self.states(delivering.gateway.log) == "priorityIsKnown")
    }

    @Test func anOutageHasThemSkipped() throws {
        var rig = ScriptRig(#"{"times": 1, "then": {"outage": {"for": "1h", "reason": "Shutdown"}}}"#)
        rig.send()
        rig.send()
        #expect(rig.gateway.log.open.records.last?.decidedBy == .outage)
        #expect(try Self.states(rig.gateway.log) == "skipped")
    }

    @Test func whatTheConnectionDecidedReachedNone() throws {
        var rig = GatewayRig()
        rig.send(ExamplePush { $0.fault = .refused })
        #expect(try Self.states(rig.gateway.log) == "notReached")
    }

    @Test("Of a log that does not say which check it was, the reason tells it where only one gives it")
    func derivedFromTheReason() throws {
        func states(_ reason: Reason) throws -> [CheckReport.State] {
            var push = RecordedPush.ordinary()
            (push.record.reason, push.record.status) = (reason, UInt16(reason.status))
            var log = RequestLog()
            push.append(to: &log)
            return try #require(log.snapshot.checks(of: 1)).map(\.state)
        }
        #expect(try states(.badCollapseID)[Int(Check.collapseIDIsShort.rawValue)] == .failed)
        let unclear = try states(.badPriority)
        #expect(unclear[Int(Check.priorityIsKnown.rawValue)] == .skipped)
        #expect(unclear[Int(Check.backgroundHasNotPriority10.rawValue)] == .skipped)
        #expect(!unclear.contains(.failed))
        #expect(Set(try states(.tooManyRequests)) == [.passed])
    }

    @Test func noSignatureIsTold() throws {
        for (name, value) in [
            ("authorization", ExamplePush.bearer()), ("apns-collapse-id", ExamplePush.bearer()),
            ("apns-id", ExamplePush.bearer()), ("apns-push-type", ExamplePush.bearer()),
        ] {
            var rig = GatewayRig()
            rig.send(ExamplePush((name, value)))
            let reports = try #require(rig.gateway.log.snapshot.checks(of: 1))
            let text = String(decoding: reports.json, as: UTF8.self)
            #expect(!text.contains(base64([UInt8](repeating: 7, count: 64)).prefix(20)), "\(name)")
        }
    }

    @Test func theAnswerHasTheMembersOfTheAPI() throws {
        var rig = GatewayRig()
        rig.send(ExamplePush(("apns-priority", "7")))
        let checks = try #require(rig.gateway.log.snapshot.checks(of: 1))
        let list = try #require(try parse(String(decoding: checks.json, as: UTF8.self))["checks"] as? [[String: Any]])
        #expect(list.count == Check.allCases.count)
        let failed = try #require(list.first { $0["state"] as? String == "failed" })
        #expect(failed["check"] as? String == "priorityIsKnown" && failed["found"] as? String == "7")
        #expect(failed["expected"] as? String == "apns-priority is 10, 5 or 1, or absent.")
        #expect(failed["mark"] as? String == "documented")
        #expect((failed["source"] as? String)?.hasPrefix("https://developer.apple.com/documentation/") == true)
        #expect(list[0]["found"] as? String == "POST" && list[Int(Check.payloadIsJSON.rawValue)]["source"] is NSNull)
    }

    @Test(arguments: [
        ("abc", "abc"), ("abcd", "abcd"), ("abcde", "abc…"), ("", ""), ("👍🏽👍🏽👍🏽", "👍🏽…"),
        ("a\u{301}\u{302}\u{303}\u{304}\u{305}", "a\u{301}\u{302}…"),
    ])
    func textsAreCutBetweenCharacters(text: String, cut: String) { #expect(text.cut(to: 4) == cut) }
}
