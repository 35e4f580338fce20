extension OrderedPush {
    /// Returns the header fields as they go to another APNs, in the form of ``HeaderFields``: as they came, but for that
    /// host.
    ///
    /// - Parameter authority: the host, with the port unless that is 443.
    package func fields(for authority: String) -> [UInt8] {
        var block: [UInt8] = []
        block.reserveCapacity(request.facts.headerLength + authority.utf8.count)
        let span = bytes.span
        var fields = HeaderFields(length: request.facts.headerLength)
        var copied = 0
        while let field = fields.next(in: span) {
            let name = span.extracting(field.name.range)
            guard name.equals(Self.authority.span) || name.equals(Self.host.span) else { continue }
            // Before the name are four bytes of lengths.
            block.append(span.extracting(copied..<field.name.range.lowerBound - 4))
            HeaderFields.append(bytes[field.name.range], authority.utf8, to: &block)
            copied = field.value.range.upperBound
        }
        block.append(span.extracting(copied..<request.facts.headerLength))
        return block
    }

    private static let authority = Array(":authority".utf8)
    private static let host = Array("host".utf8)

    /// The body.
    package var body: [UInt8] { Array(bytes[min(request.facts.headerLength, bytes.count)...]) }
}
