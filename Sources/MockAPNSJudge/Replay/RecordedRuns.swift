import MockAPNSCore

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
    /// The findings of lint in the runs that have ended; `nil` unless they are linted.
    private var lintOfEnded: LintVerdict?

    /// - Parameters:
    ///   - isLinted: whether each run is linted when it ends.
    ///   - room: how many devices register themselves; `nil` if only declared devices matter.
    ///   - keepsEvents: whether the events of the last run are kept.
    init(
        of scenario: Scenario, isOfSession: Bool, isToBeMerged: Bool = false, isLinted: Bool = false,
        roomForOthers room: Int? = nil, keepsEvents: Bool = false
    ) {
        self.scenario = scenario
        self.isOfSession = isOfSession
        history = isToBeMerged ? RecordedHistory() : nil
        run = RecordedRun(of: scenario, roomForOthers: room, keepsEvents: keepsEvents)
        lintOfEnded = isLinted ? LintVerdict() : nil
    }

    mutating func replay(_ line: RecordedLine) throws(JSONText.Mistake) {
        if line.event == "request" {
            let request = try RequestLine(line)
            if request.sequence <= run.latestSequence { begin(.server, at: request.record.time) }
            history?.append(.request(request), at: request.record.time)
            try run.replay(request)
            (isEmpty, isFresh) = (false, false)
        } else {
            // It says nothing that is judged.
            guard line.event != "fleet", let event = try LogEvent(line) else { return }
            replay(event, at: try line.time)
        }
        count = max(count, 1)
        try run.note(line.time)
    }

    private mutating func replay(_ event: LogEvent, at time: Timestamp?) {
        switch event {
        case .reset:
            begin(.reset, at: time)
            isFresh = true
            return
        case .scenario(let event):
            if event.state == .started {
                begin(.server, at: time)
                run.seed = event.seed
            } else if !isFresh {
                begin(.scenario, at: time)
            }
            isFresh = false
            return run.start(at: event.clock)
        case .connection(let event):
            let isKnown = if case .opened = event.change { run.hasOpened(event.connection.key) } else { false }
            if isKnown { begin(.server, at: time) }
            keep(.connection(event), at: time)
        case .log(let event): replay(event, at: time)
        case .clock: return keep(event, at: time)
        case .fleet: break
        default: keep(event, at: time)
        }
        (isEmpty, isFresh) = (false, false)
    }

    private mutating func keep(_ event: LogEvent, at time: Timestamp?) {
        history?.append(.event(event), at: time)
        run.replay(event)
    }

    private mutating func replay(_ event: LogFileEvent, at time: Timestamp?) {
        // The event applies to the server's own run.
        if isOfSession {
            if case .lost(let lines) = event, count > 0 { run.addLostLines(lines) }
            return
        }
        switch event {
        case .lost(let lines):
            if count == 0 { begin(.elsewhere(after: 0), at: time) }
            run.addLostLines(lines)
        case .reopened(let sequence, _, let seed):
            // Both parts may have been joined again.
            guard count == 0 || sequence < run.latestSequence || seed != run.seed else { return }
            begin(.elsewhere(after: sequence), at: time)
            run.seed = seed
        }
    }

    private mutating func begin(_ beginning: RecordedRun.Beginning, at time: Timestamp?) {
        if lintOfEnded != nil, run.latestSequence > 0 {
            let cause = beginning.endsOthers
            let end = (time ?? run.times?.last).map { EarlyEnd(cause: cause, time: $0) }
            let input = run.verificationInput(scenario, endedAt: cause == .start ? nil : end?.time)
            lintOfEnded?.add(input.linting().finish(), in: input, end: end)
        }
        run.begin(beginning, scenario)
        history?.begin(beginning)
        if !isEmpty || beginning.endsOthers == .start { count += 1 }
        isEmpty = true
    }

    /// Records that a line is truncated here.
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
        let input = run.verificationInput(scenario)
        verdict.add(input.linting().finish(), in: input)
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
