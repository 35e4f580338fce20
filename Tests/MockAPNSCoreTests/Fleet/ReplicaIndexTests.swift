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

    // MARK: Numbers in the order

    /// The first number in a fleet's order, above all sequence numbers.
    private static let first = 1 << 48

    @Test func pushesAreFoundByOrderOrReplicaNumber() {
        var index = ReplicaIndex()
        index.add("a")
        index.replicas[0].note(7, as: 1, limit: 10)
        index.replicas[0].note(Self.first - 1, as: 2, limit: 10)
        index.replicas[0].note(Self.first, as: 3, limit: 10)
        #expect(index.note(Self.first, as: 4, limit: 10).isEmpty)
        let found = [7, 8, Self.first - 1, Self.first, Self.first + 1].map { index.own($0, of: 0) }
        #expect(found == [1, nil, 2, 4, nil])
    }

    @Test func aPushMayComeBeforeItsReplacement() {
        var index = ReplicaIndex()
        #expect(index.noteReplaced(1, by: Self.first - 1) == false)
        #expect(index.noteReplaced(1, by: Self.first) && index.noteReplaced(2, by: Self.first))
        #expect(index.note(Self.first, as: 3, limit: 10) == [1, 2])
        #expect(index.noteReplaced(4, by: Self.first) == false)
        #expect(index.note(Self.first, as: 3, limit: 10).isEmpty)
    }

    @Test func theOldestNumbersInTheOrderAreForgotten() {
        var index = ReplicaIndex()
        // Two of them never come.
        #expect(index.noteReplaced(98, by: Self.first + 9) && index.noteReplaced(99, by: Self.first + 30))
        for number in [0...8, 10...21].joined() { _ = index.note(Self.first + number, as: number, limit: 10) }
        #expect(index.own(Self.first, of: 0) == 0)
        _ = index.note(Self.first + 22, as: 22, limit: 10)
        let found = [10, 11, 21, 22].map { index.own(Self.first + $0, of: 0) }
        #expect(found == [nil, 11, 21, 22])
        #expect(index.note(Self.first + 9, as: 9, limit: 10).isEmpty)
        #expect(index.note(Self.first + 30, as: 30, limit: 10) == [99])
    }

    @Test func replicasKeepTheirOwnPushesNumbers() {
        var order = FleetOrder()
        func decide(_ sequence: Int, isOwn: Bool = true) -> [Int?] {
            order.beginDeciding(after: OrderedPush.OwnRules(), isOwn: isOwn)
            defer { order.endDeciding() }
            return [order.number, order.reference(toKeep: sequence)]
        }
        #expect(decide(1) == [Self.first, 1])
        #expect(decide(2, isOwn: false) == [Self.first + 1, Self.first + 1])
        #expect(decide(2) == [Self.first + 2, 2])
        // Without the order, there is none.
        #expect(order.reference(toKeep: 3) == 3 && order.number == nil && !order.isOfAnother)
        #expect(order.kept(after: 0).map(\.number) == [Self.first, Self.first + 2])
        #expect(order.kept(after: 1).map(\.sequence) == [2] && order.kept(after: 0).map(\.sequence) == [2])
        order.beginRun()
        #expect(order.kept(after: 0).isEmpty && decide(1) == [Self.first, 1])
    }

    @Test func countedRequestsAreToldOnceByTheirEntries() {
        var order = FleetOrder()
        for entry in [3, 1, 3, 2, 4] { order.count(for: entry) }
        let counted = order.takeCounted()
        #expect(counted.map(\.entry) == [1, 2, 3, 4] && counted.map(\.requests) == [1, 1, 2, 1])
        #expect(order.takeCounted().isEmpty)
    }

    // MARK: Names

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
        "", "-", "1", "1-", "-1", "1-2-3", "-1-2", "1--2", "1-2-", "+1-2", "1-+2", "a-2", "1-b",
        "1 -2", "1-18446744073709551616",
    ])
    func whatIsNoIDIsRefused(_ text: String) { #expect(StreamID(text) == nil) }

    @Test func idsAreInTheOrderOfTheirParts() {
        let ids = [(0, 0), (0, 9), (1, 0), (1, 1), (2, 0)].map { StreamID(milliseconds: $0, number: $1) }
        #expect(ids.reversed().sorted() == ids && StreamID.zero == ids[0])
        #expect(!(ids[1] < ids[1]))
    }

    @Test func readingAfterThePreviousIDIncludesThisOne() {
        let ids = [(7, 2), (7, 1), (7, 0), (1, 0), (0, 1), (0, 0)].map { StreamID(milliseconds: $0, number: $1) }
        let before = [(7, 1), (7, 0), (6, .max), (0, .max), (0, 0), (0, 0)].map {
            StreamID(milliseconds: $0, number: $1)
        }
        #expect(ids.map(\.previous) == before)
    }
}
