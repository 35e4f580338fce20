import MockAPNSTransport
import TestClients

extension FuzzTarget {
    /// The walker that finds frames in what a client sends, however that is cut into pieces.
    ///
    /// The first byte says how many bytes come before the first frame, the next four how long the pieces are.
    static let frames = FuzzTarget(
        name: "frames", longestInput: 2048,
        seeds: [[0, 0, 0, 0, 0], [24, 1, 1, 1, 1], [24, 7, 0, 9, 3]].map { head in
            head + (head[0] == 24 ? RawFrame.preface : []) + sampleFrames.bytes
        } + [[0, 9, 9, 9, 9] + RawFrame(.ping, [1, 2]).bytes, [3, 1, 0, 0, 1, 0]]
    ) { input throws(Finding) in
        guard input.count > 5 else { return }
        let skipped = Int(input[0])
        let pieces = Pieces(Array(input[5...]), lengths: Array(input[1..<5]))
        var walker = FrameWalker(skipping: skipped)
        var found: [FoundFrame] = []
        for range in pieces.ranges {
            let piece = pieces.bytes.span.extracting(range)
            while let frame = walker.next(in: piece) {
                try require(frame.start < piece.count, "a frame begins in the bytes or before them")
                try require(found.count <= pieces.bytes.count / 9, "no more frames than there are headers")
                found.append(
                    FoundFrame(type: frame.type, stream: frame.stream, start: range.lowerBound + frame.start))
            }
        }
        let expected = FoundFrame.all(in: pieces.bytes, after: skipped)
        try require(found == expected, "found \(found), expected \(expected)")
    }

    /// A client's side of a short conversation.
    static let sampleFrames: [RawFrame] = [
        .settings([(2, 0), (4, 65_535)]), .settingsAcknowledgement, .headers(1, ends: false),
        .data(1, Array(#"{"aps":{"alert":"Hi"}}"#.utf8)), .headers(3), .reset(3),
        RawFrame(.windowUpdate, RawFrame.integer(1000)), RawFrame(.ping, Array(repeating: 7, count: 8)),
        RawFrame(.priority, stream: 5, [0, 0, 0, 0, 15]), RawFrame(.goAway, Array(repeating: 0, count: 8)),
    ]
}

/// A frame as the simplest reader finds it, which has all bytes at once.
private struct FoundFrame: Equatable {
    var type: UInt8
    var stream: Int32
    var start: Int

    static func all(in bytes: [UInt8], after skipped: Int) -> [FoundFrame] {
        var frames: [FoundFrame] = []
        var start = skipped
        while start + 9 <= bytes.count {
            let length = bytes[start..<start + 3].reduce(0) { $0 * 256 + Int($1) }
            let stream = bytes[start + 5..<start + 9].reduce(0) { $0 * 256 + Int64($1) } % (1 << 31)
            frames.append(FoundFrame(type: bytes[start + 3], stream: Int32(stream), start: start))
            start += 9 + length
        }
        return frames
    }
}

/// Bytes as they may arrive: in pieces of these lengths, in turn; 0 stands for an empty piece and one of 64 bytes.
struct Pieces {
    let bytes: [UInt8]
    private(set) var ranges: [Range<Int>] = []

    init(_ bytes: [UInt8], lengths: [UInt8]) {
        self.bytes = bytes
        var start = 0
        var index = 0
        while start < bytes.count {
            let length = Int(lengths[index % lengths.count])
            index += 1
            if length == 0 { ranges.append(start..<start) }
            let end = min(start + (length == 0 ? 64 : length), bytes.count)
            ranges.append(start..<end)
            start = end
        }
    }
}
