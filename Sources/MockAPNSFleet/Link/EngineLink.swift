package import MockAPNSCore
package import NIOCore

/// The link to Redis (from 6.2) or Valkey. It connects when it is used, and again after a connection has ended.
///
/// Calls that are made at the same time share one connection, which carries them out one after another. A member of a
/// fleet has several links, so that what waits holds up nothing else.
package actor EngineLink: FleetLink {
    private let url: FleetURL
    private let group: any EventLoopGroup
    /// The maximum time to wait for an ordinary reply.
    private let patience: TimeAmount
    /// The latest connection.
    private var connection: EngineConnection?
    /// The connection that is being made, for all who need it meanwhile.
    private var connecting: Task<Result<EngineConnection, FleetError>, Never>?
    private var isClosed = false

    /// Creates a link that is not connected yet.
    package init(_ url: FleetURL, on group: any EventLoopGroup, patience: TimeAmount = .seconds(10)) {
        (self.url, self.group, self.patience) = (url, group, patience)
    }

    private func send(_ arguments: [[UInt8]], within time: TimeAmount? = nil) async throws(FleetError) -> RESPValue {
        guard !isClosed else { throw .unreachable("the link was closed") }
        if let connection, connection.isOpen { return try await connection.send(arguments, within: time ?? patience) }
        return try await connect().send(arguments, within: time ?? patience)
    }

    /// Makes a connection, one for all who need it meanwhile.
    private func connect() async throws(FleetError) -> EngineConnection {
        let task =
            connecting
            ?? Task { [url, group, patience] in
                do throws(FleetError) {
                    return Result<_, FleetError>.success(
                        try await .connect(to: url, on: group, within: patience))
                } catch {
                    return .failure(error)
                }
            }
        connecting = task
        let result = await task.value
        if connecting == task { connecting = nil }
        let made = try result.get()
        guard !isClosed else {
            await made.close()
            throw .unreachable("the link was closed")
        }
        connection = made
        return made
    }

    private func send(_ arguments: String...) async throws(FleetError) -> RESPValue {
        try await send(arguments.map { Array($0.utf8) })
    }

    // MARK: Streams

    package func append(
        _ fields: [(name: String, value: [UInt8])], to stream: String, id: StreamID?, keeping kept: StreamTrim?,
        mayBegin: Bool
    ) async throws(FleetError) -> StreamID {
        var arguments = ["XADD", stream]
        if !mayBegin { arguments.append("NOMKSTREAM") }
        switch kept {
        case .from(let oldest): arguments += ["MINID", "~", "\(oldest)"]
        case .latest(let count): arguments += ["MAXLEN", "~", "\(count)"]
        case nil: break
        }
        arguments.append(id.map { "\($0)" } ?? "*")
        var command = arguments.map { Array($0.utf8) }
        for (name, value) in fields { command += [Array(name.utf8), value] }
        do throws(FleetError) {
            let reply = try await send(command)
            if !mayBegin, reply == .none { throw .lost }
            guard let added = reply.string.flatMap({ StreamID($0) }) else { throw .malformed("\(reply) is not an id") }
            return added
        } catch .refused(let reason) {
            // It was added, and the answer lost.
            guard let id, reason.contains("equal or smaller") else { throw .refused(reason) }
            let last = try await lastID(of: stream)
            guard last.milliseconds == id.milliseconds, last >= id else { throw .superseded }
            return id
        }
    }

    package func read(
        _ streams: [(key: String, after: StreamID)], count: Int, within time: Int
    ) async throws(FleetError) -> [(key: String, entries: [StreamEntry])] {
        guard !streams.isEmpty else { return [] }
        var arguments = ["XREAD", "COUNT", "\(count)"]
        if time > 0 { arguments += ["BLOCK", "\(time)"] }
        arguments.append("STREAMS")
        arguments += streams.map(\.key) + streams.map { "\($0.after)" }
        let limit = patience + .milliseconds(Int64(time))
        let reply = try await send(arguments.map { Array($0.utf8) }, within: limit)
        if reply == .none { return [] }
        guard let found = reply.list else { throw .malformed("\(reply) is not a list of streams") }
        var result: [(key: String, entries: [StreamEntry])] = []
        for stream in found {
            guard let parts = stream.list, parts.count == 2, let key = parts[0].string, let entries = parts[1].list
            else { throw .malformed("a stream without a name and entries") }
            result.append((key, try entries.map { value throws(FleetError) in try Self.entry(value) }))
        }
        return result
    }

    private static func entry(_ value: RESPValue) throws(FleetError) -> StreamEntry {
        guard let parts = value.list, parts.count == 2, let id = parts[0].string.flatMap({ StreamID($0) }),
            let values = parts[1].list, values.count % 2 == 0
        else { throw .malformed("an entry without an id and fields") }
        var entry = StreamEntry(id: id, fields: [])
        for index in stride(from: 0, to: values.count, by: 2) {
            guard let name = values[index].string, let value = values[index + 1].bytes else {
                throw .malformed("a field without a name and a value")
            }
            entry.fields.append((name, value))
        }
        return entry
    }

    package func lastID(of stream: String) async throws(FleetError) -> StreamID {
        let reply = try await send("XREVRANGE", stream, "+", "-", "COUNT", "1")
        guard let list = reply.list else { throw .malformed("\(reply) is not a list of entries") }
        guard let last = list.first else { return .zero }
        return try Self.entry(last).id
    }

    // MARK: Values

    package func set(
        _ key: String, to value: [UInt8], expiringAfter milliseconds: Int
    ) async throws(FleetError) {
        let command = ["SET", key].map { Array($0.utf8) } + [value] + ["PX", "\(milliseconds)"].map { Array($0.utf8) }
        _ = try await send(command)
    }

    package func values(of keys: [String]) async throws(FleetError) -> [[UInt8]?] {
        guard !keys.isEmpty else { return [] }
        let reply = try await send((["MGET"] + keys).map { Array($0.utf8) })
        guard let list = reply.list, list.count == keys.count else { throw .malformed("\(reply) is not a list") }
        return list.map(\.bytes)
    }

    package func remove(_ keys: [String]) async throws(FleetError) {
        guard !keys.isEmpty else { return }
        _ = try await send((["UNLINK"] + keys).map { Array($0.utf8) })
    }

    package func time() async throws(FleetError) -> Timestamp {
        let reply = try await send("TIME")
        guard let parts = reply.list, parts.count == 2, let seconds = parts[0].string.flatMap({ Int64($0) }),
            let microseconds = parts[1].string.flatMap({ Int64($0) }), 0..<1 << 40 ~= seconds
        else { throw .malformed("\(reply) is not a time") }
        return Timestamp(milliseconds: seconds * 1000 + microseconds / 1000)
    }

    package var isConnected: Bool { connection?.isOpen ?? false }

    package func close() async {
        isClosed = true
        connecting?.cancel()
        await connection?.close()
        connection = nil
    }
}
