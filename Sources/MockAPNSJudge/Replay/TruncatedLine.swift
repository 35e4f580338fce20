import MockAPNSCore

/// The bytes between two line feeds of a log that are not a valid line: a server was killed, or its disk was full,
/// while it wrote, and another may have continued on the same line.
enum TruncatedLine {
    private static let beginning = Array(#"{"event":""#.utf8)
    /// Maximum number of possible line starts examined; a line truncated by accident has few.
    private static let limit = 16

    /// Returns the complete lines in it, in order. A payload may also look like the start of a line, so the earliest
    /// start that gives a complete line wins.
    static func wholeLines(in bytes: [UInt8]) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        let starts = starts(in: bytes)
        var index = 0
        while index < starts.count {
            let ends = starts[(index + 1)...] + [bytes.count]
            let end = ends.last { isWhole(bytes[starts[index]..<$0]) }
            guard let end else {
                index += 1
                continue
            }
            lines.append(Array(bytes[starts[index]..<end]))
            index = starts.firstIndex { $0 >= end } ?? starts.count
        }
        return lines
    }

    private static func starts(in bytes: [UInt8]) -> [Int] {
        var starts: [Int] = []
        for index in bytes.indices
        where bytes[index] == beginning[0] && bytes[index...].starts(with: beginning) {
            starts.append(index)
            if starts.count == limit { break }
        }
        return starts
    }

    private static func isWhole(_ bytes: ArraySlice<UInt8>) -> Bool {
        let end = bytes.last { !$0.isJSONBlank }
        guard end == UInt8(ascii: "}") else { return false }
        return (try? JSONText.read(Array(bytes), .recorded)) != nil
    }
}
