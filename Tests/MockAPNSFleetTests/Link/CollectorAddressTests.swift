import MockAPNS
import MockAPNSCore
import TestSupport
import Testing

@testable import MockAPNSFleet

/// Where commands and replicas find the collector that is running.
@Suite("The address of a collector")
struct CollectorAddressTests {
    private static let url = "http://collector:2198"
    private static let keys = FleetKeys("f")

    private static func put(_ text: String, into engine: MemoryEngine) async throws {
        try await MemoryLink(engine).set(keys.collector, to: Array(text.utf8), expiringAfter: 1)
    }

    @Test func isReadAsItWasWritten() {
        let address = CollectorAddress(url: Self.url, id: CollectorAddress.newID())
        #expect(CollectorAddress(Array(address.text.utf8)) == address)
        #expect(address.text.wholeMatch(of: #/http://collector:2198 [0-9a-f]{16}/#) != nil)
        #expect(address.id != CollectorAddress.newID())
        for text in ["", Self.url, "\(Self.url) ", " 7", "\(Self.url) 7 8"] {
            #expect(CollectorAddress(Array(text.utf8)) == nil, "\(text)")
        }
    }

    // MARK: In the engine

    @Test func isThatOfTheProcessWhileThatRuns() async throws {
        let rig = try await FleetTests.Rig(replicas: ["a"])
        let link = MemoryLink(rig.engine)
        let id = await rig.collector.id
        // One that cannot be asked names none.
        #expect(try await link.values(of: [Self.keys.collector]) == [nil])
        await rig.collector.announce(at: Self.url)
        #expect(try await link.values(of: [Self.keys.collector]) == [Array("\(Self.url) \(id)".utf8)])
        #expect(try JSONText.read(await rig.collector.status())["id"]?.string == id)
        // Replicas tell people the address alone.
        try await until { rig.replicas[0].collector == Self.url }
        #expect(try JSONText.read(await rig.replicas[0].status())["collector"]?.string == Self.url)
        await rig.collector.leave()
        #expect(try await link.values(of: [Self.keys.collector]) == [nil])
        try await until { rig.replicas[0].collector == nil }
        await rig.stop()
    }

    @Test func ofAnotherCollectorStaysInTheEngine() async throws {
        let rig = try await FleetTests.Rig(replicas: [])
        await rig.collector.announce(at: Self.url)
        let other = "http://second:2198 8"
        // Its own may come in between, each second.
        try await until {
            try await Self.put(other, into: rig.engine)
            try await rig.collector.withdrawAddress()
            return try await MemoryLink(rig.engine).values(of: [Self.keys.collector]) == [Array(other.utf8)]
        }
        await rig.stop()
    }

    @Test func anUnreachableEngineDoesNotDelayStopping() async throws {
        let rig = try await FleetTests.Rig(replicas: [])
        await rig.collector.announce(at: Self.url)
        await rig.engine.setGone(true)
        await rig.stop()
    }

    // MARK: Looking for it

    /// Looks for the collector of the fleet.
    ///
    /// - Parameter answers: called for each attempt with its number; returns the id of what answers, `nil` for nothing.
    private static func search(
        _ engine: MemoryEngine, within limit: Duration = .patience, _ answers: (Int) async throws -> String?
    ) async throws -> (CollectorSearch, attempts: Int) {
        var attempts = 0
        let found = try await MemoryLink(engine).findCollector(keys, within: limit) { address, left in
            attempts += 1
            #expect(left > .zero && left <= limit)
            return try? await answers(attempts) == address.id ? nil : "another one answers"
        }
        return (found, attempts)
    }

    @Test func isFoundAtOnce() async throws {
        let engine = MemoryEngine()
        try await Self.put("\(Self.url) 7", into: engine)
        let (found, attempts) = try await Self.search(engine) { _ in "7" }
        #expect(found == .found(CollectorAddress(url: Self.url, id: "7")) && attempts == 1)
    }

    @Test(arguments: [nil, "http://collector:2198"])
    func isNotThere(_ text: String?) async throws {
        let engine = MemoryEngine()
        if let text { try await Self.put(text, into: engine) }
        let (found, attempts) = try await Self.search(engine) { _ in "7" }
        #expect(found == .none && attempts == 0)
    }

    @Test(arguments: [nil, "8"])
    func ofOneThatHasDiedExpires(_ other: String?) async throws {
        let engine = MemoryEngine()
        try await Self.put("\(Self.url) 7", into: engine)
        let (found, attempts) = try await Self.search(engine) { attempt in
            if attempt == 3 { await engine.expireValues() }
            return other
        }
        #expect(found == .none && attempts == 3)
    }

    @Test func isTriedAgain() async throws {
        let engine = MemoryEngine()
        try await Self.put("\(Self.url) 7", into: engine)
        let (found, attempts) = try await Self.search(engine) { attempt in
            // Another collector takes over.
            if attempt == 2 { try await Self.put("http://second:2198 8", into: engine) }
            return "8"
        }
        #expect(found == .found(CollectorAddress(url: "http://second:2198", id: "8")) && attempts == 3)
    }

    @Test func ofWhatAnswersAsAnotherIsGivenUp() async throws {
        let engine = MemoryEngine()
        try await Self.put("\(Self.url) 7", into: engine)
        let (found, attempts) = try await Self.search(engine, within: .milliseconds(250)) { _ in "8" }
        let address = CollectorAddress(url: Self.url, id: "7")
        #expect(found == .outOfReach(address, problem: "another one answers") && attempts > 0)
    }

    @Test func withoutTheEngineIsNotKnown() async throws {
        let engine = MemoryEngine()
        try await Self.put("\(Self.url) 7", into: engine)
        await #expect(throws: FleetError.self) {
            _ = try await Self.search(engine) { _ in
                await engine.setGone(true)
                return nil
            }
        }
    }
}
