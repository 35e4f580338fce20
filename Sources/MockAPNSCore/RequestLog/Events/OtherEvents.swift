/// The latest events beside requests, bounded in number, each under a number of its own.
///
/// They stand in pieces, so that appending costs next to nothing also while somebody reads. A value: whoever has a copy
/// keeps what it was.
package struct OtherEvents: Sendable {
    /// Minimum number of the latest events that are kept.
    package static let limit = 10_000
    private static let pieceLength = 256

    private var closed: [[OtherEvent]] = []
    private var open: [OtherEvent] = []
    /// The number of the latest event, 0 when there was none yet.
    package private(set) var latestNumber = 0
    /// The number of the latest reset, 0 when there was none.
    private(set) var latestReset = 0

    /// None yet.
    package init() {}

    /// Adds an event.
    package mutating func append(_ event: OtherEvent) {
        if open.count == Self.pieceLength {
            closed.append(open)
            open = []
            if (closed.count - 1) * Self.pieceLength >= Self.limit { closed.removeFirst() }
        }
        if open.isEmpty { open.reserveCapacity(Self.pieceLength) }
        open.append(event)
        latestNumber += 1
        if case .reset = event.content { latestReset = latestNumber }
    }

    /// The oldest number that is kept; one more than the latest when none is.
    var firstNumber: Int { latestNumber - closed.count * Self.pieceLength - open.count + 1 }

    /// The event of a number that is kept.
    subscript(number: Int) -> OtherEvent {
        let index = number - firstNumber
        let piece = index / Self.pieceLength
        return piece < closed.count ? closed[piece][index % Self.pieceLength] : open[index % Self.pieceLength]
    }
}
