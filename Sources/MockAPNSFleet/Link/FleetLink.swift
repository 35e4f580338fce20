package import MockAPNSCore

/// The engine that connects the members of a fleet: streams of entries, and values that expire.
///
/// Every call may fail and may be repeated: an entry with the id of one that is there already is not added again.
package protocol FleetLink: Sendable {
    /// Adds an entry with an id of its own, higher than all before, and drops entries that are too old.
    ///
    /// - Parameters:
    ///   - fields: names and values.
    ///   - id: its id; `nil` lets the engine choose.
    ///   - kept: which entries stay; `nil` for all.
    ///   - mayBegin: whether it may be the first entry of the stream.
    /// - Returns: its id.
    /// - Throws: ``FleetError/superseded`` if the stream goes on with higher ids, by another writer;
    ///   ``FleetError/lost`` if there is no stream.
    func append(
        _ fields: [(name: String, value: [UInt8])], to stream: String, id: StreamID?, keeping kept: StreamTrim?,
        mayBegin: Bool
    ) async throws(FleetError) -> StreamID

    /// Returns the next entries of some streams; waits for one if there is none.
    ///
    /// - Parameters:
    ///   - streams: the streams, each with the id of the last entry that is known.
    ///   - count: the maximum number of entries of each stream.
    ///   - time: the maximum time to wait, in milliseconds; 0 returns at once.
    /// - Returns: the entries of the streams that have any.
    func read(
        _ streams: [(key: String, after: StreamID)], count: Int, within time: Int
    ) async throws(FleetError) -> [(key: String, entries: [StreamEntry])]

    /// Returns the id of the last entry of a stream; zero for a stream that is empty.
    func lastID(of stream: String) async throws(FleetError) -> StreamID

    /// Sets a value that expires.
    func set(_ key: String, to value: [UInt8], expiringAfter milliseconds: Int) async throws(FleetError)

    /// Returns values; `nil` for those that are not there.
    func values(of keys: [String]) async throws(FleetError) -> [[UInt8]?]

    /// Removes keys, without waiting until their memory is free.
    func remove(_ keys: [String]) async throws(FleetError)

    /// Returns the engine's time.
    func time() async throws(FleetError) -> Timestamp

    /// Whether the next call takes the connection of the latest one. If not, the engine may have been started again
    /// meanwhile, and have lost something.
    var isConnected: Bool { get async }

    /// Ends the connection. Calls fail from then on, and those that wait for the engine fail at once.
    func close() async
}

extension FleetLink {
    /// Makes sure that the engine knows the commands that a fleet needs.
    ///
    /// - Throws: ``FleetError/refused(_:)`` if it is too old.
    func checkCommands(_ keys: FleetKeys) async throws(FleetError) {
        do throws(FleetError) {
            // Where there is no stream, none is made.
            _ = try await append([("k", [])], to: keys.nothing, id: nil, keeping: .from(.zero), mayBegin: false)
        } catch .refused(let reason) {
            // One whose memory is full knows them, too.
            guard reason.hasPrefix("ERR ") else { return }
            throw .refused("\(reason); use Redis 6.2 or newer, or Valkey 7.2 or newer")
        } catch .lost {}
    }

    /// Adds an entry to a stream that need not be there.
    package func append(
        _ fields: [(name: String, value: [UInt8])], to stream: String, id: StreamID?, keeping kept: StreamTrim?
    ) async throws(FleetError) -> StreamID {
        try await append(fields, to: stream, id: id, keeping: kept, mayBegin: true)
    }

    /// Returns the id of the first entry that a stream still has; zero for a stream that is empty.
    func firstID(of stream: String) async throws(FleetError) -> StreamID {
        try await read([(stream, .zero)], count: 1, within: 0).first?.entries.first?.id ?? .zero
    }
}

/// Which entries of a stream stay when one is added. The engine may keep some more: it drops whole blocks of them.
package enum StreamTrim: Sendable, Hashable {
    /// All from this one on.
    case from(StreamID)
    /// So many of the latest.
    case latest(Int)
}

/// An entry of a stream.
package struct StreamEntry: Sendable {
    /// Its id.
    package var id: StreamID
    /// Names and values.
    package var fields: [(name: String, value: [UInt8])]

    /// Creates an entry.
    package init(id: StreamID, fields: [(name: String, value: [UInt8])]) { (self.id, self.fields) = (id, fields) }

    /// When it was appended, by the engine's clock, if the engine chose its id.
    var time: Timestamp { Timestamp(milliseconds: Int64(clamping: id.milliseconds)) }

    /// Returns the value with this name.
    package func value(_ name: String) -> [UInt8]? { fields.first { $0.name == name }?.value }

    /// Returns the value with this name as text.
    package func text(_ name: String) -> String? { value(name).flatMap { String(validating: $0, as: UTF8.self) } }
}

/// Why the engine, or the members of a fleet, did not do something.
package enum FleetError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no connection, or no answer in time.
    case unreachable(String)
    /// The engine refused it, such as for lack of memory.
    case refused(String)
    /// Not all members have done it, although the engine passed it on.
    case undone(String)
    /// The answer makes no sense.
    case malformed(String)
    /// The answer is longer than is allowed, or announces that it will be.
    case tooLong(String)
    /// Another writer has continued the stream.
    case superseded
    /// The stream is not there any more.
    case lost

    /// The fault, without a full stop.
    package var description: String {
        switch self {
        case .unreachable(let reason): "the engine cannot be reached: \(reason)"
        case .refused(let reason) where reason.hasPrefix("OOM"):
            "the engine's memory is full, so give it more (maxmemory): \(reason)"
        case .refused(let reason): "the engine refused it: \(reason)"
        case .undone(let reason): reason
        case .malformed(let reason): "the engine's answer is not understood: \(reason)"
        case .tooLong(let reason): "the engine's answer is too long: \(reason)"
        case .superseded: "another writer has continued the stream"
        case .lost: "the engine has lost the stream"
        }
    }
}
