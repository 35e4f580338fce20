import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge
@testable import MockAPNSScenario

@Suite struct RequestMatchTests {
    /// 1: a good push to alice; 2: one to bob that a rule refuses; 3: one to alice that was ignored.
    private static func log() throws -> (Scenario, RequestSnapshot) {
        var rig = try DeliveryRig(
            #"{"name": "alice", "token": "TOKEN"}, {"name": "bob", "token": "\#(bob)"}"#,
            #""rules": [{"name": "busy", "when": {"device": "bob"}, "then": {"reject": "TooManyRequests"}}],"#)
        rig.send(("apns-id", "EABE9F27-06B2-4FCC-8E9B-3FA3D5B6A6B1"), ("x-trace", "a"), ("x-trace", "b"))
        rig.send(("apns-priority", "5"), body: #"{"aps": {"badge": 3, "sound": "pop"}, "list": [1.5, null]}"#, to: bob)
        _ = rig.gateway.goAway(GoAwayPlan([.init(lastStream: .zero)], then: .stayOpen))
        rig.send()
        return (rig.gateway.scenario, rig.gateway.log.snapshot)
    }

    @Test func devicesMissingFromTheScenarioMatchNone() {
        let match = RequestMatch(MatchExpression([.device([0])]), in: [])
        #expect(match.onlyDevices == [])
    }

    private static let bob = String(repeating: "b0", count: 32)

    @Test(
        arguments: [
            ("{}", [1, 2, 3]), (#"{"device": "alice"}"#, [1, 3]),
            (#"{"device": {"oneOf": ["alice", "bob"]}}"#, [1, 2, 3]),
            (#"{"device": {"not": "alice"}}"#, [2]), (#"{"device": {"prefix": "al"}, "status": 200}"#, [1]),
            (#"{"status": {"atLeast": 400}}"#, [2]), (#"{"status": null}"#, [3]),
            (#"{"reason": "TooManyRequests"}"#, [2]),
            (#"{"reason": {"matches": "Too.*"}}"#, [2]), (#"{"outcome": "ignored"}"#, [3]),
            (#"{"outcome": {"not": "ignored"}, "delivery": {"exists": false}}"#, [2]),
            (#"{"decidedBy": "rule:busy"}"#, [2]), (#"{"decidedBy": {"prefix": "rule:"}}"#, [2]),
            (#"{"decidedBy": {"matches": "c.*"}}"#, [1, 3]), (#"{"delivery": "Delivered to Device"}"#, [1]),
            (#"{"header": {"X-Trace": "b"}}"#, [1]), (#"{"header": {"x-trace": {"exists": false}}}"#, [2, 3]),
            (#"{"header": {"x-trace": "c"}}"#, []), (#"{"header": {"apns-priority": {"matches": "[0-5]"}}}"#, [2]),
            (#"{"payload": {"/aps/badge": 3}}"#, [2]), (#"{"payload": {"/aps/badge": {"atMost": 3.5}}}"#, [2]),
            (#"{"payload": {"/list/0": 1.5, "/list/1": null}}"#, [2]),
            (#"{"payload": {"/aps": {"exists": true}}}"#, [1, 2, 3]),
            (#"{"payload": {"/aps/alert": {"contains": "ell"}}}"#, [1, 3]),
            (#"{"apnsID": "eabe9f27-06b2-4fcc-8e9b-3fa3d5b6a6b1"}"#, [1]), (#"{"body": {"matches": ".*pop.*"}}"#, [2]),
            (#"{"token": "00FC13ADFF785122B4AD28809A3420982341241421348097878E577C991DE8F0"}"#, [1, 3]),
            (#"{"keyID": {"oneOf": ["x", "ABC123DEFG"]}, "priority": 5}"#, [2]),
        ] as [(String, [Int])])
    func holdsForTheRightRecords(match: String, expected: [Int]) throws {
        let (scenario, log) = try Self.log()
        let (expression, mistakes) = scenario.match(from: try JSONText.read(Array(match.utf8)))
        try #require(mistakes.isEmpty, "\(mistakes)")
        let asked = RequestMatch(try #require(expression), in: scenario)
        #expect(log.sequences(asked) == expected)
        #expect(log.count(asked) == expected.count)
        let page = log.find(RequestQuery(match: asked, limit: 1, order: .descending))
        #expect(page.total == expected.count && page.count == min(1, expected.count))
        // What holds for a record differs in nothing, and what does not hold differs in something.
        let test = RequestTest(asked)
        log.forEach { subject in
            #expect(test.failing(&subject).isEmpty == expected.contains(subject.sequence))
        }
    }
}
