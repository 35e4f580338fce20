import MockAPNSCore

/// A process that shipped frames as one of the replicas, and what of it has arrived. A replica that was started again is
/// another one.
struct CollectedReplica: Sendable {
    /// The state of a replica's process, as far as it is known.
    enum State: String, Sendable {
        case alive
        /// It has said that it ends, and everything has arrived.
        case ended
        /// It sends no heartbeat: it crashed, was killed, hangs or cannot reach the engine.
        case dead
    }

    /// Maximum time without a heartbeat before a replica counts as dead, in milliseconds. Longer than a heartbeat is
    /// valid, because the engine itself may have hung.
    private static let timeToLive: Int64 = 5000
    /// The message about a dead one.
    static let silence = "sends no heartbeat: it crashed, was killed, hangs or cannot reach the engine"

    /// Why something that a replica decided is not here.
    private enum Cause: CaseIterable {
        /// The engine did not have it any more, or never kept it.
        case engine
        /// The replica had dropped it before the engine took it.
        case replica
        /// It cannot be read.
        case frame
    }

    /// How much is not here.
    private struct Loss: Sendable, Equatable {
        var requests = 0
        var frames: UInt64 = 0
    }

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
    /// Whether it has never been part of the run: it could not serve clients.
    private(set) var hasWithdrawn = false
    /// Whether it decides without having carried out all that the others have.
    private var hasMissed = false
    /// The latest mark that it had seen when it had shipped everything.
    var mark = StreamID.zero
    /// The number of the latest frame that arrived.
    private(set) var frame: UInt64 = 0
    /// The latest request that arrived.
    private(set) var received = 0
    /// The losses between the requests that arrived, by cause.
    private var losses: [Cause: Loss] = [:]
    /// Why requests are missing before those of the next frame, if any are.
    private var cause = Cause.replica
    /// The latest request in the frames that arrived, those that cannot be read included, as far as the replica has said.
    private var shipped = 0
    /// The number of other events that the replica could not ship.
    private(set) var lostEvents = 0
    /// The latest request that the replica is known to have decided.
    private(set) var decided = 0
    /// Why a frame cannot be read.
    private var mistake: String?
    /// When a heartbeat was last seen, in milliseconds.
    var seen: Int64?
    /// Its latest heartbeat; `nil` before the first.
    private(set) var heartbeat: Heartbeat?
    /// Whether a heartbeat was ever seen.
    private(set) var hasLived = false

    /// The call that began another scenario and did not wait for what this replica had decided before.
    private var passedBy = StreamID.zero
    /// The number of requests that it had decided before that call, and that came after it.
    private var lateRequests = 0

    init(name: String, started: UInt64) { (self.name, self.started) = (name, started) }

    /// The replica as everything starts over, until it joins again.
    var beforeStartingOver: Self {
        var replica = Self(name: name, started: started)
        replica.sharesName = sharesName
        (replica.seen, replica.hasLived, replica.heartbeat) = (seen, hasLived, heartbeat)
        replica.hasStartedOver = false
        return replica
    }

    /// Its name in messages.
    var label: String {
        sharesName ? "\(name) (started \(Timestamp(milliseconds: Int64(clamping: started)).text))" : name
    }

    /// The number of requests known to be missing: between those that arrived, and after them.
    var missing: Int { missingBetween + missingAtEnd }

    /// The number of requests known to be missing between those that arrived.
    private var missingBetween: Int { losses.values.reduce(0) { $0 + $1.requests } }

    /// The number of requests known to be missing after those that arrived.
    private var missingAtEnd: Int { max(0, (state == .dead ? decided : shipped) - received) }

    /// The number of requests that are still to come.
    var lag: Int { max(0, decided - received - missingAtEnd) }

    /// Notes that a frame has arrived, and the frames that are missing before it.
    ///
    /// - Returns: whether it is later than those that have arrived so far.
    mutating func noteArrival(of number: UInt64) -> Bool {
        guard number > frame else { return false }
        if number > frame + 1 {
            losses[.engine, default: Loss()].frames += number - frame - 1
            cause = .engine
        }
        frame = number
        return true
    }

    /// Notes what is in a frame that has arrived.
    mutating func note(_ frame: ReplicaFrame) {
        if mark < passedBy { lateRequests += frame.recordCount }
        // Without records, too, it says what is missing before the next.
        let jump = frame.firstSequence - received - 1
        if jump > 0 { losses[cause, default: Loss()].requests += jump }
        cause = .replica
        received = max(received, frame.latestSequence)
        decided = max(decided, frame.decided)
        lostEvents = frame.lostEvents
        if frame.isCurrent { mark = frame.mark }
        if frame.isLast { state = .ended }
    }

    /// Notes that another scenario begins, without waiting any longer for what it had decided before.
    mutating func pass(by call: StreamID) { if mark < call, state != .ended { passedBy = call } }

    /// Notes that it has not carried out all that the others have, and goes on.
    mutating func noteMissed() { hasMissed = true }

    /// Records that it has withdrawn its entry.
    mutating func withdraw() { (hasWithdrawn, state) = (true, .ended) }

    /// Whether all its frames so far could be read.
    var isReadable: Bool { mistake == nil }

    /// Notes a frame that cannot be read.
    mutating func note(_ mistake: String) {
        losses[.frame, default: Loss()].frames += 1
        cause = .frame
        self.mistake = self.mistake ?? mistake
    }

    /// Notes a heartbeat.
    mutating func note(_ heartbeat: Heartbeat, at now: Int64) {
        seen = now
        hasLived = true
        self.heartbeat = heartbeat
        decided = max(decided, heartbeat.decided)
        if heartbeat.frame <= frame { shipped = max(shipped, heartbeat.shipped) }
        if state == .dead { state = .alive }
    }

    /// Whether it has sent no heartbeat for too long.
    func isSilent(at now: Int64) -> Bool {
        // A missing heartbeat has expired, unless the engine hung.
        seen.map { now - $0 > (hasLived ? Self.timeToLive : Int64(Heartbeat.validity)) } ?? false
    }

    /// Returns what is not known, as part of a sentence; `nil` if everything is.
    ///
    /// - Parameter mark: what it must have seen; `nil` if it cannot be asked.
    func gap(after mark: StreamID?) -> String? {
        guard hasStartedOver else {
            return "\(label) has not started over since the latest reset, so its requests are not known"
        }
        var reasons = Cause.allCases.compactMap { missing(by: $0) }
        if hasMissed {
            reasons.append(
                "\(label) was stopped, or could not reach the engine, for so long that it has missed what the others agreed on, so what it decided since may differ; \(APICall.reset) starts everything over"
            )
        }
        if lostEvents > 0 { reasons.append(count(lostEvents, "event") + Self.lossOfReplica) }
        if lateRequests > 0 {
            reasons.append(
                "\(counted(lateRequests, "request")) of \(label) came after another scenario had begun, and count for that"
            )
        }
        switch state {
        case .ended: break
        case .dead:
            let least = missingAtEnd > 0 ? " (at least \(missingAtEnd))" : ""
            reasons.append(
                "\(label) \(Self.silence); what came after its request \(received) is not known\(least); if every replica writes a log (serve --log), verify --log judges all of them, and if not, reset and repeat"
            )
        case .alive:
            if let mark, self.mark < mark {
                let why = heartbeat?.problem ?? "its log and \(APICall.isReady.path) say why"
                reasons.append("\(label) has not shipped its latest requests in time; \(why)")
            }
        }
        return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
    }

    /// Says what is missing for one cause, and what to do about that; `nil` if nothing is.
    private func missing(by cause: Cause) -> String? {
        var loss = losses[cause] ?? Loss()
        // Frames that the engine no longer has cannot be told from frames that cannot be read.
        if cause == .frame, state != .dead { loss.requests += missingAtEnd }
        guard loss != Loss() else { return nil }
        let requests = loss.requests > 0 ? [count(loss.requests, "request")] : []
        let frames = loss.frames > 0 ? [count(Int(clamping: loss.frames), "frame")] : []
        let counts = (requests + frames).joined(separator: ", ")
        switch cause {
        case .engine: return counts + Self.lossOfEngine
        case .replica: return counts + Self.lossOfReplica
        case .frame: return counts + (mistake.map { " (\($0))" } ?? "")
        }
    }

    private static let lossOfEngine =
        ", which the engine no longer had when this collector read them (it keeps 1 GiB of each replica, less if its maxmemory-policy evicts, and after a restart only what its file has); ask a collector that has run from the start, or judge the logs of all replicas with verify --log"
    private static let lossOfReplica =
        ", which waited for the engine longer than the log of the replica holds; give the replicas a higher --log-limit"

    private func count(_ number: Int, _ word: String) -> String {
        "\(counted(number, word)) of \(label) \(number == 1 ? "is" : "are") missing"
    }
}
