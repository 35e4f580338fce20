import MockAPNSCore

/// A process that shipped frames as one of the replicas, and what of it has arrived. A replica that was started again is
/// another one.
struct CollectedReplica: Sendable {
    /// What is known of a replica's process.
    enum State: String, Sendable {
        case alive
        /// It has said that it ends, and everything has arrived.
        case ended
        /// It gives no sign of life: it has ended without saying so, or stands still.
        case dead
    }

    /// Without a sign of life for so long, a replica is dead, in milliseconds. Longer than a sign holds, because the
    /// engine itself may have stood still.
    private static let timeToLive: Int64 = 5000

    let name: String
    /// When its process started, by the engine's clock.
    let started: UInt64
    /// Whether another process shipped under the same name.
    var sharesName = false
    /// Its number in the server; `nil` until its first frame.
    var number: Int?
    /// Whether it has joined since everything started over.
    private(set) var hasStartedOver = true
    var state = State.alive
    /// The latest mark that it had seen when it had shipped everything.
    var mark = StreamID.zero
    /// The number of the latest frame that arrived.
    private(set) var frame: UInt64 = 0
    /// The latest request that arrived.
    private(set) var received = 0
    /// The number of requests that are missing between those that arrived.
    private var missingBetween = 0
    /// The latest request in the frames that arrived, those that cannot be read included, as far as the replica has said.
    private var shipped = 0
    /// The records that it ships.
    var records = ShippedRecords.all
    /// The number of requests up to ``received`` that it has counted instead of shipping them.
    private(set) var unshipped = 0
    /// The number of other events that the replica could not ship.
    private(set) var lostEvents = 0
    /// The latest request that the replica is known to have decided.
    private(set) var decided = 0
    /// The number of frames that are missing or cannot be read.
    private(set) var lostFrames: UInt64 = 0
    /// Why a frame cannot be read.
    private var mistake: String?
    /// When a sign of life was last seen, in milliseconds.
    var seen: Int64?
    /// Its latest sign of life; `nil` before the first.
    private(set) var life: SignOfLife?
    /// Whether a sign of life was ever seen.
    private(set) var hasLived = false

    /// Whether its own log has what it had not shipped.
    enum LogState: Sendable, Equatable {
        case notRead
        /// None of the logs at hand has its run.
        case absent
        /// So many requests were taken from its log.
        case taken(Int)
    }

    var logState = LogState.notRead
    /// How far its frames have come; noted only if logs are at hand.
    private(set) var position = ReplicaLog.Position()
    /// The milliseconds to add to its times for the engine's clock.
    private(set) var clockOffset: Int64 = 0
    /// Whether it has gone on although its log was taken for all that there is.
    var hasGoneOn = false

    init(name: String, started: UInt64) { (self.name, self.started) = (name, started) }

    /// What is known of it when everything starts over, until it joins again.
    var beforeStartingOver: Self {
        var replica = Self(name: name, started: started)
        (replica.sharesName, replica.records) = (sharesName, records)
        (replica.seen, replica.hasLived, replica.life) = (seen, hasLived, life)
        replica.hasStartedOver = false
        return replica
    }

    /// What it is called in messages.
    var label: String {
        sharesName ? "\(name) (started \(Timestamp(milliseconds: Int64(clamping: started)).text))" : name
    }

    /// The number of requests known to be missing: between those that arrived, and after them.
    var missing: Int { missingBetween + missingAtEnd }

    /// The number of requests known to be missing after those that arrived.
    private var missingAtEnd: Int { max(0, (state == .dead ? decided : shipped) - received) }

    /// The number of requests that are still to come.
    var lag: Int { max(0, decided - received - missingAtEnd) }

    /// Notes that a frame has arrived, and the frames that are missing before it.
    ///
    /// - Returns: whether it is later than those that have arrived so far.
    mutating func noteArrival(of number: UInt64) -> Bool {
        guard number > frame else { return false }
        lostFrames += number - frame - 1
        frame = number
        return true
    }

    /// Notes what is in a frame that has arrived.
    mutating func note(_ frame: ReplicaFrame) {
        // Without records, too, it says what is missing before the next.
        missingBetween += max(0, frame.firstSequence - received - 1)
        received = max(received, frame.latestSequence)
        unshipped += frame.unshippedCount
        decided = max(decided, frame.decided)
        lostEvents = frame.lostEvents
        if frame.isCurrent { mark = frame.mark }
        if frame.isLast { state = .ended }
    }

    /// Notes how far its frames have come.
    mutating func notePosition(of frame: ReplicaFrame) {
        position.note(frame)
        position.isComplete = lostFrames == 0 && lostEvents == 0
        clockOffset = frame.clockOffset
    }

    /// Whether it may be found in a log, which says nothing of the requests that it has counted without shipping them.
    var mayBeInLog: Bool { state == .dead && hasStartedOver && logState == .notRead && records == .all }

    /// The number of requests that its log had in addition.
    var takenFromLog: Int { if case .taken(let count) = logState { count } else { 0 } }

    /// Notes what was taken from its log, after the frames made of that.
    mutating func note(_ rest: ReplicaLog.Rest) {
        missingBetween += rest.missing
        // It may have decided more than it could write.
        shipped = max(shipped, decided)
        state = .ended
        logState = .taken(rest.count)
    }

    /// Notes a frame that cannot be read.
    mutating func note(_ mistake: String) {
        lostFrames += 1
        self.mistake = self.mistake ?? mistake
    }

    /// Notes a sign of life.
    mutating func note(_ life: SignOfLife, at now: Int64) {
        seen = now
        hasLived = true
        self.life = life
        decided = max(decided, life.decided)
        if life.frame <= frame { shipped = max(shipped, life.shipped) }
        if state == .dead { state = .alive }
    }

    /// Whether it has given no sign of life for too long.
    func isSilent(at now: Int64) -> Bool {
        // A sign that is not there holds no longer, unless the engine stood still.
        seen.map { now - $0 > (hasLived ? Self.timeToLive : Int64(SignOfLife.validity)) } ?? false
    }

    /// Returns what is not known, as part of a sentence; `nil` if everything is.
    ///
    /// - Parameter mark: what it must have seen; `nil` if it cannot be asked.
    func gap(after mark: StreamID?) -> String? {
        guard hasStartedOver else {
            return "\(label) has not started over since the latest reset, so its requests are not known"
        }
        var reasons: [String] = []
        let known = state == .dead ? missingBetween : missing
        if known > 0 { reasons.append(count(known, "request")) }
        if lostFrames > 0 {
            let why = mistake.map { " (\($0))" } ?? ""
            reasons.append(count(Int(clamping: lostFrames), "frame") + why)
        }
        if lostEvents > 0 { reasons.append(count(lostEvents, "event")) }
        switch state {
        case .ended:
            if hasGoneOn {
                reasons.append(
                    "\(label) goes on, although it gave no sign of life and its log was taken for all that there is; start the collector again"
                )
            }
        case .dead:
            let least = missingAtEnd > 0 ? " (at least \(missingAtEnd))" : ""
            let log = logState == .absent ? "; none of the files of --log has its run" : ""
            reasons.append(
                "\(label) gives no sign of life, so it has ended or stands still; its requests after \(received) are not known\(least)\(log)"
            )
        case .alive:
            if let mark, self.mark < mark {
                reasons.append(
                    "\(label) has not shipped its latest requests in time; its log and /readyz say why")
            }
        }
        return reasons.isEmpty ? nil : reasons.joined(separator: ", ")
    }

    private func count(_ number: Int, _ word: String) -> String {
        "\(number) \(word)\(number == 1 ? "" : "s") of \(label) \(number == 1 ? "is" : "are") missing"
    }
}
