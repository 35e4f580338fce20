/// The answer fields that differ each time, `apns-id` and `apns-unique-id`. We write them ourselves at the end of the
/// header block that nghttp2 makes of the other fields.
///
/// They are never-indexed literals (RFC 7541, section 6.2.3), so nghttp2's compression table is unaffected, and their
/// text is not compressed: Huffman coding would save ten bytes each, and take more time than all checks together.
struct UnindexedFields {
    /// The encoded fields of all answers not sent yet.
    private(set) var bytes: [UInt8] = []
    private var answers: [(stream: Int32, start: Int, end: Int)] = []
    private var next = 0
    private var start = 0

    /// The longest value whose length fits into one byte in HPACK.
    private static let longestValue = 126
    /// All fields of an answer have to be in one frame; otherwise the end of the block is not the end of the frame.
    private static let largestBlock = 4096

    /// Returns whether a field is written here.
    @inline(__always)
    static func takes(
        _ name: UnsafePointer<UInt8>, _ nameLength: Int, valueLength: Int, in block: borrowing FieldBlock
    ) -> Bool {
        let differing: StaticString = nameLength == 7 ? "apns-id" : "apns-unique-id"
        guard nameLength == differing.utf8CodeUnitCount, valueLength <= longestValue,
            block.bytes.count <= largestBlock
        else { return false }
        for index in 0..<nameLength where unsafe name[index] != differing.utf8Start[index] { return false }
        return true
    }

    /// Adds a field to the answer that ``endAnswer(_:)`` ends.
    @inline(__always)
    mutating func append(_ name: UnsafePointer<UInt8>, _ nameLength: Int, valueLength: Int) {
        bytes.append(addingCapacity: 3 + nameLength + valueLength) { out in
            out.append(0x10)
            out.append(UInt8(truncatingIfNeeded: nameLength))
            for index in 0..<nameLength { unsafe out.append(name[index]) }
            out.append(UInt8(truncatingIfNeeded: valueLength))
            for index in nameLength..<nameLength + valueLength { unsafe out.append(name[index]) }
        }
    }

    /// Assigns the fields since the previous answer to this stream. Call it for each answer, even without such fields.
    mutating func endAnswer(_ stream: Int32) {
        answers.append((stream, start, bytes.count))
        start = bytes.count
    }

    /// Returns the range in ``bytes`` of the fields of an answer whose HEADERS frame is being sent.
    ///
    /// Answers are sent in the order they were given, except those whose stream is closed first.
    mutating func take(_ stream: Int32) -> Range<Int>? {
        var index = next
        while index < answers.count, answers[index].stream != stream { index += 1 }
        guard index < answers.count else { return nil }
        next = index + 1
        return answers[index].start..<answers[index].end
    }

    /// Removes all fields, when nothing is left to send.
    mutating func removeAll() {
        guard !answers.isEmpty else { return }
        bytes.removeAll(keepingCapacity: bytes.capacity <= 65_536)
        answers.removeAll(keepingCapacity: answers.capacity <= 1024)
        next = 0
        start = 0
    }
}
