package import MockAPNSCore

/// A log written by `--log`, read back and judged without a server.
///
/// ```swift
/// var log = RecordedLog(of: scenario)
/// while let piece = try file.nextPiece() { try log.read(piece.span) }
/// try log.finish()
/// print(log.input.verify())
/// ```
///
/// A file may hold several runs: several servers appended to it, or a server was reset or given another scenario. The
/// last run is judged, so the judgement fails if nothing was sent in it; lint judges all runs. A server records when it
/// starts; in older logs without that event, the numbers of requests and connections show it. Unknown events are ignored.
/// A log has no signatures of provider tokens and no insignificant white space of payloads: a `body` is compared without
/// it.
///
/// A truncated line, left by a killed server or a full disk, is skipped; complete lines joined to one are read. A file
/// without any run is an error.
package struct RecordedLog: ~Copyable {
    /// Why a log cannot be read.
    package struct Mistake: Error, Sendable, Hashable, CustomStringConvertible {
        /// The line number, starting at 1.
        package var line: Int
        /// The column, starting at 1.
        package var column: Int
        /// The mistake and the expected text, without a full stop.
        package var message: String

        /// The text to follow the file name: `3:14: what is wrong`.
        package var description: String { "\(line):\(column): \(message)" }
    }

    /// The requests in a log that lint judges.
    package enum LintScope: Sendable {
        /// The requests of the server itself, or of the session that is judged.
        case one
        /// The requests of the server and of all its sessions.
        case all
    }

    /// The runs of a session that is linted only.
    private final class OtherSession {
        var runs: RecordedRuns

        init(_ runs: consuming RecordedRuns) { self.runs = runs }
    }

    /// Maximum number of sessions listed when the one asked for is missing.
    private static let namedSessions = 20

    private let scenario: Scenario
    /// The session that is judged; `nil` for the server itself.
    private let session: String?
    /// The requests to lint; `nil` for none.
    private let linted: LintScope?
    /// The runs of the server, or of the session that is judged.
    private var runs: RecordedRuns
    /// The names of other sessions in the log.
    private var others: Set<String> = []
    /// The other sessions that are linted, by name.
    private var lintedOthers: [String: OtherSession] = [:]
    private var lines = LineSplitter()

    /// Creates a log with nothing read yet.
    ///
    /// - Parameters:
    ///   - scenario: the scenario that was played, with its expectations.
    ///   - session: the session that played it; `nil` for the server itself. Lines of other sessions are skipped.
    ///   - isToBeMerged: whether ``takeHistory(named:)`` will be called.
    ///   - linted: the requests that ``lint()`` will judge; `nil` if it will not be called.
    ///   - keepsEvents: whether ``lastRun`` will be asked for.
    package init(
        of scenario: Scenario, session: String? = nil, isToBeMerged: Bool = false, linting linted: LintScope? = nil,
        keepsEvents: Bool = false
    ) {
        self.scenario = scenario
        self.session = session
        self.linted = linted
        runs = RecordedRuns(
            of: scenario, isOfSession: session != nil, isToBeMerged: isToBeMerged, isLinted: linted != nil,
            keepsEvents: keepsEvents)
    }

    /// Returns whether a file looks like a log of a server, by its first line.
    package static func isLog(_ beginning: [UInt8]) -> Bool {
        let line = beginning.split(maxSplits: 1) { $0 == UInt8(ascii: "\n") }.first ?? []
        guard let value = try? JSONText.read(Array(line), .recorded), value["aps"] == nil,
            value["time"]?.string.flatMap({ Timestamp($0) }) != nil
        else { return false }
        return value["event"]?.string != nil
    }

    /// Reads the next piece of the file. It may begin and end within a line.
    package mutating func read(_ piece: Span<UInt8>) throws(Mistake) {
        var start = 0
        while let item = try lines.next(in: piece, from: &start) { try take(item) }
    }

    /// Processes the end of the file. An incomplete last line is ignored, because the server may have been killed.
    ///
    /// - Parameter lintsOnly: whether runs of other sessions are enough.
    /// - Throws: ``Mistake``, also if the file contains no run of a server.
    package mutating func finish(lintsOnly: Bool = false) throws(Mistake) {
        if let item = try lines.finish() { try take(item) }
        guard runs.count == 0, !lintsOnly || lintedOthers.isEmpty else { return }
        others.formUnion(lintedOthers.keys.sorted().prefix(Self.namedSessions))
        if session != nil || !others.isEmpty {
            let names = others.sorted().joined(separator: ", ")
            throw Mistake(
                line: 1, column: 1,
                message:
                    "there is no run of \(session.map { "the session \"\($0)\"" } ?? "the server itself") in this log; "
                    + (names.isEmpty ? "it has no other session" : "it has the sessions \(names)"))
        }
        let unread = [lines.firstTruncated, lines.firstForeign].compactMap(\.self).min { $0.line < $1.line }
        let nothing = lines.count == 0 ? "the file is empty" : "--log of serve or exec writes one"
        throw Mistake(
            line: unread?.line ?? 1, column: unread?.column ?? 1,
            message: "there is no run of a server in this log: \(nothing)")
    }

    private mutating func take(_ item: LineSplitter.Item) throws(Mistake) {
        switch item {
        case .line(let line):
            do throws(JSONText.Mistake) { try replay(line) } catch { throw lines.mistake(error, in: line.bytes) }
        case .truncated(let whole):
            runs.addLostLine()
            for line in whole { try? replay(line) }
        }
    }

    private mutating func replay(_ line: RecordedLine) throws(JSONText.Mistake) {
        let session = try line.textIfAny(RecordMember.session.name)
        if line.event == "log" {
            for other in lintedOthers.values { try other.runs.replay(line) }
        } else if session != self.session {
            if let session { try replay(line, of: session) }
            return
        }
        try runs.replay(line)
    }

    private mutating func replay(_ line: RecordedLine, of session: String) throws(JSONText.Mistake) {
        guard linted == .all else {
            if others.count < Self.namedSessions { others.insert(session) }
            return
        }
        if lintedOthers[session] == nil {
            lintedOthers[session] = OtherSession(RecordedRuns(of: scenario, isOfSession: true, isLinted: true))
        }
        try lintedOthers[session]?.runs.replay(line)
    }

    // MARK: Result

    /// What the scenario's expectations are judged by.
    package var input: VerificationInput { runs.run.verificationInput(scenario) }

    /// The last run: its events, and the seed of its random choices if the log has it.
    package var lastRun: (events: EventSnapshot, seed: UInt64?) { (runs.run.events, runs.run.seed) }

    /// Where the upstream of a relay answered otherwise in the last run; empty for the log of any other server.
    package var differences: RelayDifferences { runs.run.differences }

    /// Lints all runs, by the settings of the scenario.
    ///
    /// - Parameter includesLast: whether the last run of the server is linted; not if it is merged with another log's.
    package func lint(includingLast includesLast: Bool = true) -> LintVerdict {
        var verdict = LintVerdict(by: scenario.lint)
        verdict.add(runs.lint(includingLast: includesLast), session: session)
        for (name, other) in lintedOthers.sorted(by: { $0.key < $1.key }) {
            verdict.add(other.runs.lint(includingLast: true), session: name)
        }
        return verdict
    }

    /// Returns the last run for merging, and drops it.
    ///
    /// - Parameter name: the name of the log in reports, such as its path.
    package mutating func takeHistory(named name: String) -> RecordedHistory {
        var taken = runs.takeHistory()
        (taken.log, taken.remarks) = (name, remarks)
        (taken.missing, taken.missingLines) = (runs.run.missing, runs.run.missingLines)
        taken.beginsElsewhere = runs.run.beginsElsewhere
        return taken
    }

    /// Sentences on anything unusual for the log of one server that was stopped normally.
    package var remarks: [String] { remarks(onLastRun: "the last one was judged") }

    /// Returns these sentences.
    ///
    /// - Parameter what: what became of the last run if there are several, as the end of a sentence.
    package func remarks(onLastRun what: String) -> [String] {
        var remarks = remarksOnLines
        if runs.count > 1 { remarks.append("The log holds \(runs.count) runs; \(what).") }
        remarks += remarksOnGaps
        let run = runs.run.openConnections
        let asksForPings = scenario.expectations.contains { if case .pings = $0.form { true } else { false } }
        if asksForPings, run > 0 {
            let connections = counted(run, "connection")
            remarks.append("The end of \(connections) is not in the log, so PING frames on them were not counted.")
        }
        return remarks
    }

    /// Like ``remarks``, where only lint judges.
    package var lintRemarks: [String] {
        let runs = runs.count + lintedOthers.values.reduce(0) { $0 + $1.runs.count }
        guard runs > 1 else { return remarksOnLines + remarksOnGaps }
        let sessions = lintedOthers.isEmpty ? "" : ", \(counted(lintedOthers.count, "session")) included"
        return remarksOnLines + ["The log holds \(runs) runs\(sessions); lint has judged each."] + remarksOnGaps
    }

    private var remarksOnLines: [String] {
        var remarks: [String] = []
        if lines.isCutOff { remarks.append("The last line of the log is truncated; it was ignored.") }
        if let firstTruncated = lines.firstTruncated {
            remarks.append(
                lines.truncated == 1
                    ? "Line \(firstTruncated.line) of the log is truncated; it was skipped."
                    : "\(lines.truncated) lines of the log are truncated, the first of them line \(firstTruncated.line); they were skipped."
            )
        }
        if let first = lines.firstForeign {
            let why = "column \(first.column): \(first.message)"
            remarks.append(
                lines.foreign == 1
                    ? "Line \(first.line) of the log is not one that a server writes (\(why)); it was skipped."
                    : "\(lines.foreign) lines of the log are not ones that a server writes, the first of them line \(first.line) (\(why)); they were skipped."
            )
        }
        return remarks
    }

    /// On what the last run lacks.
    private var remarksOnGaps: [String] {
        var remarks: [String] = []
        let (missing, missingLines) = (runs.run.missing, runs.run.missingLines)
        if missing > 0 { remarks.append("The log lacks \(counted(missing, "request")).") }
        if missingLines > 0 {
            remarks.append("The log lacks \(counted(missingLines, missing > 0 ? "other line" : "line")).")
        }
        if runs.run.beginsElsewhere {
            remarks.append("The log continues a run that started in another file; judge them as one file.")
        }
        return remarks
    }

    /// The real times of the first and the last line that were judged; `nil` if there were none.
    package var times: (first: Timestamp, last: Timestamp)? { runs.run.times }
}
