/// The latest events other than requests, bounded in number and numbered separately.
///
/// They are stored in chunks, so that appending is cheap even while a reader has a copy. A value type: a copy never
/// changes.
package struct LatestEvents: Sendable {
    /// Minimum number of latest events that a server by itself keeps.
    package static let defaultLimit = 10_000
    private static let pieceLength = 256

    /// The minimum number of latest events kept.
    package let limit: Int
    private var closed: [[LoggedEvent]] = []
    private var open: [LoggedEvent] = []
    /// The number of the latest event; 0 if there was none yet.
    package private(set) var latestNumber = 0
    /// The number of the latest reset; 0 if there was none.
    package private(set) var latestReset = 0

    /// Creates an empty list.
    ///
    /// - Parameter limit: the minimum number of latest events kept.
    package init(limit: Int = defaultLimit) { self.limit = limit }

    /// Adds an event.
    package mutating func append(_ event: LoggedEvent) {
        if open.count == Self.pieceLength {
            closed.append(open)
            open = []
            if (closed.count - 1) * Self.pieceLength >= limit { closed.removeFirst() }
        }
        if open.isEmpty { open.reserveCapacity(Self.pieceLength) }
        open.append(event)
        latestNumber += 1
        if case .reset = event.event { latestReset = latestNumber }
    }

    /// The number of events kept: a piece more than the limit at most.
    package var count: Int { closed.count * Self.pieceLength + open.count }

    /// The number of events that are no longer kept.
    package var dropped: Int { firstNumber - 1 }

    /// The oldest number kept; one more than the latest if there is none.
    package var firstNumber: Int { latestNumber - closed.count * Self.pieceLength - open.count + 1 }

    /// Returns the event with a number that is still kept.
    package subscript(number: Int) -> LoggedEvent {
        let index = number - firstNumber
        let piece = index / Self.pieceLength
        return piece < closed.count ? closed[piece][index % Self.pieceLength] : open[index % Self.pieceLength]
    }
}
