import GatewayRigs
import Testing

@testable import MockAPNSCore

@Suite struct GatewayTests {
    // MARK: Streams and answers

    @Test("The stream limit is raised with the first valid provider token, once")
    func streamLimit() {
        var rig = GatewayRig()
        #expect(rig.gateway.configuration.initialStreamLimit(for: .example) == 1)
        #expect(rig.send(ExamplePush { $0.token = nil }).streamLimit == nil)
        #expect(rig.send(ExamplePush { $0.token = ExamplePush.bearer(issuedAt: "1") }).streamLimit == nil)
        // A valid token raises it also with a push that is refused for something else.
        #expect(rig.send(ExamplePush { $0.body = [] }).streamLimit == 1000)
        for _ in 0..<10 { #expect(rig.send().streamLimit == nil) }
        let other = rig.gateway.openConnection(.example, at: rig.now)
        #expect(rig.send(on: other).streamLimit == 1000)

        var open = GatewayRig { $0.connection.beforeAuthentication = 1000 }
        #expect(open.send().streamLimit == nil)
    }

    @Test("The client's apns-id is echoed to the byte; a bad one and a repeated one are replaced")
    func apnsID() {
        var rig = GatewayRig()
        for id in ["eabeae54-14a8-11e5-b60b-1697f925ec7b", "EABEAE54-14a8-11E5-B60B-1697F925EC7B"] {
            #expect(rig.send(ExamplePush(("apns-id", id))).apnsID == id)
            #expect(rig.send(ExamplePush(("apns-id", id), ("apns-priority", "7"))).apnsID == id)
            let twice = rig.send(ExamplePush(("apns-id", id), ("apns-id", id)))
            #expect(twice.reason == "DuplicateHeaders")
            #expect(twice.apnsID != id)
        }
        let bad = rig.send(ExamplePush(("apns-id", "12345678")))
        #expect(bad.reason == "BadMessageId")
        #expect(bad.apnsID?.count == 36)
        #expect(bad.apnsID == bad.apnsID?.uppercased())
        #expect(rig.send().apnsID != rig.send().apnsID)
    }

    @Test("The answer to a push has nothing of an answer to a call about channels")
    func answerToAPush() {
        var rig = ScriptRig("")
        for push in [ExamplePush(), ExamplePush { $0.body = [] }] {
            let answer = rig.send(push).decision.answer
            #expect(answer != nil && answer?.call == nil)
        }
    }

    @Test("apns-unique-id is lower case, and there in the sandbox on 200 only")
    func uniqueID() throws {
        var sandbox = GatewayRig()
        let id = try #require(sandbox.send().uniqueID)
        #expect(id == id.lowercased())
        #expect(id.count == 36)
        #expect(sandbox.send(ExamplePush { $0.body = [] }).uniqueID == nil)
        var production = GatewayRig { $0.environment = .production }
        #expect(production.send().uniqueID == nil)
        for (name, isSandbox) in [
            ("api.push.apple.com", false), ("api-manage-broadcast.push.apple.com", false),
            ("api-broadcast.push.apple.com", false), ("api-broadcast.sandbox.push.apple.com", true),
            ("api.sandbox.push.apple.com", true), ("localhost", true), (nil, true),
        ] {
            var facts = ConnectionFacts.example
            facts.serverName = name
            var rig = GatewayRig({ $0.environment = .serverName }, facts: facts)
            #expect((rig.send().uniqueID != nil) == isSandbox)
        }
    }

    @Test func portsMayHaveTheirOwnEnvironment() {
        for (environment, isSandbox) in [(Environment.sandbox, false), (.production, true)] {
            var facts = ConnectionFacts.example
            facts.isSandboxPort = isSandbox
            var rig = GatewayRig({ $0.environment = environment }, facts: facts)
            #expect((rig.send().uniqueID != nil) == isSandbox)
        }
    }

    @Test("The same seed makes the same ids")
    func seed() {
        func ids(_ seed: UInt64) -> [String?] {
            var rig = GatewayRig { $0.seed = seed }
            return (0..<5).flatMap { _ -> [String?] in
                let seen = rig.send()
                return [seen.apnsID, seen.uniqueID]
            }
        }
        #expect(ids(1) == ids(1))
        #expect(ids(1) != ids(2))
        #expect(Set(ids(1)).count == 10)
    }

    @Test func aDrawnDeviceTokenIsNew() throws {
        var rig = GatewayRig()
        let (first, second) = (rig.gateway.drawDeviceToken(), rig.gateway.drawDeviceToken())
        #expect(first != second)
        var other = GatewayRig()
        try #require(other.gateway.state.devices.declare(Device(topics: []), first) != nil)
        let drawn = other.gateway.drawDeviceToken()
        #expect(drawn == second)
    }

    // MARK: Switches

    @Test("responses.backgroundPriority10")
    func backgroundPriority10() {
        let push = ExamplePush(("apns-push-type", "background"), ("apns-priority", "10"))
        var accepting = GatewayRig { $0.responses.backgroundPriority10 = .accept }
        #expect(accepting.send(push).record.delivery == .delivered)
        var dropping = GatewayRig { $0.responses.backgroundPriority10 = .drop }
        let seen = dropping.send(push)
        #expect(seen.status == 200)
        #expect(seen.record.delivery == nil)
        #expect(dropping.send().record.delivery == .delivered)
        #expect(dropping.send(push).record.delivery == nil, "to a device that is known, too")
        let later = ExamplePush(("apns-push-type", "background"), ("apns-priority", "5"))
        #expect(dropping.send(later).record.delivery == .delivered)
    }

    @Test("responses.invalidJSON")
    func invalidJSON() {
        var rig = GatewayRig { $0.responses.invalidJSON = .payloadEmpty }
        #expect(rig.send().status == 200)
        let seen = rig.send(ExamplePush { $0.body = Array(#"{"aps":}"#.utf8) })
        #expect(seen.reason == "PayloadEmpty")
        #expect(seen.explanation.contains(#"{\"aps\":}"#))
    }

    @Test("Lines that could not be written to the log's file are counted, and forgotten with a reset")
    func logWriteErrors() {
        var rig = GatewayRig()
        for lines in [3, 2] { rig.gateway.countLogWriteErrors(lines) }
        #expect(rig.gateway.statistics.logWriteErrors == 5)
        rig.gateway.reset(at: rig.now)
        #expect(rig.gateway.statistics.logWriteErrors == 0)
    }

    // MARK: What was not a push

    @Test("What the transport dealt with is recorded, and not answered")
    func faults() {
        for (fault, outcome, status, shown) in [
            (.headerListTooLarge, .responded, 431, "8000"), (.refused, .reset, nil, "REFUSED_STREAM"),
            (.malformed("no :authority"), .reset, nil, "no :authority"), (.cancelled, .cancelled, nil, ""),
            (.broken("The client broke HTTP/2: PING."), .closed, nil, "ended. The client broke HTTP/2: PING."),
        ] as [(RequestFacts.Fault, Outcome, UInt16?, String)] {
            var rig = GatewayRig()
            let seen = rig.send(ExamplePush { $0.fault = fault })
            #expect(seen.status == nil)
            #expect(seen.streamLimit == nil)
            #expect(seen.record.status == status)
            #expect(seen.record.outcome == outcome)
            #expect(seen.record.decidedBy == .connection)
            #expect(shown.isEmpty ? seen.explanation.isEmpty : seen.explanation.contains(shown))
            #expect(rig.gateway.connections[1]?.requests == 1)
        }
    }

    @Test("What the transport dealt with names the credentials that came with it, unverified")
    func credentialsOfFaults() {
        let fault: RequestFacts.Fault = .refused
        var rig = GatewayRig()
        #expect(rig.send(ExamplePush { $0.fault = fault }).record.authentication == .token)
        let without = ExamplePush { ($0.fault, $0.token) = (fault, nil) }
        #expect(rig.send(without).record.authentication == .none)
        var facts = ConnectionFacts.example
        facts.clientCertificate = .init(
            subject: "CN = Apple Push Services", serial: "1F", topics: TopicList(["com.example.app"]))
        var other = GatewayRig(facts: facts)
        #expect(other.send(without).record.authentication == .certificate)
    }

    @Test("Connections: numbers, ends, and a bound on those that are closed")
    func connections() {
        var rig = GatewayRig()
        for id in 2...5000 {
            #expect(rig.gateway.openConnection(.example, at: rig.now) == id)
            if id % 2 == 0 {
                var counters = ConnectionCounters()
                counters.pings = id
                rig.gateway.closeConnection(id, by: .server, counters: counters, at: rig.now)
            }
        }
        #expect(rig.gateway.connections.count == 5000)
        #expect(rig.gateway.connections.openCount == 2500)
        #expect(rig.gateway.connections[2] == nil)
        #expect(rig.gateway.connections[5000]?.counters.pings == 5000)
        #expect(rig.gateway.connections[5000]?.closedBy == .server)
        #expect(rig.gateway.connections.all.map(\.id) == rig.gateway.connections.all.map(\.id).sorted())
        for id in stride(from: 1, to: 5000, by: 2) {
            #expect(rig.send(on: id).record.connectionID == UInt32(id))
            #expect(rig.gateway.connections[id]?.requests == 1)
        }
    }
}
