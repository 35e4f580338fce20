package import MockAPNSCore

/// The result of a ``RequestQuery``: the records found, formatted on demand.
package struct RequestPage: Sendable {
    private let log: RequestSnapshot
    private let found: FoundRequests
    private let rowApps: Apps?

    /// Creates the page of records found in a snapshot.
    ///
    /// - Parameter apps: `nil` for full records; otherwise each is a list row, with localized alerts in the strings of
    ///   these apps.
    package init(of found: FoundRequests, in log: RequestSnapshot, asRowsIn apps: Apps? = nil) {
        self.found = found
        self.log = log
        rowApps = apps
    }

    /// The number of records on the page.
    package var count: Int { found.sequences.count }
    /// The number of records in the log that match, on any page.
    package var total: Int { found.total }
    /// The number of records dropped because of the log's limit. It is not known whether they would have matched.
    package var dropped: Int { log.dropped }
    /// The number of records left undecided by a regular expression.
    package var undecided: Int { found.undecided }

    /// Returns the answer of the API, `{"requests":[…],"total":n,"dropped":n}` with `"undecided":n` if that is not
    /// 0, in pieces, so that a long one need not be in memory as a whole.
    ///
    /// - Parameter misses: the near misses, for an answer that includes them; otherwise `nil`.
    package func pieces(nearMisses misses: [NearMiss]? = nil) -> Pieces { Pieces(page: self, misses: misses) }

    /// The pieces of an answer. All but the last have 64 KB or slightly more.
    package struct Pieces: Sendable, IteratorProtocol {
        /// The length at which a piece is complete.
        package static let length = 64 * 1024

        fileprivate let page: RequestPage
        fileprivate let misses: [NearMiss]?
        private var writer = RecordWriter(withDeliveries: true)
        private var written = 0
        /// Whether the last piece has been returned.
        package private(set) var isComplete = false

        fileprivate init(page: RequestPage, misses: [NearMiss]?) { (self.page, self.misses) = (page, misses) }

        /// Returns the next piece; `nil` after the last.
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
        if let rowApps {
            RequestRow(segment, at: index, in: rowApps, limit: .max).append(to: &output)
        } else {
            writer.append(segment, at: index, to: &output)
        }
    }
}
