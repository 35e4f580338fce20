/// The runs of one server in a log, one after the other: those of the server itself, or those of one of its sessions.
struct RecordedRuns: ~Copyable {
    private let scenario: Scenario
    private let isOfSession: Bool
    /// The last run.
    private(set) var run: RecordedRun
    /// The lines of the last run; `nil` unless they are to be merged with another log's.
    private(set) var history: RecordedHistory?
    /// The number of runs, except those started over before anything happened; 0 before the first event.
    private(set) var count = 0
    /// Whether nothing has happened in the last run yet.
    private var isEmpty = true
    /// Whether nothing has happened since a reset. A scenario that begins then belongs to the reset.
    private var isFresh = false
    /// What lint has found in the runs that have ended; `nil` unless they are linted.
    private var lintOfEnded: LintVerdict?

    /// - Parameters:
    ///   - isLinted: whether each run is linted when it ends.
    init(of scenario: Scenario, isOfSession: Bool, isToBeMerged: Bool = false, isLinted: Bool = false) {
        self.scenario = scenario
        self.isOfSession = isOfSession
        history = isToBeMerged ? RecordedHistory() : nil
        run = RecordedRun(of: scenario)
        lintOfEnded = isLinted ? LintVerdict() : nil
    }

    mutating func replay(_ line: RecordedLine) throws(JSONText.Mistake) {
        switch line.event {
        case "request":
            let request = try RequestLine(line)
            if request.sequence <= run.latestSequence { begin(.server, at: request.record.time) }
            history?.append(.request(request), at: request.record.time)
            try run.replay(request)
        case "update":
            let update = try UpdateLine(line)
            history?.append(.update(update), at: try line.time)
            run.replay(update)
        case "connection":
            guard let connection = try ConnectionLine(line) else { return }
            if connection.isOpened, run.hasOpened(connection.connection.key) { begin(.server, at: try line.time) }
            history?.append(.connection(connection), at: try line.time)
            run.replay(connection)
        case "device":
            let device = try DeviceLine(line)
            history?.append(.device(device), at: try line.time)
            run.replay(device)
        case "channel":
            guard let channel = try ChannelLine(line) else { return }
            history?.append(.channel(channel), at: try line.time)
            run.replay(channel)
        case "rule":
            guard let rule = try RuleLine(line) else { return }
            history?.append(.rule(rule), at: try line.time)
            run.replay(rule)
        case "reset": begin(.reset, at: try line.time)
        case "scenario":
            switch ScenarioEvent.State(rawValue: try line.text("state")) {
            case .started:
                begin(.server, at: try line.time)
                run.seed = line.digits("seed")
            case .played where isFresh: break
            case .played: begin(.scenario, at: try line.time)
            case nil: return
            }
            if let clock = try line.timeIfAny("clock") { run.begin(at: clock) }
        case "log":
            guard let log = try LogLine(line) else { return }
            replay(log, at: try line.time)
        default: return
        }
        isEmpty = isEmpty && ["scenario", "reset"].contains(line.event)
        isFresh = line.event == "reset"
        count = max(count, 1)
        try run.note(line.time)
    }

    private mutating func replay(_ line: LogLine, at time: Timestamp?) {
        // What it says applies to the server's own run.
        if isOfSession {
            if case .lost(let lines) = line, count > 0 { run.addLostLines(lines) }
            return
        }
        switch line {
        case .lost(let lines):
            if count == 0 { begin(.elsewhere(after: 0), at: time) }
            run.addLostLines(lines)
        case .reopened(let sequence, let seed):
            // Both parts may have been joined again.
            guard count == 0 || sequence < run.latestSequence || seed != run.seed else { return }
            begin(.elsewhere(after: sequence), at: time)
            run.seed = seed
        }
    }

    private mutating func begin(_ beginning: RecordedRun.Beginning, at time: Timestamp?) {
        if lintOfEnded != nil, run.latestSequence > 0 {
            let evidence = run.evidence(scenario)
            let end = (time ?? run.times?.last).map { EarlyEnd(cause: beginning.endsOthers, time: $0) }
            lintOfEnded?.add(evidence.linting().finish(), in: evidence, end: end)
        }
        run.begin(beginning, scenario)
        history?.begin(beginning)
        if !isEmpty || beginning.endsOthers == .start { count += 1 }
        isEmpty = true
    }

    /// Records that a line is torn here.
    mutating func addLostLine() {
        run.addLostLines(1)
        isEmpty = false
    }

    /// Returns the lines of the last run, and drops them.
    mutating func takeHistory() -> RecordedHistory {
        defer { history = nil }
        return history ?? RecordedHistory()
    }

    /// Lints what has not been linted yet, and returns what was found in all runs.
    ///
    /// - Parameter includesLast: whether the last run is linted, too.
    func lint(includingLast includesLast: Bool) -> LintVerdict {
        var verdict = lintOfEnded ?? LintVerdict()
        guard includesLast, count > 0 else { return verdict }
        let evidence = run.evidence(scenario)
        verdict.add(evidence.linting().finish(), in: evidence)
        return verdict
    }
}

extension RecordedRun.Beginning {
    /// How it ends the run before.
    fileprivate var endsOthers: EarlyEnd.Cause {
        switch self {
        case .server, .elsewhere: .start
        case .reset: .reset
        case .scenario: .replacement
        }
    }
}
