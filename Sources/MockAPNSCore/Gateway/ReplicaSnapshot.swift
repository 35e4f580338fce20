/// Everything that the frames of a replica are made from, at one point in time: an independent value, read without a
/// lock.
package struct ReplicaSnapshot: Sendable {
    let events: EventSnapshot
    /// Whether no record is held back until more can be shipped with it.
    let isWhole: Bool
    let statistics: Statistics
    /// The topics beyond those already known.
    let newTopics: [String]
    /// The numbers in the fleet's order of pushes that devices keep.
    let numbers: [(sequence: Int, number: Int)]
    /// The digest of the scenario.
    let scenario: UInt64
    /// The names of the rules that have applied.
    let rules: [String]
}

extension Gateway {
    /// Returns the data for the next frames.
    ///
    /// A full segment of the log is shipped as it is. One that is still filled would be copied, so it is left out as
    /// long as none of its records has waited for long.
    ///
    /// - Parameters:
    ///   - others: the events other than requests, as of now.
    ///   - topics: the number of topics already known.
    ///   - sequence: the latest request that is in a frame already.
    ///   - recent: the time at which a record need not be shipped yet; `nil` leaves out none.
    package mutating func replicaSnapshot(
        _ others: LatestEvents, knownTopics topics: Int, after sequence: Int,
        except recent: ClosedRange<Timestamp>? = nil
    ) -> ReplicaSnapshot {
        let range = min(topics, state.devices.topics.count)..<state.devices.topics.count
        let isHeldBack = log.openTime(after: sequence).map { recent?.contains($0) ?? false } ?? false
        return ReplicaSnapshot(
            events: EventSnapshot(
                log: log.snapshot(after: sequence, includesOpen: !isHeldBack), others: others),
            isWhole: !isHeldBack, statistics: statistics,
            newTopics: range.map { state.devices.topics.text(TopicIndex(rawValue: UInt16($0))) },
            numbers: order.kept(after: sequence),
            scenario: scenario.digest, rules: rules.applied)
    }
}

/// Divides what happens on a replica into frames.
///
/// ```swift
/// var source = FrameSource()
/// while let frame = source.next(from: snapshot, at: now) { link.append(frame.bytes) }
/// ```
package struct FrameSource {
    /// The contents of a frame besides its events.
    package struct Header: Sendable {
        /// The replica's time.
        package var madeAt: Timestamp
        /// The milliseconds to add to it for the engine's clock.
        package var clockOffset: Int64
        /// The latest mark in the control stream.
        package var mark: StreamID
        /// Whether the replica ends.
        package var isLast: Bool

        /// Creates a header.
        package init(madeAt: Timestamp, clockOffset: Int64 = 0, mark: StreamID = .zero, isLast: Bool = false) {
            (self.madeAt, self.clockOffset, self.mark, self.isLast) = (madeAt, clockOffset, mark, isLast)
        }
    }

    /// The latest request and event in a frame.
    package private(set) var position = EventPosition()
    /// The number of records and events that were dropped before they could be shipped.
    package private(set) var lost = (records: 0, events: 0)
    private var statistics = Statistics()
    /// The number of events that were in a frame.
    private var passedEvents = 0
    private var topics: [String] = []
    /// The latest mark in a frame.
    private var mark: StreamID?

    /// Starts at the beginning of a run.
    ///
    /// - Parameter number: the number of the latest event that belongs to an earlier run.
    package init(after number: Int = 0) { position.number = number }

    /// The number of topics known.
    package var knownTopics: Int { topics.count }

    /// Returns the next frame; `nil` if everything is in a frame already.
    ///
    /// - Parameter isNeeded: whether there is to be a frame even if nothing has happened.
    package mutating func next(
        from snapshot: ReplicaSnapshot, _ header: Header, isNeeded: Bool = false
    ) -> ReplicaFrame? {
        // The same snapshot may serve for several frames.
        if let last = snapshot.newTopics.last, last != topics.last { topics += snapshot.newTopics }
        let (log, others) = (snapshot.events.log, snapshot.events.others)
        guard isNeeded || hasMore(snapshot) else { return nil }
        if position.number + 1 < others.firstNumber {
            lost.events += others.firstNumber - 1 - position.number
            position.number = others.firstNumber - 1
        }
        let first = max(position.sequence + 1, log.firstSequence)
        lost.records += first - position.sequence - 1
        var frame = ReplicaFrame()
        frame.records = log.segment(from: first)
        frame.serverNames = log.serverNames
        position.sequence = first + frame.recordCount - 1
        frame.numbers = snapshot.numbers.filter { first <= $0.sequence && $0.sequence <= position.sequence }
        while frame.events.count < ReplicaFrame.eventLimit, position.number < others.latestNumber {
            let event = others[position.number + 1]
            guard event.after <= position.sequence else { break }
            position.number += 1
            guard event.event.isShipped else { continue }
            passedEvents += 1
            frame.events.append(event)
        }
        frame.isCurrent = snapshot.isWhole && position == snapshot.events.latest
        frame.isLast = header.isLast && frame.isCurrent
        frame.madeAt = header.madeAt
        frame.clockOffset = header.clockOffset
        if frame.isCurrent {
            frame.mark = header.mark
            if header.mark != mark || header.isLast {
                frame.rules = AppliedRules(scenario: snapshot.scenario, names: snapshot.rules)
            }
            mark = header.mark
        }
        frame.decided = log.latestSequence
        frame.lostEvents = lost.events
        if !hasMore(snapshot) {
            frame.totals = snapshot.statistics.growth(since: statistics) { topics[Int($0.rawValue)] }
            let later = (position.number..<max(position.number, others.latestNumber)).count {
                others[$0 + 1].event.isShipped
            }
            frame.totals.coveredEvents = passedEvents + later
            statistics = snapshot.statistics
        }
        return frame
    }

    /// Whether anything in a snapshot is in no frame yet.
    private func hasMore(_ snapshot: ReplicaSnapshot) -> Bool {
        let (log, others) = (snapshot.events.log, snapshot.events.others)
        if max(log.latestSequence, log.firstSequence - 1) > position.sequence { return true }
        let next = max(position.number + 1, others.firstNumber)
        return next <= others.latestNumber && others[next].after <= position.sequence
    }
}

extension RequestSnapshot {
    /// Returns the records from this sequence number to the end of their segment.
    func segment(from first: Int) -> RequestSegment {
        guard first <= latestSequence else {
            return RequestSegment(firstSequence: first, latestIDBefore: open.latestIDBefore)
        }
        return segment(with: first).suffix(from: first)
    }

    /// Returns the segment with a sequence number that is kept.
    func segment(with sequence: Int) -> RequestSegment {
        guard sequence < open.firstSequence else { return open }
        return closed[(sequence - closed[0].firstSequence) / RequestSegment.length]
    }
}

extension RequestSegment {
    /// Returns the records from this sequence number on: the segment itself, without a copy, if it is the first.
    fileprivate func suffix(from first: Int) -> RequestSegment {
        guard first > firstSequence else { return self }
        var suffix = RequestSegment(firstSequence: first, latestIDBefore: latestIDBefore)
        for index in first - firstSequence..<records.count { suffix.append(index, of: self) }
        return suffix
    }
}
