import MockAPNSCore

/// Divides the bytes of a recorded log into lines.
///
/// ```swift
/// var start = 0
/// while let line = try lines.next(in: piece, from: &start) { … }
/// ```
struct LineSplitter {
    /// The bytes between two line feeds.
    enum Item {
        case line(RecordedLine)
        /// A truncated line, left by a killed server or a full disk, and the complete lines in it.
        case truncated([RecordedLine])
    }

    /// Longer than any line a server writes.
    static let lineLimit = 16 << 20

    /// The start of a line that has not ended yet.
    private var unfinished: [UInt8] = []
    /// Whether the last line was not written to its end; it is ignored.
    private(set) var isCutOff = false
    /// The number of complete lines.
    private(set) var count = 0
    /// The number of truncated lines.
    private(set) var truncated = 0
    /// The first truncated line.
    private(set) var firstTruncated: RecordedLog.Mistake?
    /// The number of complete lines that no server has written.
    private(set) var foreign = 0
    /// The first complete line that no server has written.
    private(set) var firstForeign: RecordedLog.Mistake?

    /// Returns the next line that ends in this piece of the file; `nil` after the last.
    ///
    /// - Parameter start: the end of the previous line in the piece.
    mutating func next(in piece: Span<UInt8>, from start: inout Int) throws(RecordedLog.Mistake) -> Item? {
        for index in start..<piece.count where piece[index] == UInt8(ascii: "\n") {
            unfinished.append(piece.extracting(start..<index))
            start = index + 1
            if let item = try takeLine() { return item }
        }
        unfinished.append(piece.extracting(start..<piece.count))
        start = piece.count
        guard unfinished.count <= Self.lineLimit else {
            throw RecordedLog.Mistake(
                line: count + 1, column: 1,
                message: "expected a line of a log, a JSON object, found \(unfinished.count) bytes without a line end")
        }
        return nil
    }

    /// Returns the line at the end of the file, if it has no line feed. An incomplete one is ignored, because the server
    /// may have been killed.
    mutating func finish() throws(RecordedLog.Mistake) -> Item? {
        unfinished.isEmpty ? nil : try takeLine(isLast: true)
    }

    /// Returns where a mistake is that was found in the current line.
    func mistake(_ error: JSONText.Mistake, in bytes: [UInt8]) -> RecordedLog.Mistake {
        let column = JSONText.position(of: error.offset, in: bytes.span).column
        return RecordedLog.Mistake(line: count, column: column, message: error.message)
    }

    private mutating func takeLine(isLast: Bool = false) throws(RecordedLog.Mistake) -> Item? {
        count += 1
        defer { unfinished.removeAll(keepingCapacity: true) }
        guard unfinished.contains(where: { !$0.isJSONBlank }) else { return nil }
        let value: JSONText.Value
        do throws(JSONText.Mistake) {
            value = try JSONText.read(unfinished, .recorded)
            if let mistake = RecordedLine.mistake(in: value) { throw mistake }
        } catch {
            return takeTruncatedLine(error, isLast: isLast)
        }
        do throws(JSONText.Mistake) { return .line(try RecordedLine(unfinished, value)) } catch {
            throw mistake(error, in: unfinished)
        }
    }

    private mutating func takeTruncatedLine(_ error: JSONText.Mistake, isLast: Bool) -> Item? {
        let whole = TruncatedLine.wholeLines(in: unfinished)
        // A character of four bytes may have been cut as well.
        if isLast, whole.isEmpty, error.offset + 3 >= unfinished.count {
            isCutOff = true
            return nil
        }
        // The unfinished line of a killed server breaks off at the end of the file, or where the next server goes on.
        let isBegun = unfinished.first { !$0.isJSONBlank } == UInt8(ascii: "{")
        if !whole.isEmpty || isBegun && error.offset + 3 >= unfinished.count {
            truncated += 1
            firstTruncated = firstTruncated ?? mistake(error, in: unfinished)
        } else {
            foreign += 1
            firstForeign = firstForeign ?? mistake(error, in: unfinished)
        }
        let lines = whole.compactMap { bytes in
            (try? JSONText.read(bytes, .recorded)).flatMap { try? RecordedLine(bytes, $0) }
        }
        // Every line has a time; few payloads that look like a line have one.
        return .truncated(lines.filter { (try? $0.time) != nil })
    }
}
