import Testing

@testable import MockAPNSCore

/// Lint of what providers sent, by the log.
@Suite struct LintedLogTests {
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
        return rig.gateway.log.snapshot.linting(settings, apps: Apps([]), query: query).finish().report.findings
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

    @Test func onlyTheSizeOfACutBodyIsJudged() {
        let cut = Self.push(#"{"aps":"#) { $0.bodyLength = 9000 }
        let findings = found([cut])
        #expect(findings.map(\.rule) == [.payloadTooLarge])
        #expect(findings[0].message.hasPrefix("The payload has 9000 bytes; it may have 4096."))
    }

    @Test func anUpdateIsComparedWithTheAcceptedOnesBeforeIt() {
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
            self.found(pushes, try LintQuery(parameters: [(name, value)])).map { "\($0.rule.rawValue) \($0.count)" }
        }
        #expect(try found("rule", "badge-type") == ["badge-type 2"])
        #expect(try found("severity", "warning") == ["badge-type 2", "sound-default-case 1"])
        #expect(try found("severity", "error") == ["badge-type 2"])
        #expect(try found("sequence", "1") == ["badge-type 1", "sound-default-case 1"])
        #expect(try found("sequence", "3") == ["alert-is-string 1"])
        #expect(try found("sequence", "4") == [])
    }

    @Test(arguments: [
        ("rule", "bagde-type", #"rule is "bagde-type"; did you mean "badge-type"?"#),
        ("rule", "x", #"rule is "x"; it takes one such as "badge-type"."#),
        ("severity", "bad", #"severity is "bad"; it takes "error", "warning" or "note"."#),
        ("sequence", "0", #"sequence is "0"; it takes the number of a request, from 1 on."#),
        ("sequenc", "1", #"There is no parameter "sequenc". Did you mean "sequence"?"#),
    ])
    func whatAQueryDoesNotTake(name: String, value: String, message: String) {
        #expect(throws: QueryError(key: name, message: message)) { try LintQuery(parameters: [(name, value)]) }
    }

    @Test func aPushToBeJudgedIsReadFromJSON() throws {
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
            (#"{"body":"","headers":{"a":null}}"#, "expected a string or a number"), ("[]", "which is an object"),
        ] {
            let (push, mistakes) = try read(text)
            #expect(push == nil && mistakes.count == 1 && mistakes[0].contains(mistake), "\(text): \(mistakes)")
        }
    }
}
