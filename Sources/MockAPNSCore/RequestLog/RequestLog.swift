/// The latest requests with their bytes and the decisions about them, bounded in number.
///
/// Records are kept in segments of 1024, each with one array of flat records and one of bytes. Appending copies the
/// request's bytes in bulk and allocates nothing once the limit is reached: a segment that is dropped lends its buffers
/// to the newest. The log is a value; ``snapshot`` gives a reader all of it for the price of two references, and the
/// next append copies the open segment once.
///
/// The signature of a provider token is never stored: the `authorization` field is left out, or cut if it cannot be.
package struct RequestLog: Sendable {
    /// Maximum number of body bytes kept per request.
    static let bodyLimit = 8192
    /// Maximum number of header bytes kept per request. Only a scenario with higher limits than APNs can exceed it.
    static let headerLimit = 48 * 1024
    /// Maximum number of distinct server names.
    static let serverNameLimit = 1024

    /// Maximum number of records kept; older ones are dropped and counted.
    package let limit: Int
    /// The number of records dropped because of ``limit``, not counting deleted ones.
    package private(set) var dropped = 0
    /// The sequence number of the latest request; 0 if there was none.
    package var latestSequence: Int { open.firstSequence + open.records.count - 1 }

    /// The time of the latest request; `nil` if the log holds none.
    package var latestTime: Timestamp? { open.records.last?.time }

    private(set) var closed: [RequestSegment] = []
    private(set) var open: RequestSegment
    /// The oldest sequence number within the limit.
    private(set) var firstSequence = 1
    /// The number of deleted records among those kept.
    private var deleted = 0
    private(set) var serverNames: [[UInt8]] = []
    /// The number of connections whose server name is in no record, because there were too many.
    private(set) var unlistedServerNames = 0
    /// The names of the replicas in a fleet's log.
    var replicaNames: [[UInt8]] = []
    /// The number of dropped records when all records were last deleted.
    private var droppedBefore = 0
    /// The number of times records were deleted, in this log and its predecessors.
    private(set) var removals: Int

    /// Creates an empty log.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of records, at least 0.
    ///   - removals: how many times records were deleted before.
    ///   - sequence: the sequence number before the first record.
    package init(
        limit: Int = GatewayConfiguration.defaultLogLimit, removals: Int = 0, after sequence: Int = 0
    ) {
        self.limit = max(0, limit)
        self.removals = removals
        firstSequence = sequence + 1
        open = RequestSegment(firstSequence: sequence + 1)
        open.reserve(expectedBytes: Self.firstReservation)
    }

    /// Maximum number of distinct provider tokens.
    package static let tokenLimit = 65_536
    /// The numbers of provider tokens, by hash.
    private var tokenNumbers: [UInt64: UInt32] = [:]
    /// The number of distinct provider tokens so far, up to the limit.
    var tokenCount: Int { tokenNumbers.count }

    private static let firstReservation = 256 * 1024

    /// Adds the record of a request.
    ///
    /// - Parameters:
    ///   - record: the record; its ranges refer to `request`.
    ///   - request: the header fields (``HeaderFields``), then the stored part of the body.
    ///   - headerLength: the length of the header fields in `request`, in bytes.
    ///   - token: the parsed `authorization` field; `nil` without a bearer token.
    /// - Returns: the sequence number of the record, 1 for the first.
    @discardableResult
    package mutating func append(
        _ record: RequestRecord, request: Span<UInt8>, headerLength: Int, token: ProviderToken?
    ) -> Int {
        if open.isFull { openNext() }
        var record = record
        record.tokenIndex = keep(token)
        open.makeRoom(for: request.count)
        record.start = UInt32(truncatingIfNeeded: open.bytes.count)
        let plain = record.isPathPlain ? record.path : nil
        let kept = AuthorizationRedaction(request, headerLength: headerLength, plain: plain)
        switch kept.form {
        case .absent where headerLength <= Self.headerLimit:
            open.bytes.append(request.extracting(first: headerLength))
        case .single where kept.value.count == token?.authorization.count && headerLength <= Self.headerLimit:
            open.bytes.append(request.extracting(first: kept.field.lowerBound))
            open.bytes.append(request.extracting(kept.field.upperBound..<headerLength))
            record.authorizationOffset = UInt16(truncatingIfNeeded: kept.field.lowerBound)
            record.close(gap: kept.field)
        default:
            open.bytes.appendCuttingSignatures(request, headerLength: headerLength, record: &record)
        }
        record.headerCount = UInt16(truncatingIfNeeded: open.bytes.count - Int(record.start))
        let body = request.extracting(headerLength..<request.count)
        open.bytes.append(body.extracting(first: Self.bodyLimit))
        record.bodyCount = UInt16(truncatingIfNeeded: min(body.count, Self.bodyLimit))
        open.records.append(record)
        if latestSequence - firstSequence >= limit { dropOldest() }
        return latestSequence
    }

    /// Adds the record of a request that a replica has decided.
    ///
    /// - Parameters:
    ///   - record: the record, with the numbers of this log.
    ///   - bytes: the bytes that it refers to.
    ///   - token: its provider token.
    ///   - origin: the replica, and its number there.
    /// - Returns: its sequence number.
    mutating func append(
        _ record: RequestRecord, bytes: Span<UInt8>, token: ProviderToken?, from origin: RecordOrigin
    ) -> Int {
        if open.isFull { openNext() }
        var record = record
        record.tokenIndex = keep(token)
        record.start = UInt32(truncatingIfNeeded: open.bytes.count)
        open.makeRoom(for: bytes.count)
        open.bytes.append(bytes)
        open.records.append(record)
        open.origins.append(origin)
        open.replicas = replicaNames
        if latestSequence - firstSequence >= limit { dropOldest() }
        return latestSequence
    }

    /// Keeps a provider token in the open segment, and its number in the log; returns its index there.
    @inline(__always)
    private mutating func keep(_ token: ProviderToken?) -> UInt16 {
        guard let token else { return RequestRecord.noToken }
        let index = open.index(of: token)
        if open.tokenNumbers.count < open.tokens.count { open.tokenNumbers.append(number(of: token)) }
        return index
    }

    /// Attaches a text to the latest record, cut if it does not fit into the record's 65,535 bytes.
    package mutating func attach(_ text: Span<UInt8>, as attachment: RequestRecord.Attachment) {
        guard let last = open.records.indices.last else { return }
        let range = attach(text)
        switch attachment {
        case .explanation: open.records[last].explanationRange = range
        case .device: open.records[last].deviceRange = range
        case .topic: open.records[last].topicRange = range
        case .rule: open.records[last].ruleRange = range
        }
    }

    /// Adds to the latest record what another APNs answered.
    package mutating func attach(_ answer: RelayedAnswer) {
        if let last = open.records.indices.last { open.relayed[last] = answer }
    }

    /// Adds a text to the bytes of the latest record, cut if it does not fit.
    mutating func attach(_ text: Span<UInt8>) -> RequestRecord.StoredRange {
        guard let last = open.records.last else { return .absent }
        let offset = open.bytes.count - Int(last.start)
        let text = text.extracting(first: min(text.count, Int(UInt16.max) - 1 - offset))
        open.makeRoom(for: text.count)
        open.bytes.append(text)
        return RequestRecord.StoredRange(
            start: UInt16(truncatingIfNeeded: offset), count: UInt16(truncatingIfNeeded: text.count))
    }

    /// Makes the record at an index of the open segment that of a call.
    mutating func addCall(_ call: CallRecord, to index: Int) {
        open.records[index].callIndex = open.calls.count
        open.calls.append(call)
    }

    /// Adds sentences to the explanation of the latest record.
    package mutating func explain(_ text: Span<UInt8>) {
        guard let last = open.records.last else { return }
        var explanation: [UInt8] = []
        if !last.explanationRange.isAbsent {
            let bytes = open.bytes(of: last, at: open.records.count - 1)
            explanation.append(bytes.extracting(last.explanationRange.indices))
            explanation.append(UInt8(ascii: " "))
        }
        explanation.append(text)
        attach(explanation.span, as: .explanation)
    }

    /// Returns the index under which records refer to a client's server name (SNI): 0 for none, and for any beyond the
    /// first 1024 distinct ones.
    package mutating func index(ofServerName name: String?) -> UInt16 {
        guard let name else { return 0 }
        let bytes = Array(name.utf8)
        if let index = serverNames.firstIndex(of: bytes) { return UInt16(index + 1) }
        guard serverNames.count < Self.serverNameLimit else {
            unlistedServerNames += 1
            return 0
        }
        serverNames.append(bytes)
        return UInt16(serverNames.count)
    }

    /// The highest connection id from before the run.
    var latestIDBefore: Int { open.latestIDBefore }

    /// Sets the highest connection id from before the run; the next one is connection 1. A recorded log reveals it only
    /// gradually.
    package mutating func setLatestIDBefore(_ id: Int) { open.latestIDBefore = id }

    /// Changes an earlier record; ``RequestUpdate`` describes the event that reports it.
    ///
    /// - Parameter clock: when it changes, on the scenario's clock.
    /// - Returns: whether the record is still kept.
    @discardableResult
    package mutating func update(_ sequence: Int, with update: RequestUpdate, at clock: Timestamp) -> Bool {
        if let delivery = update.delivery, sequence >= firstSequence, sequence <= latestSequence {
            withSegment(of: sequence) { $0.note(delivery, at: sequence - $0.firstSequence, clock: clock) }
        }
        let isKept = withRecord(sequence) { update.apply(to: &$0) }
        if let delivered = update.delivered { withCall(sequence) { $0.delivered = delivered } }
        if let explanation = update.explanation { explain([(sequence, explanation)]) }
        return isKept
    }

    /// Everything currently kept.
    package var snapshot: RequestSnapshot {
        RequestSnapshot(
            closed: closed, open: open, firstSequence: firstSequence, dropped: dropped,
            isComplete: dropped == droppedBefore, removals: removals, serverNames: serverNames)
    }

    /// Returns the records after a sequence number.
    ///
    /// - Parameter includesOpen: whether those of the open segment are among them. Its next append then copies it.
    func snapshot(after sequence: Int, includesOpen: Bool) -> RequestSnapshot {
        let known = closed.first.map { (sequence + 1 - $0.firstSequence) / RequestSegment.length } ?? 0
        let open =
            includesOpen
            ? open : RequestSegment(firstSequence: open.firstSequence, latestIDBefore: open.latestIDBefore)
        return RequestSnapshot(
            closed: Array(closed.dropFirst(max(0, known))), open: open, firstSequence: firstSequence,
            dropped: dropped, isComplete: dropped == droppedBefore, removals: removals, serverNames: serverNames)
    }

    /// The time of the first record after a sequence number that is in the open segment.
    func openTime(after sequence: Int) -> Timestamp? {
        let index = max(0, sequence + 1 - open.firstSequence)
        return index < open.records.count ? open.records[index].time : nil
    }

    /// Deletes all records. Sequence numbers continue.
    ///
    /// - Returns: how many there were.
    @discardableResult
    package mutating func removeAll() -> Int {
        let count = count
        let next = latestSequence + 1
        closed = []
        open = RequestSegment(firstSequence: next, latestIDBefore: open.latestIDBefore)
        open.reserve(expectedBytes: Self.firstReservation)
        firstSequence = next
        deleted = 0
        droppedBefore = dropped
        removals += 1
        return count
    }

    /// Deletes these records, found in a snapshot. They still count towards the limit, and their memory is freed when
    /// they pass it.
    ///
    /// - Returns: how many of them were still kept.
    @discardableResult
    package mutating func remove(_ sequences: [Int]) -> Int {
        var count = 0
        for sequence in sequences where withRecord(sequence, { $0.isDeleted = true }) { count += 1 }
        deleted += count
        removals += 1
        return count
    }

    /// The number of records kept.
    package var count: Int { latestSequence - firstSequence + 1 - deleted }

    /// The size of the log's buffers in bytes.
    var capacityInBytes: Int {
        var sum = 0
        for segment in closed + [open] {
            sum += segment.bytes.capacity + segment.records.capacity * MemoryLayout<RequestRecord>.stride
            sum += segment.tokens.capacity * MemoryLayout<ProviderToken>.stride
        }
        return sum
    }

    /// Returns the number of a provider token, 1 for the first in the log. All tokens beyond the limit share one
    /// number.
    private mutating func number(of token: ProviderToken) -> UInt32 {
        if let known = tokenNumbers[token.hash] { return known }
        let number = UInt32(tokenNumbers.count + 1)
        if number <= Self.tokenLimit { tokenNumbers[token.hash] = number }
        return number
    }

    private mutating func openNext() {
        let next = latestSequence + 1
        let expected = open.bytes.count + open.bytes.count / 32 + 4096
        let latestIDBefore = open.latestIDBefore
        closed.append(open)
        open = RequestSegment(firstSequence: next, latestIDBefore: latestIDBefore)
        if let oldest = closed.first, oldest.firstSequence + RequestSegment.length <= firstSequence {
            open = closed.removeFirst()
            open.recycle(firstSequence: next, expectedBytes: expected)
            open.latestIDBefore = latestIDBefore
        } else {
            open.reserve(expectedBytes: expected)
        }
    }

    private mutating func dropOldest() {
        if deleted > 0, withRecord(firstSequence, { _ in }) == false {
            deleted -= 1
        } else {
            dropped += 1
        }
        firstSequence += 1
    }

    /// Calls `look` with the record of a sequence number, in place; returns `nil` if it is not kept.
    @discardableResult
    func withSubject<Result>(_ sequence: Int, _ look: (inout RecordSubject) -> Result) -> Result? {
        guard sequence >= firstSequence, sequence <= latestSequence else { return nil }
        func result(of segment: borrowing RequestSegment, at index: Int) -> Result? {
            guard !segment.records[index].isDeleted else { return nil }
            var subject = RecordSubject(segment, at: index, serverNames: serverNames)
            return look(&subject)
        }
        if sequence >= open.firstSequence { return result(of: open, at: sequence - open.firstSequence) }
        let index = sequence - closed[0].firstSequence
        return result(of: closed[index / RequestSegment.length], at: index % RequestSegment.length)
    }

    /// Returns what the record of a call about broadcast channels has in addition; `nil` if it is not kept.
    func call(of sequence: Int) -> CallRecord? { withSubject(sequence) { $0.call } ?? nil }

    /// Changes the segment of a sequence number that is kept.
    mutating func withSegment<Result>(of sequence: Int, _ change: (inout RequestSegment) -> Result) -> Result {
        if sequence >= open.firstSequence { return change(&open) }
        return change(&closed[(sequence - closed[0].firstSequence) / RequestSegment.length])
    }

    private mutating func withCall(_ sequence: Int, _ change: (inout CallRecord) -> Void) {
        guard sequence >= firstSequence, sequence <= latestSequence else { return }
        if sequence >= open.firstSequence {
            if let call = open.records[sequence - open.firstSequence].callIndex { change(&open.calls[call]) }
            return
        }
        let index = sequence - closed[0].firstSequence
        let segment = index / RequestSegment.length
        if let call = closed[segment].records[index % RequestSegment.length].callIndex {
            change(&closed[segment].calls[call])
        }
    }

    /// Changes the record of a sequence number; returns false if it is not kept.
    private mutating func withRecord(_ sequence: Int, _ change: (inout RequestRecord) -> Void) -> Bool {
        guard sequence >= firstSequence, sequence <= latestSequence else { return false }
        if sequence >= open.firstSequence {
            let position = sequence - open.firstSequence
            guard !open.records[position].isDeleted else { return false }
            change(&open.records[position])
        } else {
            // Closed segments are full and contiguous.
            let position = sequence - closed[0].firstSequence
            let segment = position / RequestSegment.length
            let index = position % RequestSegment.length
            guard !closed[segment].records[index].isDeleted else { return false }
            change(&closed[segment].records[index])
        }
        return true
    }
}
