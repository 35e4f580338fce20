/// Finds the frames in what a client sends, before nghttp2 reads them: their type and stream, nothing more.
///
/// nghttp2 reports DATA on a closed stream only while it remembers the stream, and it is configured to remember none.
package struct FrameWalker {
    package struct Frame {
        package var type: UInt8
        package var flags: UInt8
        package var stream: Int32
        /// The number of bytes of its payload.
        package var length: Int
        /// The offset where it starts; negative if that was in earlier bytes.
        package var start: Int
    }

    private static let headerLength = 9

    /// The number of payload bytes of the current frame still to come.
    private(set) var payloadLeft = 0
    /// The start of a frame header whose rest is still to come.
    private var partial: [UInt8] = []
    private var offset = 0

    /// Whether the payload of the last frame is complete.
    package var isBetweenFrames: Bool { payloadLeft == 0 }

    /// The number of bytes so far of a frame header whose rest is still to come.
    package var partialCount: Int { partial.count }

    /// Returns the start of a frame header whose rest is still to come, and expects it once more.
    package mutating func takePartial() -> [UInt8] {
        defer { partial.removeAll() }
        return partial
    }

    /// Creates a walker that first skips bytes which are not frames.
    package init(skipping count: Int) {
        payloadLeft = count
    }

    /// Returns the next frame whose header ends in these bytes; after `nil`, call it with the following bytes.
    package mutating func next(in bytes: Span<UInt8>) -> Frame? {
        let skipped = min(payloadLeft, bytes.count - offset)
        payloadLeft -= skipped
        offset += skipped
        let header = offset - partial.count
        if partial.isEmpty && offset + Self.headerLength <= bytes.count {
            offset += Self.headerLength
            payloadLeft = Int(bytes[header]) << 16 | Int(bytes[header + 1]) << 8 | Int(bytes[header + 2])
            let stream =
                Int32(bytes[header + 5] & 0x7F) << 24 | Int32(bytes[header + 6]) << 16
                | Int32(bytes[header + 7]) << 8 | Int32(bytes[header + 8])
            return Frame(
                type: bytes[header + 3], flags: bytes[header + 4], stream: stream, length: payloadLeft, start: header)
        }
        while offset < bytes.count && partial.count < Self.headerLength {
            partial.append(bytes[offset])
            offset += 1
        }
        guard partial.count == Self.headerLength else {
            offset = 0
            return nil
        }
        payloadLeft = partial[..<3].reduce(0) { $0 << 8 | Int($1) }
        let stream = partial[5...].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let frame = Frame(
            type: partial[3], flags: partial[4], stream: Int32(stream), length: payloadLeft, start: header)
        partial.removeAll()
        return frame
    }
}
