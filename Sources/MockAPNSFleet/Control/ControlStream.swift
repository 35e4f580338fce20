import MockAPNSCore

/// The stream of what all members of a fleet do, in this order. The engine keeps its latest entries; a member that has
/// read all of them tells by the first one that nothing was dropped before.
enum ControlStream {
    /// The number of entries that the engine keeps: 60 MB if each has a push of 500 bytes, 820 MB if they are full of
    /// pushes.
    static let limit = 100_000
    /// An entry of more bytes than this counts as several.
    static let entrySize = 8_000
    /// The first entry, which comes before everything that members do.
    static let beginning = StreamID(milliseconds: 0, number: 1)
}

/// How much of the control stream a member has read.
struct ControlHistory: Sendable {
    /// From this entry on, it has read everything; zero if it has read nothing yet.
    var start = StreamID.zero

    /// Whether it knows all that the fleet has agreed on.
    ///
    /// - Parameter epoch: the entry by which everything has started over, so that earlier ones need not be known;
    ///   zero if nothing has.
    func isWhole(in epoch: StreamID) -> Bool { start <= max(epoch, ControlStream.beginning) }
}

/// Which part of the control stream the engine has to keep, by what a replica has read of it.
struct ControlBudget: Sendable {
    private let limit: Int
    /// The number of entries so far, large ones counted as several.
    private var total = 0
    /// Some of them, each with the number up to it.
    private var steps: ArraySlice<(entry: StreamID, total: Int)> = []
    /// What has to stay when an entry is added.
    private(set) var kept: StreamTrim

    init(limit: Int) { (self.limit, kept) = (limit, .latest(limit)) }

    /// Counts an entry that was read.
    mutating func note(_ entry: StreamEntry) {
        let size = entry.fields.reduce(0) { $0 + $1.value.count }
        total += max(1, (size + ControlStream.entrySize - 1) / ControlStream.entrySize)
        guard total - (steps.last?.total ?? 0) >= max(1, limit / 1000) else { return }
        steps.append((entry.id, total))
        while let first = steps.first, total - first.total > limit {
            steps.removeFirst()
            kept = steps.first.map { .from($0.entry) } ?? kept
        }
    }
}

extension FleetLink {
    /// Adds an entry to the control stream.
    ///
    /// - Parameter mayBegin: whether it may be what the stream begins with.
    /// - Returns: its id.
    /// - Throws: ``FleetError/lost`` if there is no stream, and it may not begin.
    func append(
        _ fields: [(name: String, value: [UInt8])], toControl keys: FleetKeys, keeping kept: StreamTrim,
        mayBegin: Bool = true
    ) async throws(FleetError) -> StreamID {
        do throws(FleetError) {
            return try await append(fields, to: keys.control, id: nil, keeping: kept, mayBegin: false)
        } catch .lost where mayBegin {
            do throws(FleetError) {
                // Of members that do so at the same moment, one is first, and the others find it there.
                _ = try await append(
                    [("k", Array("begin".utf8))], to: keys.control, id: ControlStream.beginning, keeping: nil)
            } catch .superseded {}
            return try await append(fields, to: keys.control, id: nil, keeping: kept)
        }
    }

    /// Returns whether the engine has dropped entries of the control stream that were to be read after a position. Only
    /// the first read and one that gets as many entries as it may can come after some that were dropped: any other has
    /// got all that there are, and far more are kept.
    func hasDropped(after position: StreamID, _ keys: FleetKeys) async throws(FleetError) -> Bool {
        try await firstID(of: keys.control) > position
    }
}

extension FleetLimits {
    /// How much of the control stream is kept, in words.
    var keptControl: String { "the engine keeps the latest \(control) changes and ordered pushes" }
}
