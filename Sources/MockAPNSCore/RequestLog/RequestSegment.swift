/// Up to 1024 consecutive records of the log with all their bytes.
///
/// A value type: a copy never changes, and the log copies a segment only when it changes one that is shared.
package struct RequestSegment: Sendable {
    static let length = 1024

    /// The sequence number of the first record.
    var firstSequence: Int
    /// The highest connection id from before the run; the next one is connection 1.
    var latestIDBefore: Int
    var records: [RequestRecord] = []
    /// For each record: its header fields, its body, then its attachments.
    var bytes: [UInt8] = []
    /// The provider tokens of these records, possibly with duplicates.
    var tokens: [ProviderToken] = []
    /// The number in the log of each of these tokens.
    var tokenNumbers: [UInt32] = []
    /// For each record, where it comes from; empty unless the log is that of a fleet.
    var origins: [RecordOrigin] = []
    /// The names of the replicas that the origins refer to.
    var replicas: [[UInt8]] = []
    /// The parts of records that only calls about broadcast channels have.
    var calls: [CallRecord] = []
    /// What APNs has done with the pushes whose delivery status has changed, by the index of the record; ``deliveries(at:)``
    /// knows all.
    var steps: [Int: [DeliveryStep]] = [:]
    /// The answers of another APNs, by the index of the record.
    var relayed: [Int: RelayedAnswer] = [:]

    init(firstSequence: Int, latestIDBefore: Int = 0) {
        (self.firstSequence, self.latestIDBefore) = (firstSequence, latestIDBefore)
    }

    var isFull: Bool { records.count == Self.length }

    /// Empties the segment for new records. Keeps its buffers if they are not shared and have the right size, so that
    /// one burst of large requests does not cost memory forever.
    mutating func recycle(firstSequence: Int, expectedBytes: Int) {
        self.firstSequence = firstSequence
        records.removeAll(keepingCapacity: true)
        tokens.removeAll(keepingCapacity: tokens.capacity <= 64)
        tokenNumbers.removeAll(keepingCapacity: tokenNumbers.capacity <= 64)
        if !origins.isEmpty { origins.removeAll(keepingCapacity: true) }
        calls.removeAll(keepingCapacity: calls.capacity <= 64)
        if !steps.isEmpty { steps = [:] }
        if !relayed.isEmpty { relayed = [:] }
        if bytes.capacity > 2 * expectedBytes { bytes = [] } else { bytes.removeAll(keepingCapacity: true) }
        reserve(expectedBytes: expectedBytes)
    }

    /// Reserves memory for a whole segment. Memory that is never written to is not resident.
    mutating func reserve(expectedBytes: Int) {
        records.reserveCapacity(Self.length)
        bytes.reserveCapacity(expectedBytes)
    }

    /// Makes room for `count` more bytes. Grows by a quarter, because doubling would waste more.
    @inline(__always)
    mutating func makeRoom(for count: Int) {
        let needed = bytes.count + count
        if needed > bytes.capacity { bytes.reserveCapacity(max(needed, bytes.capacity + bytes.capacity / 4)) }
    }

    /// Returns the index of a provider token in ``tokens``, which is nearly always that of the previous record.
    @inline(__always)
    mutating func index(of token: ProviderToken) -> UInt16 {
        if let last = records.last, last.tokenIndex != RequestRecord.noToken, tokens[Int(last.tokenIndex)] === token {
            return last.tokenIndex
        }
        return search(for: token)
    }

    private mutating func search(for token: ProviderToken) -> UInt16 {
        // Connections take turns, so it is either a recent one or not worth a longer search: an entry takes eight
        // bytes.
        for index in stride(from: tokens.count - 1, through: max(0, tokens.count - 16), by: -1)
        where tokens[index] === token {
            return UInt16(index)
        }
        tokens.append(token)
        return UInt16(tokens.count - 1)
    }

    /// Returns the bytes of the record at `index`, which its ranges refer to.
    @_lifetime(borrow self)
    func bytes(of record: RequestRecord, at index: Int) -> Span<UInt8> {
        let end = index + 1 < records.count ? Int(records[index + 1].start) : bytes.count
        return bytes.span.extracting(Int(record.start)..<end)
    }

    /// Returns the number in the run of a record's connection; `nil` for a connection from before the run.
    @inline(__always)
    func connectionNumber(of record: RequestRecord) -> Int? {
        let number = Int(record.connectionID) - latestIDBefore
        return number > 0 ? number : nil
    }

    /// Returns the number in the log of a record's provider token; 0 without one.
    func tokenNumber(of record: RequestRecord) -> UInt32 {
        record.tokenIndex == RequestRecord.noToken ? 0 : tokenNumbers[Int(record.tokenIndex)]
    }

    /// Returns the identity of a record's provider token.
    @inline(__always)
    func tokenIdentity(of record: RequestRecord) -> ObjectIdentifier? {
        record.tokenIndex == RequestRecord.noToken ? nil : ObjectIdentifier(tokens[Int(record.tokenIndex)])
    }

    /// Returns the provider token of a record.
    func token(of record: RequestRecord) -> ProviderToken? {
        record.tokenIndex == RequestRecord.noToken ? nil : tokens[Int(record.tokenIndex)]
    }
}
