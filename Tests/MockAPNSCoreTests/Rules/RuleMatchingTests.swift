import GatewayRigs
import Testing

@testable import MockAPNSCore

@Suite struct RuleMatchingTests {
    /// A push with every field.
    static let full: ExamplePush = {
        var push = ExamplePush(
            ("apns-push-type", "alert"), ("apns-priority", "10"), ("apns-collapse-id", "score"),
            ("apns-expiration", "1795260000"), ("apns-id", "EC1BF194-B3B2-424A-89A9-5A918A6E6B5E"),
            ("user-agent", "test/1.0"), ("x-shard", "a"), ("x-shard", "b"))
        push.body = Array(
            #"{"aps":{"alert":{"title":"2-1"},"badge":3,"sound":null,"content-available":true},"n":1.5}"#.utf8)
        return push
    }()

    static let holding = [
        #"{}"#, #"{"device": "alice"}"#, #"{"device": {"prefix": "al"}}"#, #"{"device": {"not": {"prefix": "b"}}}"#,
        #"{"token": "00FC13ADFF785122B4AD28809A3420982341241421348097878E577C991DE8F0"}"#,
        #"{"token": {"prefix": "00fc"}}"#,
        #"{"token": {"matches": "[0-9a-f]{64}"}}"#, #"{"topic": "com.example.app"}"#,
        #"{"topic": {"oneOf": ["com.example.other", "com.example.app"]}}"#, #"{"topic": {"contains": "example"}}"#,
        #"{"topic": {"matches": "com\\..*"}}"#, #"{"topic": {"not": "com.example.other"}}"#,
        #"{"topic": {"exists": true}}"#,
        #"{"pushType": "alert"}"#, #"{"pushType": {"oneOf": ["alert", "voip"]}}"#, #"{"priority": 10}"#,
        #"{"priority": {"atLeast": 5}}"#, #"{"priority": {"not": 5}}"#, #"{"collapseID": "score"}"#,
        #"{"collapseID": {"exists": true}}"#, #"{"apnsID": "ec1bf194-b3b2-424a-89a9-5a918a6e6b5e"}"#,
        #"{"apnsID": {"prefix": "EC1B"}}"#, #"{"expiration": 1795260000}"#, #"{"expiration": {"atMost": 1795260000}}"#,
        #"{"keyID": "ABC123DEFG"}"#, #"{"teamID": {"prefix": "DEF"}}"#,
        #"{"header": {"user-agent": {"prefix": "test/"}}}"#,
        #"{"header": {"x-shard": "a"}}"#, #"{"header": {"x-shard": "b", "user-agent": "test/1.0"}}"#,
        #"{"header": {"x-none": {"exists": false}}}"#, #"{"header": {"x-none": null}}"#,
        #"{"payload": {"/aps/alert/title": "2-1"}}"#, #"{"payload": {"/aps/badge": 3}}"#,
        #"{"payload": {"/aps/badge": {"atLeast": 2.5, "atMost": 3.5}}}"#, #"{"payload": {"/n": 1.5}}"#,
        #"{"payload": {"/n": {"atLeast": 1, "atMost": 2}}}"#, #"{"payload": {"/aps/sound": null}}"#,
        #"{"payload": {"/aps/content-available": true}}"#, #"{"payload": {"/aps": {"exists": true}}}"#,
        #"{"payload": {"/aps/none": {"exists": false}}}"#,
        #"{"payload": {"/aps/alert/title": {"matches": "\\d-\\d"}}}"#,
        #"{"body": {"contains": "content-available"}}"#, #"{"body": {"prefix": "{\"aps\""}}"#,
        #"{"payloadBytes": {"atLeast": 80, "atMost": 100}}"#, #"{"connection": 1}"#, #"{"requestOnConnection": 1}"#,
        #"{"providerToken": 1}"#, #"{"inFlight": {"atLeast": 2}}"#, #"{"serverName": "api.push.apple.com"}"#,
        #"{"serverName": {"matches": ".*apple\\.com"}}"#,
        #"{"device": "alice", "pushType": "alert", "header": {"x-shard": "b"}, "payload": {"/aps/badge": 3}}"#,
    ]

    @Test("Conditions that hold", arguments: holding)
    func holds(_ when: String) {
        var rig = ScriptRig(
            #"{"name": "r", "when": \#(when), "then": {"reject": "TooManyRequests"}}"#, serverName: "api.push.apple.com"
        )
        let seen = rig.send(Self.full, inFlight: 2)
        #expect(seen.reason == "TooManyRequests")
        #expect(seen.has(#""decidedBy":"rule:r""#), "\(seen.line)")
    }

    static let failing = [
        #"{"device": null}"#, #"{"token": {"prefix": "01"}}"#, #"{"topic": "com.example"}"#,
        #"{"topic": {"matches": "example"}}"#, #"{"topic": {"exists": false}}"#, #"{"pushType": "voip"}"#,
        #"{"pushType": null}"#, #"{"priority": 5}"#, #"{"priority": {"atMost": 9}}"#, #"{"collapseID": "Score"}"#,
        #"{"apnsID": {"not": {"prefix": "ec"}}}"#, #"{"expiration": {"atLeast": 1795260001}}"#,
        #"{"keyID": "ABC123DEFH"}"#,
        #"{"teamID": null}"#, #"{"header": {"user-agent": "test"}}"#, #"{"header": {"x-shard": "c"}}"#,
        #"{"header": {"x-none": {"prefix": ""}}}"#, #"{"header": {"x-shard": null}}"#,
        #"{"payload": {"/aps/badge": "3"}}"#,
        #"{"payload": {"/aps/alert": "2-1"}}"#, #"{"payload": {"/aps/sound": {"exists": false}}}"#,
        #"{"payload": {"/aps/sound/x": null}}"#, #"{"payload": {"/aps/content-available": false}}"#,
        #"{"payload": {"/n": {"atLeast": 2}}}"#, #"{"body": "x"}"#, #"{"payloadBytes": 0}"#, #"{"connection": 2}"#,
        #"{"requestOnConnection": {"atLeast": 2}}"#, #"{"providerToken": 2}"#, #"{"inFlight": 1}"#,
        #"{"serverName": null}"#, #"{"device": "alice", "pushType": "voip"}"#,
        #"{"topic": "com.example.app", "payload": {"/aps/badge": 4}}"#,
    ]

    @Test("Conditions that fail", arguments: failing)
    func fails(_ when: String) {
        var rig = ScriptRig(
            #"{"when": \#(when), "then": {"reject": "TooManyRequests"}}"#, serverName: "api.push.apple.com")
        #expect(rig.send(Self.full, inFlight: 2).status == 200)
    }

    @Test("What is not JSON has no values; an absent value fulfils a not")
    func noJSON() {
        var rig = ScriptRig(
            #"""
            {"when": {"payload": {"/aps": {"exists": true}}}, "then": {"reject": "TooManyRequests"}},
            {"when": {"payload": {"/aps": {"not": "x"}}}, "then": {"reject": "ServiceUnavailable"}}
            """#)
        #expect(rig.send(ExamplePush { $0.body = Array("{".utf8) }).reason == "ServiceUnavailable")
        #expect(rig.send().reason == "TooManyRequests")
        // Not all of it is stored.
        #expect(rig.send(ExamplePush { $0.bodyLength = 6000 }).reason == "ServiceUnavailable")
    }

    @Test("The first rule that matches decides, however rules are found")
    func order() {
        let whens = [
            #"{"pushType": "alert"}"#, #"{"header": {"x-shard": "a"}}"#,
            #"{"header": {"user-agent": {"prefix": "t"}}}"#,
            #"{"topic": "com.example.app"}"#, #"{"device": "alice"}"#, #"{"priority": 10}"#,
            #"{"token": "\#(GatewayRig.deviceToken)"}"#,
        ]
        for first in whens.indices {
            for second in whens.indices where first != second {
                var rig = ScriptRig(
                    #"""
                    {"name": "one", "when": \#(whens[first]), "then": [{"reject": "TooManyRequests"}]},
                    {"name": "two", "when": \#(whens[second]), "then": [{"reject": "ServiceUnavailable"}]}
                    """#)
                #expect(
                    rig.outcomes(3, Self.full) == ["TooManyRequests", "ServiceUnavailable", "200"],
                    "\(whens[first]) \(whens[second])")
            }
        }
    }

    @Test("A name that comes to stand for another token is followed")
    func renamed() {
        var rig = ScriptRig(#"{"when": {"device": "alice"}, "then": {"reject": "TooManyRequests"}}"#)
        #expect(rig.send().reason == "TooManyRequests")
        rig.gateway.state.devices.remove(rig.gateway.devices.find(name: "alice")!)
        #expect(rig.send().status == 200)
        var device = DeclaredDevice(token: DeviceToken(hex: String(repeating: "ab", count: 32))!)
        device.name = "alice"
        #expect(rig.gateway.state.devices.declare(device, at: GatewayRig.now, in: .sandbox) != nil)
        let path = "/3/device/" + String(repeating: "ab", count: 32)
        #expect(rig.send(ExamplePush { $0.path = path }).reason == "TooManyRequests")
        #expect(rig.send().status == 200)
    }

    @Test("The topic of a certificate is one to rules as well")
    func certificate() {
        var rig = ScriptRig(
            #"{"name": "r", "when": {"topic": "com.example.app"}, "then": {"reject": "TooManyRequests"}}"#)
        var facts = ConnectionFacts.example
        facts.clientCertificate = .init(
            subject: "CN=x", serial: "01", commonName: "Apple Push Services: com.example.app",
            userID: "com.example.app",
            .init(topics: [], voIPBundle: nil, isDevelopment: true, isProduction: true))
        let other = rig.gateway.openConnection(facts, at: GatewayRig.now)
        let seen = rig.send(
            ExamplePush {
                $0.topic = nil
                $0.token = nil
            }, on: other)
        #expect(seen.reason == "TooManyRequests")
        #expect(seen.has(#""topic":"com.example.app""#) && seen.has(#""decidedBy":"rule:r""#))
    }

    @Test("Rules are not tried on what was not read whole")
    func faults() {
        var rig = ScriptRig(#"{"then": [{"reject": "TooManyRequests"}]}"#)
        let faults: [RequestFacts.Fault] = [
            .headerListTooLarge, .refused, .malformed("x"), .cancelled, .broken("x"),
        ]
        for fault in faults {
            #expect(rig.send(ExamplePush { $0.fault = fault }).record.decidedBy == .connection)
        }
        #expect(rig.send().reason == "TooManyRequests")
    }
}
