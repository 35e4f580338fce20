import MockAPNS
import MockAPNSCore
import MockAPNSSuite

/// The progress of a suite, until a signal ends it.
final class EndableProgress: Sendable {
    private let progress: Guarded<SuiteProgress?>

    /// - Parameter stories: the number of all stories.
    init(of stories: Int) { progress = Guarded(SuiteProgress(of: stories)) }

    /// Records that a story begins.
    func begin(_ name: String) { progress.withLock { $0?.begin(name) } }

    /// Records the result of a story.
    ///
    /// Does not return if a signal has ended the suite, since the process is about to end: a driver that was killed for
    /// that has not failed.
    func end(_ result: StoryResult) async {
        let isOver = progress.withLock { progress in
            progress?.end(result)
            return progress == nil
        }
        while isOver { try? await Task.sleep(for: .seconds(60)) }
    }

    /// Ends the suite.
    ///
    /// - Returns: how far it has come; `nil` if it was ended before.
    func finish() -> String? {
        progress.withLock { progress in
            defer { progress = nil }
            return progress?.sentence
        }
    }
}
