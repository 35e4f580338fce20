/// Locates the `authorization` fields of a request, and any provider token in another field, so that no signature is
/// logged.
struct AuthorizationRedaction {
    enum Form {
        case absent
        /// One field with its name in lower case, as HTTP/2 requires.
        case single
        /// Several fields, one with different case in a malformed request, or a token in another field.
        case other
    }

    private(set) var form = Form.absent
    /// The whole first field, including its lengths.
    private(set) var field = 0..<0
    private(set) var value = 0..<0

    /// - Parameter plain: the range of a value known to contain no token.
    @inline(__always)
    init(_ request: Span<UInt8>, headerLength: Int, plain: ByteRange?) {
        var fields = HeaderFields(length: headerLength)
        while let next = fields.next(in: request) {
            guard next.name.count == 13, request.extracting(next.name.range).isAuthorization else {
                if next.value.count >= TokenSignature.shortestText, next.value.start != plain?.start,
                    TokenSignature.start(in: request.extracting(next.value.range)) != nil
                {
                    form = .other
                }
                if next.name.count >= TokenSignature.shortestText,
                    TokenSignature.start(in: request.extracting(next.name.range)) != nil
                {
                    form = .other
                }
                continue
            }
            if form == .absent, request[Int(next.name.start)] == UInt8(ascii: "a") {
                form = .single
                field = Int(next.name.start) - 4..<next.value.range.upperBound
                value = next.value.range
            } else {
                form = .other
            }
        }
    }
}

extension Span<UInt8> {
    /// Whether a name of 13 bytes is `authorization`, ignoring case.
    fileprivate var isAuthorization: Bool {
        // `apns-priority` has the same length; the second letter tells them apart.
        guard self[1] | 0x20 == UInt8(ascii: "u") else { return false }
        var index = 0
        for letter in "authorization".utf8 {
            guard self[index] | 0x20 == letter else { return false }
            index += 1
        }
        return true
    }
}

extension Array<UInt8> {
    /// Appends header fields one by one, and cuts `authorization` and any other name or value with a provider token
    /// after its second dot, which keeps the token's header and claims. Fields at the end that exceed the size of a
    /// record are left out.
    mutating func appendCuttingSignatures(_ request: Span<UInt8>, headerLength: Int, record: inout RequestRecord) {
        let start = count
        var fields = HeaderFields(length: headerLength)
        var gaps: [Range<Int>] = []
        var end = 0
        while let field = fields.next(in: request) {
            let whole = Int(field.name.start) - 4..<field.value.range.upperBound
            guard count - start + whole.count <= RequestLog.headerLimit else { break }
            end = whole.upperBound
            let name = request.extracting(field.name.range)
            let value = request.extracting(field.value.range)
            let keptName = TokenSignature.start(in: name) ?? name.count
            var kept = value.count
            if name.count == 13, name.isAuthorization {
                kept = Swift.min(kept, ParsedProviderToken.lengthWithoutSignature(value) + 1)
            } else if let signature = TokenSignature.start(in: value) {
                kept = signature
            }
            append(UInt8(truncatingIfNeeded: keptName))
            append(UInt8(truncatingIfNeeded: keptName >> 8))
            append(UInt8(truncatingIfNeeded: kept))
            append(UInt8(truncatingIfNeeded: kept >> 8))
            append(name.extracting(first: keptName))
            append(value.extracting(first: kept))
            if keptName < name.count {
                gaps.append(field.name.range.lowerBound + keptName..<field.name.range.upperBound)
            }
            if kept < value.count { gaps.append(whole.upperBound - (value.count - kept)..<whole.upperBound) }
        }
        if end < headerLength { record.cut(at: end) }
        for gap in gaps.reversed() { record.close(gap: gap) }
    }
}

extension RequestRecord {
    /// Adjusts the ranges for bytes that were left out: moves those after the gap, and shortens those that end in it.
    /// Nothing is attached yet.
    @inline(__always)
    mutating func close(gap: Range<Int>) {
        let end = UInt16(truncatingIfNeeded: gap.upperBound)
        let count = UInt16(truncatingIfNeeded: gap.count)
        forEachFieldRange { $0.close(end, count) }
    }

    /// Removes the ranges beyond the header fields that are kept.
    fileprivate mutating func cut(at end: Int) {
        forEachFieldRange { $0.cut(end) }
    }
}

extension RequestRecord.StoredRange {
    @inline(__always)
    fileprivate mutating func close(_ gapEnd: UInt16, _ gapCount: UInt16) {
        if isAbsent { return }
        if start >= gapEnd {
            start -= gapCount
        } else if start + count == gapEnd {
            // A value that loses its end.
            count -= Swift.min(count, gapCount)
            start = Swift.min(start, gapEnd - gapCount)
        }
    }

    fileprivate mutating func cut(_ end: Int) {
        if Int(start) + Int(count) > end { self = .absent }
    }
}
