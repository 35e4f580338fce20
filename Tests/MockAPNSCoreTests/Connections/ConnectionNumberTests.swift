import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge
@testable import MockAPNSScenario

/// `connection` counts within a run, `connectionID` in the whole life of the server.
@Suite struct ConnectionNumberTests {
    private static func connections(_ log: RequestSnapshot) -> [String] {
        log.texts.map { text in
            let start = text.firstRange(of: #""connection":"#)!.lowerBound
            return String(text[start..<text.firstRange(of: #","stream""#)!.lowerBound])
        }
    }

    @Test("Numbers begin with 1 after a reset; a connection that was open has none, and keeps its id")
    func reset() throws {
        var rig = try JudgeRig("")
        let second = rig.gateway.openConnection(.example, at: rig.time)
        rig.send(on: second)
        rig.gateway.reset(at: rig.time)
        let third = rig.gateway.openConnection(.example, at: rig.time)
        rig.send(on: second)
        rig.send(on: third)
        #expect(
            Self.connections(rig.gateway.log.snapshot) == [
                #""connection":null,"connectionID":2"#, #""connection":1,"connectionID":3"#,
            ])
        #expect(rig.gateway.connections.all.map(\.number) == [nil, nil, 1])
        #expect(rig.gateway.connections.all.map(\.id) == [1, 2, 3])
        let summary = rig.gateway.summary(at: rig.time)
        #expect(summary.connectionsOpened == 1 && summary.connectionsOpen == 1)
        var counters = ConnectionCounters()
        counters.pings = 5
        rig.gateway.connections.update(second, counters: counters)
        #expect(rig.gateway.connections.pings == 0)
        rig.gateway.connections.update(third, counters: counters)
        #expect(rig.gateway.connections.pings == 5)
        rig.gateway.connections.update(third, counters: ConnectionCounters())
        rig.gateway.closeConnection(second, by: .client, counters: counters, at: rig.time)
        #expect(rig.gateway.connections.pings == 0 && rig.gateway.connections.openCount == 1)
        #expect(rig.gateway.connections[second]?.number == nil)
    }

    @Test(
        "A scenario that is played without a reset goes on counting; with one it begins anew", arguments: [false, true])
    func played(anew: Bool) throws {
        var rig = try JudgeRig("")
        let scenario = rig.gateway.scenario
        let configuration = scenario.configuration(seed: 1, defaultTeams: GatewayRig.teams)
        if anew {
            rig.gateway.restart(scenario, configuration, at: rig.time)
        } else {
            rig.gateway.play(scenario, configuration, at: rig.time)
        }
        rig.send(on: rig.gateway.openConnection(.example, at: rig.time))
        #expect(
            Self.connections(rig.gateway.log.snapshot) == [
                #""connection":\#(anew ? 1 : 2),"connectionID":2"#
            ])
        #expect(rig.gateway.log.latestSequence == 1)
    }

    @Test("Connections may be opened in another order than they began", arguments: 0..<3)
    func otherOrder(closed: Int) throws {
        var gateway = Gateway(
            GatewayConfiguration(seed: 1, authentication: Authentication(teams: GatewayRig.teams)),
            startedAt: GatewayRig.now)
        let begun = (0..<3).map { _ in gateway.connect(serverName: nil) }
        for index in [1, 0, 2] {
            let opened = gateway.open(.example, after: begun[index], at: GatewayRig.now).id
            #expect(opened == begun[index].id)
        }
        gateway.closeConnection(begun[closed].id, by: .client, counters: ConnectionCounters(), at: GatewayRig.now)
        for (index, connecting) in begun.enumerated() where index != closed {
            let (bytes, headerLength) = ExamplePush().bytes
            let facts = RequestFacts(
                streamID: 1, headerLength: headerLength, bodyLength: bytes.count - headerLength, inFlight: 1)
            _ = gateway.receive(
                facts, bytes: bytes.span, on: connecting.id, at: Moment(real: GatewayRig.now))
            #expect(gateway.connections[connecting.id]?.requests == 1)
            #expect(gateway.log.open.records.last?.connectionID == UInt32(connecting.id))
        }
    }

    @Test("What is expected of connections does not count those that were open at a reset")
    func expectations() throws {
        var rig = try JudgeRig(
            """
            {"connections": 1}, {"pings": 0}, {"spacing": {"connections": true, "atLeast": ["1s"]}},
            {"requests": {"connection": 1}, "count": 1}, {"requests": {}, "count": 1, "distinct": "connection"},
            {"requests": {}, "count": 1, "each": "connection"}, {"requests": {"connection": {"exists": false}}, "count": 2}
            """)
        rig.gateway.reset(at: rig.time)
        rig.send()
        rig.send()
        let new = rig.gateway.openConnection(.example, at: rig.time)
        rig.send(on: new)
        #expect(rig.passed == [true, true, false, true, true, true, true])
        rig.gateway.openConnection(.example, after: 2000, &rig.time)
        #expect(rig.results[2].passed)
        #expect(rig.passed[0] == false && rig.results[0].seen == "2 connections")
        let judged = try rig.verify(
            #"{"connections": 2}, {"spacing": {"connections": true, "atLeast": ["3s"]}}"#)
        #expect(judged.map(\.passed) == [true, false])
        #expect(judged[1].seen == "gap 1 is 2000ms, between connections 1 and 2")
        #expect(
            try rig.verify(#"{"requests": {"connection": 1, "status": 400}, "count": 1}"#)[0].nearest[0]
                == "3: status 200, not 400")
    }

    @Test(
        "Of the connections that were open when another scenario began, those count that carry requests since",
        arguments: [0, 1])
    func olderConnections(index: Int) throws {
        var rig = try JudgeRig("")
        let older = [rig.connection, rig.gateway.openConnection(.example, at: rig.time)]
        let scenario = try #require(Scenario.read(Array(#"{"expect": [{"connections": 1}]}"#.utf8)).0)
        rig.gateway.play(scenario, scenario.configuration(seed: 1, defaultTeams: GatewayRig.teams), at: rig.time)
        #expect(rig.results.map(\.seen) == ["0 connections"])
        for _ in 1...2 { rig.send(on: older[index]) }
        #expect(rig.results.map(\.seen) == ["1 connection"] && rig.passed == [true])
        rig.send(on: rig.gateway.openConnection(.example, at: rig.time))
        #expect(rig.results.map(\.seen) == ["2 connections"], "a new one counts once")
    }

    @Test("Rules and the timeline mean the connections of the run")
    func rulesAndTimeline() throws {
        var rig = try JudgeRig(
            "",
            """
            "rules": [{"name": "first", "when": {"connection": 1}, "then": {"reject": "TooManyRequests"}},
              {"name": "old", "when": {"connection": {"exists": false}}, "countPer": "connection", "times": 1,
               "then": {"reject": "ServiceUnavailable"}},
              {"name": "hello", "when": {"on": "connect", "connection": 2}, "then": {"tlsAlert": "certificate_expired"}}],
            "timeline": [{"at": "1s", "do": {"close": "end", "connection": 1}},
              {"at": "2s", "do": {"goAway": {"reason": "Shutdown"}, "connection": 7}}],
            """)
        let other = rig.gateway.openConnection(.example, at: rig.time)
        #expect(rig.send().answer?.status == 429)
        rig.gateway.reset(at: rig.time)
        let statuses = [rig.send(), rig.send(), rig.send(on: other), rig.send(on: other)].map { $0.answer?.status }
        #expect(statuses == [503, 200, 503, 200], "each connection counts by itself, with or without a number")
        let new = rig.gateway.openConnection(.example, at: rig.time)
        #expect(rig.send(on: new).answer?.status == 429)
        #expect(rig.gateway.connect(serverName: nil).handshake == .alert(45))
        let orders = try rig.gateway.advance(by: 5000).compactMap { effect -> [Int]? in
            if case .connections(let orders) = effect { orders.map(\.connection) } else { nil }
        }
        #expect(orders == [[new]])
    }

    // MARK: Recorded logs

    @Test("A recorded log has the same numbers, also when a reset comes while a connection begins")
    func recorded() throws {
        var rig = try RecordedRig(
            #"{"connections": 1}, {"requests": {"connection": 1}, "count": 1}, {"requests": {}, "count": 3}"#)
        rig.start()
        let beginning = rig.rig.gateway.connect(serverName: nil)
        rig.send(ExamplePush())
        rig.work { $0.gateway.reset(at: $0.time) }
        LogEvent.reset.appendLine(at: rig.rig.time, to: &rig.lines)
        var late = 0
        rig.work { late = $0.gateway.open(.example, after: beginning, at: $0.time).id }
        rig.send(ExamplePush(), on: late)
        rig.send(ExamplePush { $0.stream = 3 })
        let new = rig.open()
        rig.send(ExamplePush(), on: new)
        #expect(rig.rig.passed == [true, true, true])
        let (input, _) = try rig.recorded()
        #expect(input.verify().results.map(\.passed) == [true, true, true])
        #expect(input.log.texts == rig.rig.gateway.log.snapshot.texts)
        rig.close(late, pings: 3)
        #expect(try rig.recorded().input.connections.pings == 0)
    }

    @Test("A log of before there were ids is still read")
    func older() throws {
        var rig = try RecordedRig(#"{"connections": 1}, {"requests": {"connection": 1}, "count": 1}"#)
        rig.start()
        rig.send(ExamplePush())
        rig.work { $0.gateway.reset(at: $0.time) }
        LogEvent.reset.appendLine(at: rig.rig.time, to: &rig.lines)
        rig.send(ExamplePush { $0.stream = 3 })
        rig.send(ExamplePush(), on: rig.open())
        // Numbers went on after a reset then.
        let text = String(decoding: rig.lines, as: UTF8.self)
            .replacing(#/"connection":(null|\d+),"connectionID":(\d+)/#) { "\"connection\":\($0.output.2)" }
        let input = try RecordedLog.read(Array(text.utf8), rig.rig.gateway.scenario).input
        #expect(input.verify().results.map(\.passed) == [true, true])
        #expect(input.log.texts == rig.rig.gateway.log.snapshot.texts)
        let line = text.split(separator: "\n").first { $0.contains("request") }!
        let nameless = line.replacing(#""connection":1"#, with: #""connection":null"#)
        #expect(throws: RecordedLog.Mistake.self) { try RecordedLog.read(Array((nameless + "\n").utf8)) }
    }

    @Test("A scenario that was played with a reset is one run")
    func playedAnew() throws {
        var rig = try RecordedRig(#"{"requests": {}, "count": 1}"#)
        rig.start()
        rig.send(ExamplePush())
        let scenario = rig.rig.gateway.scenario
        rig.rig.gateway.restart(
            scenario, scenario.configuration(seed: 1, defaultTeams: GatewayRig.teams), at: rig.rig.time)
        LogEvent.reset.appendLine(at: rig.rig.time, to: &rig.lines)
        rig.note(rig.rig.gateway.takeEffects())
        rig.send(ExamplePush(), on: rig.open())
        let (input, remarks) = try rig.recorded()
        #expect(input.verify().passed)
        #expect(remarks == ["The log holds 2 runs; the last one was judged."])
    }
}

extension Gateway {
    fileprivate mutating func openConnection(
        _ facts: ConnectionFacts, after milliseconds: Int64, _ time: inout Timestamp
    ) {
        time.milliseconds += milliseconds
        _ = openConnection(facts, at: time)
    }
}
