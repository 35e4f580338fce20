import MockAPNSCore

/// One run in a log, from a server start, a reset or a new scenario on.
struct RecordedRun: ~Copyable, Sendable {
    /// Why a run begins.
    enum Beginning {
        /// A new server.
        case server
        /// A reset: everything starts over, but connections stay.
        case reset
        /// Another scenario: the log continues.
        case scenario
        /// The run began in another file, which has the requests up to this one.
        case elsewhere(after: Int)
    }

    /// Maximum number of missing requests in one gap.
    private static let largestGap = 1_000_000

    private var log = RequestLog(limit: .max)
    /// The events other than requests; `nil` unless they are kept.
    private var others: LatestEvents?
    private(set) var state: RecordedState
    private let roomForOthers: Int?
    private var rules: RecordedRules
    /// The ids of the server's connections whose opening the log has told of, in whatever run.
    private var opened: Set<Int> = []
    /// The connections before the scenario began.
    private var before = Connections.Totals()
    /// The known tokens, by hash.
    private var tokens: [UInt64: ProviderToken] = [:]
    /// The number of requests without a line.
    private(set) var missing = 0
    /// The number of lines known to be lost or truncated, including requests.
    private var lostLines = 0
    /// Where the upstream of a relay answered otherwise.
    private(set) var differences = RelayDifferences()
    /// Whether the run started in another file.
    private(set) var beginsElsewhere = false
    /// The seed; `nil` if the log does not have it.
    var seed: UInt64?
    private(set) var times: (first: Timestamp, last: Timestamp)?

    /// - Parameters:
    ///   - room: how many devices register themselves; `nil` if only declared devices matter.
    ///   - keepsEvents: whether ``events`` will be asked for.
    init(of scenario: Scenario, roomForOthers room: Int? = nil, keepsEvents: Bool = false) {
        others = keepsEvents ? LatestEvents(limit: .max) : nil
        state = RecordedState(of: scenario, roomForOthers: room)
        roomForOthers = room
        rules = RecordedRules(of: scenario)
    }

    /// Notes when the scenario's clock started.
    mutating func start(at clock: Timestamp) { state.start(at: clock) }

    mutating func begin(_ beginning: Beginning, _ scenario: Scenario) {
        switch beginning {
        case .server:
            self = Self(of: scenario, roomForOthers: roomForOthers, keepsEvents: others != nil)
            return
        case .elsewhere(let sequence):
            self = Self(of: scenario, roomForOthers: roomForOthers, keepsEvents: others != nil)
            log = RequestLog(limit: .max, after: sequence)
            beginsElsewhere = true
            return
        case .reset:
            log = RequestLog(limit: .max)
            state.begin(.reset, scenario)
            state.connections.introduce(to: &log)
        case .scenario:
            log.removeAll()
            state.begin(.scenario, scenario)
        }
        rules = RecordedRules(of: scenario)
        if others != nil { others = LatestEvents(limit: .max) }
        (missing, lostLines, beginsElsewhere, times) = (0, 0, false, nil)
        differences = RelayDifferences()
        before = state.connections.totals
    }

    var latestSequence: Int { log.latestSequence }

    mutating func note(_ time: Timestamp?) {
        guard let time else { return }
        times = (times?.first ?? time, time)
    }

    /// Records that lines are lost or truncated here.
    mutating func addLostLines(_ count: Int) { lostLines += count }

    /// The number of missing lines beyond those of requests known to be missing.
    var missingLines: Int { max(0, lostLines - missing) }

    // MARK: Requests

    mutating func replay(_ request: consuming RequestLine) throws(JSONText.Mistake) {
        try fillGap(to: request)
        countRequest(on: request.connection, &request.record)
        let token = request.token.map { token in
            if let known = tokens[token.hash], known.authorization == token.authorization { return known }
            tokens[token.hash] = token
            return token
        }
        log.append(
            request.record, request: request.bytes.span, headerLength: request.headerLength, token: token)
        // The scenario may have been written after the log.
        let device = state.name(of: request)
        for (text, attachment) in request.attachments where device == nil || attachment != .device {
            log.attach(text.span, as: attachment)
        }
        if let device { log.attach(device.span, as: .device) }
        if let (record, texts) = request.call { log.attach(record, texts) }
        if let relayed = request.relayed {
            log.attach(relayed)
            differences.count(relayed, of: request.sequence)
        } else if request.record.decidedBy == .upstream {
            differences.countUnanswered()
        }
        if let rule = request.rule { rules.noteApplied(rule) }
        state.replay(request)
    }

    /// Counts a request on its connection. A push from the admin API has no connection and always counts as the first.
    private mutating func countRequest(on connection: ConnectionReference, _ record: inout RequestRecord) {
        record.requestOnConnection = 1
        guard connection.key > 0 else { return }
        var position = state.connections.countRequest(on: connection)
        // One that was opened and closed before the run is not known any more.
        if position == nil, !opened.contains(connection.key) {
            state.connections.addUnopened(connection)
            position = state.connections.countRequest(on: connection)
        }
        if let position { record.requestOnConnection = UInt32(clamping: position) }
        record.serverName = state.connections.serverName(of: connection.key, in: &log)
        log.setLatestIDBefore(state.connections.latestIDBefore)
    }

    /// Fills a gap in the sequence numbers, which follow from positions.
    private mutating func fillGap(to request: borrowing RequestLine) throws(JSONText.Mistake) {
        if beginsElsewhere, log.latestSequence == 0 {
            // It is not known how far the run had come before.
            log = RequestLog(limit: .max, after: request.sequence - 1)
            log.setLatestIDBefore(state.connections.latestIDBefore)
            state.connections.nameServers(in: &log)
        }
        let gap = request.sequence - log.latestSequence - 1
        guard gap > 0 else { return }
        guard gap <= Self.largestGap else {
            throw JSONText.Mistake(
                offset: request.offset,
                message: "\"sequence\" is \(request.sequence); expected \(log.latestSequence + 1)")
        }
        for _ in 0..<gap {
            let nothing: [UInt8] = []
            let sequence = log.append(RequestRecord(), request: nothing.span, headerLength: 0, token: nil)
            log.remove([sequence])
        }
        missing += gap
    }

    /// Processes an event of the run.
    mutating func replay(_ event: LogEvent) {
        state.replay(event, after: log.latestSequence)
        others?.append(LoggedEvent(event, at: times?.last ?? Timestamp(milliseconds: 0), after: log.latestSequence))
        switch event {
        case .update(let event): log.update(event.sequence, with: event.change, at: event.clock)
        case .rule(let event): rules.replay(event)
        case .connection(let event): note(event)
        case .device, .activity, .response, .channel, .scenario, .clock, .reset, .fleet, .log: break
        }
    }

    // MARK: Connections

    /// Returns whether the log has told that this connection was opened.
    func hasOpened(_ connection: Int) -> Bool { opened.contains(connection) }

    /// Tells the log which connections are from before the run, and the server name of a new one.
    private mutating func note(_ event: ConnectionEvent) {
        log.setLatestIDBefore(state.connections.latestIDBefore)
        guard case .opened(let facts) = event.change else { return }
        opened.insert(event.connection.key)
        let index = state.connections.index(of: event.connection.key)
        state.connections.open[index].serverName = log.index(ofServerName: facts.serverName)
    }

    /// The number of connections of this run that have not closed.
    var openConnections: Int { state.connections.openCount }

    // MARK: Result

    /// The requests and all other events.
    var events: EventSnapshot { EventSnapshot(log: log.snapshot, others: others ?? LatestEvents()) }

    /// Returns the facts about the run.
    ///
    /// - Parameter end: when it ended, if its server went on.
    func verificationInput(_ scenario: Scenario, endedAt end: Timestamp? = nil) -> VerificationInput {
        var input = VerificationInput(scenario: scenario, log: log.snapshot)
        input.run = { [connections = state.connections, times] in
            LintedRun(of: scenario, connections, until: end ?? times?.last, haveProvidersEnded: end == nil)
        }
        input.devices = state.views(of: scenario, after: log.latestSequence)
        input.connections = VerificationInput.Connections(state.connections, since: before, withOpenings: true)
        input.channels = state.channelCount
        for case .channel(let name, _) in scenario.expectations.map(\.form) {
            input.figures[name] = state.figures(of: name)
        }
        input.unusedRules = rules.unused(
            hasConnections: input.connections.opened > 0,
            hasPings: input.connections.pings > 0 || !state.connections.open.isEmpty,
            by: scenario.unusedRules)
        input.missing = missing
        input.missingLines = missingLines
        input.beginsElsewhere = beginsElsewhere
        return input
    }
}
