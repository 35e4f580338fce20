/// The fields of answers that differ each time, `apns-id` and `apns-unique-id`: written by ourselves at the end of the
/// header block that nghttp2 makes of the others.
///
/// They are literals that are never indexed (RFC 7541, section 6.2.3), so nghttp2's compression table stays what it was,
/// and their text is plain: Huffman's code would save ten bytes each, and cost more time than all checks together.
struct UnindexedFields {
    /// The encoded fields of all answers that have not left.
    private(set) var bytes: [UInt8] = []
    private var answers: [(stream: Int32, start: Int, end: Int)] = []
    private var next = 0
    private var start = 0

    /// The longest value whose length is one byte in HPACK.
    private static let longestValue = 126
    /// All fields of an answer have to be in one frame, or the end of its block is not where the frame ends.
    private static let largestBlock = 4096

    /// Whether a field is of those that are written here.
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
        bytes.append(0x10)
        bytes.append(UInt8(truncatingIfNeeded: nameLength))
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: name, count: nameLength))
        bytes.append(UInt8(truncatingIfNeeded: valueLength))
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: name + nameLength, count: valueLength))
    }

    /// The fields since the answer before are this stream's; said for each answer, also one without such fields.
    mutating func endAnswer(_ stream: Int32) {
        answers.append((stream, start, bytes.count))
        start = bytes.count
    }

    /// Where in ``bytes`` the fields of a stream's answer are, whose HEADERS frame leaves now.
    ///
    /// Answers leave in the order in which they were given, save those whose stream is closed before.
    mutating func take(_ stream: Int32) -> Range<Int>? {
        var index = next
        while index < answers.count, answers[index].stream != stream { index += 1 }
        guard index < answers.count else { return nil }
        next = index + 1
        return answers[index].start..<answers[index].end
    }

    /// Nothing is left to be sent.
    mutating func removeAll() {
        guard !answers.isEmpty else { return }
        bytes.removeAll(keepingCapacity: bytes.capacity <= 65_536)
        answers.removeAll(keepingCapacity: answers.capacity <= 1024)
        next = 0
        start = 0
    }
}
