/// The header fields of a request, as the transport provides them and the log stores them: one flat block.
///
/// Each field starts with four bytes of lengths, name first, each a little-endian `UInt16`; then come the bytes of the
/// name and of the value. Pseudo-header fields (`:method`) include the colon. All fields are in the order of arrival.
package struct HeaderFields: Sendable {
    /// The ranges of a field's name and value in the block.
    package struct Field: Sendable {
        /// The range of the name.
        package var name: ByteRange
        /// The range of the value.
        package var value: ByteRange
    }

    private var offset = 0
    private let length: Int

    /// Reads the block of this length at the beginning of the bytes passed to ``next(in:)``.
    package init(length: Int) { self.length = length }

    /// Appends a field to a block. Names and values are cut at 65535 bytes.
    package static func append(_ name: some Collection<UInt8>, _ value: some Collection<UInt8>, to block: inout [UInt8])
    {
        let (name, value) = (name.prefix(Int(UInt16.max)), value.prefix(Int(UInt16.max)))
        for count in [name.count, value.count] {
            block.append(UInt8(truncatingIfNeeded: count))
            block.append(UInt8(truncatingIfNeeded: count >> 8))
        }
        block.append(contentsOf: name)
        block.append(contentsOf: value)
    }

    /// Returns the next field; `nil` after the last.
    package mutating func next(in bytes: Span<UInt8>) -> Field? {
        guard offset + 4 <= length else { return nil }
        let nameLength = Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
        let valueLength = Int(bytes[offset + 2]) | Int(bytes[offset + 3]) << 8
        let name = ByteRange(start: offset + 4, count: nameLength)
        let value = ByteRange(start: offset + 4 + nameLength, count: valueLength)
        offset += 4 + nameLength + valueLength
        return Field(name: name, value: value)
    }
}
