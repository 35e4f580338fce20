/// A log written by `--log`, read back and judged without a server.
///
/// ```swift
/// var log = RecordedLog(of: scenario)
/// while let piece = try file.nextPiece() { try log.read(piece.span) }
/// try log.finish()
/// print(log.evidence.verify())
/// ```
///
/// A file may hold several runs: several servers appended to it, or a server was reset or given another scenario. The
/// last run is judged, so the judgement fails if nothing was sent in it. A server records when it starts; in older logs
/// without that event, the numbers of requests and connections show it. Unknown events are ignored. A log has no
/// signatures of provider tokens and no insignificant white space of payloads: a `body` is compared without it.
///
/// A torn line, left by a killed server or a full disk, is skipped; complete lines joined to one are read. A file
/// without any run is an error.
package struct RecordedLog: ~Copyable, Sendable {
    /// Why a log cannot be read.
    package struct Mistake: Error, Sendable, Hashable, CustomStringConvertible {
        /// The line number, starting at 1.
        package var line: Int
        /// The column, starting at 1.
        package var column: Int
        /// What is wrong and what was expected, without a full stop.
        package var message: String

        /// The text to follow the file name: `3:14: what is wrong`.
        package var description: String { "\(line):\(column): \(message)" }
    }

    /// Longer than any line a server writes.
    static let lineLimit = 16 << 20
    /// Maximum number of sessions listed when the one asked for is missing.
    private static let namedSessions = 20

    private let scenario: Scenario
    /// The session that is judged; `nil` for the server itself.
    private let session: String?
    /// The other sessions in the log.
    private var others: Set<String> = []
    private var run: RecordedRun
    /// The lines of the last run; `nil` unless they are to be merged with another log's.
    private var history: RecordedHistory?
    /// The number of runs; 0 before the first event.
    private var runs = 0
    /// Whether nothing has happened since a reset. A scenario that begins then belongs to the reset.
    private var isFresh = false
    /// The start of a line that has not ended yet.
    private var unfinished: [UInt8] = []
    private var isCutOff = false
    /// The number of complete lines.
    private var lines = 0
    /// The number of torn lines.
    private var torn = 0
    /// The first torn line.
    private var firstTorn: Mistake?

    /// Creates a log of which nothing has been read.
    ///
    /// - Parameters:
    ///   - scenario: the scenario that was played, with its expectations.
    ///   - session: the session that played it; `nil` for the server itself. Lines of other sessions are skipped.
    ///   - isToBeMerged: whether ``takeHistory(named:)`` will be called.
    package init(of scenario: Scenario, session: String? = nil, isToBeMerged: Bool = false) {
        self.scenario = scenario
        self.session = session
        history = isToBeMerged ? RecordedHistory() : nil
        run = RecordedRun(of: scenario)
    }

    /// Reads the next piece of the file. It may begin and end within a line.
    package mutating func read(_ piece: Span<UInt8>) throws(Mistake) {
        var start = 0
        for index in 0..<piece.count where piece[index] == UInt8(ascii: "\n") {
            unfinished.append(piece.extracting(start..<index))
            start = index + 1
            lines += 1
            try takeLine()
            unfinished.removeAll(keepingCapacity: true)
        }
        unfinished.append(piece.extracting(start..<piece.count))
        guard unfinished.count <= Self.lineLimit else {
            throw Mistake(
                line: lines + 1, column: 1,
                message: "expected a line of a log, a JSON object, found \(unfinished.count) bytes without a line end")
        }
    }

    /// Processes the end of the file. An incomplete last line is ignored, because the server may have been killed.
    ///
    /// - Throws: ``Mistake``, also if the file contains no run of a server.
    package mutating func finish() throws(Mistake) {
        if !unfinished.isEmpty {
            lines += 1
            try takeLine(isLast: true)
            unfinished = []
        }
        guard runs == 0 else { return }
        if session != nil || !others.isEmpty {
            let names = others.sorted().joined(separator: ", ")
            throw Mistake(
                line: 1, column: 1,
                message:
                    "there is no run of \(session.map { "the session \"\($0)\"" } ?? "the server itself") in this log; "
                    + (names.isEmpty ? "it has no other session" : "it has the sessions \(names)"))
        }
        let nothing = lines == 0 ? "the file is empty" : "--log of serve or exec writes one"
        throw Mistake(
            line: firstTorn?.line ?? 1, column: firstTorn?.column ?? 1,
            message: "there is no run of a server in this log: \(nothing)")
    }

    private mutating func takeLine(isLast: Bool = false) throws(Mistake) {
        guard unfinished.contains(where: { !$0.isJSONBlank }) else { return }
        do throws(JSONText.Mistake) {
            let value: JSONText.Value
            do throws(JSONText.Mistake) {
                value = try JSONText.read(unfinished, .recorded)
                if let mistake = RecordedLine.mistake(in: value) { throw mistake }
            } catch {
                takeTornLine(error, isLast: isLast)
                return
            }
            try take(RecordedLine(unfinished, value))
        } catch {
            throw mistake(error)
        }
    }

    private func mistake(_ error: JSONText.Mistake) -> Mistake {
        let column = JSONText.position(of: error.offset, in: unfinished.span).column
        return Mistake(line: lines, column: column, message: error.message)
    }

    /// Skips a torn line, except for the complete lines in it.
    private mutating func takeTornLine(_ error: JSONText.Mistake, isLast: Bool) {
        let whole = TornLine.wholeLines(in: unfinished)
        // A character of four bytes may have been cut as well.
        if isLast, whole.isEmpty, error.offset + 3 >= unfinished.count {
            isCutOff = true
            return
        }
        torn += 1
        if firstTorn == nil { firstTorn = mistake(error) }
        run.lacksLines(1)
        for bytes in whole {
            // Every line has a time; few payloads that look like a line have one.
            if let value = try? JSONText.read(bytes, .recorded), let line = try? RecordedLine(bytes, value),
                (try? line.time) != nil
            {
                try? take(line)
            }
        }
    }

    private mutating func take(_ line: RecordedLine) throws(JSONText.Mistake) {
        let session = try line.textIfAny("session")
        guard session == self.session || line.event == "log" else {
            if let session, others.count < Self.namedSessions { others.insert(session) }
            return
        }
        switch line.event {
        case "request":
            let request = try RequestLine(line)
            if request.sequence <= run.latestSequence { begin(.server) }
            history?.append(.request(request), at: request.record.time)
            try run.take(request)
        case "update":
            let update = try UpdateLine(line)
            history?.append(.update(update), at: try line.time)
            run.take(update)
        case "connection":
            guard let connection = try ConnectionLine(line) else { return }
            if connection.isOpened, run.hasOpened(connection.connection.key) { begin(.server) }
            history?.append(.connection(connection), at: try line.time)
            run.take(connection)
        case "device":
            let device = try DeviceLine(line)
            history?.append(.device(device), at: try line.time)
            run.take(device)
        case "reset": begin(.reset)
        case "scenario":
            switch ScenarioEvent.State(rawValue: try line.text("state")) {
            case .started:
                begin(.server)
                run.seed = line.digits("seed")
            case .played where isFresh: break
            case .played: begin(.scenario)
            case nil: return
            }
        case "log":
            guard let log = try LogLine(line) else { return }
            take(log)
        default: return
        }
        isFresh = line.event == "reset"
        runs = max(runs, 1)
        try run.note(line.time)
    }

    private mutating func take(_ line: LogLine) {
        // What it says applies to the server's own run.
        if session != nil {
            if case .lost(let lines) = line, runs > 0 { run.lacksLines(lines) }
            return
        }
        switch line {
        case .lost(let lines):
            if runs == 0 { begin(.elsewhere(after: 0)) }
            run.lacksLines(lines)
        case .reopened(let sequence, let seed):
            // Both parts may have been joined again.
            guard runs == 0 || sequence < run.latestSequence || seed != run.seed else { return }
            begin(.elsewhere(after: sequence))
            run.seed = seed
        }
    }

    private mutating func begin(_ beginning: RecordedRun.Beginning) {
        run.begin(beginning, scenario)
        history?.begin(beginning)
        runs += 1
    }

    // MARK: Result

    /// The evidence for judging the scenario's expectations.
    package var evidence: Evidence { run.evidence(scenario) }

    /// Returns the last run for merging, and drops it.
    ///
    /// - Parameter name: the name of the log in reports, such as its path.
    package mutating func takeHistory(named name: String) -> RecordedHistory {
        var taken = history ?? RecordedHistory()
        history = nil
        (taken.log, taken.remarks) = (name, remarks)
        (taken.missing, taken.missingLines) = (run.missing, run.missingLines)
        taken.beginsElsewhere = run.beginsElsewhere
        return taken
    }

    /// Sentences on anything unusual for the log of one server that was stopped normally.
    package var remarks: [String] {
        var remarks: [String] = []
        if isCutOff { remarks.append("The last line of the log is truncated; it was ignored.") }
        if torn > 0, let firstTorn {
            remarks.append(
                torn == 1
                    ? "Line \(firstTorn.line) of the log is truncated; it was skipped."
                    : "\(torn) lines of the log are truncated, the first of them line \(firstTorn.line); they were skipped."
            )
        }
        if runs > 1 { remarks.append("The log holds \(runs) runs; the last one was judged.") }
        if run.missing > 0 {
            remarks.append("The log lacks \(counted(run.missing, "request")).")
        }
        if run.missingLines > 0 {
            remarks.append("The log lacks \(counted(run.missingLines, run.missing > 0 ? "other line" : "line")).")
        }
        if run.beginsElsewhere {
            remarks.append("The log continues a run that started in another file; judge them as one file.")
        }
        let asksForPings = scenario.expectations.contains { if case .pings = $0.form { true } else { false } }
        if asksForPings, run.openConnections > 0 {
            let connections = counted(run.openConnections, "connection")
            remarks.append("The end of \(connections) is not in the log, so PING frames on them were not counted.")
        }
        return remarks
    }

    /// The real times of the first and the last line that were judged; `nil` if there were none.
    package var times: (first: Timestamp, last: Timestamp)? { run.times }
}
