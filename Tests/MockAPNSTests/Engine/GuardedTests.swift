import Dispatch
import Testing

@testable import MockAPNS

@Suite("A lock whose ordering ThreadSanitizer sees")
struct GuardedTests {
    private final class Counts: Sendable {
        let byName = Guarded([String: Int]())
        func note(_ name: String) { byName.withLock { $0[name, default: 0] += 1 } }
    }

    @Test("Threads that contend for it lose nothing, and are no race")
    func contendedAccessIsOrdered() {
        let counts = Counts()
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for index in 0..<5000 { counts.note("\(index % 7)") }
        }
        #expect(counts.byName.withLock { $0.values.reduce(0, +) } == 20_000)
    }
}
