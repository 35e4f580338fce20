@testable package import MockAPNSCore
@testable package import MockAPNSJudge

/// The searches of the log that the server does in slices, done at once.
extension RequestSnapshot {
    package func find(_ query: RequestQuery) -> RequestPage { RequestPage(of: search(for: query).finish(), in: self) }

    package func found(_ match: RequestMatch, after: Int) -> FoundRequests { search(for: match, after: after).finish() }

    package func count(_ match: RequestMatch) -> Int { counted(match).count }

    package func sequences(_ match: RequestMatch) -> [Int] { listing(match).finish() }

    package func nearMisses(_ match: RequestMatch, after: Int = 0) -> [NearMiss] {
        searchNearMisses(match, after: after).finish()
    }

    /// The record of this sequence number or `apns-id`.
    package func record(_ sequenceOrID: String) -> [UInt8]? {
        search(forRecord: sequenceOrID).finish().flatMap { record($0) }
    }

    package func forEach(_ body: (inout RecordSubject) -> Void) {
        var cursor = RecordCursor(self)
        var nothing: Void = ()
        while cursor.read(&nothing, { subject, _ in body(&subject) }) {}
    }
}

extension RequestPage {
    package var json: [UInt8] {
        var (json, pieces) = ([] as [UInt8], pieces())
        while let piece = pieces.next() { json += piece }
        return json
    }
}

extension VerificationInput {
    package func verify(_ expectations: [Expectation], within: MatchExpression? = nil) -> Verification {
        verifying(expectations, within: within).finish()
    }
}

extension RequestLog {
    /// Appends the line that the file of `--log` has for a record; false if it is no longer kept.
    @discardableResult
    package func appendLine(of sequence: Int, using writer: inout RecordWriter, to output: inout [UInt8]) -> Bool {
        guard snapshot.append(sequence, using: &writer, to: &output) else { return false }
        output.append(UInt8(ascii: "\n"))
        return true
    }
}
