/// The header fields of one request as the transport hands them over, and as the log keeps them: one flat block.
///
/// Each field is four bytes of lengths, name first, each a `UInt16` with its low byte first; then the name's bytes, then
/// the value's. Pseudo-header fields (`:method`) come with their colon, in the order of arrival, as all others.
package struct HeaderFields: Sendable {
    /// One field: where its name and its value are in the block.
    package struct Field: Sendable {
        /// Where its name is.
        package var name: ByteRange
        /// Where its value is.
        package var value: ByteRange
    }

    private var offset: Int
    private let end: Int

    /// Reads the block that is in `range` of the bytes given to ``next(in:)``.
    package init(in range: Range<Int>) {
        offset = range.lowerBound
        end = range.upperBound
    }

    /// Appends a field to a block. Of what is longer than 65535 bytes the rest is left out.
    static func append(_ name: some Collection<UInt8>, _ value: some Collection<UInt8>, to block: inout [UInt8]) {
        let (name, value) = (name.prefix(Int(UInt16.max)), value.prefix(Int(UInt16.max)))
        for count in [name.count, value.count] {
            block.append(UInt8(truncatingIfNeeded: count))
            block.append(UInt8(truncatingIfNeeded: count >> 8))
        }
        block.append(contentsOf: name)
        block.append(contentsOf: value)
    }

    /// The next field, or `nil` after the last.
    package mutating func next(in bytes: Span<UInt8>) -> Field? {
        guard offset + 4 <= end else { return nil }
        let nameLength = Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
        let valueLength = Int(bytes[offset + 2]) | Int(bytes[offset + 3]) << 8
        let name = ByteRange(start: offset + 4, count: nameLength)
        let value = ByteRange(start: offset + 4 + nameLength, count: valueLength)
        offset += 4 + nameLength + valueLength
        return Field(name: name, value: value)
    }
}
