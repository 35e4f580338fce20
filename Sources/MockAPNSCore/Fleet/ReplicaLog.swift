/// The log that a replica of a fleet has written (`--log`): it has what the replica decided and could not ship before it
/// was killed.
///
/// ```swift
/// var log = ReplicaLog(of: member, after: position, limit: 100_000)
/// while let piece = try file.nextPiece() { try log.read(piece.span) }
/// try log.finish()
/// let rest = log.rest(clockOffset: 0)
/// ```
///
/// A file may hold several runs, also of other processes; the one that belongs to the member counts.
package struct ReplicaLog: ~Copyable {
    /// How far the frames of the replica have come.
    package struct Position: Sendable {
        /// The latest request in a frame.
        package var sequence = 0
        /// The number of other events in frames.
        package var events = 0
        /// The latest request and the number of other events that the totals in frames cover.
        fileprivate(set) var counted = (sequence: 0, events: 0)
        /// The time of the latest request in a frame, on the replica's clock.
        fileprivate var time: Timestamp?
        /// The number of events that the replica could not ship.
        package var lostEvents = 0
        /// Whether there was no frame missing, nor anything in one, so that ``events`` is exact.
        package var isComplete = true

        /// Creates the position before the first frame.
        package init() {}

        /// Notes the next frame.
        package mutating func note(_ frame: ReplicaFrame) {
            sequence = max(sequence, frame.latestSequence)
            time = frame.latestTime ?? time
            events += frame.events.count
            counted.sequence += frame.totals.requests + frame.totals.requestsByAdmin
            counted.events = max(counted.events, frame.totals.coveredEvents)
            lostEvents = frame.lostEvents
        }
    }

    /// What the replica decided after its last frame.
    package struct Rest: Sendable {
        /// The frames that it would have shipped; none if it had shipped everything.
        package var frames: [ReplicaFrame] = []
        /// The number of requests that the log lacks among them.
        package var missing = 0
        /// How far the frames come.
        package var position: Position
        /// The rules that have decided requests in the log.
        package var rules = AppliedRules()

        /// The number of requests.
        package var count: Int { frames.reduce(0) { $0 + $1.recordCount } - missing }
    }

    /// Whose run is being read.
    private enum Owner { case unknown, member, another }

    /// What was shipped may have been written later, or never if the replica was killed before; in milliseconds.
    private static let writeTime: Int64 = 2000
    /// Maximum number of missing requests in one gap.
    private static let largestGap = 1_000_000

    private let member: FleetMember
    private let position: Position
    private let limit: Int
    private var lines = RecordedLines()
    private var owner = Owner.unknown
    /// Whether the member's run was read to its end.
    private var isOver = false
    /// The seed of the run, as it is written.
    private var seed: String?
    /// The latest request in the part before this file, and the seed, if the file begins within a run.
    private var continued: (after: Int, seed: String?)?

    private var log: RequestLog
    /// The number of events other than requests.
    private var eventCount = 0
    /// Those that are in no frame.
    private var events: [ReplicaEvent] = []
    /// Counts what the frames have not counted.
    private var statistics = Statistics()
    /// How the counts of outcomes have changed, by raw value: requests that the frames have counted were answered later.
    private var outcomeChanges = [Int](repeating: 0, count: Outcome.allCases.count)
    private var topics = TopicTable(hashSeed: 0)
    /// The names of the rules that have decided requests.
    private var rules: Set<[UInt8]> = []
    private var missing: [Range<Int>] = []
    private var lostLines = 0
    /// The number of torn lines just before, of which the last is where the run was killed if nothing follows.
    private var tornLines = 0
    /// What is known of the connections of the process, by id.
    private var connections: [Int: (requests: Int, serverName: String?)] = [:]

    /// Creates a log of which nothing has been read.
    ///
    /// - Parameters:
    ///   - member: whose run is wanted.
    ///   - position: how far its frames have come.
    ///   - limit: the maximum number of requests kept; the latest count.
    package init(of member: FleetMember, after position: Position, limit: Int) {
        (self.member, self.position, self.limit) = (member, position, limit)
        log = RequestLog(limit: limit)
    }

    /// Whether the log has a run of the member.
    package var isFound: Bool { owner == .member }

    /// The latest request in it.
    package var latestSequence: Int { log.latestSequence }

    /// Whether it ends so long before the frames do that it is an earlier part of a log, or an old copy.
    package var isBehindFrames: Bool {
        guard log.latestSequence < position.sequence, let time = position.time else { return false }
        let latest = log.withSubject(log.latestSequence) { $0.record.time }
        return latest.map { $0.advanced(by: Self.writeTime) < time } ?? true
    }

    /// Whether this file begins where another one ends.
    package func continues(_ other: borrowing ReplicaLog) -> Bool {
        continued.map { $0.after == other.latestSequence && $0.seed == other.seed } ?? false
    }

    /// Reads the next piece of the file. It may begin and end within a line.
    package mutating func read(_ piece: Span<UInt8>) throws(RecordedLog.Mistake) {
        var start = 0
        while !isOver, let item = try lines.next(in: piece, from: &start) { try take(item) }
    }

    /// Processes the end of the file.
    package mutating func finish() throws(RecordedLog.Mistake) {
        if let item = try lines.finish() { try take(item) }
    }

    private mutating func take(_ item: RecordedLines.Item) throws(RecordedLog.Mistake) {
        switch item {
        case .line(let line):
            do throws(JSONText.Mistake) { try take(line) } catch { throw lines.mistake(error, in: line.bytes) }
        case .torn(let whole):
            tornLines += 1
            for line in whole { try? take(line) }
        }
    }

    // MARK: Lines

    private mutating func take(_ line: RecordedLine) throws(JSONText.Mistake) {
        guard !isOver, try line.textIfAny("session") == nil else { return }
        let torn = tornLines
        tornLines = 0
        switch line.event {
        case "fleet":
            guard let named = try FleetMember(line) else { return }
            if owner == .unknown { owner = named == member ? .member : .another }
        case "reset": begin()
        case "scenario" where try line.text("state") == ScenarioEvent.State.started.rawValue:
            begin()
            connections = [:]
            if !isOver { seed = line.digits("seed") }
        case _ where owner == .another: break
        case "log":
            lostLines += torn
            try takeLog(line)
        case "request":
            lostLines += torn
            try take(try RequestLine(line))
        default:
            lostLines += torn
            guard let event = try ReplicaEvent(line, after: log.latestSequence) else { return }
            take(event)
        }
    }

    /// A run begins.
    private mutating func begin() {
        guard owner != .member else { return isOver = true }
        owner = .unknown
        log = RequestLog(limit: limit)
        topics = TopicTable(hashSeed: 0)
        (eventCount, events, statistics, missing, lostLines) = (0, [], Statistics(), [], 0)
        rules = []
        outcomeChanges = outcomeChanges.map { _ in 0 }
    }

    private mutating func takeLog(_ line: RecordedLine) throws(JSONText.Mistake) {
        switch try LogLine(line) {
        case .lost(let count): lostLines += count
        // The parts of a run may have been joined again.
        case .reopened(let sequence, _) where sequence < log.latestSequence: begin()
        case .reopened(let sequence, let seed) where owner == .unknown && log.latestSequence == 0:
            continued = (sequence, seed)
        case .reopened, nil: break
        }
    }

    private mutating func take(_ request: RequestLine) throws(JSONText.Mistake) {
        var record = request.record
        let next = log.latestSequence + 1
        guard request.sequence >= next else { return }
        let gap = request.sequence - next
        guard gap <= Self.largestGap else {
            throw JSONText.Mistake(
                offset: request.offset, message: "\"sequence\" is \(request.sequence); expected \(next)")
        }
        if gap > 0 { missing.append(next..<next + gap) }
        // Numbers follow from positions.
        let nothing: [UInt8] = []
        for _ in 0..<gap {
            log.remove([log.append(RequestRecord(), request: nothing.span, headerLength: 0, token: nil)])
        }
        // A push from the admin API has no connection and always counts as the first.
        var connection = connections[request.connection.key] ?? (requests: 0, serverName: nil)
        connection.requests += 1
        if request.connection.key > 0 { connections[request.connection.key] = connection }
        record.requestOnConnection = UInt32(clamping: connection.requests)
        record.serverName = log.index(ofServerName: connection.serverName)
        if request.sequence > position.counted.sequence {
            statistics.count(record, topic: request.topic.flatMap { topics.intern($0.span) })
        }
        log.append(record, request: request.bytes.span, headerLength: request.headerLength, token: request.token)
        for (text, attachment) in request.attachments { log.attach(text.span, as: attachment) }
        if let (record, texts) = request.call { log.attach(record, texts) }
        if let rule = request.rule { rules.insert(rule) }
    }

    private mutating func take(_ event: ReplicaEvent) {
        switch event.content {
        case .update(let sequence, let update, _):
            if eventCount >= position.counted.events, let outcome = update.outcome,
                let before = log.outcome(of: sequence)
            {
                outcomeChanges[Int(before.rawValue)] -= 1
                outcomeChanges[Int(outcome.rawValue)] += 1
            }
            log.update(sequence, with: update)
        case .opened(let id, let facts): connections[id, default: (0, nil)].serverName = facts.serverName
        case .closed, .device: break
        }
        eventCount += 1
        // Without all frames, nobody knows which events came: those up to the latest request may have.
        if position.isComplete ? eventCount > position.events : event.after > position.sequence { events.append(event) }
    }

    // MARK: Result

    /// Returns what comes after the last frame of the replica.
    ///
    /// - Parameter offset: the milliseconds to add to a time of the replica for the engine's clock.
    package func rest(clockOffset offset: Int64) -> Rest {
        var rest = Rest(position: position)
        rest.rules = AppliedRules(
            names: rules.map { String(decoding: $0, as: UTF8.self) }.sorted(), lacksConnections: true)
        let lostEvents = max(0, lostLines - missing.reduce(0) { $0 + $1.count })
        guard log.latestSequence > position.sequence || !events.isEmpty || lostEvents > 0 else { return rest }
        let snapshot = log.snapshot
        var next = max(position.sequence + 1, snapshot.firstSequence)
        var left = events[...]
        repeat {
            var frame = ReplicaFrame()
            frame.records = snapshot.segment(from: next)
            frame.serverNames = snapshot.serverNames
            next += frame.recordCount
            frame.events = Array(left.prefix(ReplicaFrame.eventLimit).prefix { $0.after < next })
            left = left.dropFirst(frame.events.count)
            frame.clockOffset = offset
            frame.decided = log.latestSequence
            frame.lostEvents = position.lostEvents + lostEvents
            frame.madeAt = frame.latestTime ?? frame.events.last?.time ?? frame.madeAt
            rest.frames.append(frame)
        } while next <= log.latestSequence || !left.isEmpty
        rest.frames[rest.frames.count - 1].totals = totals
        rest.missing = missing.reduce(0) { $0 + max(0, $1.upperBound - max($1.lowerBound, position.sequence + 1)) }
        rest.position.sequence = max(position.sequence, log.latestSequence)
        rest.position.events = max(position.events, eventCount)
        rest.position.counted = (
            max(position.counted.sequence, rest.position.sequence), max(position.counted.events, rest.position.events)
        )
        return rest
    }

    private var totals: FrameTotals {
        var totals = statistics.growth(since: Statistics()) { topics.text($0) }
        totals.outcomes = Outcome.allCases.map { outcome in
            let count = statistics.count(of: outcome) + outcomeChanges[Int(outcome.rawValue)]
            return FrameTotals.Count(key: Int(outcome.rawValue), count: count)
        }
        return totals
    }
}

extension RequestLog {
    /// Returns the outcome of a provider's request; `nil` if it is no longer kept.
    fileprivate func outcome(of sequence: Int) -> Outcome? {
        let record = withSubject(sequence) { $0.record }
        return record?.sender == .provider ? record?.outcome : nil
    }
}
