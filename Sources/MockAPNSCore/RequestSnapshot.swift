/// The log as it was at one moment: a value of its own, read without any lock while the log goes on.
public struct RequestSnapshot: Sendable {
    let closed: [RequestSegment]
    let open: RequestSegment
    /// The oldest sequence number within the limit.
    let firstSequence: Int
    /// How many records had been dropped because of the limit.
    public let dropped: Int
    let serverNames: [[UInt8]]

    var latestSequence: Int { open.firstSequence + open.records.count - 1 }

    /// The segment that holds this sequence number, and the place in it; `nil` when it is not kept.
    func place(of sequence: Int) -> (segment: RequestSegment, index: Int)? {
        guard sequence >= firstSequence, sequence <= latestSequence else { return nil }
        if sequence >= open.firstSequence { return found(in: open, at: sequence - open.firstSequence) }
        let place = sequence - closed[0].firstSequence
        return found(in: closed[place / RequestSegment.length], at: place % RequestSegment.length)
    }

    private func found(in segment: RequestSegment, at index: Int) -> (segment: RequestSegment, index: Int)? {
        segment.records[index].isDeleted ? nil : (segment, index)
    }
}
