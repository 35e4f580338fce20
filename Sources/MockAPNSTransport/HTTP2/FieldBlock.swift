/// The header fields of an answer: one flat block, built once per answer and reused for the next.
///
/// Each field starts with four bytes of lengths, name first, each a little-endian `UInt16`; then come the bytes of the
/// name and of the value. Names are in lower case, and `:status` comes first (RFC 9113, section 8.3.2).
///
/// A status or a field that has no place in this form is left out, and ``lacksFields`` says so: a session sends no such
/// answer, but resets the stream.
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

    /// Whether a status or a field was left out: a status without three digits, or a name or value with more than
    /// 65,535 bytes.
    package private(set) var lacksFields = false

    /// Creates a block without fields.
    package init() {}

    /// Creates a block without fields, with room for so many bytes.
    init(capacity: Int) { bytes.reserveCapacity(capacity) }

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
        lacksFields = !(100...999 ~= status)
        guard !lacksFields else { return }
        append(":status", count: 3) { out in
            out.append(UInt8(48 + status / 100))
            out.append(UInt8(48 + status / 10 % 10))
            out.append(UInt8(48 + status % 10))
        }
    }

    /// Appends a field.
    ///
    /// - Parameters:
    ///   - name: in lower case, at most 65,535 bytes.
    ///   - value: at most 65,535 bytes, without leading or trailing white space and without control characters.
    package mutating func append(_ name: StaticString, _ value: Span<UInt8>) {
        let start = unsafe UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        unsafe append(start, value)
    }

    /// Appends a field whose value is written by the caller.
    ///
    /// - Parameters:
    ///   - name: in lower case, at most 65,535 bytes.
    ///   - count: the length of the value, at most 65,535.
    ///   - write: appends exactly this many bytes, with the same restrictions as in ``append(_:_:)-(StaticString,_)``.
    @inline(__always)
    package mutating func append(_ name: StaticString, count: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
        let name = unsafe UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        unsafe append(name, count: count, write)
    }

    /// Appends a field with a dynamic name; see ``append(_:_:)-(StaticString,_)``.
    package mutating func append(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        unsafe name.withUnsafeBytes { unsafe append($0, value) }
    }

    private mutating func append(_ name: UnsafeRawBufferPointer, _ value: Span<UInt8>) {
        unsafe append(name, count: value.count) { out in
            for index in 0..<value.count { out.append(value[index]) }
        }
    }

    /// Appends a field at once, since each change of an array has a price.
    @inline(__always)
    private mutating func append(
        _ name: UnsafeRawBufferPointer, count: Int, _ write: (inout OutputSpan<UInt8>) -> Void
    ) {
        guard name.count <= 0xFFFF && count <= 0xFFFF else {
            lacksFields = true
            return
        }
        let length = 4 + name.count + count
        let end = bytes.count + length
        bytes.append(addingCapacity: length) { out in
            out.append(UInt8(truncatingIfNeeded: name.count))
            out.append(UInt8(truncatingIfNeeded: name.count >> 8))
            out.append(UInt8(truncatingIfNeeded: count))
            out.append(UInt8(truncatingIfNeeded: count >> 8))
            for index in 0..<name.count { unsafe out.append(name[index]) }
            write(&out)
        }
        precondition(bytes.count == end, "a field's value is as long as was said")
        self.count += 1
    }
}
