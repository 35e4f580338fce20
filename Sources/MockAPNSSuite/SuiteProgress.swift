import MockAPNSCore

/// How far a suite has come, for people if a signal ends it.
package struct SuiteProgress: Sendable {
    private let stories: Int
    /// The names of the stories that are being played, in the order in which they began.
    private var current: [String] = []
    private var results: [StoryResult] = []

    /// - Parameter stories: the number of all stories.
    package init(of stories: Int) { self.stories = stories }

    /// Records that a story begins.
    package mutating func begin(_ name: String) { current.append(name) }

    /// Records the result of a story.
    package mutating func end(_ result: StoryResult) {
        current.removeAll { $0 == result.name }
        results.append(result)
    }

    /// The words to follow "ended the suite".
    package var sentence: String {
        let all = "\(stories) \(stories == 1 ? "story" : "stories")"
        let counts = ["passed", "failed", "skipped"].map { word in
            (word, results.count { $0.outcome.word == word })
        }.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
        var sentences = [
            "after \(results.count) of \(all)\(counts.isEmpty ? "" : ": \(counts.joined(separator: ", "))")."
        ]
        if !current.isEmpty { sentences.append("Not played to the end: \(current.joined(separator: ", ")).") }
        let others = stories - results.count - current.count
        if others > 0 { sentences.append("Not begun: \(others).") }
        return sentences.joined(separator: " ")
    }
}
