import GatewayRigs
import Testing

@testable import MockAPNSCore

@Suite struct ConnectionLimitsTests {
    private static let bad = ExamplePush { $0.body = [] }
    private static let badDevice = ExamplePush { $0.path = "/3/device/zz" }
    private static let stale = ExamplePush { $0.token = ExamplePush.bearer(issuedAt: "1") }

    private static func rejecting(_ reason: Reason) -> ExamplePush {
        switch reason {
        case .payloadEmpty: bad
        case .badDeviceToken: badDevice
        case .expiredProviderToken: stale
        case .methodNotAllowed: ExamplePush { $0.method = "GET" }
        default: ExamplePush { $0.token = nil }
        }
    }

    // MARK: afterRejection

    @Test("The limit falls with a rejection and rises with the next push that is accepted")
    func afterRejection() {
        var rig = GatewayRig { $0.connection.afterRejection = 1 }
        #expect(rig.send().streamLimit == 1000)
        for _ in 0..<2 {
            #expect(rig.send(Self.bad).streamLimit == 1)
            #expect(rig.send(Self.bad).streamLimit == nil)
            #expect(rig.send().streamLimit == 1000)
            #expect(rig.send().streamLimit == nil)
        }
    }

    @Test("Every 4xx is a rejection but 410; a success is 200 and nothing else")
    func whatIsARejection() {
        for reason in [
            Reason.payloadEmpty, .badDeviceToken, .expiredProviderToken, .methodNotAllowed, .missingProviderToken,
        ] {
            var rig = GatewayRig { $0.connection.afterRejection = 3 }
            rig.send()
            let seen = rig.send(Self.rejecting(reason))
            #expect(seen.reason == reason.name)
            #expect(seen.streamLimit == 3)
        }
        var rig = GatewayRig { $0.connection.afterRejection = 1 }
        rig.declare { $0.registration = .unregistered(at: GatewayRig.now, acceptFor: 0) }
        let other = ExamplePush { $0.path = "/3/device/" + String(repeating: "ab", count: 32) }
        #expect(rig.send(other).streamLimit == 1000)
        #expect(rig.send().status == 410)
        #expect(rig.send().streamLimit == nil, "410 is no error condition")
        #expect(rig.send(Self.bad).streamLimit == 1)
        #expect(rig.send().streamLimit == nil, "and no success either")
        #expect(rig.send(other).streamLimit == 1000)
    }

    @Test(
        "A scripted answer from 200 to 299 is a success, and no answer is none",
        arguments: [
            (#"{"respond": {"status": 200}}"#, true), (#"{"respond": {"status": 299}}"#, true),
            (#"{"respond": {"status": 300}}"#, false), (#"{"stall": true}"#, false),
        ])
    func scriptedSuccess(_ then: String, raises: Bool) {
        var rig = ScriptRig(
            #"{"when": {"header": {"x": "1"}}, "then": \#(then)}"#, more: #""connection": {"afterRejection": 1},"#)
        #expect(rig.send().decision.streamLimit == 1000)
        #expect(rig.send(Self.bad).decision.streamLimit == 1)
        #expect(rig.send(ExamplePush(("x", "1"))).decision.streamLimit == (raises ? 1000 : nil))
    }

    @Test("A rejection never raises the limit; without the setting it changes nothing")
    func neverRaises() {
        var rig = GatewayRig { $0.connection.afterRejection = 500 }
        #expect(rig.send(Self.bad).streamLimit == nil, "1 stays 1 although the token was good")
        #expect(rig.send().streamLimit == 1000)
        #expect(rig.send(Self.bad).streamLimit == 500)
        var plain = GatewayRig()
        #expect(plain.send().streamLimit == 1000)
        #expect(plain.send(Self.bad).streamLimit == nil)
        #expect(plain.send().streamLimit == nil)
    }

    @Test("The device's own rate is a rejection, too")
    func tooManyRequests() {
        var rig = GatewayRig { $0.connection.afterRejection = 1 }
        rig.declare { $0.rate = PushRate(allowed: 2, per: 1000) }
        #expect(rig.send().status == 200)
        #expect(rig.send().status == 200)
        let seen = rig.send()
        #expect(seen.reason == "TooManyRequests")
        #expect(seen.streamLimit == 1)
        #expect(seen.record.decidedBy == .device)
        #expect(seen.explanation.contains(GatewayRig.deviceToken))
        rig.now.milliseconds += 1000
        #expect(rig.send().streamLimit == 1000)
    }

    // MARK: wedgeAfterExpiredToken

    @Test("An expired provider token wedges its connection: 403 and a limit of 1, then resets forever")
    func wedge() {
        var rig = GatewayRig { $0.connection.wedgeAfterExpiredToken = true }
        #expect(rig.send().streamLimit == 1000)
        var seen = rig.send(Self.stale)
        #expect(seen.reason == "ExpiredProviderToken")
        #expect(seen.streamLimit == 1)
        #expect(seen.actions.isEmpty)
        #expect(rig.gateway.connections.open.first?.streamLimit == 1)
        for stream in [3, 5, 7] as [UInt32] {  // with a good token, which helps nothing
            seen = rig.send(ExamplePush { $0.stream = stream })
            #expect(seen.status == nil)
            #expect(seen.streamLimit == nil)
            #expect(seen.actions == [.resetStream([7, 5])])
            #expect(seen.record.outcome == .reset)
            #expect(seen.record.decidedBy == .connection)
            #expect(seen.record.stream == stream)
            #expect(seen.explanation.contains("Stream \(stream)") && seen.explanation.contains("expired"))
        }
        let other = rig.gateway.openConnection(.example, at: rig.now)
        #expect(rig.send(on: other).status == 200)
        var usual = GatewayRig()
        #expect(usual.send(Self.stale).streamLimit == nil)
        #expect(usual.send().status == 200)
    }

    // MARK: closeAfterErrors

    @Test(
        "Too many errors end a connection, sooner with BadDeviceToken; 410 does not count",
        arguments: [(Reason.payloadEmpty, 4), (.missingProviderToken, 4), (.badDeviceToken, 2)])
    func closeAfterErrors(_ reason: Reason, _ count: Int) {
        var rig = GatewayRig { $0.connection.closeAfterErrors = 4 }
        var stream: UInt32 = 1
        func push(_ push: ExamplePush) -> ExamplePush {
            var push = push
            push.stream = stream
            stream += 2
            return push
        }
        for _ in 1..<count {
            #expect(rig.send(push(Self.rejecting(reason))).actions.isEmpty)
            #expect(rig.send(push(ExamplePush())).actions.isEmpty)
        }
        let last = stream
        let seen = rig.send(push(Self.rejecting(reason)))
        #expect(seen.reason == reason.name, "it is answered all the same")
        #expect(
            seen.actions == [
                .goAway([GoAway(lastStream: Int32(last), reason: reason)], then: .close, by: .errors)
            ])
        let next = rig.send(push(ExamplePush()))
        #expect(next.status == nil)
        #expect(next.record.outcome == .ignored)
        #expect(next.explanation.contains("Stream \(last + 2)"))
        rig.carryOut(seen.actions)
        #expect(rig.gateway.connections[1]?.closedBy == .errors)
    }

    @Test("Devices that are gone do not end a connection")
    func unregisteredDoesNotCount() {
        var rig = GatewayRig { $0.connection.closeAfterErrors = 1 }
        rig.declare { $0.registration = .unregistered(at: GatewayRig.now, acceptFor: 0) }
        for _ in 0..<10 {
            let seen = rig.send()
            #expect(seen.status == 410)
            #expect(seen.actions.isEmpty)
        }
        #expect(rig.send(Self.bad).actions.count == 1)
    }

    @Test(
        "Every 4xx counts but 410, up to its last and to no other",
        arguments: [(399, false), (400, true), (409, true), (410, false), (411, true), (499, true), (500, false)])
    func whatIsAnError(status: Int, counts: Bool) {
        var rig = ScriptRig(
            #"{"then": {"respond": {"status": \#(status)}}}"#, more: #""connection": {"closeAfterErrors": 1},"#)
        let actions = rig.send().decision.actions
        #expect(actions == (counts ? [.goAway([GoAway(lastStream: 1)], then: .close, by: .errors)] : []))
    }

    @Test("BadDeviceToken counts as two errors", arguments: [(3, 2), (4, 2), (5, 3), (6, 3), (7, 4)])
    func weights(most: Int, count: Int) {
        var rig = GatewayRig { $0.connection.closeAfterErrors = most }
        let actions = (1...count).map { number in
            rig.send(
                ExamplePush {
                    $0.path = "/3/device/zz"
                    $0.stream = UInt32(2 * number - 1)
                }
            ).actions
        }
        #expect(actions.map(\.count) == Array(repeating: 0, count: count - 1) + [1])
    }

    @Test(
        "A push that is never answered is no error",
        arguments: [#""stall": true"#, #""resetStream": "INTERNAL_ERROR""#])
    func unanswered(step: String) {
        var rig = ScriptRig(
            #"{"when": {"device": "alice"}, "times": 1, "then": {\#(step)}}"#,
            more: #""connection": {"afterRejection": 3, "closeAfterErrors": 1},"#)
        #expect(rig.send(ExamplePush { $0.path = "/3/device/" + String(repeating: "ab", count: 32) }).status == 200)
        let seen = rig.send()
        #expect(seen.status == nil && seen.decision.streamLimit == nil)
        #expect(!seen.decision.actions.contains { if case .goAway = $0 { true } else { false } })
        #expect(rig.send().status == 200)
    }

    // MARK: Limits of a scenario

    @Test("A limit that was ordered holds against answers, and is put back")
    func orderedLimit() {
        var rig = GatewayRig { $0.connection.afterRejection = 1 }
        rig.send()
        #expect(
            rig.gateway.limitStreams(to: 0, for: 5000)
                == [ConnectionOrder(connection: 1, actions: [.settings(maxConcurrentStreams: 0, for: 5000)])])
        #expect(rig.send().streamLimit == nil)
        #expect(rig.send(Self.bad).streamLimit == nil)
        #expect(rig.gateway.restoreStreamLimit(on: 1) == 1000)
        #expect(rig.gateway.restoreStreamLimit(on: 1) == nil)
        #expect(rig.send().streamLimit == nil)
        #expect(rig.send(Self.bad).streamLimit == 1)
        // One for a while upon one for a while: the first limit returns when the server says that both are over.
        _ = rig.gateway.limitStreams(to: 7, for: 10, on: 1)
        _ = rig.gateway.limitStreams(to: 8, for: 20, on: 1)
        #expect(rig.gateway.restoreStreamLimit(on: 1) == 1)
        #expect(rig.send().streamLimit == 1000)
        // For good.
        _ = rig.gateway.limitStreams(to: 7, for: 10, on: 1)
        _ = rig.gateway.limitStreams(to: 9, on: 1)
        #expect(rig.gateway.restoreStreamLimit(on: 1) == nil)
        for _ in 0..<3 { #expect(rig.gateway.restoreStreamLimit(on: 1) == nil) }
        #expect(rig.send(Self.bad).streamLimit == nil)
        #expect(rig.gateway.limitStreams(to: 9, on: 99).isEmpty)
        #expect(rig.gateway.restoreStreamLimit(on: 99) == nil)
    }
}
