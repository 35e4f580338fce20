import Testing

@testable import MockAPNSCore

/// The life of a connection, without one: events, and the action after each.
@Suite struct ConnectionLifeTests {
    typealias Action = ConnectionLife.Action
    typealias Pending = ConnectionLife.Pending

    enum Event {
        case opened
        case order(ConnectionAction)
        case settled(Pending)
        case ended(ClosedBy)
        case handshakeTimedOut
        case lost
        case shutDown
        case closed

        /// Everything ready is sent, and nothing is pending.
        static let idle = settled(Pending())
        /// A request waits for its answer.
        static let busy = settled(Pending(openStreams: 1))
        /// The client has announced that it opens no more streams.
        static let leaving = settled(Pending(isClientLeaving: true))

        /// Returns the action after it; `nil` if there is none by its nature.
        func happen(to life: inout ConnectionLife) -> Action? {
            switch self {
            case .opened: life.opened()
            case .order(let order): life.apply(order)
            case .closed: life.closed()
            case .settled(let pending): return life.settle(pending)
            case .ended(let closedBy): return life.end(by: closedBy)
            case .handshakeTimedOut: return life.handshakeTimedOut("Too long.")
            case .lost: return life.lost()
            case .shutDown: return life.shutDown()
            }
            return nil
        }
    }

    /// A life: its events, each with the action after it, and who ended it.
    struct Row: CustomTestStringConvertible {
        var testDescription: String
        var events: [(Event, Action?)]
        var state: ConnectionLife.State

        init(_ title: String, _ events: [(Event, Action?)], _ state: ConnectionLife.State) {
            (testDescription, self.events, self.state) = (title, events, state)
        }
    }

    private static func goAway(
        _ then: AfterGoAway, by closedBy: ClosedBy = .goAway, lastStream: Int32 = 1
    ) -> Event {
        .order(.goAway([GoAway(lastStream: lastStream, reason: .shutdown)], then: then, by: closedBy))
    }

    private static func close(_ ending: Ending) -> Event {
        .order(.close(ending, by: ClosedBy(ending)))
    }

    static let rows = [
        // The handshake.
        Row("nothing is settled in the handshake", [(.leaving, .goOn)], .handshake),
        Row(
            "the handshake fails", [(.ended(.handshake), .close(.end)), (.ended(.client), .goOn)],
            .ended(by: .handshake)),
        Row("the handshake takes too long", [(.handshakeTimedOut, .drop)], .ended(by: .handshake)),
        Row("the client leaves in the handshake", [(.closed, nil)], .closed(by: .client)),
        Row("the client disappears in the handshake", [(.lost, .drop), (.closed, nil)], .closed(by: .clientReset)),
        Row("the server stops in the handshake", [(.shutDown, .drop), (.shutDown, .goOn)], .ended(by: .server)),
        Row("orders come too early", [(close(.end), nil), (goAway(.drain), nil), (.idle, .goOn)], .handshake),
        // The client.
        Row("nothing happens", [(.opened, nil), (.idle, .goOn), (.busy, .goOn)], .open),
        Row(
            "the client announces that it leaves, and is answered first",
            [
                (.opened, nil), (.settled(Pending(openStreams: 1, isClientLeaving: true)), .goOn),
                (.settled(Pending(isDripping: true, isClientLeaving: true)), .goOn), (.leaving, .close(.end)),
                (.leaving, .goOn), (.closed, nil),
            ], .closed(by: .client)),
        Row("the client closes", [(.opened, nil), (.ended(.client), .close(.end))], .ended(by: .client)),
        Row("the client closes its socket", [(.opened, nil), (.closed, nil)], .closed(by: .client)),
        Row("the client disappears", [(.opened, nil), (.lost, .drop), (.closed, nil)], .closed(by: .clientReset)),
        Row(
            "a fault ends it once",
            [(.opened, nil), (.ended(.fault), .close(.end)), (.ended(.client), .goOn), (.lost, .drop)],
            .ended(by: .fault)),
        // GOAWAY.
        Row(
            "drain answers what is open, and ends",
            [
                (.opened, nil), (goAway(.drain), nil), (.busy, .goOn), (.settled(Pending(isDripping: true)), .goOn),
                (.idle, .close(.end)), (.closed, nil),
            ], .closed(by: .goAway)),
        Row(
            "the client closes while it drains", [(.opened, nil), (goAway(.drain), nil), (.closed, nil)],
            .closed(by: .client)),
        Row(
            "the client says goodbye while it drains",
            [(.opened, nil), (goAway(.drain), nil), (.ended(.client), .close(.end))], .ended(by: .client)),
        Row("stayOpen ends nothing", [(.opened, nil), (goAway(.stayOpen), nil), (.idle, .goOn)], .open),
        Row(
            "a later order ends what drains",
            [(.opened, nil), (goAway(.drain), nil), (close(.truncate), nil), (.busy, .close(.truncate))],
            .ended(by: .truncate)),
        Row(
            "a later GOAWAY lifts no end",
            [(.opened, nil), (close(.end), nil), (goAway(.drain), nil), (.busy, .close(.end))], .ended(by: .end)),
        Row(
            "the last of several drains is recorded",
            [(.opened, nil), (goAway(.drain), nil), (goAway(.drain, by: .idle), nil), (.idle, .close(.end))],
            .ended(by: .idle)),
        // Ends.
        Row(
            "reset", [(.opened, nil), (close(.reset), nil), (.busy, .close(.reset)), (.idle, .goOn)], .ended(by: .reset)
        ),
        Row(
            "silence, whatever the client does",
            [(.opened, nil), (close(.silent), nil), (.busy, .close(.silent)), (.leaving, .goOn), (.closed, nil)],
            .closed(by: .silent)),
        Row(
            "silence, and the client disappears",
            [(.opened, nil), (close(.silent), nil), (.idle, .close(.silent)), (.lost, .drop)], .ended(by: .clientReset)),
        Row(
            "GOAWAY and close, for each reason",
            [(.opened, nil), (goAway(.close, by: .errors), nil), (.busy, .close(.end))], .ended(by: .errors)),
        Row(
            "the client closes before its end is carried out", [(.opened, nil), (close(.reset), nil), (.closed, nil)],
            .closed(by: .client)),
        Row(
            "nothing follows the end",
            [(.opened, nil), (.ended(.client), .close(.end)), (close(.reset), nil), (.idle, .goOn)], .ended(by: .client)
        ),
        // The server stops.
        Row(
            "it drains when the server stops",
            [
                (.opened, nil), (.shutDown, .goAway), (goAway(.drain, by: .server), nil), (.busy, .goOn),
                (.shutDown, .goAway), (.idle, .close(.end)), (.shutDown, .goOn),
            ], .ended(by: .server)),
        Row(
            "the time of a server that stops is up",
            [(.opened, nil), (goAway(.drain, by: .server), nil), (.busy, .goOn), (.closed, nil)], .closed(by: .server)),
        Row(
            "the client says goodbye to a server that stops",
            [(.opened, nil), (goAway(.drain, by: .server), nil), (.ended(.client), .close(.end))], .ended(by: .client)),
        Row(
            "the server stops while it drains",
            [
                (.opened, nil), (goAway(.drain), nil), (.shutDown, .goAway), (goAway(.drain, by: .server), nil),
                (.closed, nil),
            ],
            .closed(by: .goAway)),
        Row(
            "a drain that is ordered while the server stops is named",
            [
                (.opened, nil), (goAway(.drain, by: .server), nil), (goAway(.drain), nil), (.busy, .goOn),
                (.idle, .close(.end)), (.closed, nil),
            ], .closed(by: .goAway)),
        Row(
            "the server stops while it is silent",
            [(.opened, nil), (close(.silent), nil), (.idle, .close(.silent)), (.shutDown, .drop), (.closed, nil)],
            .closed(by: .silent)),
    ]

    @Test("Each event returns its action", arguments: rows)
    func actions(_ row: Row) {
        var life = ConnectionLife()
        for (number, (event, action)) in row.events.enumerated() {
            #expect(event.happen(to: &life) == action, "event \(number)")
        }
        #expect(life.state == row.state)
    }

    @Test(
        "While the server stops, an earlier order is named rather than the server, but not rather than a fault",
        arguments: [
            (nil, .goAway), (.server, .goAway), (.fault, .fault), (.client, .client),
        ] as [(ClosedBy?, ClosedBy)])
    func closedWhileStopping(_ closer: ClosedBy?, recorded: ClosedBy) {
        var life = ConnectionLife.open
        for event in [Self.goAway(.drain), Self.goAway(.drain, by: .server)] { _ = event.happen(to: &life) }
        life.closed(by: closer)
        #expect(life.closedBy == recorded)
    }

    // MARK: What it allows

    @Test(
        "Reading, answering, orders",
        arguments: [
            (.handshake, "r--"), (.open, "rao"), (.draining(by: .goAway), "rao"), (.stopping(by: .server), "rao"),
            (.closing(.end, by: .end), "ra-"), (.ended(by: .client), "---"), (.silent, "---"),
            (.closed(by: .client), "---"),
        ] as [(ConnectionLife.State, String)])
    func allows(_ state: ConnectionLife.State, _ allowed: String) throws {
        let row = try #require(Self.lives.first { $0.state == state })
        #expect([row.reads, row.answers, row.takesOrders].map { $0 } == allowed.map { $0 != "-" })
        #expect(row.isInHandshake == (state == .handshake) && row.isOpen == (state == .open))
        #expect(row.isClosed == (state == .closed(by: .client)))
    }

    /// One life in each state.
    private static var lives: [ConnectionLife] {
        let events: [[Event]] = [
            [], [.opened], [.opened, goAway(.drain)], [.opened, goAway(.drain, by: .server)], [.opened, close(.end)],
            [.opened, .ended(.client)], [.opened, close(.silent), .idle], [.opened, .closed],
        ]
        return events.map { events in
            var life = ConnectionLife()
            for event in events { _ = event.happen(to: &life) }
            return life
        }
    }

    // MARK: Streams

    @Test(
        "What becomes of streams 1, 5 and 9",
        arguments: [
            ("nothing was ordered", [], "ppp"), ("GOAWAY up to 5", [goAway(.stayOpen, lastStream: 5)], "ppi"),
            ("drain up to 5", [goAway(.drain, lastStream: 5)], "ppi"),
            ("the lowest GOAWAY counts", [goAway(.stayOpen, lastStream: 1), goAway(.drain, lastStream: 9)], "pii"),
            ("a stream number below 0 is 0", [goAway(.stayOpen, lastStream: -1)], "iii"),
            ("the end is decided", [close(.end)], "ttt"),
            ("GOAWAY up to 5, then the end", [goAway(.close, lastStream: 5)], "tti"),
            ("the end, then GOAWAY up to 5", [close(.reset), goAway(.drain, lastStream: 5)], "tti"),
        ] as [(String, [Event], String)])
    func fates(_ title: String, _ events: [Event], _ fates: String) {
        var life = ConnectionLife.open
        for event in events { _ = event.happen(to: &life) }
        #expect(Self.fates(in: life) == fates)
    }

    @Test("After an expired provider token, streams are reset; what a GOAWAY excludes stays ignored")
    func wedged() {
        var life = ConnectionLife.open
        life.wedge()
        #expect(Self.fates(in: life) == "rrr" && life.isOpen)
        life.apply(.goAway([GoAway(lastStream: 5)], then: .drain))
        #expect(Self.fates(in: life) == "rri")
        _ = life.close(.end)
        #expect(Self.fates(in: life) == "tti")
    }

    private static func fates(in life: ConnectionLife) -> String {
        ([1, 5, 9] as [UInt32]).map { stream in
            switch life.fate(of: stream) {
            case .processed: "p"
            case .ignored: "i"
            case .tooLate: "t"
            case .refused: "r"
            }
        }.joined()
    }

    @Test(
        "Whether it ends without an answer to any request",
        arguments: [
            ([], false), ([goAway(.stayOpen, lastStream: 0)], false), ([goAway(.drain, lastStream: 0)], true),
            ([goAway(.drain, lastStream: 1)], false), ([close(.end)], true), ([goAway(.close)], true),
        ] as [([Event], Bool)])
    func endsUnanswered(_ events: [Event], _ ends: Bool) {
        var life = ConnectionLife.open
        for event in events { _ = event.happen(to: &life) }
        #expect(life.endsUnanswered == ends)
    }

    // MARK: Two lives

    @Test("What the gateway orders, the server carries out: both agree on who ended it, and on every stream")
    func twoLives() {
        let plans: [(inout ConnectionLife) -> ConnectionAction] = [
            { $0.goAway(GoAwayPlan([.init(reason: .shutdown)]), with: 7) },
            { $0.goAway(GoAwayPlan([.init(lastStream: .all), .init(lastStream: .previous)]), by: .idle) },
            { $0.goAway(GoAwayPlan([.init()], then: .close), by: .errors) },
            { $0.goAway(GoAwayPlan([.init(lastStream: .zero)], then: .close), by: .certificate) },
            { $0.close(.reset) }, { $0.close(.end, by: .idle) }, { $0.close(.silent, by: .idle) },
        ]
        let closedBy: [ClosedBy] = [.goAway, .idle, .errors, .certificate, .reset, .idle, .silent]
        for (plan, closedBy) in zip(plans, closedBy) {
            var (gateway, server) = (ConnectionLife.open, ConnectionLife.open)
            gateway.processed(5)
            server.apply(plan(&gateway))
            #expect(Self.fates(in: gateway) == Self.fates(in: server))
            #expect(gateway.lastStream == server.lastStream && gateway.state == server.state)
            #expect(server.settle(Pending()) != .goOn)
            server.closed()
            #expect(server.closedBy == closedBy)
        }
    }

    @Test func whoEndsAConnectionIsTheClientOrNot() {
        #expect(ClosedBy.allCases.filter(\.isClients) == [.client, .clientReset])
    }

    @Test("What was wrong is said once, by the first that knows it, and cut")
    func explanation() {
        var life = ConnectionLife.open
        _ = life.end(by: .fault, "TLS failed.")
        _ = life.end(by: .client, "Later.")
        life.closed(by: .fault, "Last.")
        #expect(life.explanation == "TLS failed." && life.closedBy == .fault)
        var other = ConnectionLife.open
        other.closed(by: .fault, String(repeating: "x", count: 5000))
        #expect(other.explanation?.hasSuffix("(cut from 5,000 bytes)") == true)
    }
}
