import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

@Suite struct EndedSessionResultsTests {
    private static func results(_ count: Int, passed: Bool) -> [ExpectationResult] {
        (0..<count).map { ExpectationResult(name: "\($0)", passed: passed, expected: "a", seen: "b") }
    }

    @Test func beyondTheLimitOnlyFailuresCount() {
        var ended = EndedSessionResults()
        ended.add(Self.results(EndedSessionResults.limit - 1, passed: true))
        ended.add(Self.results(3, passed: true))
        #expect(
            ended.count == EndedSessionResults.limit && ended.dropped == 2
                && ended.all.count == EndedSessionResults.limit)
        ended.add(Self.results(2, passed: false))
        #expect(ended.count == EndedSessionResults.limit && ended.dropped == 4)
        let last = ended.all.last
        #expect(ended.all.count == EndedSessionResults.limit + 1 && last?.passed == false)
        #expect(last?.seen == "2 expectations failed after 10000 had been judged")
    }
}
