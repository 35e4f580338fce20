import MockAPNS
import MockAPNSCore

/// Makes calls on all replicas of a fleet: appends them to the control stream, and waits until all living ones have
/// reported that they carried them out.
actor FleetCoordinator {
    /// A replica's report about a call.
    struct Report: Sendable {
        var replica: String
        var answer: FleetAnswer
        /// Whether the body is too long for a report, and is kept under a key of its own.
        var isLong: Bool
    }

    /// How a call went.
    struct Outcome: Sendable {
        /// The id of its entry.
        var id: StreamID
        /// The reports of the replicas, by name.
        var reports: [String: Report]

        /// The report for all: that of a replica that carried it out, if there is one.
        var report: Report? {
            let sorted = reports.values.sorted { $0.replica < $1.replica }
            return sorted.first { $0.answer.isSuccess } ?? sorted.first
        }
    }

    /// If the engine takes longer than this to answer, it was hanging.
    private static let longestAnswer = Duration.seconds(2)

    private let keys: FleetKeys
    private let roster: FleetRoster
    private let limits: FleetLimits
    private let links: (ask: any FleetLink, follow: any FleetLink)
    private var position = StreamID.zero
    private var reports: [StreamID: [Report]] = [:]
    private var task: Task<Void, Never>?
    private var isEnding = false

    init(_ keys: FleetKeys, _ roster: FleetRoster, _ limits: FleetLimits, _ makeLink: @Sendable () -> any FleetLink) {
        (self.keys, self.roster, self.limits) = (keys, roster, limits)
        links = (makeLink(), makeLink())
    }

    /// Starts to follow the reports.
    func begin() async throws(FleetError) {
        position = try await links.ask.lastID(of: keys.applied)
        task = Task { await self.follow() }
    }

    /// Ends the connections to the engine.
    func end() async {
        isEnding = true
        task?.cancel()
        await links.follow.close()
        await links.ask.close()
        await task?.value
    }

    private func follow() async {
        while !isEnding {
            let start = ContinuousClock.now
            do throws(FleetError) {
                let found = try await links.follow.read([(keys.applied, position)], count: 100, within: 1000)
                if .now - start > Self.longestAnswer { await roster.extendGrace() }
                for entry in found.first?.entries ?? [] { take(entry) }
                // This way it is known which replicas had died before the engine hung.
                if await .now - roster.latestLook > .seconds(1) { _ = try await roster.living() }
            } catch {
                await roster.extendGrace()
                if !isEnding { try? await Task.sleep(for: .milliseconds(100)) }
            }
        }
    }

    private func take(_ entry: StreamEntry) {
        position = max(position, entry.id)
        guard let replica = entry.text("r"), let id = entry.text("c").flatMap({ StreamID($0) }),
            let status = entry.text("s").flatMap({ Int($0) })
        else { return }
        let answer = FleetAnswer(status: status, body: entry.value("b") ?? [])
        reports[id, default: []].append(Report(replica: replica, answer: answer, isLong: entry.value("l") != nil))
        if reports.count > 1000, let oldest = reports.keys.min() { reports[oldest] = nil }
    }

    // MARK: Making a call

    /// Makes a call and waits for the replicas.
    ///
    /// - Parameter applied: returns the latest entry that this member has carried out.
    /// - Throws: ``FleetError`` if it could not be appended, or not all replicas have carried it out in time.
    func make(_ call: FleetCall, applied: @Sendable () async -> StreamID) async throws(FleetError) -> Outcome {
        let deadline = ContinuousClock.now + limits.call
        let id = try await append(
            ControlMessage.fields(of: call, id: .random(in: .min ... .max)), until: deadline)
        // After that, every replica that joined before the call is known.
        while await applied() < id {
            guard ContinuousClock.now < deadline else { throw late(["the collector"], isInDoubt: true) }
            try? await Task.sleep(for: .milliseconds(2))
        }
        var missing: Set<String> = []
        var round = 0
        while true {
            // Do not wait for a replica that has died meanwhile.
            if round % 50 == 0 {
                // A replica that joins after the call carries it out before it serves clients.
                missing = Set(try await roster.living(before: id).map(\.replica))
            }
            round += 1
            let known = reports[id] ?? []
            if missing.isSubset(of: known.map(\.replica)) {
                return Outcome(id: id, reports: Dictionary(known.map { ($0.replica, $0) }) { $1 })
            }
            // Checked only here, where the late replicas are known by name.
            guard ContinuousClock.now < deadline else {
                throw late(missing.subtracting(known.map(\.replica)).sorted(), isInDoubt: await roster.isInGrace)
            }
            try? await Task.sleep(for: .milliseconds(2))
        }
    }

    /// - Parameter isInDoubt: whether the engine may have lost the call.
    private func late(_ names: [String], isInDoubt: Bool) -> FleetError {
        let (have, they) = names.count == 1 ? ("has", "it") : ("have", "they")
        let late =
            "\(names.joined(separator: ", ")) \(have) not carried it out within \(limits.call.components.seconds) s"
        return .undone("\(late); " + (isInDoubt ? Self.doubt : "\(they) will, so do not repeat the call"))
    }

    /// The message about a call when no replica is running.
    static let noLiveReplica =
        "no replica is running; replicas that join later will carry it out, so do not repeat the call"

    /// Why a call is not made when all replicas have ended.
    static let runIsOver =
        "its run is over, because all replicas have ended; \(APICall.reset) starts it over"

    /// The advice about a call whose outcome is unknown.
    static let doubt = "it may still happen, so check the state before you repeat the call"

    /// Returns the answer of a replica to a call that all have carried out.
    ///
    /// - Parameter id: the id of the call's entry.
    func answer(of report: Report, to call: FleetCall, _ id: StreamID) async -> FleetAnswer {
        var answer = report.answer
        if call.isItsOwnAnswer(if: answer) {
            answer.body = call.body
        } else if report.isLong {
            var reason = "that of \(report.replica) is gone"
            do throws(FleetError) {
                if let body = try await links.ask.values(of: [keys.body(id, report.replica)])[0] {
                    answer.body = body
                    return answer
                }
            } catch {
                reason = "\(error)"
            }
            return FleetAnswer(
                failure:
                    "All replicas of the fleet have done it, but their answer is not known: \(reason). Read the state with GET."
            )
        }
        return answer
    }

    /// Appends an entry, again if its answer was lost.
    private func append(
        _ fields: [(name: String, value: [UInt8])], until deadline: ContinuousClock.Instant
    ) async throws(FleetError) -> StreamID {
        while true {
            do throws(FleetError) {
                return try await links.ask.append(fields, toControl: keys, keeping: .latest(limits.control))
            } catch .unreachable(let reason) {
                guard ContinuousClock.now < deadline, !isEnding else { throw .unreachable(reason) }
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
    }
}

extension FleetAnswer {
    /// Creates the answer to a call that could not be made on all members.
    init(_ error: FleetError) {
        var reason = "\(error)"
        if case .unreachable = error { reason += "; " + FleetCoordinator.doubt }
        self.init(failure: "Not all replicas of the fleet have done it: \(reason).")
    }

    /// Says what went wrong, in a sentence.
    init(failure: String) {
        let message = JSONText.Value(offset: 0, content: .string(failure)).text
        self.init(
            status: 503,
            body: Array(#"{"error":{"code":"fleet","message":\#(message),"pointer":""}}"#.utf8))
    }
}
