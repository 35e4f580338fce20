import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

/// Each rule of lint, with what it finds and with what is close to that.
@Suite struct LintRuleTests {
    @Test func everyRuleHasExamples() {
        let rules = LintExample.all.map(\.rule) + ProviderExample.all.map(\.rule)
        #expect(rules.map(\.id).sorted() == LintRule.all.map(\.id).sorted())
        for example in LintExample.all { #expect(!example.bad.isEmpty && !example.good.isEmpty, "\(example.rule)") }
        for example in ProviderExample.all { #expect(!example.bad.isEmpty && !example.good.isEmpty, "\(example.rule)") }
    }

    @Test(arguments: LintExample.all) func findsWhatIsBad(example: LintExample) throws {
        for bad in example.bad {
            let text = String(decoding: bad.sample.body.prefix(200), as: UTF8.self)
            let found = bad.sample.findings.filter { $0.rule == example.rule }
            try #require(found.map(\.pointer) == [bad.pointer], "\(text): \(bad.sample.found)")
            #expect(found[0].severity == bad.severity ?? example.rule.severity, "\(text)")
            #expect(found[0].message.hasSuffix(example.rule.effect), "\(found[0].message)")
            #expect(found[0].message.utf8.count < 500)
        }
    }

    @Test(arguments: LintExample.all) func saysNothingOfWhatIsGood(example: LintExample) {
        for good in example.good {
            let text = String(decoding: good.body.prefix(200), as: UTF8.self)
            #expect(good.findings.filter { $0.rule == example.rule }.isEmpty, "\(text)")
        }
    }

    /// What the documentation calls good is good by all rules, but for notes.
    @Test(arguments: LintExample.all) func theGoodExampleHasNothingAboveANote(example: LintExample) throws {
        let found = try #require(example.good.first).findings.filter { $0.severity > .note }
        #expect(found.isEmpty, "\(found.map(\.line))")
    }

    @Test func aRuleThatIsOffFindsNothing() {
        for example in LintExample.all {
            let bad = example.bad[0]
            guard bad.sample.scenario == nil else { continue }
            var sample = bad.sample
            sample.scenario = #"{"lint": {"rules": {"\#(example.rule.id)": "off"}}}"#
            #expect(!sample.findings.contains { $0.rule == example.rule }, "\(example.rule)")
            sample.scenario = #"{"lint": {"rules": {"\#(example.rule.id)": "note"}}}"#
            #expect(sample.findings.filter { $0.rule == example.rule }.map(\.severity) == [.note], "\(example.rule)")
        }
    }

    @Test func messagesSayWhatWasFoundAndWhatHappens() throws {
        let badge = try #require(LintSample(#"{"aps": {"badge": "1"}}"#).findings.first)
        #expect(
            badge.message == #"/aps/badge is the string "1"; expected a number. It is ignored; APNs cannot count up."#)
        let typo = try #require(LintSample(#"{"aps": {"content_available": 1}}"#).findings.first)
        #expect(
            typo.message
                == #""content_available" is not a key of aps; did you mean "content-available"? It is ignored."#)
    }

    /// Notes that say what would be better in what happens: nothing is wrong with these pushes.
    private static let recommendations: Set<LintRule> = [.alertIsString, .alertWakesApp]

    @Test(arguments: LintExample.all) func messagesSayWhatWouldBeRight(example: LintExample) {
        guard !Self.recommendations.contains(example.rule) else { return }
        for finding in example.bad.flatMap(\.sample.findings) where finding.rule == example.rule {
            let found = finding.message.dropLast(example.rule.effect.count)
            let isKeyOfTheApp = example.rule == .apsUnknownKey
            #expect(
                found.contains("expected ") || found.contains("; did you mean ") || found.contains("; it belongs ")
                    || found.contains("; use ") || isKeyOfTheApp, "\(finding.message)")
        }
    }

    @Test("A date that is null is not there", arguments: ["stale-date", "dismissal-date", "timestamp"])
    func nullIsNoDate(key: String) {
        let dates = key == "timestamp" ? "" : #""timestamp": 1795255200, "#
        let body = #"{"aps": {"event": "end", "content-state": {}, \#(dates)"\#(key)": null}}"#
        let found = LintSample(body, "apns-push-type: liveactivity").found
        #expect(found == (key == "timestamp" ? ["liveactivity-timestamp /aps/timestamp"] : []))
    }

    @Test(
        "Header fields of a single push are judged as far as they are given",
        arguments: [
            (["apns-push-type: background", "apns-priority: 10"], ["background-priority "]),
            (["apns-push-type: background", "apns-priority: 5"], []), (["apns-push-type: background"], []),
            (["apns-priority: 10"], ["background-priority "]), (["apns-expiration: 3600"], ["expiration-unit "]),
            (["apns-expiration: 1795255200000"], ["expiration-unit "]), (["apns-expiration: 0"], []),
            (["apns-expiration: 1795255199"], ["expiration-past "]), (["apns-expiration: 1795255200"], []),
            (["apns-expiration: soon"], []),
        ])
    func headerFields(headers: [String], rules: [String]) {
        var sample = LintSample(#"{"aps": {"content-available": 1}}"#, clock: 1_795_255_200)
        sample.headers = headers
        #expect(sample.found == rules)
    }

    @Test func anAnswerThatIsGuessedIsOnlyProbable() {
        #expect(Check.payloadIsJSON.facts.mark == .guessed)
        for rule in [LintRule.payloadNotJSON, .payloadNotObject] {
            #expect(rule.effect.hasPrefix("APNs probably accepts it,"), "\(rule.id)")
            #expect(!rule.sources.contains(.observed), "\(rule.id)")
        }
    }

    @Test func anEmptyPayloadIsRefused() {
        let found = LintSample("").findings
        #expect(found.map(\.rule) == [.payloadNotJSON])
        let message = "The payload is empty; expected a JSON object. APNs refuses it with PayloadEmpty."
        #expect(found.map(\.message) == [message])
    }

    @Test func foundValuesAreCutAt80Bytes() throws {
        let long = String(repeating: "ü", count: 100)
        let finding = try #require(LintSample(#"{"aps": {"badge": "\#(long)"}}"#).findings.first)
        #expect(
            finding.message.contains(#"the string "\#(String(repeating: "ü", count: 40))…";"#), "\(finding.message)")
    }

    @Test("A pointer with a long key is whole beside the message, and cut in it")
    func longKeysAreCutInMessages() throws {
        let key = String(repeating: "k", count: 600)
        let body =
            #"{"aps": {"event": "update", "timestamp": 1795255200, "content-state": {"\#(key)": "2026-11-21T10:00:00Z"}}}"#
        let findings = LintSample(body, "apns-push-type: liveactivity").findings
        let finding = try #require(findings.first { $0.rule == .contentStateDate })
        #expect(finding.pointer.hasSuffix(key) && finding.message.utf8.count < 400, "\(finding.message)")
    }

    @Test(
        "Whatever a key is, a message is one line, and tells a terminal nothing",
        arguments: [
            #"{"aps": {"event": "update", "content-state": {"a\n\u001b[2J": "2026-11-21T10:00:00Z"}}}"#,
            #"{"a\n\u001b[2J": {"aps": {}}}"#, #"{"a\n\u001b[2J": {"pin": 1}}"#, #"{"a\n\u001b[2J": {"b": 1, "b": 1}}"#,
            #"{"a\n\u001b[2J": "4111111111111111"}"#, #"{"a\n\u001b[2J": "\#(String(repeating: "x", count: 3900))"}"#,
            #"{"a\n\u001b[2J": "\#(String(repeating: "x", count: 5000))"}"#,
        ])
    func keysStayOnOneLine(body: String) {
        let findings = LintSample(body, "apns-push-type: liveactivity").findings
        #expect(findings.contains { $0.message.contains(#"/a\n\u{1B}[2J"#) }, "\(findings.map(\.message))")
        for finding in findings { #expect(!finding.line.unicodeScalars.contains { $0.value < 32 }, "\(finding.line)") }
    }

    @Test func tooNewValuesAreReportedInASentence() throws {
        var sample = LintSample(#"{"aps": {"event": "start"}}"#, "apns-push-type: liveactivity")
        sample.scenario = #"{"lint": {"deploymentTarget": "iOS 16.1"}}"#
        let finding = try #require(sample.findings.first { $0.rule == .keyTooNew })
        let sentence = #"/aps/event is the string "start", which is known since iOS 17.2, and the deployment target"#
        #expect(finding.message.hasPrefix(sentence), "\(finding.message)")
    }

    @Test(
        "A note on a key that is too new names the first system with it",
        arguments: [
            (#""mutable-content": 1"#, "iOS 10"), (#""alert": {"subtitle": "A"}"#, "iOS 10"),
            (#""alert": {"subtitle-loc-key": "A"}"#, "iOS 10"), (#""alert": {"subtitle-loc-args": []}"#, "iOS 10"),
            (#""sound": {"critical": 1}"#, "iOS 12"), (#""sound": {"name": "A"}"#, "iOS 12"),
            (#""sound": {"volume": 1}"#, "iOS 12"), (#""target-content-id": "A""#, "iOS 13"),
            (#""interruption-level": "active""#, "iOS 15"), (#""relevance-score": 1"#, "iOS 15"),
            (#""filter-criteria": "A""#, "iOS 16"), (#""event": "update""#, "iOS 16.1"),
            (#""timestamp": 1795255200"#, "iOS 16.1"), (#""stale-date": 1795255200"#, "iOS 16.1"),
            (#""dismissal-date": 1795255200"#, "iOS 16.1"), (#""content-state": {}"#, "iOS 16.1"),
            (#""alert": {"sound": "A"}"#, "iOS 16.1"), (#""attributes-type": "A""#, "iOS 17.2"),
            (#""attributes": {}"#, "iOS 17.2"), (#""input-push-channel": "AAAA""#, "iOS 18"),
            (#""input-push-token": 1"#, "iOS 18"), (#""content-changed": true"#, "iOS 18"),
        ])
    func firstSystems(key: String, version: String) {
        let sample = LintSample(
            "{\"aps\": {\(key)}}", scenario: #"{"lint": {"deploymentTarget": "iOS 9"}}"#)
        let messages = sample.findings.filter { $0.rule == .keyTooNew }.map(\.message)
        #expect(messages.map { $0.contains(" is known since \(version), ") } == [true], "\(messages)")
    }

    @Test func anApsInApsIsToldOnce() {
        #expect(LintSample(#"{"aps": {"aps": {"badge": 1}}}"#).found == ["aps-nested /aps/aps"])
        #expect(LintSample(#"{"aps": {"aps": 1}}"#).found == ["aps-unknown-key /aps/aps"])
    }

    @Test func deprecatedKeysAreReportedWithTheirReplacement() throws {
        let sample = LintSample(#"{"aps": {"alert": {"title": "A", "summary-arg": "B"}}}"#)
        let finding = try #require(sample.findings.first)
        let sentence = "/aps/alert/summary-arg is deprecated; use relevance-score, which sorts the "
        #expect(finding.message.hasPrefix(sentence), "\(finding.message)")
    }

    @Test(
        "Times between are told as people say them",
        arguments: [
            (#""event": "end", "timestamp": 1795255200, "dismissal-date": 1795279600"#, "is 6.7 h after the "),
            (#""event": "end", "timestamp": 1795255200, "dismissal-date": 1e300"#, "h after the timestamp;"),
            (#""event": "update", "timestamp": 1795255100, "content-state": {}"#, "is 100 s before the clock;"),
            (#""event": "update", "timestamp": 1795075200, "content-state": {}"#, "is 50 h before the clock;"),
            (#""event": "update", "timestamp": 1795291200, "content-state": {}"#, "is 10 h ahead of the clock;"),
        ])
    func timesBetween(keys: String, told: String) {
        let findings = LintSample("{\"aps\": {\(keys)}}", "apns-push-type: liveactivity", clock: 1_795_255_200).findings
        #expect(findings.contains { $0.message.contains(told) }, "\(findings.map(\.message))")
    }

    @Test(
        "A payload whose push type nothing says is told apart",
        arguments: [
            (#"{"aps": {"event": "update"}}"#, nil, true), (#"{"notification": {"title": "A"}}"#, nil, true),
            (#"{"aps": {"event": "update"}}"#, "liveactivity", false), (#"{"aps": {"badge": 1}}"#, nil, false),
            (#"{"aps": {"content-available": 1}}"#, nil, false), ("{}", nil, false), (#"{"mdm": "A"}"#, nil, false),
            ("[]", nil, false),
            (#"{"aps": {"event": "update", "content-state": {}, "alert": {"title": "A"}}}"#, nil, true),
            (#"{"aps": {"event": "update", "content-state": {}, "content-available": 1}}"#, nil, true),
            (#"{"aps": {"event": "update", "alert": {"title": "A"}}}"#, nil, false),
        ] as [(String, String?, Bool)])
    func unknownPushTypes(body: String, type: String?, lacksType: Bool) {
        var linter = PayloadLinter()
        var push = LintedPush(body: Array(body.utf8))
        push.pushType = type
        _ = linter.findings(in: push)
        #expect(linter.lacksPushType == lacksType)
        #expect(linter.looksLikeLiveActivity == body.contains("event"))
    }

    @Test("An update of a Live Activity with an alert is not taken for an alert")
    func liveActivityWithAlert() {
        let update = #"{"aps": {"event": "update", "content-state": {}, "alert": {"title": "A"}}}"#
        #expect(!LintSample(update).findings.contains { $0.rule == .keyWrongPushType })
        let alert = LintSample(update, "apns-push-type: alert").findings.filter { $0.rule == .keyWrongPushType }
        #expect(alert.map(\.pointer) == ["/aps/event", "/aps/content-state"])
    }

    @Test func secretsAreNotRepeated() throws {
        for text in [#"{"password": "sesame"}"#, #"{"a": "4111111111111111"}"#] {
            let finding = try #require(LintSample(text).findings.first)
            #expect(!finding.message.contains("sesame") && !finding.message.contains("4111"))
        }
    }

    @Test func aLargePayloadSaysWhatIsLarge() throws {
        let text = #"{"aps":{"alert":"A"},"data":{"x":1,"story":"\#(String(repeating: "x", count: 5000))"}}"#
        let finding = try #require(LintSample(text).findings.first { $0.rule == .payloadTooLarge })
        let found = "The payload has 5047 bytes, of them 5002 in /data/story; expected at most 4096."
        #expect(finding.message.hasPrefix(found))
    }

    @Test(arguments: [
        ("iOS 16", SystemVersion(16)), ("iOS 17.2", SystemVersion(17, 2)), ("iOS", nil), ("iOS 16.1.2", nil),
        ("iOS x", nil), ("16", nil), ("iOS 16.", nil), ("macOS 13", nil), ("iOS -1", nil),
    ])
    func versions(text: String, version: SystemVersion?) { #expect(SystemVersion(text) == version) }

    @Test func onlyAnUnstatedPushTypeIsGuessed() {
        // By the topic it is a Live Activity, by its keys an alert.
        let body = #"{"aps": {"alert": {"title": "A", "body": "B"}}}"#
        #expect(LintSample(body).found == [])
        #expect(LintSample(body, "apns-topic: a.b.push-type.liveactivity").found.contains("liveactivity-event /aps"))
        #expect(LintSample(body, "apns-push-type: nonsense").found == [])
        #expect(
            LintSample(#"{"aps": {"alert": {"title": "A"}, "event": "end"}}"#).findings[0].message
                .contains("nothing says which push type this is, so by its keys it is taken for alert"))
    }
}

/// Findings of many payloads in one report.
@Suite struct LintReportTests {
    private let bad = LintSample(#"{"aps": {"badge": "1"}}"#).findings

    @Test func aFindingIsToldOnceWithItsCount() {
        var report = LintReport()
        for sequence: UInt64 in [3, 5, 9] { report.add(bad, sequence: sequence) }
        report.add(LintSample(#"{"aps": {"badge": -1}}"#).findings, sequence: 10)
        #expect(report.findings.map(\.count) == [3, 1])
        #expect(report.findings[0].firstSequence == 3 && report.findings[0].lastSequence == 9)
        #expect(report.lines[0].hasPrefix("push 3: error: /aps/badge is"))
        #expect(report.lines[0].hasSuffix("(3 times, last in push 9) [badge-type]"))
        #expect(report.summary == "2 errors")
        #expect(LintReport().summary == "no findings")
    }

    @Test func worstFindingPerRuleAndPointerIsKept() {
        var report = LintReport()
        report.add(LintSample(#"{"aps": {"alert": {"title": "A"}, "content-available": 0}}"#).findings, sequence: 1)
        report.add(LintSample(#"{"aps": {"alert": {"title": "A"}, "content-available": "1"}}"#).findings, sequence: 2)
        #expect(report.findings.map(\.severity) == [.error])
        #expect(report.findings[0].message.contains("the string"))
    }

    @Test func filesAreApart() throws {
        var report = LintReport()
        let text = Array("{\n  \"aps\": {\"badge\": \"1\"}\n}".utf8)
        for file in ["a.json", "b c.json"] {
            report.add(LintSample(String(decoding: text, as: UTF8.self)).findings, file: file, text)
        }
        #expect(report.lines.map { $0.prefix(24) } == ["a.json:2:20: error: /aps", "b c.json:2:20: error: /a"])
        let json = try JSONText.read(Array(report.json.utf8))
        #expect(json["findings"]?[1]?["file"]?.string == "b c.json" && json["findings"]?[1]?["line"]?.int64 == 2)
        #expect(json["findings"]?[0]?["source"]?.string?.contains("Generating a remote notification") == true)
        let sarif = try JSONText.read(Array(report.sarif.utf8))
        let run = try #require(sarif["runs"]?[0])
        #expect(run["tool"]?["driver"]?["rules"]?.array?.count == LintRule.all.count)
        let result = try #require(run["results"]?[1])
        #expect(result["locations"]?[0]?["physicalLocation"]?["artifactLocation"]?["uri"]?.string == "b%20c.json")
        let index = try #require(result["ruleIndex"]?.int64)
        #expect(run["tool"]?["driver"]?["rules"]?[Int(index)]?["id"]?.string == "badge-type")
    }

    @Test func theNumberOfFindingsHasABound() {
        var report = LintReport()
        for number in 0..<LintReport.limit + 5 { report.add(LintSample(#"{"k\#(number)": {"pin": 1}}"#).findings) }
        #expect(report.findings.count == LintReport.limit && report.omitted == 5)
        #expect(report.summary.hasSuffix("; 5 more were left out"))
    }

    @Test func failOnSetsTheSeverityThatFails() {
        var settings = LintSettings()
        let notes = LintSample(#"{"aps": {"alert": "A"}}"#).findings
        #expect(settings.fails(bad) && !settings.fails(notes) && !settings.fails([]))
        settings.failOn = .note
        #expect(settings.fails(notes))
        settings.failOn = nil
        #expect(!settings.fails(bad))
    }
}
