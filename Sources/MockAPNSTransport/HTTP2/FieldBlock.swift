/// The header fields of an answer: one flat block, built once per answer and reused for the next.
///
/// Each field starts with four bytes of lengths, name first, each a little-endian `UInt16`; then come the bytes of the
/// name and of the value. Names are in lower case, and `:status` comes first (RFC 9113, section 8.3.2).
///
/// ```swift
/// var fields = FieldBlock(status: 200)
/// fields.append("apns-id", identifier.span)
/// session.respond(to: request.streamID, fields: fields)
/// ```
package struct FieldBlock: Sendable {
    /// The flat block.
    package private(set) var bytes: [UInt8] = []

    /// The number of fields in the block.
    package private(set) var count = 0

    /// Creates a block without fields.
    package init() {}

    /// Creates a block with `:status` as its only field.
    package init(status: Int) {
        reset(status: status)
    }

    /// Removes all fields, keeps the storage, and appends `:status`.
    ///
    /// - Parameter status: 100 to 999.
    package mutating func reset(status: Int) {
        bytes.removeAll(keepingCapacity: true)
        count = 0
        precondition((100...999).contains(status), "a status has three digits")
        append(":status", [UInt8(48 + status / 100), UInt8(48 + status / 10 % 10), UInt8(48 + status % 10)].span)
    }

    /// Appends a field.
    ///
    /// - Parameters:
    ///   - name: in lower case, at most 65535 bytes.
    ///   - value: at most 65535 bytes, without leading or trailing white space and without control characters.
    package mutating func append(_ name: StaticString, _ value: Span<UInt8>) {
        let start = unsafe UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        unsafe value.withUnsafeBytes { unsafe append(start, $0) }
    }

    /// Appends a field whose value is written by the caller.
    ///
    /// - Parameters:
    ///   - name: in lower case, at most 65535 bytes.
    ///   - count: the length of the value, at most 65535.
    ///   - write: appends exactly this many bytes, with the same restrictions as in ``append(_:_:)-(StaticString,_)``.
    @inline(__always)
    package mutating func append(_ name: StaticString, count: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
        let name = unsafe UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        unsafe beginField(name, valueLength: count)
        let end = bytes.count + count
        bytes.append(addingCapacity: count) { write(&$0) }
        precondition(bytes.count == end, "a field's value is as long as was said")
    }

    /// Appends a field with a dynamic name; see ``append(_:_:)-(StaticString,_)``.
    package mutating func append(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        unsafe name.withUnsafeBytes { name in
            unsafe value.withUnsafeBytes { unsafe append(name, $0) }
        }
    }

    private mutating func append(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        unsafe beginField(name, valueLength: value.count)
        unsafe bytes.append(contentsOf: value)
    }

    private mutating func beginField(_ name: UnsafeRawBufferPointer, valueLength: Int) {
        precondition(name.count <= 0xFFFF && valueLength <= 0xFFFF, "a field's length has 16 bits")
        bytes.append(UInt8(truncatingIfNeeded: name.count))
        bytes.append(UInt8(truncatingIfNeeded: name.count >> 8))
        bytes.append(UInt8(truncatingIfNeeded: valueLength))
        bytes.append(UInt8(truncatingIfNeeded: valueLength >> 8))
        unsafe bytes.append(contentsOf: name)
        count += 1
    }
}
