import Testing

@testable import MockAPNSCore

/// Where the answers of another APNs differ, in groups.
@Suite struct RelayDifferencesTests {
    /// Differences in groups with these numbers, one push in each.
    private static func differences(_ numbers: Range<Int>) -> RelayDifferences {
        var differences = RelayDifferences()
        for number in numbers {
            let theirs = RelayedAnswer.Verdict(status: 400, reason: "R\(number)")
            differences.count(RelayedAnswer(theirs: theirs, own: .init(status: 200)), of: number + 1)
        }
        return differences
    }

    @Test("Groups are bounded")
    func bounds() {
        var differences = RelayDifferences()
        for number in 0..<RelayDifferences.limit + 10 {
            differences.count(
                RelayedAnswer(theirs: .init(status: 400, reason: "R\(number)"), own: .init(status: 200)), of: number + 1
            )
        }
        #expect(
            differences.groups.count == RelayDifferences.limit && differences.different == RelayDifferences.limit + 10)
        var sum = RelayDifferences()
        sum.add(differences)
        sum.add(differences)
        #expect(sum.groups.count == RelayDifferences.limit && sum.groups[0].count == 2)
    }

    @Test func differencesOfSeveralServersAddUp() {
        func answer(_ theirs: Int) -> RelayedAnswer {
            RelayedAnswer(theirs: .init(status: theirs), own: .init(status: 200))
        }
        func group(_ theirs: Int, count: Int, example: Int) -> RelayDifferences.Group {
            .init(own: .init(status: 200), theirs: .init(status: theirs), count: count, example: example)
        }
        var one = RelayDifferences()
        #expect(one.isEmpty && !one.hasDifferences)
        one.count(answer(200), of: 1)
        #expect(!one.isEmpty && !one.hasDifferences)
        one.count(answer(400), of: 2)
        #expect(one.hasDifferences)
        var other = RelayDifferences()
        other.countUnanswered()
        #expect(!other.isEmpty && other.hasDifferences)
        other.count(answer(400), of: 5)
        other.count(answer(410), of: 6)
        one.add(other)
        #expect((one.relayed, one.agreed, one.different, one.unanswered) == (4, 1, 3, 1))
        #expect(one.groups == [group(400, count: 2, example: 2), group(410, count: 1, example: 6)])
        one.count(answer(410), of: 9)
        #expect(one.groups == [group(400, count: 2, example: 2), group(410, count: 2, example: 6)])
    }

    @Test func theGroupsOfSeveralServersAreBounded() {
        #expect(RelayDifferences.limit == 1000)
        for first in [999, 1000] {
            var sum = Self.differences(0..<first)
            sum.add(Self.differences(2000..<2002))
            #expect(sum.groups.count == 1000 && sum.different == first + 2)
            sum.add(Self.differences(5..<6))
            #expect(sum.groups[5].count == 2 && sum.groups.count == 1000)
        }
    }

    @Test func aLineSaysHowManyHaveNoAnswer() {
        var differences = RelayDifferences()
        #expect(differences.lines.isEmpty)
        differences.count(RelayedAnswer(theirs: .init(status: 200), own: .init(status: 200)), of: 1)
        let agreed = "The upstream answered 1 of 1 push as mock-apns would have answered."
        #expect(differences.lines == [agreed])
        differences.countUnanswered()
        #expect(differences.lines == [agreed, "It did not answer 1 push."])
        differences.countUnanswered()
        #expect(differences.lines == [agreed, "It did not answer 2 pushes."])
    }

    @Test func whatJSONLacksCountsAsNone() throws {
        #expect(RelayDifferences(try JSONText.read(Array("{}".utf8))) == RelayDifferences())
        let read = RelayDifferences(try JSONText.read(Array(#"{"differences":[{}]}"#.utf8)))
        #expect(read.groups == [.init(own: .init(status: nil), theirs: .init(status: nil), count: 0, example: 0)])
    }

    // MARK: Answers in records

    @Test func recordsWithoutAnAnswerHaveNone() throws {
        let record = try JSONText.read(Array(#"{"relayed":null,"own":null}"#.utf8))
        var answer: RelayedAnswer?
        RelayedAnswer.read(.relayed, try #require(record["relayed"]), into: &answer)
        RelayedAnswer.read(.own, try #require(record["own"]), into: &answer)
        #expect(answer == nil)
    }

    @Test func anAnswerIsReadInEitherOrder() throws {
        let theirs = #"{"status":410,"reason":"Unregistered","headers":[["a","b"],["c"]]}"#
        let (relayed, own) = (try JSONText.read(Array(theirs.utf8)), try JSONText.read(Array(#"{"status":200}"#.utf8)))
        let members = [(RecordMember.relayed, relayed), (.own, own)]
        for order in [members, members.reversed()] {
            var read: RelayedAnswer?
            for (member, value) in order { RelayedAnswer.read(member, value, into: &read) }
            let answer = try #require(read)
            #expect(answer.theirs == .init(status: 410, reason: "Unregistered") && answer.own == .init(status: 200))
            #expect(answer.headers == [.init(name: "a", value: "b")] && answer.latencyMicroseconds == 0)
        }
    }
}
