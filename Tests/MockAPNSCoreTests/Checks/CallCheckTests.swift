import Foundation
import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

/// The checks on calls about broadcast channels: each with its reason, and their order.
@Suite struct CallCheckTests {
    /// A channel without storage, one of another app, and one of production.
    private static let channels = #"""
        "channels": [{"name": "none", "topic": "com.example.app", "channelID": "AAAA", "storage": "none"},
                     {"name": "most", "topic": "com.example.app", "channelID": "BBBB"},
                     {"name": "other", "topic": "com.example.other", "channelID": "CCCC"},
                     {"name": "away", "topic": "com.example.app", "channelID": "DDDD", "environment": "production"}],
        """#
    private static let management = "/1/apps/com.example.app/channels"
    private static let good = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#

    struct Case: CustomTestStringConvertible, Sendable {
        var check: CallCheck
        var reason: String
        var push: ExamplePush
        /// A part of the explanation.
        var says: String
        var more = ""

        var testDescription: String { "\(check): \(reason)" }
    }

    private static func publish(_ id: String = "BBBB", _ change: (inout ExamplePush) -> Void = { _ in }) -> ExamplePush
    {
        var push = ExamplePush.publish(to: id)
        change(&push)
        return push
    }

    private static func publish(without name: String) -> ExamplePush {
        publish { $0.fields.removeAll { $0.0 == name } }
    }

    private static func publish(_ name: String, _ value: String, to id: String = "BBBB") -> ExamplePush {
        publish(id) { push in
            push.fields.removeAll { $0.0 == name }
            push.fields.append((name, value))
        }
    }

    private static func create(_ body: String, _ app: String = "com.example.app") -> ExamplePush {
        .call("POST", "/1/apps/\(app)/channels", body: body)
    }

    static let cases: [Case] = [
        Case(
            check: .pathIsOfACall, reason: "BadPath", push: .call("GET", "/1/apps/com.example.app/chanels"),
            says: #":path is "/1/apps/com.example.app/chanels""#),
        Case(check: .pathIsOfACall, reason: "BadPath", push: .call("GET", "/1/apps//channels"), says: "BUNDLE"),
        Case(check: .pathIsOfACall, reason: "BadPath", push: .call("GET", "/1/apps/"), says: "BUNDLE"),
        Case(check: .pathIsOfACall, reason: "BadPath", push: .call("GET", "/1/apps/a"), says: "BUNDLE"),
        Case(check: .pathIsOfACall, reason: "BadPath", push: .call("POST", "/4/broadcasts/apps/"), says: "BUNDLE"),
        Case(
            check: .pathIsOfACall, reason: "BadPath", push: .call("POST", "/4/broadcasts/appz/com.example.app"),
            says: "BUNDLE"),
        Case(check: .pathIsOfACall, reason: "BadPath", push: .call("POST", "/4/broadcasts/apps/a/b"), says: "BUNDLE"),
        Case(
            check: .methodFitsThePath, reason: "MethodNotAllowed", push: .call("PUT", management),
            says: #"takes "POST", "GET" and "DELETE"."#),
        Case(
            check: .methodFitsThePath, reason: "MethodNotAllowed",
            push: .call("POST", "/1/apps/com.example.app/all-channels"), says: #"takes "GET"."#),
        Case(
            check: .methodFitsThePath, reason: "MethodNotAllowed",
            push: .call("GET", "/4/broadcasts/apps/com.example.app"), says: #"takes "POST"."#),
        Case(
            check: .requestIDIsAUUID, reason: "BadMessageId", push: .call("GET", management, ("apns-request-id", "7")),
            says: #"apns-request-id is "7""#),
        Case(
            check: .providerMayCall, reason: "MissingProviderToken", push: publish { $0.token = nil },
            says: "There is no authorization field"),
        Case(
            check: .bundleIDHasNoSuffix, reason: "TopicDisallowed",
            push: create(good, "com.example.app.push-type.liveactivity"), says: ".push-type.liveactivity"),
        Case(
            check: .bundleIDIsTheProviders, reason: "TopicMismatch", push: create(good, "com..app"),
            says: "cannot be a bundle id"),
        Case(
            check: .bundleIDIsTheProviders, reason: "TopicMismatch", push: create(good, "com.other"),
            says: #"the provider token is for "com.example.app""#,
            more: #"""
                "authentication": {"teams": [{"teamID": "DEF123GHIJ", "topics": ["com.example.app"],
                "keys": [{"keyID": "ABC123DEFG"}]}]},
                """#),
        Case(
            check: .bundleIDIsTheProviders, reason: "TopicMismatch", push: create(good, "com.Example.app"),
            says: "capital letters", more: #""broadcast": {"rejectCapitals": true},"#),
        Case(
            check: .broadcastIsEnabled, reason: "BroadcastFeatureNotEnabled", push: create(good),
            says: "broadcast capability", more: #""broadcast": {"enabled": false},"#),
        Case(
            check: .broadcastIsEnabled, reason: "FeatureNotEnabled", push: create(good), says: "broadcast capability",
            more: #""broadcast": {"enabled": ["com.other"], "notEnabledReason": "FeatureNotEnabled"},"#),
        Case(
            check: .channelIDIsGiven, reason: "MissingChannelId", push: publish(without: "apns-channel-id"),
            says: "There is no apns-channel-id"),
        Case(check: .channelIDIsGiven, reason: "MissingChannelId", push: .call("GET", management), says: "There is no"),
        Case(check: .channelIDIsKnown, reason: "BadChannelId", push: publish("ZZZZ"), says: "no channel has ever had"),
        Case(
            check: .channelIDIsKnown, reason: "ChannelNotRegistered", push: publish("ZZZZ"),
            says: "no channel has ever had",
            more: #""broadcast": {"unknownChannel": "ChannelNotRegistered"},"#),
        Case(check: .channelIDIsKnown, reason: "BadChannelId", push: publish("BBB%42"), says: "not base64"),
        Case(
            check: .channelIDIsKnown, reason: "BadPath", push: .call("DELETE", management, channel: "ZZZZ"),
            says: "no channel has ever had"),
        Case(
            check: .channelIDIsKnown, reason: "ChannelNotRegistered",
            push: .call("DELETE", management, channel: "ZZZZ"), says: "no channel has ever had",
            more: #""broadcast": {"deleteUnknown": "ChannelNotRegistered"},"#),
        Case(
            check: .pushTypeIsGiven, reason: "MissingPushType", push: publish(without: "apns-push-type"),
            says: "There is no apns-push-type"),
        Case(
            check: .pushTypeIsLiveActivity, reason: "InvalidPushType", push: publish("apns-push-type", "alert"),
            says: #"apns-push-type is "alert""#),
        Case(
            check: .expirationIsGiven, reason: "BadExpirationDate", push: publish(without: "apns-expiration"),
            says: "There is no apns-expiration"),
        Case(
            check: .expirationIsGiven, reason: "BadExpirationDate", push: publish("apns-expiration", "1.5"),
            says: #"apns-expiration is "1.5""#),
        Case(
            check: .priorityIsKnownOrAbsent, reason: "BadPriority", push: publish("apns-priority", "7"),
            says: #"apns-priority is "7""#),
        Case(
            check: .channelIsRegistered, reason: "ChannelNotRegistered", push: publish("CCCC"),
            says: "com.example.other"),
        Case(
            check: .channelIsRegistered, reason: "ChannelNotRegistered", push: publish("DDDD"),
            says: "a channel of production; this connection is for sandbox."),
        Case(
            check: .channelIsRegistered, reason: "BadPath", push: .call("GET", management, channel: "CCCC"),
            says: "com.example.other"),
        Case(
            check: .expirationSuitsThePolicy, reason: "BadExpirationDate",
            push: publish("apns-expiration", "1795258800", to: "AAAA"), says: "stores nothing"),
        Case(
            check: .expirationSuitsThePolicy, reason: "BadExpirationDate", push: publish("AAAA"),
            says: "stores nothing",
            more: #""broadcast": {"unstoredExpiration": "nonZero"},"#),
        Case(check: .bodyIsNotEmpty, reason: "PayloadEmpty", push: publish { $0.body = [] }, says: "body is empty"),
        Case(check: .bodyIsNotEmpty, reason: "PayloadEmpty", push: create(""), says: "body is empty"),
        Case(
            check: .bodyIsNotTooLarge, reason: "PayloadTooLarge",
            push: publish { $0.body = Array(repeating: 0x20, count: 5121) }, says: "5121 bytes"),
        Case(
            check: .bodyIsJSON, reason: "BadRequestPayload", push: publish { $0.body = Array("{".utf8) },
            says: "not JSON"),
        Case(check: .bodyIsJSON, reason: "BadRequestPayload", push: create("[]"), says: "a JSON object"),
        Case(
            check: .parametersAreKnown, reason: "BadRequestParams",
            push: create(#"{"messageStoragePolicy":"short_term"}"#), says: "messageStoragePolicy"),
        Case(
            check: .parametersAreKnown, reason: "BadRequestParams", push: create(#"{"push-type":"LiveActivity"}"#),
            says: #"no "message-storage-policy""#),
        Case(
            check: .parametersAreKnown, reason: "BadRequestParams",
            push: create(#"{"message-storage-policy":2,"push-type":"LiveActivity"}"#), says: "is 2"),
        Case(
            check: .parametersHaveAPushType, reason: "MissingPushType",
            push: create(#"{"message-storage-policy":0}"#), says: #"no "push-type""#),
        Case(
            check: .parametersAreForLiveActivities, reason: "InvalidPushType",
            push: create(#"{"message-storage-policy":0,"push-type":"alert"}"#), says: #""push-type" is "alert""#),
        Case(
            check: .limitIsNotReached, reason: "CannotCreateChannelConfig", push: create(good), says: "at most 2",
            more: #""broadcast": {"limit": 2},"#),
    ]

    @Test(arguments: cases) func everyCheckHasItsReason(wrong: Case) throws {
        let more = Self.channels.replacing(
            #"{"name": "away""#,
            with: wrong.check == .limitIsNotReached
                ? #"{"name": "third", "topic": "com.example.app", "channelID": "EEEE", "environment": "production"},{"name": "away""#
                : #"{"name": "away""#)
        var rig = ScriptRig("", more: more + wrong.more)
        let seen = rig.send(wrong.push)
        #expect(seen.what == wrong.reason)
        #expect(seen.explanation.contains(wrong.says), "\(seen.explanation)")
        let reports = try #require(rig.gateway.log.snapshot.checks(of: 1))
        #expect(reports.first { $0.state == .failed }?.name == wrong.check.name)
        #expect(wrong.check.facts.reasons.map(\.name).contains(wrong.reason))
        // A recorded log does not say which check failed, but not another either.
        let recorded = try RecordedLog.read(Array((seen.line + "\n").utf8), rig.gateway.scenario)
        let again = try #require(recorded.input.log.checks(of: 1))
        #expect(again.map(\.name) == reports.map(\.name))
        let suspects = reports.indices.filter { reports[$0].facts.reasons.map(\.name).contains(wrong.reason) }
        let (first, last) = (try #require(suspects.first), try #require(suspects.last))
        let expected = reports.indices.map { index -> CheckReport.State in
            index < first ? .passed : index > last ? .notReached : suspects.count == 1 ? .failed : .skipped
        }
        #expect(again.map(\.state) == expected)
    }

    @Test(arguments: [("", nil), ("1", "1"), ("12", "12")] as [(String, String?)])
    func theReportHasTheBodyThatWasSent(body: String, found: String?) throws {
        var rig = ScriptRig("", more: Self.channels)
        rig.send(Self.create(body))
        let reports = try #require(rig.gateway.log.snapshot.checks(of: 1))
        #expect(reports.first { $0.name == "bodyIsJSON" }?.found == found)
        #expect(reports.first { $0.name == "bodyIsNotEmpty" }?.found == "\(body.utf8.count) bytes")
    }

    @Test func everyCheckIsTried() { #expect(Set(Self.cases.map(\.check)) == Set(CallCheck.allCases)) }

    /// Everything is wrong with a push that is published; what the reason names is mended, one by one.
    @Test func theFirstCheckThatFailsDecides() {
        var rig = ScriptRig("", more: Self.channels)
        var push = ExamplePush.call("GET", "/4/broadcasts/apps/com.example.app.voip/", ("apns-request-id", "x"))
        push.token = nil
        push.fields += [("apns-priority", "7")]
        var reasons: [String] = []
        let mending: [(inout ExamplePush) -> Void] = [
            { $0.path = "/4/broadcasts/apps/com.example.app.voip" }, { $0.method = "POST" },
            { $0.fields.removeFirst() }, { $0.token = ExamplePush.bearer() },
            { $0.path = "/4/broadcasts/apps/com.example.app" }, { $0.fields.append(("apns-channel-id", "ZZZZ")) },
            { $0.fields[1].1 = "CCCC" }, { $0.fields.append(("apns-push-type", "alert")) },
            { $0.fields[2].1 = "LiveActivity" }, { $0.fields.append(("apns-expiration", "7")) },
            { $0.fields[0].1 = "5" }, { $0.fields[1].1 = "AAAA" }, { $0.fields[3].1 = "0" },
            { $0.body = Array(repeating: 0x7B, count: 5121) }, { $0.body.removeLast() },
            { $0.body = Array("{}".utf8) },
        ]
        for mend in mending {
            reasons.append(rig.send(push).what)
            mend(&push)
        }
        reasons.append(rig.send(push).what)
        #expect(
            reasons == [
                "BadPath", "MethodNotAllowed", "BadMessageId", "MissingProviderToken", "TopicDisallowed",
                "MissingChannelId", "BadChannelId", "MissingPushType", "InvalidPushType", "BadExpirationDate",
                "BadPriority", "ChannelNotRegistered", "BadExpirationDate", "PayloadEmpty", "PayloadTooLarge",
                "BadRequestPayload", "200",
            ])
    }

    @Test func bothSidesOfEachBorder() {
        var rig = ScriptRig("", more: Self.channels)
        var largest = ExamplePush.publish(to: "BBBB")
        largest.body = Array(#""\#(String(repeating: "a", count: 5118))""#.utf8)
        let good = [
            largest, Self.publish("apns-push-type", "Liveactivity"), Self.publish(without: "apns-priority"),
            Self.publish("apns-priority", "1"), Self.publish("apns-expiration", "1795258800"), Self.publish("AAAA"),
            Self.create(#"{"push-type":"liveactivity","message-storage-policy":0}"#),
        ]
        for push in good { #expect((200...201).contains(rig.send(push).status ?? 0)) }
    }

    @Test func theFirstOfARepeatedFieldCounts() throws {
        var rig = BroadcastRig(Self.channels)
        let ids = ["a1B2c3d4-0000-1111-2222-333344445555", "b1B2c3d4-0000-1111-2222-333344445555"]
        let seen = rig.publish("BBBB") { push in
            push.fields += [("apns-channel-id", "ZZZZ"), ("apns-request-id", ids[0]), ("apns-request-id", ids[1])]
        }
        #expect(seen.what == "200" && seen.decision.answer?.apnsID.text == ids[0])
        #expect(try seen.member("channel")?.string == "BBBB")
    }

    @Test func idIsBase64PaddedOnlyAtEnd() {
        let ids = [
            ("AZaz", true), ("09+/", true), ("AAA=", true), ("AA==", true), ("AAAAAAA=", true), ("", false),
            ("AAA", false), ("AAAAA", false), ("A===", false), ("AA=A", false), ("=AAA", false), ("AA==AAAA", false),
            ("A-AA", false), ("AA%A", false), ("AAA-", false),
        ]
        for (id, isBase64) in ids { #expect(ChannelID.isBase64(Array(id.utf8).span) == isBase64, "\(id)") }
        #expect(ChannelID(String(repeating: "A", count: 22) + "==").hasUsualForm)
        for id in [String(repeating: "A", count: 20), String(repeating: "A", count: 28), "not base64, 24 characters"] {
            #expect(!ChannelID(id).hasUsualForm, "\(id)")
        }
        #expect(!ChannelID(String(repeating: "-", count: 24)).hasUsualForm)
    }

    @Test func anEncodedIDIsRepaired() {
        for (text, meant) in [
            ("AAAA", "AAAA"), ("A-_A", "A+/A"), ("AA%2BA", "AA+A"), ("A%2FA%3D", "A/A="), ("%41%41AA", "AAAA"),
            ("A%3", "A%3="), ("AA%3D%3D", "AA=="), ("AAA%", "AAA%"), ("A%ZZA", "A%ZZA==="), ("A%1GA", "A%1GA==="),
            ("AA", "AA=="), ("AAAAA", "AAAAA==="), ("", ""),
        ] {
            #expect(ChannelID.repaired(Array(text.utf8).span).description == meant, "\(text)")
        }
    }

    @Test func aMisencodedIDNamesTheRightOne() throws {
        var rig = BroadcastRig()
        var id = ""
        repeat { id = try rig.channel() } while !id.contains("+") && !id.contains("/")
        for wrong in [
            String(id.dropLast(2)), id.replacing("+", with: "-").replacing("/", with: "_"),
            id.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D"),
        ] {
            let seen = rig.publish(wrong)
            #expect(seen.what == "BadChannelId" && seen.explanation.hasSuffix(#"Send it as it was given: "\#(id)"."#))
        }
        // This was never given out.
        #expect(rig.publish("AA-A").explanation.hasSuffix("with padding."))
    }

    // MARK: Who may call

    /// Whether the management of channels refuses capitals; the bundle id, and whether it is refused.
    @Test(arguments: [
        (true, "Com.example.app", true), (true, "com.example.apP", true), (true, "com.Aexample.app", true),
        (true, "com.Zexample.app", true), (true, "com.example-2.app", false), (false, "Com.example.apP", false),
    ])
    func capitalsAreRefusedOnlyIfAsked(_ rejects: Bool, _ app: String, _ isRefused: Bool) {
        var rig = ScriptRig("", more: #""broadcast": {"rejectCapitals": \#(rejects)},"#)
        #expect(rig.send(Self.create(Self.good, app)).what == (isRefused ? "TopicMismatch" : "201"))
    }

    @Test func onlyTheManagementOfChannelsRefusesCapitals() {
        var rig = ScriptRig(
            "",
            more: #"""
                "broadcast": {"rejectCapitals": true},
                "channels": [{"name": "final", "topic": "com.Example.app", "channelID": "AAAA"}],
                """#)
        var push = Self.publish("AAAA")
        push.path = "/4/broadcasts/apps/com.Example.app"
        #expect(rig.send(push).what == "200")
    }

    @Test(arguments: [("com.example.app", "201"), ("com.example.other", "TopicMismatch")])
    func aTeamCallsForItsOwnAppsOnly(_ app: String, _ what: String) {
        var rig = ScriptRig(
            "",
            more: #"""
                "authentication": {"teams": [{"teamID": "DEF123GHIJ", "topics": ["com.example.app"],
                "keys": [{"keyID": "ABC123DEFG"}]}]},
                """#)
        #expect(rig.send(Self.create(Self.good, app)).what == what)
    }

    @Test func aCertificateCallsForItsOwnAppsOnly() {
        var rig = ScriptRig("")
        var facts = ConnectionFacts.example
        facts.clientCertificate = .init(subject: "CN = Apple Push Services", serial: "1F", topics: ["com.example.app"])
        let connection = rig.gateway.openConnection(facts, at: GatewayRig.now)
        func create(_ app: String) -> ExamplePush {
            var push = Self.create(Self.good, app)
            push.token = nil
            return push
        }
        #expect(rig.send(create("com.example.app"), on: connection).what == "201")
        let seen = rig.send(create("com.example.other"), on: connection)
        #expect(seen.what == "TopicMismatch")
        #expect(seen.explanation.hasSuffix(#"the client certificate is for "com.example.app"."#))
    }

    @Test func onlyListedAppsHaveTheBroadcastCapability() {
        var rig = ScriptRig("", more: #""broadcast": {"enabled": ["com.example.other", "com.example.app"]},"#)
        #expect(rig.send(Self.create(Self.good)).what == "201")
        #expect(rig.send(Self.create(Self.good, "com.example.third")).what == "BroadcastFeatureNotEnabled")
        // It is turned on and off for one app alone.
        rig.gateway.turnBroadcast(false, for: "com.example.other", at: GatewayRig.now)
        rig.gateway.turnBroadcast(true, for: "com.example.third", at: GatewayRig.now)
        for (app, isOn) in [("app", true), ("other", false), ("third", true), ("fourth", false)] {
            let what = rig.send(Self.create(Self.good, "com.example.\(app)")).what
            #expect(what == (isOn ? "201" : "BroadcastFeatureNotEnabled"), "\(app)")
        }
    }

    @Test func sandboxChannelsAreNotRegisteredInProduction() {
        var rig = ScriptRig(
            "",
            more: #"""
                "environment": "production",
                "channels": [{"name": "final", "topic": "com.example.app", "channelID": "AAAA",
                              "environment": "sandbox"}],
                """#)
        let seen = rig.send(Self.publish("AAAA"))
        #expect(seen.what == "ChannelNotRegistered")
        #expect(seen.explanation.hasSuffix("a channel of sandbox; this connection is for production."))
    }

    @Test func channelsBeyondTheServersLimitAreRefused() throws {
        var rig = BroadcastRig()
        rig.rig.gateway.state.channels = ChannelRegistry(limit: 2)
        let first = try rig.channel()
        #expect(rig.create().status == 201)
        #expect(rig.rig.gateway.channels.refused == 0)
        let refused = rig.create()
        #expect(refused.what == "CannotCreateChannelConfig" && rig.rig.gateway.channels.count == 2)
        #expect(refused.explanation.hasPrefix("There are 2 channels of all apps; the server keeps no more."))
        #expect(rig.delete(first).status == 204 && rig.create().status == 201)
    }

    @Test func noRuleCreatesChannelsBeyondThatLimit() throws {
        var rig = BroadcastRig(
            rules: #"{"when": {"on": "channels"}, "then": {"reject": "InternalServerError", "deliver": true}}"#)
        rig.rig.gateway.state.channels = ChannelRegistry(limit: 1)
        for created in [1, 0] {
            #expect(rig.create().what == "InternalServerError")
            let events = rig.rig.gateway.takeEffects().compactMap(\.event)
            let count = events.count { if case .channel = $0 { true } else { false } }
            #expect(count == created && rig.rig.gateway.channels.count == 1)
        }
    }

    // MARK: What is reported

    @Test(arguments: [("GET", "/1/apps/com.example.app/chanels"), ("PUT", "/1/apps/com.example.app/channels")])
    func nonCallsGetOnlyTheCommonChecks(_ method: String, _ path: String) throws {
        var rig = ScriptRig("")
        rig.send(.call(method, path))
        let reports = try #require(rig.gateway.log.snapshot.checks(of: 1))
        #expect(
            reports.map(\.name) == [
                "pathIsOfACall", "methodFitsThePath", "requestIDIsAUUID", "providerMayCall", "bundleIDHasNoSuffix",
                "bundleIDIsTheProviders", "broadcastIsEnabled",
            ])
    }

    /// What a rule does, to which channel a push is published, and the states of the checks until the one whether the
    /// channel is known, and after it.
    @Test(
        arguments: [
            (#""pass": true"#, "BBBB", .passed, .passed, .passed),
            (#""pass": true"#, "ZZZZ", .passed, .failed, .notReached),
            (#""reject": "TooManyRequests""#, "BBBB", .skipped, .skipped, .skipped),
            (#""reject": "TooManyRequests""#, "ZZZZ", .skipped, .skipped, .skipped),
            (#""reject": "TooManyRequests", "deliver": true"#, "BBBB", .passed, .passed, .passed),
            (#""reject": "TooManyRequests", "deliver": true"#, "ZZZZ", .passed, .failed, .notReached),
        ] as [(String, String, CheckReport.State, CheckReport.State, CheckReport.State)])
    func rejectingRulesSkipChecksUnlessTheyDeliver(
        _ step: String, _ id: String, _ before: CheckReport.State, _ known: CheckReport.State,
        _ after: CheckReport.State
    ) throws {
        var rig = ScriptRig(#"{"when": {"on": "broadcast"}, "then": {\#(step)}}"#, more: Self.channels)
        rig.send(Self.publish(id))
        let reports = try #require(rig.gateway.log.snapshot.checks(of: 1))
        let index = try #require(reports.firstIndex { $0.name == "channelIDIsKnown" })
        #expect(reports[..<index].allSatisfy { $0.state == before } && reports[index].state == known)
        #expect(reports[(index + 1)...].allSatisfy { $0.state == after })
    }
}
