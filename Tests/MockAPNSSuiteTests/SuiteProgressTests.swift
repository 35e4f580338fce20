import Testing

@testable import MockAPNSJudge
@testable import MockAPNSSuite

/// What is said of a suite that a signal ends.
@Suite struct SuiteProgressTests {
    private static let passed = StoryResult("passed", Verification([]))
    private static let failed = StoryResult("failed", failed: "it ended")
    private static let skipped = StoryResult("skipped", skipped: "it has no workload")

    @Test(
        arguments: [
            (0, [], "after 0 of 0 stories."),
            (1, [], "after 0 of 1 story. Not begun: 1."),
            (1, [passed], "after 1 of 1 story: 1 passed."),
            (2, [skipped, skipped], "after 2 of 2 stories: 2 skipped."),
            (4, [skipped, failed, passed], "after 3 of 4 stories: 1 passed, 1 failed, 1 skipped. Not begun: 1."),
        ] as [(Int, [StoryResult], String)])
    func outcomesThatOccurredAreCounted(_ stories: Int, _ results: [StoryResult], _ sentence: String) {
        var progress = SuiteProgress(of: stories)
        for result in results {
            progress.begin(result.name)
            progress.end(result)
        }
        #expect(progress.sentence == sentence)
    }

    @Test func storiesBeingPlayedAreNamedInOrder() {
        var progress = SuiteProgress(of: 4)
        for name in ["b", "failed", "a"] { progress.begin(name) }
        #expect(progress.sentence == "after 0 of 4 stories. Not played to the end: b, failed, a. Not begun: 1.")
        progress.end(Self.failed)
        #expect(progress.sentence == "after 1 of 4 stories: 1 failed. Not played to the end: b, a. Not begun: 1.")
        progress.begin("c")
        #expect(progress.sentence == "after 1 of 4 stories: 1 failed. Not played to the end: b, a, c.")
    }
}
