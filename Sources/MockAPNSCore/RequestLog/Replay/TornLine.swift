/// What hangs together between two line ends of a log, and is no line: a server was killed, or its disk was full, while it
/// wrote, and perhaps another one went on in the same line.
enum TornLine {
    private static let beginning = Array(#"{"event":""#.utf8)
    /// Maximum number of beginnings that are looked at; a line that was torn by accident has few.
    private static let limit = 16

    /// The lines that are whole in it, in order. A payload may look like the beginning of a line, too; what is whole from
    /// an earlier beginning on is preferred.
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
