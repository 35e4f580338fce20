import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

/// What a recorded log tells of connections.
@Suite("Connections of a recorded log")
struct RecordedConnectionsTests {
    @Test("A server that does not say that it starts begins a run with its first connection, also after a reset")
    func startAfterReset() throws {
        let expected = #"{"connections": 1}, {"spacing": {"connections": true, "atLeast": "1s"}}"#
        var first = try RecordedRig(expected)
        var second = try RecordedRig(expected)
        first.close(first.rig.connection)
        LogEvent.reset.appendLine(at: first.rig.time, to: &first.lines)
        second.send(ExamplePush())
        let input = try RecordedLog.read(first.lines + second.lines, first.rig.gateway.scenario).input
        #expect(input.connections.opened == 1 && input.connections.openings.map(\.connection.number) == [1])
        #expect(input.connections.latestBefore == 0)
    }

    @Test("A file that begins in the middle keeps the server names of connections opened before its first request")
    func serverNameBeforeAGap() throws {
        var rig = try RecordedRig("")
        rig.lines = []
        LogEvent.log(.lost(lines: 3)).appendLine(at: rig.rig.time, to: &rig.lines)
        for _ in 1...3 { rig.rig.send() }
        _ = rig.rig.gateway.takeEffects()
        var facts = ConnectionFacts.example
        facts.serverName = "api.push.apple.com"
        let connection = rig.rig.gateway.openConnection(facts, at: rig.rig.time)
        for case .connection(let event)? in rig.rig.gateway.takeEffects().map(\.event) {
            LogEvent.connection(event).appendLine(at: rig.rig.time, to: &rig.lines)
        }
        rig.rig.send(on: connection)
        var writer = RecordWriter()
        rig.rig.gateway.log.appendLine(of: 4, using: &writer, to: &rig.lines)
        let input = try rig.recorded().input
        #expect(input.log.texts == [rig.rig.gateway.log.snapshot.texts[3]])
        #expect(input.log.serverNames.map { String(decoding: $0, as: UTF8.self) } == ["api.push.apple.com"])
        // Lint reads the server name of every push.
        #expect(input.linting().finish().report.judged?.pushes == 1)
    }

    @Test(
        "A connection that began before the scenario and opened after it counts as opened since",
        arguments: [false, true])
    func openedLate(isLate: Bool) throws {
        let expected = #"{"spacing": {"connections": true, "atLeast": "1s"}}, {"connections": 2}"#
        var rig = try RecordedRig(expected)
        rig.start()
        let beginning = isLate ? rig.rig.gateway.connect(serverName: nil) : nil
        _ = rig.open()
        let scenario = rig.rig.gateway.scenario
        rig.work { rig in
            rig.gateway.play(
                scenario, scenario.configuration(seed: 1, defaultTeams: GatewayRig.teams), at: rig.time)
        }
        rig.rig.time.milliseconds += 1000
        var late = 0
        rig.work { late = $0.gateway.open(.example, after: beginning, at: $0.time).id }
        rig.send(ExamplePush(), on: late)
        _ = rig.open(after: 2000)
        #expect(rig.rig.passed == [true, true])
        #expect(try rig.recorded().input.verify().results.map(\.passed) == [true, true])
        #expect(try rig.rig.verify(expected).map(\.passed) == [true, true])
    }

    @Test("A request on a connection that was closed before the run adds no open one")
    func requestAfterTheEnd() throws {
        var rig = try RecordedRig("")
        rig.start()
        let connection = rig.open()
        rig.send(ExamplePush(), on: connection)
        let request = try #require(
            String(decoding: rig.lines, as: UTF8.self).split(separator: "\n").last { $0.contains("\"request\"") })
        rig.close(connection)
        LogEvent.reset.appendLine(at: rig.rig.time, to: &rig.lines)
        rig.append(request.replacing("\"connection\":1,", with: "\"connection\":null,") + "\n")
        let input = try rig.recorded().input
        let run = try #require(input.run?())
        #expect(run.connections[UInt32(connection)] == nil)
    }
}
