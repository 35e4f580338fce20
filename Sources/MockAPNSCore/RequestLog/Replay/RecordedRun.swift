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

    private struct Known: Sendable {
        var serverName: String?
        /// The index of the server name in the log.
        var nameIndex: UInt16 = 0
        var requests = 0
        var isOpen = true
        var life = LintedRun.Connection()
        var wasOpened = false
    }

    /// Maximum number of missing requests in one gap.
    private static let largestGap = 1_000_000

    private var log = RequestLog(limit: .max)
    private var devices: RecordedDevices
    private var rules: RecordedRules
    /// The known connections, by ``ConnectionReference/key``.
    private var connections: [Int: Known] = [:]
    private var seen = Evidence.Connections()
    private var pingsBefore = 0
    private var pings = 0
    /// The known tokens, by hash.
    private var tokens: [UInt64: ProviderToken] = [:]
    /// The number of requests without a line.
    private(set) var missing = 0
    /// The number of lines known to be lost or torn, including requests.
    private var lostLines = 0
    /// Whether the run started in another file.
    private(set) var beginsElsewhere = false
    /// The seed; `nil` if the log does not have it.
    var seed: UInt64?
    private(set) var times: (first: Timestamp, last: Timestamp)?

    init(of scenario: Scenario) {
        devices = RecordedDevices(of: scenario)
        rules = RecordedRules(of: scenario)
    }

    /// Notes when the scenario's clock started.
    mutating func begin(at clock: Timestamp) { devices.begin(at: clock) }

    mutating func begin(_ beginning: Beginning, _ scenario: Scenario) {
        let latestID = connections.keys.max() ?? 0
        switch beginning {
        case .server:
            self = Self(of: scenario)
            return
        case .elsewhere(let sequence):
            self = Self(of: scenario)
            log = RequestLog(limit: .max, after: sequence)
            beginsElsewhere = true
            return
        case .reset: log = RequestLog(limit: .max, latestIDBefore: latestID)
        case .scenario: log.removeAll()
        }
        devices = RecordedDevices(of: scenario)
        rules = RecordedRules(of: scenario)
        (missing, lostLines, beginsElsewhere, times) = (0, 0, false, nil)
        seen = Evidence.Connections()
        seen.latestBefore = latestID
        pingsBefore = pings
        for (number, known) in connections {
            connections[number]?.nameIndex = log.index(ofServerName: known.serverName)
        }
    }

    var latestSequence: Int { log.latestSequence }

    mutating func note(_ time: Timestamp?) {
        guard let time else { return }
        times = (times?.first ?? time, time)
    }

    /// Records that lines are lost or torn here.
    mutating func addLostLines(_ count: Int) { lostLines += count }

    /// The number of missing lines beyond those of requests known to be missing.
    var missingLines: Int { max(0, lostLines - missing) }

    // MARK: Requests

    mutating func replay(_ request: consuming RequestLine) throws(JSONText.Mistake) {
        try fillGap(to: request)
        note(request.connection)
        note(requestOn: request.connection.key, &request.record)
        let token = request.token.map { token in
            if let known = tokens[token.hash], known.authorization == token.authorization { return known }
            tokens[token.hash] = token
            return token
        }
        log.append(
            request.record, request: request.bytes.span, headerLength: request.headerLength, token: token)
        // The scenario may have been written after the log.
        let device = devices.name(of: request)
        for (text, attachment) in request.attachments where device == nil || attachment != .device {
            log.attach(text.span, as: attachment)
        }
        if let device { log.attach(device.span, as: .device) }
        if let (record, texts) = request.call { log.attach(record, texts) }
        if let rule = request.rule { rules.noteApplied(rule) }
        devices.replay(request)
    }

    /// Counts a request on its connection. A push from the admin API has no connection and always counts as the first.
    private mutating func note(requestOn key: Int, _ record: inout RequestRecord) {
        record.requestOnConnection = 1
        guard key > 0 else { return }
        connections[key, default: Known()].requests += 1
        if let connection = connections[key] {
            record.requestOnConnection = UInt32(clamping: connection.requests)
            record.serverName = connection.nameIndex
        }
    }

    /// Fills a gap in the sequence numbers, which follow from positions.
    private mutating func fillGap(to request: borrowing RequestLine) throws(JSONText.Mistake) {
        if beginsElsewhere, log.latestSequence == 0 {
            // It is not known how far the run had come before.
            log = RequestLog(limit: .max, after: request.sequence - 1)
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
        switch event {
        case .update(let event):
            log.update(event.sequence, with: event.change)
        case .connection(let event): replay(event)
        case .rule(let event): rules.replay(event)
        case .device, .channel, .scenario, .clock, .reset, .fleet, .log: break
        }
        devices.replay(event, after: log.latestSequence)
    }

    // MARK: Connections

    func hasOpened(_ connection: Int) -> Bool { connections[connection]?.wasOpened ?? false }

    /// Determines from a number and an id which connections are from before the run.
    private mutating func note(_ connection: ConnectionReference) {
        guard let id = connection.id else { return }
        log.setLatestIDBefore(max(0, connection.number.map { id - $0 } ?? max(log.latestIDBefore, id)))
    }

    /// Returns the number of a connection in this run; `nil` for one from before.
    private func number(of key: Int) -> Int? { key > log.latestIDBefore ? key - log.latestIDBefore : nil }

    private mutating func replay(_ event: ConnectionEvent) {
        note(event.connection)
        let key = event.connection.key
        var known = connections[key] ?? Known()
        switch event.change {
        case .opened(let facts):
            known.serverName = facts.serverName
            known.nameIndex = log.index(ofServerName: facts.serverName)
            known.wasOpened = true
            known.life.openedAt = event.time
            if let number = number(of: key) {
                seen.opened += 1
                if let time = event.time { seen.openings.append((number, time)) }
            }
        case .closed(let end):
            known.isOpen = false
            (known.life.closedAt, known.life.closedBy) = (event.time, end.closedBy)
            (known.life.pings, known.life.goAways) = (end.counters.pings, end.counters.goAwaysSent)
            if number(of: key) != nil { pings += end.counters.pings }
        }
        connections[key] = known
    }

    /// The number of connections of this run that have not closed.
    var openConnections: Int { connections.count { $0.value.isOpen && number(of: $0.key) != nil } }

    // MARK: Result

    private static func lintedRun(
        of scenario: Scenario, _ connections: [Int: Known], until end: Timestamp?
    ) -> LintedRun {
        var run = LintedRun(of: scenario)
        run.end = end
        for (key, known) in connections { run.connections[UInt32(clamping: key)] = known.life }
        run.isOver = !connections.isEmpty && connections.values.allSatisfy { !$0.isOpen }
        return run
    }

    func evidence(_ scenario: Scenario) -> Evidence {
        var evidence = Evidence(scenario: scenario, log: log.snapshot)
        evidence.run = { [connections, times] in
            Self.lintedRun(of: scenario, connections, until: times?.last)
        }
        evidence.devices = devices.views(of: scenario, after: log.latestSequence)
        evidence.connections = seen
        evidence.connections.pings = pings - pingsBefore
        evidence.channels = devices.channelCount
        for case .channel(let name, _) in scenario.expectations.map(\.form) {
            evidence.figures[name] = devices.figures(of: name)
        }
        evidence.unusedRules = rules.unused(
            hasConnections: seen.opened > 0, hasPings: pings > pingsBefore || connections.contains { $0.value.isOpen },
            by: scenario.unusedRules)
        evidence.missing = missing
        evidence.missingLines = missingLines
        evidence.beginsElsewhere = beginsElsewhere
        return evidence
    }
}
