extension OrderedPush {
    /// Writes the header fields as they go to another APNs, in the form of ``HeaderFields``: as they came, but for that
    /// host.
    ///
    /// - Parameters:
    ///   - authority: the host, with the port unless that is 443.
    ///   - block: what was there is overwritten.
    package func writeFields(for authority: String, to block: inout [UInt8]) {
        let (bytes, headerLength) = (content.bytes, content.request.facts.headerLength)
        block.removeAll(keepingCapacity: true)
        let span = bytes.span
        var fields = HeaderFields(length: headerLength)
        var copied = 0
        while let field = fields.next(in: span) {
            let name = span.extracting(field.name.range)
            guard name.equals(Self.authority.span) || name.equals(Self.host.span) else { continue }
            // Before the name are four bytes of lengths.
            block.append(span.extracting(copied..<field.name.range.lowerBound - 4))
            HeaderFields.append(bytes[field.name.range], authority.utf8, to: &block)
            copied = field.value.range.upperBound
        }
        block.append(span.extracting(copied..<headerLength))
    }

    private static let authority = Array(":authority".utf8)
    private static let host = Array("host".utf8)

    /// The body.
    package var body: ArraySlice<UInt8> {
        content.bytes[min(content.request.facts.headerLength, content.bytes.count)...]
    }
}
