// The events of a recorded log other than requests.

/// A change to the record of a request.
struct UpdateLine {
    private(set) var sequence: Int
    private(set) var change: RequestUpdate
    /// The time on the scenario's clock.
    let clock: Timestamp?

    init(_ line: RecordedLine) throws(JSONText.Mistake) {
        sequence = try line.count("sequence")
        var change = RequestUpdate()
        var clock: Timestamp?
        for member in line.members {
            switch member.key {
            case "delivery": change.delivery = try member.word(RecordedWords.deliveries)
            case "outcome": change.outcome = try member.word(RecordedWords.outcomes)
            case "resetCode": change.resetCode = try member.errorCode()
            case "replacedBy": change.replacedBy = try member.count()
            case "latencyMicroseconds": change.latencyMicroseconds = UInt32(clamping: try member.count())
            case "delivered": change.delivered = try member.count()
            case "explanation": change.explanation = Array(try member.text().utf8)
            case "clock": clock = try member.time()
            default: break
            }
        }
        (self.change, self.clock) = (change, clock)
    }

    /// Returns the same change with the numbers of merged logs.
    func renumbered(_ sequence: Int, _ merged: (Int) -> Int?) -> Self {
        var line = self
        line.sequence = sequence
        line.change.replacedBy = change.replacedBy.flatMap(merged)
        return line
    }
}

/// An opened or closed connection.
struct ConnectionLine {
    enum State {
        case opened(at: Timestamp, serverName: String?)
        /// What is known of its life, but for the opening and the PING frames.
        case closed(pings: Int, LintedRun.Connection)
    }

    private(set) var connection: ConnectionReference
    let state: State

    /// Fails for a state that only a later version knows.
    init?(_ line: RecordedLine) throws(JSONText.Mistake) {
        connection = try ConnectionReference(line)
        switch try line.text("state") {
        case "opened":
            state = .opened(at: try line.time("time"), serverName: try line.textIfAny("serverName"))
        case "closed":
            var life = LintedRun.Connection()
            life.closedAt = try line.time
            life.closedBy = try line.textIfAny("closedBy").flatMap { ClosedBy(rawValue: $0) }
            life.goAways = try line.countIfAny("goAwaysSent") ?? 0
            state = .closed(pings: try line.count("pings"), life)
        default: return nil
        }
    }

    var isOpened: Bool { if case .opened = state { true } else { false } }

    /// Returns the same event of another connection.
    func with(_ connection: ConnectionReference) -> Self {
        var line = self
        line.connection = connection
        return line
    }
}

/// A declared, changed or removed device.
struct DeviceLine {
    let token: DeviceToken
    let state: DeviceEvent.State
    /// The sequence number of the push whose notification was dismissed.
    private(set) var dismissed: Int?
    /// Whether the device is online.
    private(set) var isOnline: Bool?
    /// The Live Activity on a broadcast channel that started or ended.
    private(set) var activity: ActivityChange?
    /// The time on the scenario's clock.
    let clock: Timestamp?

    /// Returns the same event with the numbers of merged logs.
    func renumbered(_ merged: (Int) -> Int?) -> Self {
        var line = self
        line.dismissed = dismissed.flatMap(merged)
        line.activity?.sequence = activity?.sequence.flatMap(merged)
        return line
    }

    init(_ line: RecordedLine) throws(JSONText.Mistake) {
        let member = try line.member("token")
        guard let token = DeviceToken(hex: try member.text()) else { throw member.mistake("a device token") }
        self.token = token
        state = DeviceEvent.State(rawValue: try line.text("state")) ?? .changed
        dismissed = try line.countIfAny("dismissed")
        clock = try line.timeIfAny("clock")
        isOnline = line.members.first { $0.key == "online" }?.value.bool
        activity = line.members.first { $0.key == "activity" }.flatMap { ActivityChange($0.value) }
        activity?.isOnline = isOnline ?? true
    }
}

/// A created or deleted broadcast channel.
struct ChannelLine {
    let state: ChannelEvent.State
    /// The id of the channel.
    let channel: String
    /// Its name in the scenario.
    let name: String?

    /// Fails for a state that only a later version knows.
    init?(_ line: RecordedLine) throws(JSONText.Mistake) {
        guard let state = ChannelEvent.State(rawValue: try line.text("state")) else { return nil }
        self.state = state
        channel = try line.text("channel")
        name = try line.textIfAny("name")
    }
}

/// An event about the log itself.
enum LogLine {
    case reopened(after: Int, seed: String?)
    case lost(lines: Int)

    /// Fails for a state that only a later version knows.
    init?(_ line: RecordedLine) throws(JSONText.Mistake) {
        switch try line.text("state") {
        case "reopened": self = .reopened(after: try line.count("after"), seed: line.digits("seed"))
        case "lost": self = .lost(lines: try line.count("lines"))
        default: return nil
        }
    }
}

/// The values of a record, by their names in a log.
enum RecordedWords {
    static let outcomes = Outcome.allCases.map { ($0.name, $0) }
    static let deliveries = Delivery.allCases.map { ($0.name, $0) }
    static let deciders = DecidedBy.allCases.map { ($0.name, $0) }
    static let calls = BroadcastCall.allCases.map { ($0.name, $0) }
    static let reasons = Reason.allCases.map { ($0.name, $0) }
    static let senders = Sender.allCases.map { ($0.name, $0) }
    static let methods = AuthenticationMethod.allCases.map { ($0.name, $0) }
    static let verdicts = [("valid", Verdict.valid)] + Reason.allCases.map { ($0.name, Verdict.refused($0)) }
    static let signatures = [("raw", ProviderToken.SignatureForm.raw), ("der", .der)]
}
