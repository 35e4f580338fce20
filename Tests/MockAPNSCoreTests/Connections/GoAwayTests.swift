import GatewayRigs
import Testing

@testable import MockAPNSCore

@Suite struct GoAwayTests {
    private static let shutdown = GoAwayPlan([.init(reason: .shutdown)])

    /// A gateway on whose first connection streams 1 to 5 were answered.
    private static func rig() -> GatewayRig {
        var rig = GatewayRig()
        for stream in [1, 5, 3] as [UInt32] { rig.send(ExamplePush { $0.stream = stream }) }
        return rig
    }

    @Test(
        "Which stream is meant, without a push and with one",
        arguments: [
            (.this, 5, 7), (.all, Int32.max, Int32.max), (.previous, 3, 5), (.zero, 0, 0),
        ] as [(LastStream, Int32, Int32)])
    func lastStream(_ last: LastStream, _ alone: Int32, _ withPush: Int32) {
        var rig = Self.rig()
        let text = Array("Stream 5 does not exist".utf8)
        let plan = GoAwayPlan([.init(lastStream: last, errorCode: 9, debugData: text)], then: .stayOpen)
        let frame = GoAway(lastStream: alone, errorCode: 9, debugData: text)
        #expect(
            rig.gateway.goAway(plan, on: 1)
                == [ConnectionOrder(connection: 1, actions: [.goAway([frame], then: .stayOpen)])])
        var other = Self.rig()
        let decided = other.gateway.connections.open[0].life.goAway(plan, with: 7)
        #expect(
            decided == .goAway([GoAway(lastStream: withPush, errorCode: 9, debugData: text)], then: .stayOpen))
        let step = ResponsePlan(Step(.goAway(plan))).resolved(for: 7, highestStream: 5)
        #expect(step.isProcessed == (withPush >= 7))
    }

    @Test("this is a higher stream where one was processed before; previous never goes below 0")
    func corners() {
        #expect(GoAwayPlan([.init()]).resolved(for: 3, highestStream: 9).map(\.lastStream) == [9])
        let previous = GoAwayPlan([.init(lastStream: .previous)])
        #expect(previous.resolved(for: 1, highestStream: 0).map(\.lastStream) == [0])
        #expect(previous.resolved(for: nil, highestStream: 0).map(\.lastStream) == [0])
        #expect(GoAwayPlan([.init()]).resolved(for: nil, highestStream: 0).map(\.lastStream) == [0])
    }

    @Test("Debug data: JSON, none")
    func debugData() {
        #expect(GoAway(lastStream: 7, reason: .shutdown).debugData == Array(#"{"reason":"Shutdown"}"#.utf8))
        #expect(GoAway(lastStream: 7, reason: .shutdown).errorCode == 0)
        #expect(GoAway(lastStream: 0).debugData.isEmpty)
    }

    @Test("In the middle of a batch: streams above the last are ignored, those up to it are answered")
    func batch() {
        var rig = Self.rig()
        rig.gateway.connections.open[0].life.apply(.goAway([GoAway(lastStream: 9)], then: .stayOpen))
        for (stream, isProcessed) in [(7, true), (11, false), (9, true), (13, false)] as [(UInt32, Bool)] {
            let seen = rig.send(
                ExamplePush {
                    $0.stream = stream
                    $0.token = ExamplePush.bearer(issuedAt: "1795255\(100 + stream)")
                })
            #expect((seen.record.outcome == .responded) == isProcessed)
            #expect((seen.status != nil) == isProcessed)
            if !isProcessed {
                #expect(seen.record.outcome == .ignored)
                #expect(seen.record.decidedBy == .connection)
                #expect(seen.record.verdict == nil)
                #expect(seen.record.status == nil)
                #expect(seen.explanation.contains("Stream \(stream)") && seen.explanation.contains("GOAWAY"))
            }
        }
        #expect(rig.gateway.connections[1]?.providerTokens == 3, "what is ignored is not judged either")
        #expect(rig.gateway.connections[1]?.requests == 7)
    }

    @Test("Two frames: both are sent as they are, the lowest counts; a later one lifts nothing")
    func twice() {
        var rig = Self.rig()
        let orders = rig.gateway.goAway(
            GoAwayPlan([.init(lastStream: .all, reason: .shutdown), .init()], then: .drain))
        #expect(
            orders.flatMap(\.actions) == [
                .goAway([GoAway(lastStream: .max, reason: .shutdown), GoAway(lastStream: 5)], then: .drain)
            ])
        #expect(rig.send(ExamplePush { $0.stream = 7 }).record.outcome == .ignored)
        #expect(rig.gateway.goAway(GoAwayPlan([.init(lastStream: .all)]), on: 1).count == 1)
        #expect(rig.send(ExamplePush { $0.stream = 9 }).record.outcome == .ignored)
    }

    @Test("To all connections, each with its own last stream; to none that is gone")
    func all() {
        var rig = Self.rig()
        let second = rig.gateway.openConnection(.example, at: rig.now)
        let third = rig.gateway.openConnection(.example, at: rig.now)
        rig.send(ExamplePush { $0.stream = 3 }, on: third)
        rig.gateway.closeConnection(second, by: .clientReset, counters: .init(), at: rig.now)
        let orders = rig.gateway.goAway(Self.shutdown)
        func order(to connection: Int, lastStream: Int32) -> ConnectionOrder {
            let frame = GoAway(lastStream: lastStream, reason: .shutdown)
            return ConnectionOrder(connection: connection, actions: [.goAway([frame], then: .drain)])
        }
        #expect(orders == [order(to: 1, lastStream: 5), order(to: third, lastStream: 3)])
        #expect(rig.gateway.goAway(Self.shutdown, on: second).isEmpty)
        #expect(rig.gateway.goAway(Self.shutdown, on: 99).isEmpty)
    }

    @Test(
        "A connection whose end is decided takes no more requests, and no more orders",
        arguments: Ending.allCases)
    func closed(_ ending: Ending) {
        var rig = Self.rig()
        #expect(
            rig.gateway.close(ending, on: 1) == [
                ConnectionOrder(connection: 1, actions: [.close(ending, by: ClosedBy(ending))])
            ])
        for stream in [3, 7] as [UInt32] {
            let seen = rig.send(ExamplePush { $0.stream = stream })
            #expect(seen.status == nil)
            #expect(seen.actions.isEmpty)
            #expect(seen.record.outcome == .closed)
            #expect(seen.explanation.contains("Stream \(stream)"))
        }
        #expect(rig.gateway.close(.end).isEmpty)
        #expect(rig.gateway.goAway(Self.shutdown).isEmpty)
    }

    @Test("After GOAWAY and the end, streams that the GOAWAY leaves out are ignored; others came too late")
    func goAwayThenEnd() {
        var rig = Self.rig()
        rig.gateway.connections.open[0].life.apply(.goAway([GoAway(lastStream: 9)], then: .close))
        for (stream, outcome) in [(7, .closed), (9, .closed), (11, .ignored)] as [(UInt32, Outcome)] {
            #expect(rig.send(ExamplePush { $0.stream = stream }).record.outcome == outcome)
        }
    }

    @Test("A server that stops: streams begun by then are processed, later ones ignored")
    func shutDown() {
        var rig = Self.rig()
        #expect(
            rig.gateway.shutDown(1, lastStream: 9)
                == [.goAway([GoAway(lastStream: 9, reason: .shutdown)], then: .drain, by: .server)])
        for (stream, outcome) in [(7, .responded), (9, .responded), (11, .ignored)] as [(UInt32, Outcome)] {
            #expect(rig.send(ExamplePush { $0.stream = stream }).record.outcome == outcome)
        }
        #expect(rig.gateway.shutDown(2, lastStream: 9).isEmpty)
        _ = rig.gateway.close(.reset)
        #expect(rig.gateway.shutDown(1, lastStream: 9).isEmpty)
    }

    // MARK: Idle

    @Test(
        "idle in its ways",
        arguments: [
            (.goAway, .idle), (.close(.end), .idle), (.close(.truncate), .idle), (.close(.reset), .idle),
            (.close(.silent), .silent),
        ] as [(GatewayConfiguration.Idle.Then, ClosedBy)])
    func idle(_ then: GatewayConfiguration.Idle.Then, _ closedBy: ClosedBy) {
        var rig = GatewayRig { $0.connection.idle = .init(after: 1000, then: then) }
        rig.send(ExamplePush { $0.stream = 3 })
        let actions = rig.gateway.idled(1)
        switch then {
        case .goAway:
            #expect(
                actions == [.goAway([GoAway(lastStream: 3, reason: .idleTimeout)], then: .close, by: .idle)])
        case .close(let ending):
            #expect(actions == [.close(ending, by: .idle)])
        }
        #expect(rig.gateway.idled(1).isEmpty, "once is enough")
        rig.carryOut(actions)
        #expect(rig.gateway.connections[1]?.closedBy == closedBy)
        var never = GatewayRig()
        #expect(never.gateway.idled(1).isEmpty)
    }

    // MARK: Records

    @Test("Who closed a connection: what the transport saw, and the order's reason where the server did it")
    func closedBy() {
        let goAway = GoAwayPlan([.init(reason: .shutdown)])
        let stayOpen = GoAwayPlan([.init(reason: .shutdown)], then: .stayOpen)
        for (order, seen, recorded) in [
            ({ _ in [] }, .client, .client), ({ _ in [] }, .clientReset, .clientReset), ({ _ in [] }, .fault, .fault),
            ({ _ in [] }, .server, .server), ({ $0.goAway(goAway) }, nil, .goAway),
            ({ $0.goAway(goAway) }, .client, .client), ({ $0.goAway(stayOpen) }, .server, .server),
            ({ [ConnectionOrder(connection: 1, actions: $0.shutDown(1, lastStream: 7))] }, nil, .server),
            ({ $0.close(.end) }, nil, .end),
            ({ $0.close(.truncate) }, nil, .truncate), ({ $0.close(.reset) }, nil, .reset),
            ({ $0.close(.silent) }, nil, .silent), ({ $0.close(.silent) }, .client, .client),
        ] as [((inout Gateway) -> [ConnectionOrder], ClosedBy?, ClosedBy)] {
            var rig = Self.rig()
            rig.carryOut(order(&rig.gateway).flatMap(\.actions), endedBy: seen)
            #expect(rig.gateway.connections[1]?.closedBy == recorded)
        }
        #expect(Set(ClosedBy.allCases.map(\.name)).count == ClosedBy.allCases.count)
    }

    @Test("The log's lines of a connection")
    func lines() throws {
        var facts = ConnectionFacts.example
        facts.alpn = "h2"
        facts.clientCertificate = .init(
            subject: "CN = \"x\"", serial: "1F", topics: ["com.example.app", "com.example.app.voip"],
            isForProduction: false)
        var rig = GatewayRig(facts: facts)
        rig.send(ExamplePush { $0.token = nil })
        var lines: [UInt8] = []
        let open = rig.gateway.connections.open[0]
        let opening = ConnectionEvent(.opened(open.facts), ConnectionReference(id: 1, number: 1), at: open.openedAt)
        LogEvent.connection(opening).appendLine(at: GatewayRig.now, to: &lines)
        #expect(
            String(decoding: lines, as: UTF8.self) == """
                {"event":"connection","time":"2026-11-21T10:00:00.000Z","connection":1,"connectionID":1,"state":"opened",\
                "remoteAddress":"127.0.0.1:50000","tlsVersion":"TLSv1.3","cipher":"TLS_AES_128_GCM_SHA256",\
                "alpn":"h2","serverName":null,"clientCertificate":{"subject":"CN = \\"x\\"","serial":"1F",\
                "topics":["com.example.app","com.example.app.voip"],"environments":["sandbox"]}}

                """)
        var counters = ConnectionCounters()
        counters.settingsSent = 2
        counters.settingsReceived = 1
        counters.inFlight = 3
        counters.goAwaysSent = 4
        rig.gateway.closeConnection(1, by: .truncate, counters: counters, at: Timestamp(milliseconds: 1))
        lines = []
        for case .connection(let event)? in rig.gateway.takeEffects().map(\.event) {
            LogEvent.connection(event).appendLine(at: GatewayRig.now, to: &lines)
        }
        #expect(
            String(decoding: lines, as: UTF8.self) == """
                {"event":"connection","time":"1970-01-01T00:00:00.001Z","connection":1,"connectionID":1,"state":"closed",\
                "closedBy":"truncate","explanation":null,"teamID":null,"providerTokens":0,"requests":1,"settingsSent":2,\
                "settingsReceived":1,"inFlight":3,"resetsSent":0,"resetsReceived":0,"pings":0,"goAwaysSent":4,\
                "bytesReceived":0,"bytesSent":0}

                """)
    }

    @Test("The same requests and orders make the same records, whatever is on the way")
    func determinism() {
        func run() -> [String] {
            var rig = GatewayRig {
                $0.connection.afterRejection = 1
                $0.connection.closeAfterErrors = 6
                $0.seed = 7
            }
            var seen: [String] = []
            for stream in stride(from: UInt32(1), to: 60, by: 2) {
                let push = ExamplePush {
                    $0.stream = stream
                    if stream % 3 == 0 { $0.body = [] }
                    if stream % 7 == 0 { $0.path = "/3/device/zz" }
                }
                let result = rig.send(push)
                seen.append("\(result.record) \(result.actions) \(result.streamLimit ?? -1) \(result.explanation)")
                if stream == 31 { seen.append("\(rig.gateway.limitStreams(to: 4, for: 9))") }
            }
            return seen
        }
        #expect(run() == run())
    }
}
