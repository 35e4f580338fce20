import MockAPNSCore

/// A process that shipped frames as one of the replicas, and what of it has arrived. A replica that was started again is
/// another one.
struct CollectedReplica: Sendable {
    /// What is known of a replica's process.
    enum State: String, Sendable {
        case alive
        /// It has said that it ends, and everything has arrived.
        case ended
        /// It has ended without saying so.
        case dead
    }

    let name: String
    /// When its process started, by the engine's clock.
    let started: UInt64
    /// Its number in the merge; `nil` until its first frame.
    var number: Int?
    var state = State.alive
    /// The latest mark that it had seen when it had shipped everything.
    var mark = StreamID.zero
    /// The number of the latest frame that arrived.
    private(set) var frame: UInt64 = 0
    /// The latest request that arrived.
    private(set) var received = 0
    /// The number of requests known to be missing: between those that arrived.
    private(set) var missing = 0
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

    init(name: String, started: UInt64) { (self.name, self.started) = (name, started) }

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
        missing += max(0, frame.firstSequence - received - 1)
        received = max(received, frame.latestSequence)
        unshipped += frame.unshippedCount
        decided = max(decided, frame.decided)
        lostEvents = frame.lostEvents
        if frame.isCurrent { mark = frame.mark }
        if frame.isLast { state = .ended }
    }

    /// Notes a frame that cannot be read.
    mutating func note(_ mistake: String) {
        lostFrames += 1
        self.mistake = self.mistake ?? mistake
    }

    /// Notes a sign of life.
    mutating func note(_ life: SignOfLife, at now: Int64) {
        seen = now
        decided = max(decided, life.decided)
        if state == .dead { state = .alive }
    }

    /// Returns what is not known, as part of a sentence; `nil` if everything is.
    ///
    /// - Parameter mark: what it must have seen; `nil` if it cannot be asked.
    func gap(after mark: StreamID?) -> String? {
        var reasons: [String] = []
        if missing > 0 { reasons.append(count(missing, "request")) }
        if lostFrames > 0 {
            let why = mistake.map { " (\($0))" } ?? ""
            reasons.append(count(Int(clamping: lostFrames), "frame") + why)
        }
        if lostEvents > 0 { reasons.append(count(lostEvents, "event")) }
        switch state {
        case .ended: break
        case .dead:
            let known = decided > received ? ", of which at least \(decided - received) are missing" : ""
            reasons.append("\(name) ended without a last frame; its requests after \(received) are not known\(known)")
        case .alive:
            if let mark, self.mark < mark { reasons.append("\(name) has not shipped its latest requests in time") }
        }
        return reasons.isEmpty ? nil : reasons.joined(separator: ", ")
    }

    private func count(_ number: Int, _ word: String) -> String {
        "\(number) \(word)\(number == 1 ? "" : "s") of \(name) \(number == 1 ? "is" : "are") missing"
    }
}
