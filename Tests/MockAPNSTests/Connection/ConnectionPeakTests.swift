import Synchronization
import TestSupport
import Testing

@testable import MockAPNS

@Suite struct ConnectionPeakTests {
    /// At which counts memory is worth giving back, when so many are opened and all are closed.
    private func told(opening count: Int) -> [Int] {
        var peak = ConnectionPeak()
        for open in 1...count { peak.noteOpening(of: open) }
        return (0..<count).reversed().filter { peak.noteClosing(to: $0) }
    }

    @Test func itIsToldAfterEachHalfHasClosed() {
        #expect(told(opening: 10_000) == [5000, 2500, 1250, 625, 312, 56])
    }

    @Test func fewConnectionsAreNotWorthIt() {
        #expect(told(opening: 255).isEmpty)
        #expect(told(opening: 256) == [0])
    }

    @Test func whoComesAndGoesIsNoPeak() {
        var peak = ConnectionPeak()
        for open in 1...1000 { peak.noteOpening(of: open) }
        for _ in 0..<10_000 {
            let isTold = peak.noteClosing(to: 999)
            #expect(!isTold)
            peak.noteOpening(of: 1000)
        }
    }

    /// Its loops have ended then: a timer on one of them ended the process.
    @Test func adminConnectionsMayCloseAfterTheServer() async throws {
        let server = try await MockAPNSServer.start()
        await server.stop()
        server.engine.giveBackMemorySoon()
        let isToCome = server.engine.givesBackMemory.load(ordering: .acquiring)
        #expect(isToCome)
    }
}
