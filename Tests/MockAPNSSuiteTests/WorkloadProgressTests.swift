import MockAPNSCore
import Testing

@testable import MockAPNSSuite

@Suite("Which pushes of a workload may begin, and when")
struct WorkloadProgressTests {
    private static func entry(
        times: Int = 1, after: WorkloadEntry.Prerequisite = .nothing, wait: Int64 = 0
    ) -> WorkloadEntry {
        WorkloadEntry(.init(token: "00"), times: times, after: after, wait: wait)
    }

    @Test("Entries without a condition begin at once, in order, and their pushes are numbered")
    func atOnce() {
        var progress = WorkloadProgress([Self.entry(), Self.entry(times: 2)])
        #expect(progress.begin(at: 0).map(\.id) == ["1", "2", "3"])
        #expect(progress.unanswered == 3)
        #expect(progress.nextTime == nil)
        #expect(progress.begin(at: 0).isEmpty)
        for id in ["3", "1"] { #expect(progress.answer(id) == .accepted) }
        #expect(progress.unansweredIDs == ["2"])
        #expect(!progress.isDone)
        progress.answer("2")
        #expect(progress.isDone)
    }

    @Test("An entry waits for all pushes of those that it names, and for no others")
    func named() {
        var progress = WorkloadProgress([
            Self.entry(times: 2), Self.entry(), Self.entry(after: .entries([0])), Self.entry(),
        ])
        #expect(progress.begin(at: 0).map(\.entry) == [0, 0, 1])
        progress.answer("1")
        #expect(progress.begin(at: 1).isEmpty)
        #expect(progress.nextTime == nil)
        progress.answer("2")
        // Entries begin in order, so that the last one has waited, too.
        #expect(progress.begin(at: 2).map(\.entry) == [2, 3])
    }

    @Test("An entry waits for everything before it")
    func all() {
        var progress = WorkloadProgress([Self.entry(), Self.entry(), Self.entry(after: .all)])
        #expect(progress.begin(at: 0).count == 2)
        progress.answer("2")
        #expect(progress.begin(at: 0).isEmpty)
        progress.answer("1")
        #expect(progress.begin(at: 0).map(\.id) == ["3"])
    }

    @Test("The pause counts from when the condition is met and the entry before has begun")
    func pauses() {
        var progress = WorkloadProgress([
            Self.entry(wait: 50), Self.entry(after: .entries([0]), wait: 100), Self.entry(wait: 10),
        ])
        #expect(progress.begin(at: 1000).isEmpty)
        #expect(progress.nextTime == 1050)
        #expect(progress.begin(at: 1049).isEmpty)
        #expect(progress.begin(at: 1050).map(\.entry) == [0])
        #expect(progress.nextTime == nil)
        progress.answer("1")
        #expect(!progress.isDone)
        #expect(progress.begin(at: 2000).isEmpty)
        #expect(progress.nextTime == 2100)
        #expect(progress.begin(at: 2105).map(\.entry) == [1])
        #expect(progress.nextTime == 2115)
        #expect(progress.begin(at: 3000).map(\.entry) == [2])
    }

    @Test("A stray answer changes nothing")
    func strays() {
        var progress = WorkloadProgress([Self.entry(), Self.entry(after: .all)])
        _ = progress.begin(at: 0)
        for id in ["2", "0", "-1", "01", "", "x"] { #expect(progress.answer(id) == .unknown) }
        #expect(progress.answer("1") == .accepted)
        #expect(progress.answer("1") == .repeated)
        #expect(progress.unanswered == 0)
        #expect(!progress.isDone)
    }

    @Test("A push that has begun belongs to its entry, and no other id belongs to one")
    func entries() {
        var progress = WorkloadProgress([Self.entry(times: 2), Self.entry(), Self.entry(after: .all)])
        #expect(progress.entry(of: "1") == nil)
        _ = progress.begin(at: 0)
        #expect((1...3).map { progress.entry(of: "\($0)") } == [0, 0, 1])
        for id in ["4", "5", "0", "-1", "", "x"] { #expect(progress.entry(of: id) == nil) }
    }

    @Test("Nothing to do is done")
    func empty() {
        var progress = WorkloadProgress([])
        #expect(progress.isDone)
        #expect(progress.begin(at: 0).isEmpty)
        #expect(progress.nextTime == nil)
    }
}
