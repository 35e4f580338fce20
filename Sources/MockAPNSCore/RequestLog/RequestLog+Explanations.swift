/// Explanations that are known only after later requests were recorded.
extension RequestSegment {
    /// Replaces explanations. The bytes after the first of these records are moved once, however many there are.
    ///
    /// - Parameter texts: the explanations with the indices of their records, in ascending order.
    mutating func explain(_ texts: some Collection<(index: Int, text: [UInt8])>) {
        guard let first = texts.first?.index else { return }
        let start = Int(records[first].start)
        let tail = Array(bytes[start...])
        bytes.removeSubrange(start...)
        bytes.reserveCapacity(start + tail.count + texts.reduce(0) { $0 + $1.text.count })
        var next = texts.startIndex
        for index in first..<records.count {
            let end = index + 1 < records.count ? Int(records[index + 1].start) : start + tail.count
            let old = Int(records[index].start) - start..<end - start
            records[index].start = UInt32(truncatingIfNeeded: bytes.count)
            bytes.append(contentsOf: tail[old])
            guard next < texts.endIndex, texts[next].index == index else { continue }
            let room = Int(UInt16.max) - 1 - old.count
            let text = texts[next].text.prefix(max(0, room))
            records[index].explanationRange = RequestRecord.StoredRange(
                start: UInt16(truncatingIfNeeded: old.count), count: UInt16(truncatingIfNeeded: text.count))
            bytes.append(contentsOf: text)
            next = texts.index(after: next)
        }
    }
}

extension RequestLog {
    /// Replaces the explanations of records that are still kept.
    ///
    /// - Parameter texts: the explanations with the sequence numbers, in ascending order, each once.
    mutating func explain(_ texts: [(sequence: Int, text: [UInt8])]) {
        var rest = texts.drop { $0.sequence < firstSequence }
        while let first = rest.first, first.sequence <= latestSequence {
            let segmentStart = withSegment(of: first.sequence) { $0.firstSequence }
            let count = rest.prefix {
                $0.sequence < segmentStart + RequestSegment.length && $0.sequence <= latestSequence
            }
            .count
            let ofSegment = rest.prefix(count).map { (index: $0.sequence - segmentStart, text: $0.text) }
            withSegment(of: first.sequence) { segment in segment.explain(ofSegment) }
            rest = rest.dropFirst(count)
        }
    }

    /// Returns the sequence numbers of the records on these streams of a connection, as far as they are kept.
    func sequences(of streams: Set<UInt32>, on connection: Int) -> [UInt32: Int] {
        var found: [UInt32: Int] = [:]
        for segment in [open] + closed.reversed() {
            for index in segment.records.indices.reversed()
            where Int(segment.records[index].connectionID) == connection {
                let stream = segment.records[index].stream
                if streams.contains(stream) { found[stream] = segment.firstSequence + index }
                if found.count == streams.count || segment.records[index].requestOnConnection == 1 { return found }
            }
        }
        return found
    }
}
