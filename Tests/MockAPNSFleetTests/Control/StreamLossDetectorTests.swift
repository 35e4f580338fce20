import Testing

@testable import MockAPNSCore
@testable import MockAPNSFleet

@Suite("Whether the engine has lost the control stream")
struct StreamLossDetectorTests {
    private static let joined = StreamID(milliseconds: 5, number: 0)

    private static func observation(_ isThere: Bool, last: UInt64) -> StreamLossDetector.Observation {
        .init(id: joined, isThere: isThere, last: StreamID(milliseconds: last, number: 0))
    }

    private static func applied(_ milliseconds: UInt64) -> StreamID { StreamID(milliseconds: milliseconds, number: 0) }

    @Test func anEntryThatIsThereIsNotLost() {
        var anchor = StreamLossDetector(Self.joined)
        anchor.note(Self.observation(true, last: 9), applied: Self.applied(9))
        #expect(!anchor.isLost && !anchor.isInDoubt)
    }

    @Test func anEmptyStreamIsLost() {
        var anchor = StreamLossDetector(Self.joined)
        anchor.note(Self.observation(false, last: 0), applied: Self.applied(5))
        #expect(anchor.isLost && !anchor.isInDoubt)
    }

    @Test func pendingEntriesMayHaveStartedOver() {
        var anchor = StreamLossDetector(Self.joined)
        anchor.note(Self.observation(false, last: 9), applied: Self.applied(8))
        #expect(!anchor.isLost && anchor.isInDoubt)
        // More came meanwhile, which says nothing.
        anchor.note(Self.observation(false, last: 12), applied: Self.applied(9))
        #expect(anchor.isLost)
    }

    @Test func aSightOfAnEarlierAnchorSaysNothing() {
        var anchor = StreamLossDetector(StreamID(milliseconds: 9, number: 0))
        anchor.note(Self.observation(false, last: 0), applied: Self.applied(9))
        #expect(!anchor.isLost && !anchor.isInDoubt)
        var none = StreamLossDetector()
        none.note(.init(id: .zero, isThere: false, last: .zero), applied: .zero)
        #expect(!none.isLost && !none.isInDoubt)
    }

    @Test func aLossOnceSeenIsNotForgotten() {
        var anchor = StreamLossDetector(Self.joined)
        anchor.note(Self.observation(false, last: 9), applied: Self.applied(8))
        anchor.note(Self.observation(true, last: 9), applied: Self.applied(9))
        #expect(anchor.isLost && anchor.mustBeReported)
        // What another has seen need not be told.
        var other = StreamLossDetector(Self.joined)
        other.noteLoss()
        #expect(other.isLost && !other.mustBeReported)
    }

    @Test func theLatestAppliedEntryIsLookedFor() async throws {
        let engine = MemoryEngine()
        let link = MemoryLink(engine)
        let first = try await link.append([], to: "s", id: nil, keeping: nil)
        let second = try await link.append([], to: "s", id: nil, keeping: nil)
        var anchor = StreamLossDetector(first)
        anchor.note(try await link.look(for: anchor, in: "s"), applied: second)
        #expect(try await link.look(for: anchor, in: "s").isThere)
        await engine.removeEntry(1, of: "s")
        let observation = try await link.look(for: anchor, in: "s")
        #expect(!observation.isThere && observation.last == first)
        anchor.note(observation, applied: second)
        #expect(anchor.isLost)
    }

    @Test func theLinkLooksForTheEntryItself() async throws {
        let engine = MemoryEngine()
        let link = MemoryLink(engine)
        var ids: [StreamID] = []
        for _ in 0..<3 { ids.append(try await link.append([], to: "s", id: nil, keeping: nil)) }
        for id in ids { #expect(try await link.look(for: StreamLossDetector(id), in: "s").isThere) }
        await engine.removeEntry(1, of: "s")
        let observation = try await link.look(for: StreamLossDetector(ids[1]), in: "s")
        #expect(!observation.isThere && observation.last == ids[2])
    }

    /// The engine drops the oldest entries, and loses either everything or the latest.
    @Test func whatWasDroppedIsNotLost() async throws {
        let engine = MemoryEngine()
        let link = MemoryLink(engine)
        var ids: [StreamID] = []
        for _ in 0..<4 { ids.append(try await link.append([], to: "s", id: nil, keeping: .latest(2))) }
        var anchor = StreamLossDetector(ids[0])
        for id in [ids[1], ids[3]] {
            anchor.reach(id)
            #expect(try await link.look(for: anchor, in: "s").isThere)
        }
        await engine.empty()
        let observation = try await link.look(for: anchor, in: "s")
        #expect(!observation.isThere && observation.last == .zero)
        // Nor if it has begun anew.
        _ = try await link.append([], toControl: FleetKeys("f"), keeping: .latest(2))
        #expect(try await !link.look(for: anchor, in: FleetKeys("f").control).isThere)
    }
}
