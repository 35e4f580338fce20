import Testing

@testable import MockAPNSProbe

@Suite struct PaceTests {
    @Test func onThisMachineNothingWaits() async throws {
        var pace = Pace(isSlow: false)
        let start = ContinuousClock.now
        for _ in 0..<1000 {
            try await pace.beforeConnection(unless: ProbeStop())
            try await pace.beforePush(unless: ProbeStop())
        }
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test func aThirdPushPerSecondToStrangersWaits() async throws {
        var pace = Pace(isSlow: true)
        let start = ContinuousClock.now
        for _ in 0..<3 { try await pace.beforePush(unless: ProbeStop()) }
        #expect(ContinuousClock.now - start >= .seconds(1))
    }

    @Test func theTimeIsEstimated() {
        #expect(Pace.seconds(connections: 1, pushes: 0) == 0)
        #expect(Pace.seconds(connections: 5, pushes: 100) == 2 * 61 + 60)
    }
}
