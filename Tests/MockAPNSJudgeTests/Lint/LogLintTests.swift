import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge
@testable import MockAPNSScenario

/// Lint of what providers sent, by the log.
@Suite struct LogLintTests {
    private static func push(
        _ body: String, _ fields: (String, String)..., change: (inout ExamplePush) -> Void = { _ in }
    )
        -> ExamplePush
    {
        ExamplePush { push in
            push.body = Array(body.utf8)
            push.fields = fields
            change(&push)
        }
    }

    private func found(
        _ pushes: [ExamplePush], _ query: LintQuery = LintQuery(), _ settings: LintSettings = LintSettings()
    ) -> [LintFinding] {
        var rig = GatewayRig()
        for push in pushes { rig.send(push) }
        // What a run is judged by has tests of its own.
        return rig.gateway.log.snapshot.linting(settings, apps: Apps([]), query: query, of: LintedRun(), after: 0)
            .finish().report.findings
            .filter { !$0.rule.isAboutProviders }
    }

    @Test func eachRuleAndPointerHasOneFinding() throws {
        let bad = Self.push(#"{"aps":{"badge":"1"}}"#)
        let findings = found([bad, Self.push(#"{"aps":{"badge":1}}"#), bad, Self.push(#"{"aps":{"badge":-1}}"#)])
        #expect(findings.map(\.rule) == [.badgeType, .badgeNotWhole])
        #expect(findings[0].count == 2 && findings[0].firstSequence == 1 && findings[0].lastSequence == 3)
        #expect(findings[1].count == 1 && findings[1].firstSequence == 4)
    }

    @Test func headerFieldsCount() {
        let body = #"{"aps":{"content-available":1,"sound":"default"}}"#
        #expect(found([Self.push(body)]) == [])
        #expect(found([Self.push(body, ("apns-push-type", "background"))]).map(\.rule) == [.backgroundWithAlert])
        let urgent = #"{"aps":{"alert":{"title":"A"},"interruption-level":"time-sensitive"}}"#
        #expect(found([Self.push(urgent, ("apns-priority", "5"))]).map(\.rule) == [.interruptionLevelPriority])
        #expect(found([Self.push(urgent, ("content-encoding", "br"))]).map(\.rule) == [.payloadCompressed])
        let state = #"{"aps":{"event":"update","timestamp":1795255200,"content-state":{}}}"#
        #expect(found([Self.push(state) { $0.topic = "com.example.app.push-type.liveactivity" }]) == [])
    }

    @Test func truncatedBodiesAreJudgedBySizeOnly() {
        let cut = Self.push(#"{"aps":"#) { $0.bodyLength = 9000 }
        let findings = found([cut])
        #expect(findings.map(\.rule) == [.payloadTooLarge])
        #expect(findings[0].message.hasPrefix("The payload has 9000 bytes; expected at most 4096."))
    }

    @Test func anEmptyPayloadIsRefused() {
        let findings = found([Self.push("")])
        #expect(findings.map(\.rule) == [.payloadNotJSON] && findings.map(\.sequence) == [1])
    }

    @Test func updatesAreComparedWithEarlierAcceptedOnes() {
        func update(_ timestamp: Int, _ type: String = "liveactivity") -> ExamplePush {
            Self.push(
                #"{"aps":{"event":"update","timestamp":\#(timestamp),"content-state":{}}}"#, ("apns-push-type", type)
            ) { $0.topic = "com.example.app.push-type.liveactivity" }
        }
        let now = Int(GatewayRig.now.seconds)
        #expect(found([update(now - 10), update(now - 5), update(now - 5)]) == [])
        let late = found([update(now), update(now - 5)])
        #expect(late.map(\.rule) == [.timestampPast] && late.first?.firstSequence == 2)
        #expect(found([update(now - 61)]).map(\.rule) == [.timestampPast])
        // A refused push never reached the device.
        var refused = update(now)
        refused.token = nil
        #expect(found([refused, update(now - 5)]) == [])
    }

    @Test func aQueryChooses() throws {
        let pushes = [
            Self.push(#"{"aps":{"badge":"1","sound":"Default"}}"#), Self.push(#"{"aps":{"badge":"2"}}"#),
            Self.push(#"{"aps":{"alert":"Hello"}}"#),
        ]
        func found(_ name: String, _ value: String) throws -> [String] {
            self.found(pushes, try LintQuery(parameters: [(name, value)])).map { "\($0.rule.id) \($0.count)" }
        }
        #expect(try found("rule", "badge-type") == ["badge-type 2"])
        #expect(try found("severity", "warning") == ["badge-type 2", "sound-default-case 1"])
        #expect(try found("severity", "error") == ["badge-type 2"])
        #expect(try found("sequence", "1") == ["badge-type 1", "sound-default-case 1"])
        #expect(try found("sequence", "3") == ["alert-is-string 1"])
        #expect(try found("sequence", "4") == [])
        #expect(try found("sentBy", "admin") == [])
        #expect(try found("sentBy", "any").count == 3)
    }

    private func listed(_ pushes: [ExamplePush], _ parameters: KeyValuePairs<String, String>) throws -> PushFindings {
        var rig = GatewayRig()
        for push in pushes { rig.send(push) }
        let query = try PushFindingsQuery(parameters: parameters.map { (name: $0.key, value: $0.value) })
        return rig.gateway.log.snapshot.listingLinted(LintSettings(), apps: Apps([]), query: query).finish()
    }

    @Test func thePushesWithFindingsAreListed() throws {
        let good = Self.push(#"{"aps":{"badge":1}}"#)
        let bad = Self.push(#"{"aps":{"badge":"1","sound":"Default","alert":"Hello"}}"#)
        let all = try listed([good, bad, good, bad], [:])
        #expect(
            all.json == #"""
                {"pushes":[{"sequence":2,"severity":"error","rules":["badge-type","sound-default-case","alert-is-string"]}\#
                ,{"sequence":4,"severity":"error","rules":["badge-type","sound-default-case","alert-is-string"]}\#
                ],"total":2,"dropped":0}
                """#)
        let warned = try listed([bad, bad], ["rule": "sound-default-case", "after": "1"])
        #expect(warned.pushes.map(\.sequence) == [2] && warned.pushes.first?.severity == .warning)
        #expect(try listed([bad, bad, bad], ["before": "2"]).pushes.map(\.sequence) == [1])
        #expect(try listed([bad], ["sentBy": "admin"]).json == #"{"pushes":[],"total":0,"dropped":0}"#)
    }

    @Test func theNewestPushesWithFindingsAreListed() throws {
        let bad = Self.push(#"{"aps":{"badge":"1"}}"#)
        for number in 1...9 {
            let found = try listed(Array(repeating: bad, count: number), ["limit": "2"])
            #expect(found.pushes.map(\.sequence) == Array(max(1, number - 1)...number) && found.total == number)
        }
    }

    @Test(arguments: ["connection-churn", "apns-id-missing"])
    func onlyRulesAboutSinglePushesListPushes(rule: String) {
        let message =
            "rule is \"\(rule)\", which is not about single pushes; GET /api/v1/lint?rule=\(rule) says what it finds."
        #expect(throws: QueryError(key: "rule", message: message)) {
            try PushFindingsQuery(parameters: [("rule", rule)])
        }
    }

    @Test func aRuleAboutProvidersKnowsAllPushesBefore() throws {
        let same = Self.push(#"{"aps":{"alert":"A"}}"#)
        let twice = [Self.push(#"{"aps":{"alert":"B"}}"#), same, same, same]
        #expect(
            try listed(twice, ["rule": "duplicate-push"]).json == #"""
                {"pushes":[{"sequence":3,"severity":"warning","rules":["duplicate-push"]}\#
                ,{"sequence":4,"severity":"warning","rules":["duplicate-push"]}],"total":2,"dropped":0}
                """#)
        #expect(try listed(twice, ["rule": "duplicate-push", "after": "3"]).pushes.map(\.sequence) == [4])
        #expect(try listed(twice, ["rule": "duplicate-push", "before": "4"]).pushes.map(\.sequence) == [3])
        #expect(try listed(twice, ["rule": "duplicate-push", "limit": "1"]).pushes.map(\.sequence) == [4])
        #expect(try listed(twice, ["rule": "duplicate-push", "severity": "error"]).total == 0)
        #expect(try listed(twice, ["rule": "duplicate-push", "sentBy": "admin"]).total == 0)
    }

    @Test(arguments: [
        ("limit", "0", #"limit is "0"; expected 1 to 1000."#),
        ("limit", "1001", #"limit is "1001"; expected 1 to 1000."#),
        ("after", "-1", #"after is "-1"; expected the number of a request."#),
        ("sentBy", "me", #"sentBy is "me"; expected "provider", "admin" or "any"."#),
        ("rle", "x", #"There is no parameter "rle". Did you mean "rule"?"#),
    ])
    func whatAQueryForPushesDoesNotTake(name: String, value: String, message: String) {
        #expect(throws: QueryError(key: name, message: message)) {
            try PushFindingsQuery(parameters: [(name, value)])
        }
    }

    @Test(arguments: [
        ("rule", "bagde-type", #"rule is "bagde-type"; did you mean "badge-type"?"#),
        ("rule", "x", #"rule is "x"; expected one such as "badge-type"."#),
        ("severity", "bad", #"severity is "bad"; expected "error", "warning" or "note"."#),
        ("sequence", "0", #"sequence is "0"; expected the number of a request, from 1 on."#),
        ("sequenc", "1", #"There is no parameter "sequenc". Did you mean "sequence"?"#),
    ])
    func whatAQueryDoesNotTake(name: String, value: String, message: String) {
        #expect(throws: QueryError(key: name, message: message)) { try LintQuery(parameters: [(name, value)]) }
    }

    @Test func pushesToLintAreReadFromJSON() throws {
        func read(_ text: String) throws -> (LintedPush?, [String]) {
            let (push, mistakes) = Scenario().lintedPush(from: try JSONText.read(Array(text.utf8)))
            return (push, mistakes.map(\.message))
        }
        let push = try #require(
            read(
                #"{"body":"{} ","pushType":"alert","topic":"a.b","headers":{"apns-priority":5,"apns-channel-id":"AA=="}}"#
            ).0)
        #expect(push.body == Array("{} ".utf8) && push.pushType == "alert" && push.topic == "a.b")
        #expect(push.priority == "5" && push.isBroadcast && push.recipient == "AA==")
        #expect(try read(#"{"payload":{"aps":{"badge":1}}}"#).0?.body == Array(#"{"aps":{"badge":1}}"#.utf8))
        for (text, mistake) in [
            ("{}", "has no payload"), (#"{"payload":{},"body":""}"#, "contradicts"),
            (#"{"paylod":{}}"#, "did you mean"),
            (#"{"body":7}"#, "expected"), (#"{"body":"","headers":{"a b":"c"}}"#, "not the name of a header field"),
            (#"{"body":"","headers":{"a":null}}"#, "expected a string or a number"), ("[]", "an object such as {"),
        ] {
            let (push, mistakes) = try read(text)
            #expect(push == nil && mistakes.count == 1 && mistakes[0].contains(mistake), "\(text): \(mistakes)")
        }
    }
}
