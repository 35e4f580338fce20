import Testing

@testable import MockAPNSCore

@Suite struct EndedResultsTests {
    private static func results(_ count: Int, passed: Bool) -> [ExpectationResult] {
        (0..<count).map { ExpectationResult(name: "\($0)", passed: passed, expected: "a", seen: "b") }
    }

    @Test func beyondTheLimitOnlyFailuresCount() {
        var ended = EndedResults()
        ended.add(Self.results(EndedResults.limit - 1, passed: true))
        ended.add(Self.results(3, passed: true))
        #expect(ended.count == EndedResults.limit && ended.dropped == 2 && ended.all.count == EndedResults.limit)
        ended.add(Self.results(2, passed: false))
        #expect(ended.count == EndedResults.limit && ended.dropped == 4)
        let last = ended.all.last
        #expect(ended.all.count == EndedResults.limit + 1 && last?.passed == false)
        #expect(last?.seen == "2 expectations failed after 10000 had been judged")
    }
}
