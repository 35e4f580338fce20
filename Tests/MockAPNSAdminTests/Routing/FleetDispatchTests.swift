import MockAPNS
import MockAPNSCore
import MockAPNSJudge
import TestSupport
import Testing

@testable import MockAPNSAdmin

/// Each call is answered by those members of a fleet that its scope names.
@Suite struct FleetDispatchTests {
    /// A replica whose fleet has a collector.
    private struct Replica: FleetMembership {
        var problem: String? { nil }
        var collector: String? { "http://collector:2198" }
        var shipErrors: Int? { nil }
        func status() async -> [UInt8] { Array("{}".utf8) }
    }

    /// A collector that notes the calls that replicas have to carry out.
    private final class Collector: FleetCollecting {
        let calls = Guarded([FleetCall]())
        let gap = Guarded<String?>(nil)
        var problem: String? { nil }
        var collector: String? { nil }
        var shipErrors: Int? { nil }
        func status() async -> [UInt8] { Array("{}".utf8) }
        func gather() async -> String? { gap.withLock { $0 } }
        var whyNoVerdictHolds: String? { nil }
        func remarks(on expectations: [MockAPNSCore.Expectation]) async -> [String] {
            expectations.contains(where: \.dependsOnOrder) ? ["Their order is a guess."] : []
        }
        func call(_ call: FleetCall) async -> FleetAnswer {
            calls.withLock { $0.append(call) }
            return FleetAnswer(status: 200, body: Array("{}".utf8))
        }
    }

    /// A stream has no end, and a wait has one only with requests.
    private static let calls = APICall.allCases.filter { $0 != .events && $0 != .waitForRequests }

    private static func send(_ call: APICall, query: String = "", to admin: AdminClient) async throws
        -> AdminClient.Answer
    {
        let path = call.path(call.variables.map { $0 == "device" ? TestPush.device : $0 == "sequence" ? "1" : "all" })
        return try await admin.send(call.method.rawValue, path + query, body: call.method == .get ? nil : "{}")
    }

    @Test func aReplicaRefusesWhatOthersHaveToDo() async throws {
        try await withAdmin { server, admin async throws in
            server.fleet = Replica()
            for call in Self.calls {
                let answer = try await Self.send(call, to: admin)
                let isRefused = answer.status == 409 && answer.error["code"] as? String == "fleet"
                let expected: Bool =
                    switch call.scope {
                    case .member, .replica, .providers, .question: false
                    case .collector, .everyReplica, .everyMember, .connection, .log, .sessions: true
                    }
                #expect(isRefused == expected, "\(call): \(answer.status) \(answer.text)")
                // What has been refused, the table says.
                #expect(!isRefused || call.scope.statuses.contains(409), "\(call)")
                let asksCollector = answer.errorMessage.contains("(http://collector:2198)")
                #expect(asksCollector == (expected && call.scope != .log && call.scope != .sessions), "\(call)")
            }
            for call in Self.calls where call.scope == .collector {
                let answer = try await Self.send(call, query: "?scope=replica", to: admin)
                #expect(answer.error["code"] as? String != "fleet" && answer.status != 404, "\(call): \(answer.text)")
            }
            // Its own connections, by their numbers here, are its own business.
            let answer = try await admin.send("POST", APICall.closeConnections.path(["7"]), body: #""end""#)
            #expect(answer.status == 404)
        }
    }

    @Test func aCollectorLetsReplicasCarryOutCalls() async throws {
        try await withAdmin { server, admin async throws in
            let collector = Collector()
            server.fleet = collector
            let ofKnownDevices: [APICall] = [.changeDevice, .dismissNotification, .sendDismissal, .openNotification]
            for call in Self.calls where !ofKnownDevices.contains(call) {
                let answer = try await Self.send(call, query: call.parameters.isEmpty ? "" : "?x=1", to: admin)
                let shipped = collector.calls.withLock { calls in
                    defer { calls = [] }
                    return calls
                }
                #expect(shipped.map(\.name) == (call.scope.statuses.contains(503) ? [call] : []), "\(call)")
                #expect(shipped.allSatisfy { $0.query == (call.parameters.isEmpty ? "" : "x=1") }, "\(call)")
                #expect(shipped.allSatisfy { $0.values.count == call.variables.count }, "\(call)")
                let isRefused = answer.error["code"] as? String == "fleet"
                #expect(
                    isRefused == [.replica, .log, .sessions].contains(call.scope), "\(call): \(answer.text)")
            }
        }
    }

    @Test func collectorsJudgeDespiteMissingRequestsIfAllowed() async throws {
        let scenario = #"{"expect": [{"requests": {}, "count": 0}]}"#
        let ordered = #"{"expect": [{"inOrder": [{"status": 200}, {"status": 200}]}]}"#
        try await withAdmin {
            $0.play(scenario)
        } _: { server, admin async throws in
            let collector = Collector()
            collector.gap.withLock { $0 = "3 requests of a are missing" }
            server.fleet = collector
            for body in ["{}", scenario] {
                let failed = try await admin.send("POST", "/api/v1/verify?allowMissing=false", body: body)
                #expect(failed.object["passed"] as? Bool == false && failed.object["remarks"] == nil)
                let judged = try await admin.send("POST", "/api/v1/verify?allowMissing=true", body: body)
                #expect(judged.object["passed"] as? Bool == true, "\(judged.text)")
                let remark = "The fleet is not complete: 3 requests of a are missing."
                #expect(judged.object["remarks"] as? [String] == [remark])
                #expect(judged.object["report"] as? String == "The expectation holds.\n\(remark)\n")
                let text = try await admin.send("POST", "/api/v1/verify?allowMissing=true&format=markdown", body: body)
                #expect(text.text.contains("\n\n- \(remark)\n\n"))
            }
            // The order is uncertain whether or not something is missing.
            collector.gap.withLock { $0 = nil }
            let judged = try await admin.send("POST", "/api/v1/verify", body: ordered)
            #expect(judged.object["remarks"] as? [String] == ["Their order is a guess."], "\(judged.text)")
        }
    }

    @Test func nothingIsMissingElsewhere() async throws {
        try await withAdmin { server, admin async throws in
            func check(_ query: String) async throws {
                let answer = try await admin.send("POST", "/api/v1/verify?\(query)", body: "{}")
                #expect(answer.status == 400 && answer.error["code"] as? String == "badParameter", "\(answer.text)")
                #expect(answer.error["pointer"] as? String == "/allowMissing", "\(answer.text)")
            }
            try await check("allowMissing=true")
            try await check("allowMissing=yes")
            #expect(try await admin.send("POST", "/api/v1/verify?allowMissing=false", body: "{}").status == 200)
            server.fleet = Replica()
            try await check("allowMissing=true&scope=replica")
        }
    }

    @Test func collectorsShipWhatReplicasMustAgreeOn() async throws {
        try await withAdmin {
            $0.play(#"{"devices": [{"name": "alice", "token": "\#(TestPush.device)"}]}"#)
        } _: { server, admin async throws in
            let collector = Collector()
            server.fleet = collector
            _ = try await admin.send("PATCH", "/api/v1/devices/alice", body: #"{"online": false}"#)
            // What no replica knows is answered here, as not found.
            #expect(try await admin.send("PATCH", "/api/v1/devices/bob", body: "{}").status == 404)
            #expect(try await admin.send("DELETE", "/api/v1/devices/alice/displayed/1").status == 404)
            _ = try await admin.send("POST", "/api/v1/devices", body: #"{"name": "bob"}"#)
            _ = try await admin.send("POST", "/api/v1/channels", body: "{}")
            _ = try await admin.send("PUT", "/api/v1/scenario?reset=%74rue", body: "{}")
            let calls = collector.calls.withLock { $0 }
            #expect(calls.map(\.name) == [.changeDevice, .declareDevice, .createChannel, .playScenario])
            #expect(calls.first?.values == ["alice"])
            #expect(calls.map(\.startsOver) == [false, false, false, true])
            let texts = calls.map { String(decoding: $0.body, as: UTF8.self) }
            #expect(texts[1].wholeMatch(of: /{"token":"[0-9a-f]{64}","name": "bob"}/) != nil)
            #expect(texts[2].wholeMatch(of: /{"channelID":"[^"]{24}"}/) != nil)
            // A collector has nothing for a shell, and says so.
            #expect(try await admin.get("/api/v1/identity?format=shell").status == 409)
            #expect(try await admin.get("/api/v1/identity").status == 200)
        }
    }
}
