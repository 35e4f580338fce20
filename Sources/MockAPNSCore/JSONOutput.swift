extension Array<UInt8> {
    /// Appends the bytes of a span, in one piece.
    @inline(__always)
    mutating func append(_ span: Span<UInt8>) {
        let count = span.count
        append(addingCapacity: count) { output in
            for index in 0..<count { output.append(span[index]) }
        }
    }
}
