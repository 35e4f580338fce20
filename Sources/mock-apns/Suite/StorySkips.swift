import ArgumentParser
import MockAPNS
import MockAPNSCore

/// Which stories a suite leaves out: those that need what the driver cannot do, and those that are named.
struct StorySkips: Sendable {
    private var needs: Set<DriverNeed> = []
    private var names: Set<String> = []

    /// - Parameters:
    ///   - words: what drivers cannot do, and names of stories.
    ///   - stories: the stories that may be named, beside those that are built in.
    init(_ words: [String], _ stories: [Story]) throws {
        let known = Set(stories.map(\.name) + BundledScenarios.all.names)
        for word in words {
            if let need = DriverNeed(rawValue: word) {
                needs.insert(need)
            } else if known.contains(word) {
                names.insert(word)
            } else {
                throw ValidationError("--skip is \"\(word)\"; \(Self.hint(word, known))")
            }
        }
    }

    private static func hint(_ word: String, _ names: Set<String>) -> String {
        let words = DriverNeed.allCases.map(\.rawValue)
        if let near = nearestWord(to: word, among: words + names.sorted()) { return "did you mean \"\(near)\"?" }
        return "expected the name of a story, or one of \(words.joined(separator: ", "))."
    }

    /// Why a story is left out; `nil` if it is not.
    func reason(for story: Story) -> String? {
        let lacking = story.scenario.needs.filter(needs.contains).map(\.rawValue)
        if !lacking.isEmpty { return "it needs \(lacking.joined(separator: " and "))" }
        return names.contains(story.name) ? "--skip names it" : nil
    }
}
