/// The answer to a ``RequestQuery``: the records that were found, written as text when it is asked for.
package struct RequestPage: Sendable {
    private let log: RequestSnapshot
    private let found: FoundRequests

    /// The page of records that were found in a snapshot.
    package init(of found: FoundRequests, in log: RequestSnapshot) {
        self.found = found
        self.log = log
    }

    /// How many records ``records`` has.
    package var count: Int { found.sequences.count }
    /// How many records of the log fulfil the question's match, on whatever page.
    package var total: Int { found.total }
    /// How many records were dropped because of the log's limit; what they would have matched is not known.
    package var dropped: Int { log.dropped }
    /// Of how many records of the log it is undecided whether they fulfil the match, because of a regular expression.
    package var undecided: Int { found.undecided }

    /// The records as JSON objects with commas between them.
    package var records: [UInt8] {
        var output: [UInt8] = []
        var writer = RecordWriter()
        for sequence in found.sequences { append(sequence, &writer, to: &output, isFirst: output.isEmpty) }
        return output
    }

    /// The answer of the API: `{"requests":[…],"total":n,"dropped":n}`, and `"undecided":n` where that is not 0.
    package var json: [UInt8] {
        var json: [UInt8] = []
        var pieces = pieces()
        while let piece = pieces.next() { json += piece }
        return json
    }

    /// The answer in pieces, so that a long one need not be in memory as a whole.
    ///
    /// - Parameter misses: what came nearest, for an answer that tells it; `nil` for one that does not.
    package func pieces(nearMisses misses: [NearMiss]? = nil) -> Pieces { Pieces(page: self, misses: misses) }

    /// The pieces of an answer, each of 64 KB or little more, but for the last.
    package struct Pieces: Sendable, IteratorProtocol {
        /// Length from which on a piece is complete.
        package static let length = 64 * 1024

        fileprivate let page: RequestPage
        fileprivate let misses: [NearMiss]?
        private var writer = RecordWriter()
        private var written = 0
        /// Whether the last piece was handed out.
        package private(set) var isComplete = false

        fileprivate init(page: RequestPage, misses: [NearMiss]?) { (self.page, self.misses) = (page, misses) }

        /// The next piece, `nil` after the last.
        package mutating func next() -> [UInt8]? {
            guard !isComplete else { return nil }
            var piece = written == 0 ? Array(#"{"requests":["#.utf8) : []
            while written < page.count {
                if piece.count >= Self.length { return piece }
                page.append(page.found.sequences[written], &writer, to: &piece, isFirst: written == 0)
                written += 1
            }
            isComplete = true
            piece.append(contentsOf: #"],"total":"#.utf8)
            piece.appendJSON(page.total)
            piece.append(contentsOf: #","dropped":"#.utf8)
            piece.appendJSON(page.dropped)
            if page.undecided > 0 { piece.append(contentsOf: #","undecided":\#(page.undecided)"#.utf8) }
            if let misses {
                piece.append(contentsOf: #","nearMisses":"#.utf8)
                NearMiss.appendJSON(misses, to: &piece)
            }
            piece.append(UInt8(ascii: "}"))
            return piece
        }
    }

    private func append(_ sequence: Int, _ writer: inout RecordWriter, to output: inout [UInt8], isFirst: Bool) {
        guard let (segment, index) = log.location(of: sequence) else { return }
        if !isFirst { output.append(UInt8(ascii: ",")) }
        writer.append(segment, at: index, to: &output)
    }
}
