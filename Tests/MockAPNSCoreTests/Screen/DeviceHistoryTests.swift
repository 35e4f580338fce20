import GatewayRigs
import Testing

@testable import MockAPNSCore

@Suite("The history of a device")
struct DeviceHistoryTests {
    private static func history(_ entries: [(sequence: Int, state: HistoryState)]) -> DeviceHistory {
        var history = DeviceHistory()
        for (sequence, state) in entries {
            history.add(.init(sequence: sequence, clock: GatewayRig.now, state: state, why: "It came."))
        }
        return history
    }

    @Test(
        "The oldest entries go when there are twice as many as are told",
        arguments: [(999, 999), (1000, 1000), (1001, 1001), (1999, 1999), (2000, 1000), (2001, 1001)])
    func oldest(added: Int, kept: Int) {
        let history = Self.history((1...added).map { ($0, .shown) })
        #expect(history.entries.map(\.sequence) == Array(added - kept + 1...added))
        #expect(history.latest.map(\.sequence) == Array(max(1, added - 999)...added))
    }

    @Test("Of what happened later, as many are appended as are told")
    func appended() {
        var history = Self.history((1...1500).map { ($0, .shown) })
        history.append(Self.history([(1501, .woke)]))
        #expect(history.entries.map(\.sequence) == Array(502...1501))
        #expect(history.entries.last?.state == .woke)
    }

    @Test("A reaction is what the device does, not its user or a later push", arguments: HistoryState.allCases)
    func reactions(state: HistoryState) {
        let isReaction = ![.replaced, .dismissed, .opened].contains(state)
        #expect((Self.history([(1, state), (2, .shown)]).reaction(to: 1) != nil) == isReaction)
    }

    @Test("The last reaction to a push counts, and what has come since")
    func lastReaction() throws {
        let history = Self.history([(1, .heldByBudget), (2, .shown), (1, .woke), (2, .replaced), (1, .opened)])
        let found = try #require(history.reaction(to: 1))
        #expect(found.0.state == .woke)
        #expect(found.later.map(\.state) == [.opened])
        #expect(history.reaction(to: 3) == nil)
    }

    @Test("Only what is shown can turn out to have no effect")
    func ignored() {
        var history = Self.history([(1, .shown), (2, .shown), (1, .dismissed), (3, .woke)])
        for sequence in 1...4 { history.ignore(sequence, "It has no effect.") }
        #expect(history.entries.map(\.state) == [.shown, .ignored, .dismissed, .woke])
        #expect(history.entries.map(\.why) == ["It came.", "It has no effect.", "It came.", "It came."])
    }
}
