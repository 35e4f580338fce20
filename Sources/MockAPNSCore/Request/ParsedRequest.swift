/// A request with everything parsed that depends on its bytes alone, before the gateway's lock is taken.
package struct ParsedRequest: Sendable {
    /// The transport's facts about the request.
    package var facts: RequestFacts
    /// The parsed header fields.
    package let push: Push

    /// Parses the header fields in the first `headerLength` bytes.
    @inline(__always)
    package init(_ facts: consuming RequestFacts, bytes: Span<UInt8>) {
        push = Push(bytes, headerLength: facts.headerLength)
        self.facts = facts
    }

    /// Keeps what is parsed already.
    init(_ facts: RequestFacts, _ push: Push) { (self.facts, self.push) = (facts, push) }
}
