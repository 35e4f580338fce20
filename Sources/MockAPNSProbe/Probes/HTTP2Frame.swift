import MockAPNSCore

/// One frame of HTTP/2 as bytes (RFC 9113, section 4.1), legal or not.
struct HTTP2Frame: Sendable {
    enum Kind: UInt8, Sendable, CaseIterable {
        case data, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate, continuation

        /// The name as in the RFC, such as `RST_STREAM`.
        var name: String {
            switch self {
            case .data: "DATA"
            case .headers: "HEADERS"
            case .priority: "PRIORITY"
            case .resetStream: "RST_STREAM"
            case .settings: "SETTINGS"
            case .pushPromise: "PUSH_PROMISE"
            case .ping: "PING"
            case .goAway: "GOAWAY"
            case .windowUpdate: "WINDOW_UPDATE"
            case .continuation: "CONTINUATION"
            }
        }

        init?(name: String) {
            guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
            self = kind
        }
    }

    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    static let endStream: UInt8 = 0x1
    static let acknowledgement: UInt8 = 0x1
    static let endHeaders: UInt8 = 0x4
    static let padded: UInt8 = 0x8
    static let priority: UInt8 = 0x20
    /// The longest payload that every peer accepts.
    static let longestPayload = 16_384

    var type: UInt8
    var flags: UInt8
    var stream: Int
    var payload: [UInt8]

    var kind: Kind? { Kind(rawValue: type) }
    /// The name, or the number of a type that has none.
    var name: String { kind?.name ?? "type \(type)" }

    init(type: UInt8, flags: UInt8 = 0, stream: Int = 0, _ payload: [UInt8] = []) {
        (self.type, self.flags, self.stream, self.payload) = (type, flags, stream, payload)
    }

    init(_ kind: Kind, flags: UInt8 = 0, stream: Int = 0, _ payload: [UInt8] = []) {
        self.init(type: kind.rawValue, flags: flags, stream: stream, payload)
    }

    var bytes: [UInt8] {
        Self.bytes(of: payload.count, 3) + [type, flags] + Self.bytes(of: stream, 4) + payload
    }

    func has(_ flag: UInt8) -> Bool { flags & flag != 0 }

    /// The payload of DATA or HEADERS without padding and priority.
    var content: [UInt8] {
        var range = payload.indices
        if has(Self.padded), let first = payload.first {
            range = 1..<max(1, payload.count - Int(first))
        }
        if kind == .headers, has(Self.priority) {
            range = min(range.lowerBound + 5, range.upperBound)..<range.upperBound
        }
        return Array(payload[range])
    }

    /// Removes the whole frames at the start of `bytes` and returns them.
    static func take(from bytes: inout [UInt8]) -> [HTTP2Frame] {
        var frames: [HTTP2Frame] = []
        var start = 0
        while start + 9 <= bytes.count {
            let length = number(bytes[start..<start + 3])
            guard start + 9 + length <= bytes.count else { break }
            frames.append(
                HTTP2Frame(
                    type: bytes[start + 3], flags: bytes[start + 4],
                    stream: number(bytes[start + 5..<start + 9]) & 0x7FFF_FFFF,
                    Array(bytes[start + 9..<start + 9 + length])))
            start += 9 + length
        }
        bytes.removeFirst(start)
        return frames
    }

    static func number(_ bytes: some Sequence<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    static func bytes(of number: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    // MARK: Names of numbers

    private static let settings = [
        "HEADER_TABLE_SIZE", "ENABLE_PUSH", "MAX_CONCURRENT_STREAMS", "INITIAL_WINDOW_SIZE", "MAX_FRAME_SIZE",
        "MAX_HEADER_LIST_SIZE",
    ]

    /// Returns the name of a setting, such as `MAX_FRAME_SIZE`.
    static func settingName(_ id: Int) -> String {
        settings.indices.contains(id - 1) ? settings[id - 1] : "SETTING_\(id)"
    }

    /// Returns the name of an error code, such as `REFUSED_STREAM`.
    static func errorName(_ code: Int) -> String { ErrorCode.name(of: UInt32(clamping: code)) ?? "\(code)" }
}

/// Writes header blocks as literals without indexing and without Huffman coding (RFC 7541, section 6.2.2).
enum LiteralFields {
    static func block(_ fields: [(name: String, value: String)]) -> [UInt8] {
        fields.flatMap { [0] + string(Array($0.name.utf8)) + string(Array($0.value.utf8)) }
    }

    private static func string(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var length: [UInt8] = [127]
        var rest = bytes.count - 127
        while rest >= 128 {
            length.append(UInt8(rest & 127 | 128))
            rest >>= 7
        }
        return length + [UInt8(rest)] + bytes
    }
}
