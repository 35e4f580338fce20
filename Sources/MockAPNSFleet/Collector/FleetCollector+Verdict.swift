import MockAPNS
import MockAPNSCore

// Whether everything that the replicas have decided is here.

extension FleetCollector {
    package func gather() async -> String? {
        let start = ContinuousClock.now
        var mark: StreamID?
        var ends: [String: StreamID] = [:]
        var latestError: FleetError?
        var (isComplete, isOver) = (false, false)
        while !isComplete, !isOver, !isEnding {
            // When the time is over, it is tried once more.
            isOver = (!isBehind || failure != nil) && .now - max(start, latestProgress) > options.limits.verdict
            do throws(FleetError) {
                if mark == nil {
                    // Where no replica has ever joined, nothing is left behind.
                    mark = try await links.ask.append(
                        [("k", Array("mark".utf8))], toControl: keys, keeping: .latest(options.limits.control),
                        mayBegin: !replicas.isEmpty)
                }
                if let mark, applied >= mark, hasAnswers(to: mark), try await knowsAllLiving() {
                    anchor.note(try await links.ask.look(for: anchor, in: keys.control), applied: applied)
                    // Ended replicas do not answer, but all that they shipped has to be here; so have the messages of a
                    // replica before its answer.
                    for key in logs.map(\.key) + [keys.control] where ends[key] == nil {
                        ends[key] = try await links.ask.lastID(of: key)
                    }
                    isComplete =
                        !anchor.isInDoubt && applied >= ends[keys.control] ?? .max
                        && logs.allSatisfy { $0.position >= ends[$0.key] ?? .max }
                }
            } catch  where error == .lost && replicas.isEmpty && anchor.id == .zero {
                latestGap = noReplicaHasJoined
                return latestGap
            } catch {
                // Once the links are closed, that is all that they say.
                if isEnding { break }
                latestError = error
                // It still answers, as when its memory is full.
                if case .refused = error {} else { note(error) }
            }
            if !isComplete { try? await Task.sleep(for: .milliseconds(10)) }
        }
        proceed(through: isComplete ? mark : .max)
        if isComplete { lookAtRun() }
        latestGap = if let mark { gap(after: mark) } else { (latestError ?? Self.noAnswer).description }
        if latestGap == nil, !isComplete { latestGap = Self.incomplete }
        return latestGap
    }

    private var noReplicaHasJoined: String {
        "no replica has joined the fleet \(keys.fleet); check its name and the database of the engine"
    }

    private static let noAnswer = FleetError.unreachable("it has not answered in time")

    private static let incomplete = "not everything that the engine has was read in time; ask again"

    /// Whether all replicas that send heartbeats are known here. One that is not has not started over yet.
    private func knowsAllLiving() async throws(FleetError) -> Bool {
        let living = try await roster.living()
        let unknown = living.filter { join in !replicas.contains { $0.name == join.replica } }
        replicas += unknown.map { CollectedReplica(name: $0.replica, started: $0.started).beforeStartingOver }
        return unknown.isEmpty
    }

    /// Whether every live replica has shipped what it had decided at a mark.
    ///
    /// - Parameter names: the replicas that matter; `nil` for all.
    func hasAnswers(to mark: StreamID, of names: Set<String>? = nil) -> Bool {
        replicas.allSatisfy { $0.state != .alive || $0.mark >= mark || names?.contains($0.name) == false }
    }

    func gap(after mark: StreamID) -> String? {
        // An unread entry may announce more replicas.
        guard applied >= mark || anchor.isLost else {
            return Self.incomplete
        }
        guard replicas.contains(where: { !$0.hasWithdrawn }) || anchor.isLost || !knowsAll else {
            return noReplicaHasJoined
        }
        let lack = anchor.isLost ? StreamLossDetector.loss : knowsAll ? nil : lateness
        let gaps = ([lack] + self.gaps(after: mark)).compactMap { $0 }
        return gaps.isEmpty ? nil : gaps.joined(separator: "; ")
    }

    /// Returns what is missing or unknown of each replica; `nil` if nothing is.
    ///
    /// - Parameter mark: what each must have seen; `nil` if they cannot be asked.
    func gaps(after mark: StreamID?) -> [String?] {
        let (unsettled, stored) = (server.unsettledPushes(atAnyTime: false), server.unsettledPushes(atAnyTime: true))
        return replicas.map { replica in
            if replica.hasWithdrawn { return nil }
            var gaps = replica.gap(after: mark).map { [$0] } ?? []
            // One that ended before the clock was moved does not know of that.
            let counts = replica.mark < clockMove ? stored : unsettled
            if replica.state != .alive, let count = replica.number.flatMap({ counts[$0] }) {
                gaps.append(
                    "what became of \(counted(count, "push", "pushes")) stored by \(replica.label) is not known, since it has ended; ask for the verdict before"
                )
            }
            return gaps.isEmpty ? nil : gaps.joined(separator: "; ")
        }
    }
}
