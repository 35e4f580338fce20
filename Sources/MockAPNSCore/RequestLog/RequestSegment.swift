/// Up to 1024 neighbouring records of the log with all their bytes.
///
/// A value: whoever has a copy keeps what it was, and the log copies only when it changes a segment that somebody
/// holds.
struct RequestSegment: Sendable {
    static let length = 1024

    /// The sequence number of the first record.
    var firstSequence: Int
    /// The highest id of a connection of before the run; the next one is connection 1.
    var latestIDBefore: Int
    var records: [RequestRecord] = []
    /// For each record its header fields, its body, then what was attached.
    var bytes: [UInt8] = []
    /// The provider tokens of these records; one may stand here more than once.
    var tokens: [ProviderToken] = []
    /// For each of them its number in the log.
    var tokenNumbers: [UInt32] = []

    init(firstSequence: Int, latestIDBefore: Int = 0) {
        (self.firstSequence, self.latestIDBefore) = (firstSequence, latestIDBefore)
    }

    var isFull: Bool { records.count == Self.length }

    /// Empties it for new records, keeping its buffers when nobody else holds them and when they are of the right size,
    /// so that one burst of large requests does not cost memory for ever.
    mutating func recycle(firstSequence: Int, expectedBytes: Int) {
        self.firstSequence = firstSequence
        records.removeAll(keepingCapacity: true)
        tokens.removeAll(keepingCapacity: tokens.capacity <= 64)
        tokenNumbers.removeAll(keepingCapacity: tokenNumbers.capacity <= 64)
        if bytes.capacity > 2 * expectedBytes { bytes = [] } else { bytes.removeAll(keepingCapacity: true) }
        reserve(expectedBytes: expectedBytes)
    }

    /// Makes room for a whole segment. Memory that is not written to is not resident.
    mutating func reserve(expectedBytes: Int) {
        records.reserveCapacity(Self.length)
        bytes.reserveCapacity(expectedBytes)
    }

    /// Makes room for so many more bytes, a quarter at a time: doubling would waste more.
    @inline(__always)
    mutating func makeRoom(for count: Int) {
        let needed = bytes.count + count
        if needed > bytes.capacity { bytes.reserveCapacity(max(needed, bytes.capacity + bytes.capacity / 4)) }
    }

    /// The index of a provider token in ``tokens``, which is nearly always that of the record before.
    @inline(__always)
    mutating func index(of token: ProviderToken) -> UInt16 {
        if let last = records.last, last.tokenIndex != RequestRecord.noToken, tokens[Int(last.tokenIndex)] === token {
            return last.tokenIndex
        }
        return search(for: token)
    }

    private mutating func search(for token: ProviderToken) -> UInt16 {
        // Connections take turns, so it is one of the latest or not worth a longer search: an entry has eight bytes.
        for index in stride(from: tokens.count - 1, through: max(0, tokens.count - 16), by: -1)
        where tokens[index] === token {
            return UInt16(index)
        }
        tokens.append(token)
        return UInt16(tokens.count - 1)
    }

    /// The bytes of the record at `index`, to which its ranges refer.
    @_lifetime(borrow self)
    func bytes(of record: RequestRecord, at index: Int) -> Span<UInt8> {
        let end = index + 1 < records.count ? Int(records[index + 1].start) : bytes.count
        return bytes.span.extracting(Int(record.start)..<end)
    }

    /// The number in the run of a record's connection; `nil` for a connection of before.
    @inline(__always)
    func connectionNumber(of record: RequestRecord) -> Int? {
        let number = Int(record.connectionID) - latestIDBefore
        return number > 0 ? number : nil
    }

    /// The number of a record's provider token in the log; 0 without one.
    func tokenNumber(of record: RequestRecord) -> UInt32 {
        record.tokenIndex == RequestRecord.noToken ? 0 : tokenNumbers[Int(record.tokenIndex)]
    }

    /// Which provider token a record has.
    @inline(__always)
    func tokenIdentity(of record: RequestRecord) -> ObjectIdentifier? {
        record.tokenIndex == RequestRecord.noToken ? nil : ObjectIdentifier(tokens[Int(record.tokenIndex)])
    }

    /// The provider token of a record.
    func token(of record: RequestRecord) -> ProviderToken? {
        record.tokenIndex == RequestRecord.noToken ? nil : tokens[Int(record.tokenIndex)]
    }
}
