import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

@Suite struct ScenarioRunTests {
    @Test("connect: alerts, certificates, GOAWAY before and after SETTINGS, ends; each takes a number")
    func connect() {
        var rig = ScriptRig(
            #"""
            {"when": {"on": "connect", "serverName": "a"}, "then": [{"tlsAlert": "certificate_expired"},
              {"serverCertificate": "expired"}, {"close": "reset"}, {"goAway": {"reason": "Shutdown", "then": "close"}},
              {"goAway": {"text": "x", "beforeSettings": true}}, {"pass": true}]}
            """#)
        #expect(rig.gateway.hasRulesOnConnect == true)
        #expect(rig.gateway.isScripted == false)
        let other = rig.gateway.connect(serverName: "b")
        #expect(other.id == 2 && other.handshake == .usual)
        let numbers = [rig.gateway.connect(serverName: "a"), rig.gateway.connect(serverName: "a")]
        #expect(numbers.map(\.id) == [3, 4])
        #expect(numbers.map(\.handshake) == [.alert(45), .certificate(.expired)])
        var openings: [OpeningInstructions] = []
        for _ in 0..<4 {
            let connecting = rig.gateway.connect(serverName: "a")
            #expect(connecting.handshake == .usual)
            openings.append(rig.gateway.open(.example, after: connecting, at: GatewayRig.now))
        }
        #expect(openings.map(\.id) == [5, 6, 7, 8])
        #expect(openings[0].actions == [.close(.reset, by: .reset)])
        #expect(openings[1].actions.count == 1 && !openings[1].omitsSettings)
        #expect(openings[2].actions == [.goAway([GoAway(lastStream: 0, debugData: Array("x".utf8))], then: .drain)])
        #expect(openings[2].omitsSettings)
        #expect(openings[3].actions.isEmpty)
        #expect(rig.gateway.connections.count == 5, "what came to nothing was not opened")
        #expect(rig.gateway.openConnection(.example, at: GatewayRig.now) == 9)
        #expect(rig.send(on: 5).record.decidedBy == .connection)
    }

    @Test("A rule for the first connection only")
    func firstConnection() {
        var rig = ScriptRig(
            #"{"when": {"on": "connect", "connection": 2}, "then": {"tlsAlert": "handshake_failure"}}"#)
        #expect(rig.gateway.connect(serverName: nil).handshake == .alert(40))
        #expect(rig.gateway.connect(serverName: nil).handshake == .usual)
    }

    @Test("ping: not acknowledged where a rule says so")
    func ping() {
        var rig = ScriptRig(
            #"{"when": {"on": "ping", "requestOnConnection": {"atLeast": 1}, "inFlight": 2}, "skip": 1, "then": [{"ignore": true}]}"#
        )
        let connection = rig.connection
        #expect(rig.gateway.ping(on: connection, inFlight: 2) == true)
        rig.send()
        var seen: [Bool] = []
        for inFlight in [2, 1, 2, 2] { seen.append(rig.gateway.ping(on: connection, inFlight: inFlight)) }
        #expect(seen == [true, true, false, true])
    }

    @Test("Devices are declared with their names; unknown ones are refused")
    func devices() {
        var rig = ScriptRig("", more: #""unknownDevices": "reject","#)
        #expect(rig.send().has(#""device":"alice""#))
        let path = "/3/device/" + String(repeating: "ab", count: 32)
        #expect(rig.send(ExamplePush { $0.path = path }).reason == "BadDeviceToken")
    }

    private static let rules =
        #"""
        {"name": "brown-out", "probability": 0.3, "repeat": "cycle", "then": [
          {"pass": true, "delay": {"lognormal": {"median": "40ms", "p99": "2s"}}},
          {"reject": "ServiceUnavailable", "delay": {"uniform": ["1ms", "9s"]}}, {"stall": true, "deliver": true}]},
        {"name": "busy", "every": 7, "countPer": "topic", "then": {"reject": "TooManyRequests"}},
        {"name": "away", "when": {"device": "alice"}, "skip": 5, "times": 1,
          "then": {"pass": true, "device": {"registered": false}}},
        {"name": "out", "skip": 60, "times": 1, "then": {"outage": {"reason": "Shutdown", "for": "3s"}}}
        """#

    /// What a gateway makes of the same hundred pushes, real times left out.
    private static func run(_ rig: inout ScriptRig) -> [String] {
        (0..<100).map { index in
            rig.now.clock = Timestamp(milliseconds: GatewayRig.now.milliseconds + Int64(index) * 100)
            var push = ExamplePush()
            if index % 3 > 0 { push.path = "/3/device/" + String(repeating: "a\(index % 10)", count: 32) }
            rig.stream = UInt32(2 * index + 1)
            let seen = rig.send(push)
            let delay = seen.response.map { "\($0.delay)" } ?? "-"
            return "\(delay) \(seen.decision.actions) \(seen.line)"
        }
    }

    @Test("The same scenario, seed and requests give the same to the byte; a reset begins anew")
    func repeatable() {
        var one = ScriptRig(Self.rules, seed: 1)
        var other = ScriptRig(Self.rules, seed: 1)
        let first = Self.run(&one)
        other.now.real = Timestamp(milliseconds: GatewayRig.now.milliseconds + 60_000)
        let times = [one.now.real.text, other.now.real.text]
        let second = Self.run(&other)
        let strip = { (lines: [String], time: String) in
            lines.map { $0.replacing(#""time":"\#(time)""#, with: #""time":"""#) }
        }
        #expect(strip(first, times[0]) == strip(second, times[1]))
        for decider in [
            "rule:brown-out", "rule:busy", "rule:away", "rule:out", "\"outage\"", "\"device\"", "\"checks\"",
        ] {
            #expect(
                first.contains { $0.contains(#""decidedBy":\#(decider.first == "\"" ? decider : "\"" + decider)"#) },
                "\(decider)")
        }
        let apart = Self.run(&one)
        #expect(apart != first)
        one.gateway.reset(at: GatewayRig.now)
        #expect(one.gateway.connections.open.count == 1)
        #expect(one.gateway.summary(at: GatewayRig.now).requests == 0)
        // The connection goes on: its requests are counted on, and its token is bound already.
        let fresh = { (lines: [String]) in
            lines.map { line in
                let status = line.firstRange(of: #""status":"#)!
                return line.prefix { $0 != "{" } + line[status.lowerBound...]
            }
        }
        #expect(fresh(Self.run(&one)) == fresh(first))
    }

    @Test("Another scenario takes the place of the first; the log stays")
    func play() {
        var rig = ScriptRig(#"{"then": {"reject": "Shutdown"}}"#)
        #expect(rig.send().reason == "Shutdown")
        let (scenario, _) = Scenario.read(Array(#"{"unknownDevices": "reject"}"#.utf8))
        let configuration = scenario!.configuration(seed: 1, defaultTeams: GatewayRig.teams)
        rig.gateway.play(scenario!, configuration, at: GatewayRig.now)
        let seen = rig.send()
        #expect(seen.reason == "BadDeviceToken" && rig.gateway.log.count == 2)
        #expect(rig.gateway.devices.count == 0 && rig.gateway.devices.find(name: "alice") == nil)
        #expect(rig.gateway.devices.topics.count == 1)
    }
}
