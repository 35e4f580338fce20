import Testing

@testable import MockAPNSCore

/// How a collector translates the numbers of replicas into its own.
@Suite struct ReplicaIndexTests {
    private static func replica(_ numbers: (sequence: Int, own: Int)..., limit: Int = 10) -> ReplicaIndex.Replica {
        var replica = ReplicaIndex.Replica(name: 0)
        for (sequence, own) in numbers { replica.note(sequence, as: own, limit: limit) }
        return replica
    }

    @Test func numbersAreTranslated() {
        let replica = Self.replica((1, 11), (2, 15), (3, 16))
        #expect((0...4).map { replica.own($0) } == [nil, 11, 15, 16, nil])
        #expect(ReplicaIndex.Replica(name: 0).own(1) == nil)
    }

    @Test func recordsMayBeMissing() {
        let replica = Self.replica((5, 11), (8, 15))
        #expect((4...9).map { replica.own($0) } == [nil, 11, nil, nil, 15, nil])
    }

    /// Those that were not shipped take none of the room.
    @Test func nothingIsForgottenHoweverManyAreMissing() {
        let some = Self.replica((1, 11), (13, 23), (1_000_000, 24))
        #expect((some.own(1), some.own(12), some.own(13), some.own(1_000_000)) == (11, nil, 23, 24))
    }

    @Test func aNumberThatIsKnownStays() {
        let replica = Self.replica((5, 11), (6, 12), (6, 13), (5, 14))
        #expect((replica.own(5), replica.own(6), replica.own(7)) == (11, 12, nil))
    }

    @Test(arguments: [1, 8])
    func theOldestAreForgotten(first: Int) {
        var replica = ReplicaIndex.Replica(name: 0)
        for sequence in first..<first + 20 { replica.note(sequence, as: 100 + sequence, limit: 10) }
        #expect(replica.own(first) == 100 + first)
        replica.note(first + 20, as: 120 + first, limit: 10)
        #expect((replica.own(first + 10), replica.own(first + 11)) == (nil, 111 + first))
        #expect((replica.own(first + 20), replica.own(first + 21)) == (120 + first, nil))
    }

    @Test func aReplicaThatStartsAgainHasItsName() {
        var index = ReplicaIndex()
        let long = String(repeating: "n", count: 64)
        for name in ["a", "b", "a", long, long + "m"] { index.add(name) }
        #expect(index.replicas.map(\.name) == [0, 1, 0, 2, 2])
        #expect(index.names == [Array("a".utf8), Array("b".utf8), Array(repeating: UInt8(ascii: "n"), count: 63)])
    }
}

@Suite struct StreamIDTests {
    @Test func anIDIsReadAndWritten() throws {
        let id = try #require(StreamID("1795255200123-7"))
        #expect(id == StreamID(milliseconds: 1_795_255_200_123, number: 7) && "\(id)" == "1795255200123-7")
        #expect(StreamID("0-18446744073709551615") == StreamID(milliseconds: 0, number: .max))
    }

    @Test(arguments: [
        "", "-", "1", "1-", "-1", "1-2-3", "+1-2", "1-+2", "a-2", "1-b", "1 -2", "1-18446744073709551616",
    ])
    func whatIsNoIDIsRefused(_ text: String) { #expect(StreamID(text) == nil) }

    @Test func idsAreInTheOrderOfTheirParts() {
        let ids = [(0, 0), (0, 9), (1, 0), (1, 1), (2, 0)].map { StreamID(milliseconds: $0, number: $1) }
        #expect(ids.reversed().sorted() == ids && StreamID.zero == ids[0])
        #expect(!(ids[1] < ids[1]))
    }
}
