import CMockOpenSSL

/// Reads DER (ITU-T X.690) that may be hostile: never past the end, and definite lengths only.
struct DERReader {
    /// An element: its tag with class, and the range of its contents.
    struct Element {
        var tag: Int32
        var tagClass: Int32
        var isConstructed: Bool
        var contents: Range<Int>

        func isUniversal(_ tag: Int32) -> Bool { tagClass == V_ASN1_UNIVERSAL && self.tag == tag }
    }

    let bytes: [UInt8]
    private var offset: Int
    private let end: Int

    /// Reads all bytes.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        offset = 0
        end = bytes.count
    }

    /// Reads the contents of an element.
    init(_ bytes: [UInt8], in element: Element) {
        self.bytes = bytes
        offset = element.contents.lowerBound
        end = element.contents.upperBound
    }

    /// Returns the next element; `nil` at the end, and from the first malformed one on.
    mutating func next() -> Element? {
        guard offset < end else { return nil }
        var length = 0
        var tag: Int32 = 0
        var tagClass: Int32 = 0
        var headerLength = 0
        let status = unsafe bytes.withUnsafeBufferPointer { buffer in
            let start = unsafe buffer.baseAddress.map { unsafe $0 + offset }
            var position = unsafe start
            let status = unsafe ASN1_get_object(&position, &length, &tag, &tagClass, end - offset)
            if let start = unsafe start, let position = unsafe position { headerLength = unsafe position - start }
            return status
        }
        // 0x80: malformed, or longer than the rest; 0x01: indefinite length, which DER forbids.
        guard status & 0x81 == 0, length >= 0, headerLength > 0, length <= end - offset - headerLength else {
            offset = end
            ERR_clear_error()
            return nil
        }
        let start = offset + headerLength
        offset = start + length
        return Element(
            tag: tag, tagClass: tagClass, isConstructed: status & V_ASN1_CONSTRUCTED != 0, contents: start..<offset)
    }

    /// Whether everything was read, or reading stopped at an error.
    var isAtEnd: Bool { offset >= end }

    /// Returns the text of a UTF8String; `nil` for any other element and for bytes that are not UTF-8.
    func text(_ element: Element) -> String? {
        guard element.isUniversal(V_ASN1_UTF8STRING), !element.isConstructed else { return nil }
        return String(validating: bytes[element.contents], as: UTF8.self)
    }
}
