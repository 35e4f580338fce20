import CMockNGHTTP2

/// One HTTP/2 frame as bytes, legal or not.
package struct RawFrame: Equatable, Sendable, CustomStringConvertible {
    package enum Kind: UInt8, Sendable {
        case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    package static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    package static let endStream: UInt8 = 1
    package static let acknowledgement: UInt8 = 1
    package static let endHeaders: UInt8 = 4

    package var type: UInt8
    package var flags: UInt8
    package var stream: Int32
    package var payload: [UInt8]

    package var description: String { "type \(type) flags \(flags) stream \(stream), \(payload.count) bytes" }

    package var kind: Kind? { Kind(rawValue: type) }

    package init(_ kind: Kind, flags: UInt8 = 0, stream: Int32 = 0, _ payload: [UInt8] = []) {
        (type, self.flags, self.stream, self.payload) = (kind.rawValue, flags, stream, payload)
    }

    package var bytes: [UInt8] {
        let length = UInt32(payload.count)
        return Self.integer(length).dropFirst() + [type, flags] + Self.integer(UInt32(bitPattern: stream)) + payload
    }

    /// The whole frames at the start of `bytes`, which loses them.
    package static func take(from bytes: inout [UInt8]) -> [RawFrame] {
        var frames: [RawFrame] = []
        var start = 0
        while start + 9 <= bytes.count {
            let length = Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
            guard start + 9 + length <= bytes.count else { break }
            var frame = RawFrame(.data, Array(bytes[start + 9..<start + 9 + length]))
            (frame.type, frame.flags) = (bytes[start + 3], bytes[start + 4])
            frame.stream = Int32(bitPattern: value(bytes[start + 5..<start + 9]))
            frames.append(frame)
            start += 9 + length
        }
        bytes.removeFirst(start)
        return frames
    }

    package static func integer(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }

    package static func value(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    // MARK: Frames of a client

    package static func settings(_ entries: [(UInt16, UInt32)] = []) -> RawFrame {
        RawFrame(.settings, entries.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 255)] + integer($0.1) })
    }

    package static let settingsAcknowledgement = RawFrame(.settings, flags: acknowledgement)

    package static func headers(_ stream: Int32, _ fields: [(String, String)] = push, ends: Bool = true) -> RawFrame {
        RawFrame(.headers, flags: endHeaders | (ends ? endStream : 0), stream: stream, headerBlock(fields))
    }

    package static func data(_ stream: Int32, _ body: [UInt8], ends: Bool = true) -> RawFrame {
        RawFrame(.data, flags: ends ? endStream : 0, stream: stream, body)
    }

    package static func reset(_ stream: Int32, _ errorCode: UInt32 = 8) -> RawFrame {
        RawFrame(.reset, stream: stream, integer(errorCode))
    }

    /// What an ordinary push begins with.
    package static let push = [
        (":method", "POST"), (":scheme", "https"), (":path", "/3/device/00ff"), (":authority", "localhost"),
        ("apns-topic", "com.example.app"),
    ]

    /// HPACK as literals without indexing and without Huffman coding (RFC 7541, section 6.2.2).
    package static func headerBlock(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { [0] + string(Array($0.0.utf8)) + string(Array($0.1.utf8)) }
    }

    private static func string(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var (length, rest) = ([UInt8(127)], bytes.count - 127)
        while rest >= 128 {
            length.append(UInt8(rest & 127 | 128))
            rest >>= 7
        }
        return length + [UInt8(rest)] + bytes
    }
}

extension [RawFrame] {
    package var bytes: [UInt8] { flatMap(\.bytes) }

    package func of(_ kind: RawFrame.Kind) -> [RawFrame] { filter { $0.kind == kind } }

    /// The error codes of the RST_STREAM frames of a stream, in order.
    package func resets(of stream: Int32) -> [UInt32] {
        of(.reset).filter { $0.stream == stream }.map { RawFrame.value($0.payload) }
    }

    /// Last stream, error code and text of the GOAWAY frames, in order.
    package var goAways: [GoAway] {
        of(.goAway).map {
            GoAway(
                lastStream: Int32(bitPattern: RawFrame.value($0.payload[0..<4])),
                errorCode: RawFrame.value($0.payload[4..<8]), text: String(decoding: $0.payload[8...], as: UTF8.self))
        }
    }
}

package struct GoAway: Equatable, Sendable {
    package var lastStream: Int32
    package var errorCode: UInt32
    package var text: String

    package init(lastStream: Int32, errorCode: UInt32, text: String) {
        self.lastStream = lastStream
        self.errorCode = errorCode
        self.text = text
    }
}
