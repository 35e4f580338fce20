/// What the expectations of a replica are about: its scenario, from a request on.
struct ReplicaExpectations: Sendable {
    let scenario: Scenario
    /// The sequence number before the first request that they cover.
    let after: Int
    /// The id of the last connection before them.
    let connectionsBefore: Int
}

/// Leaves records of a replica out of its frames, and counts them for the expectations instead. Works on snapshots
/// of the log, so it costs the path of a push nothing.
struct RecordFilter {
    private let shipped: ShippedRecords
    private let scenario: UInt64
    private let after: Int
    /// The tokens of the devices that the scenario declares.
    private let declared: Set<DeviceToken>
    private var judge: ExpectationJudge
    private var growth: UnshippedRecords

    init(_ shipped: ShippedRecords, _ expectations: ReplicaExpectations) {
        self.shipped = shipped
        scenario = expectations.scenario.digest
        after = expectations.after
        declared = Set(expectations.scenario.devices.map(\.token))
        judge = ExpectationJudge(
            expectations.scenario.expectations, in: expectations.scenario,
            connectionsBefore: expectations.connectionsBefore, PatternContext(), forUnshipped: true)
        growth = UnshippedRecords()
    }

    /// The sequence number of the latest record that was in a frame or left out.
    var latestSequence: Int { growth.latestSequence }

    /// Whether it counts for these expectations.
    func counts(for expectations: ReplicaExpectations) -> Bool {
        (scenario, after) == (expectations.scenario.digest, expectations.after)
    }

    /// Fills a frame with the records from one sequence number through another that are to be shipped.
    mutating func fill(_ frame: inout ReplicaFrame, from log: RequestSnapshot, _ first: Int, through last: Int) {
        // Values are as long as they are in the records.
        let limit = judge.collectsValues ? RequestSegment.length : UnshippedRecords.coverLimit
        let last = min(last, first + limit - 1)
        var next = first
        frame.records = RequestSegment(firstSequence: first, latestIDBefore: log.open.latestIDBefore)
        while next <= last, !frame.records.isFull {
            let segment = log.segment(with: next)
            let end = min(last, segment.firstSequence + segment.records.count - 1)
            while next <= end, !frame.records.isFull {
                let index = next - segment.firstSequence
                next += 1
                growth.latestTime = segment.records[index].time
                guard !segment.records[index].isDeleted else { continue }
                var subject = RecordSubject(segment, at: index, serverNames: log.serverNames)
                guard isShipped(&subject) else {
                    leaveOut(&subject)
                    continue
                }
                frame.records.append(index, of: segment)
                frame.sequences.append(subject.sequence)
            }
        }
        growth.latestSequence = next - 1
    }

    /// Processes an event of the replica; returns whether it is to be shipped.
    mutating func take(_ event: ReplicaEvent) -> Bool {
        guard case .update(let sequence, let update, _) = event.content else { return true }
        judge.change(sequence, update)
        return shipped == .noted
    }

    /// Returns what is to be said of the records left out since the last call.
    mutating func takeGrowth() -> UnshippedRecords {
        growth.scenario = scenario
        growth.tallies = judge.takeTallies()
        defer { growth = UnshippedRecords() }
        return growth
    }

    private func isShipped(_ subject: inout RecordSubject) -> Bool {
        guard shipped == .noted else { return false }
        return !isOrdinary(subject) || subject.sequence > after && judge.needsRecord(&subject)
    }

    private mutating func leaveOut(_ subject: inout RecordSubject) {
        growth.count += 1
        if shipped != .noted, !isOrdinary(subject) { growth.special += 1 }
        if subject.record.connectionID > 0 {
            growth.connections[subject.record.connectionID, default: 0] += 1
            growth.seconds[subject.record.time.seconds, default: 0] += 1
        }
        if subject.sequence > after { judge.take(&subject) }
    }

    /// Whether it is a push of a provider to a device that nobody declared, in which nothing was wrong.
    private func isOrdinary(_ subject: borrowing RecordSubject) -> Bool {
        let record = subject.record
        // What a device gets is answered with 200.
        guard record.outcome == .responded, record.delivery == .delivered, record.decidedBy == .checks,
            record.sender == .provider, record.deviceRange.isAbsent, !record.tokenRange.isAbsent,
            let token = DeviceToken(hex: subject.bytes.extracting(record.tokenRange.indices))
        else { return false }
        return !declared.contains(token)
    }
}
