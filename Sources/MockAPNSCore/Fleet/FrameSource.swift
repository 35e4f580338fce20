/// Everything that the frames of a replica are made from, at one point in time: an independent value, read without a
/// lock.
package struct ReplicaSnapshot: Sendable {
    let events: EventSnapshot
    let statistics: Statistics
    /// The topics beyond those already known.
    let newTopics: [String]
    /// The numbers in the fleet's order of pushes that devices keep.
    let numbers: [(sequence: Int, number: Int)]
}

extension Gateway {
    /// Returns what frames are made from.
    ///
    /// - Parameters:
    ///   - others: the events other than requests, as of now.
    ///   - topics: the number of topics already known.
    ///   - sequence: the latest request that is in a frame already.
    package mutating func replicaSnapshot(
        _ others: OtherEvents, knownTopics topics: Int, after sequence: Int = 0
    ) -> ReplicaSnapshot {
        let range = min(topics, devices.topics.count)..<devices.topics.count
        return ReplicaSnapshot(
            events: EventSnapshot(log: log.snapshot, others: others), statistics: statistics,
            newTopics: range.map { devices.topics.text(TopicIndex(rawValue: UInt16($0))) },
            numbers: order.kept(after: sequence))
    }
}

/// Divides what happens on a replica into frames.
///
/// ```swift
/// var source = FrameSource()
/// while let frame = source.next(from: snapshot, at: now) { link.append(frame.bytes) }
/// ```
package struct FrameSource: Sendable {
    /// What a frame says besides what happened.
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
    private var topics: [String] = []

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
        guard isNeeded || snapshot.events.latest != position else { return nil }
        if position.number + 1 < others.firstNumber {
            lost.events += others.firstNumber - 1 - position.number
            position.number = others.firstNumber - 1
        }
        let first = max(position.sequence + 1, log.firstSequence)
        lost.records += first - position.sequence - 1
        let last = min(first + RequestSegment.length - 1, log.latestSequence)
        var frame = ReplicaFrame()
        frame.records = RequestSegment(firstSequence: first, latestIDBefore: log.open.latestIDBefore)
        frame.serverNames = log.serverNames
        frame.records.append(from: log, through: last)
        frame.numbers = snapshot.numbers.filter { first...max(first, last) ~= $0.sequence }
        position.sequence = max(position.sequence, last)
        while frame.events.count < ReplicaFrame.eventLimit, position.number < others.latestNumber {
            let event = others[position.number + 1]
            guard event.sequence <= position.sequence else { break }
            position.number += 1
            if let shipped = ReplicaEvent(event) { frame.events.append(shipped) }
        }
        frame.isCurrent = position == snapshot.events.latest
        frame.isLast = header.isLast && frame.isCurrent
        frame.madeAt = header.madeAt
        frame.clockOffset = header.clockOffset
        if frame.isCurrent { frame.mark = header.mark }
        frame.decided = log.latestSequence
        frame.lostEvents = lost.events
        if frame.isCurrent {
            frame.totals = snapshot.statistics.growth(since: statistics) { topics[Int($0.rawValue)] }
            statistics = snapshot.statistics
        }
        return frame
    }
}

extension RequestSegment {
    /// Adds the records of a log from this segment's first sequence number on.
    fileprivate mutating func append(from log: RequestSnapshot, through last: Int) {
        var next = firstSequence
        while next <= last {
            if next >= log.open.firstSequence {
                next = append(log.open, from: next, through: last)
            } else {
                let index = (next - log.closed[0].firstSequence) / Self.length
                next = append(log.closed[index], from: next, through: last)
            }
        }
    }

    private mutating func append(_ segment: borrowing RequestSegment, from first: Int, through last: Int) -> Int {
        let end = min(last, segment.firstSequence + segment.records.count - 1)
        for sequence in first...end { append(sequence - segment.firstSequence, of: segment) }
        return end + 1
    }
}
