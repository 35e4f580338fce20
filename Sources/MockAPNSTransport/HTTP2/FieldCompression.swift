internal import CMockNGHTTP2

/// Decodes the header blocks of one connection (HPACK, RFC 7541), for a client that reads frames itself.
@safe
package final class FieldDecoder {
    private var inflater: OpaquePointer?

    /// Creates a decoder with an empty table.
    package init() {
        unsafe nghttp2_hd_inflate_new(&inflater)
    }

    deinit {
        unsafe nghttp2_hd_inflate_del(inflater)
    }

    /// Why a header block has no fields. No later block can be decoded then.
    package enum Mistake: Error, Sendable {
        case malformed
        /// Its fields are longer than they may be.
        case tooLong
    }

    /// The size that a field counts beside its name and value (RFC 9113, section 6.5.2).
    package static let overhead = 32

    /// Returns the names and values of a complete header block.
    ///
    /// - Parameter limit: the maximum length of all fields: a short block may stand for very long ones.
    package func decode(
        _ block: [UInt8], atMost limit: Int
    ) throws(Mistake) -> [(name: String, value: String)] {
        guard let inflater = unsafe inflater else { throw .malformed }
        var fields: [(name: String, value: String)] = []
        var offset = 0
        var left = limit
        while true {
            var field = unsafe nghttp2_nv()
            var flags: Int32 = 0
            let used = unsafe block.withUnsafeBufferPointer { bytes in
                unsafe nghttp2_hd_inflate_hd2(
                    inflater, &field, &flags, bytes.baseAddress.map { unsafe $0 + offset }, bytes.count - offset, 1)
            }
            guard used >= 0 else { throw .malformed }
            offset += Int(used)
            if UInt32(bitPattern: flags) & NGHTTP2_HD_INFLATE_EMIT.rawValue != 0 {
                left -= unsafe field.namelen + field.valuelen + Self.overhead
                guard left >= 0 else { throw .tooLong }
                unsafe fields.append((Self.text(field.name, field.namelen), Self.text(field.value, field.valuelen)))
            }
            if UInt32(bitPattern: flags) & NGHTTP2_HD_INFLATE_FINAL.rawValue != 0 {
                unsafe nghttp2_hd_inflate_end_headers(inflater)
                return fields
            }
            if used == 0 && offset == block.count { throw .malformed }
        }
    }

    private static func text(_ start: UnsafeMutablePointer<UInt8>?, _ count: Int) -> String {
        unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}

/// Encodes the header blocks of one connection as usual clients do: with the dynamic table and Huffman coding.
@safe
package final class FieldEncoder {
    private var deflater: OpaquePointer?

    /// Creates an encoder with an empty table.
    package init() {
        unsafe nghttp2_hd_deflate_new(&deflater, 4096)
    }

    deinit {
        unsafe nghttp2_hd_deflate_del(deflater)
    }

    /// Returns a header block; `nil` if memory is exhausted.
    package func encode(_ fields: [(name: String, value: String)]) -> [UInt8]? {
        guard let deflater = unsafe deflater else { return nil }
        let texts = fields.map { (Array($0.name.utf8), Array($0.value.utf8)) }
        var storage = texts.flatMap { $0.0 + $0.1 }
        return unsafe storage.withUnsafeMutableBufferPointer { bytes -> [UInt8]? in
            guard var next = bytes.baseAddress else { return [] }
            var list = unsafe texts.map { name, value in
                defer { unsafe next += name.count + value.count }
                return unsafe nghttp2_nv(
                    name: next, value: next + name.count, namelen: name.count, valuelen: value.count, flags: 0)
            }
            var block = [UInt8](
                repeating: 0, count: unsafe nghttp2_hd_deflate_bound(deflater, list, list.count))
            let length = unsafe nghttp2_hd_deflate_hd(deflater, &block, block.count, &list, list.count)
            return length < 0 ? nil : Array(block.prefix(Int(length)))
        }
    }
}
