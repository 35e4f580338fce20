import Testing

@testable import MockAPNSCore
@testable import MockAPNSFleet
@testable import MockAPNSScenario

@Suite("What a replica appends to the order of a fleet")
struct OrderQueueTests {
    /// Pushes that a gateway has postponed.
    static func pushes(_ count: Int) throws -> [OrderedPush] {
        let token = String(repeating: "b0", count: 32)
        let (scenario, _) = Scenario.read(
            Array(#"{"devices": [{"name": "bob", "token": "\#(token)", "online": false}]}"#.utf8))
        let played = try #require(scenario)
        let now = Timestamp(seconds: 1_795_255_200)
        var gateway = Gateway(
            played.configuration(seed: 1, defaultTeams: []), scenario: played, startedAt: now)
        gateway.joinOrder()
        let connection = gateway.open(
            ConnectionFacts(remoteAddress: "127.0.0.1:1", tlsVersion: "TLSv1.3", cipher: nil), at: now
        ).id
        var block: [UInt8] = []
        for (name, value) in [(":method", "POST"), (":path", "/3/device/\(token)")] {
            HeaderFields.append(name.utf8, value.utf8, to: &block)
        }
        for number in 0..<count {
            let facts = RequestFacts(
                streamID: UInt32(2 * number + 1), headerLength: block.count, bodyLength: 0, inFlight: 1)
            _ = gateway.receive(
                ParsedRequest(facts, bytes: block.span), bytes: block.span, on: connection, at: Moment(real: now))
        }
        return gateway.takePostponed()
    }

    /// The number of pushes in each entry.
    private static func counts(_ queue: OrderQueue) -> [Int] {
        var counts: [Int] = []
        while let item = queue.next() {
            switch item {
            case .pushes(let pushes, _): counts.append(pushes.count)
            case .counts: counts.append(-1)
            }
        }
        return counts
    }

    @Test func whatWaitsGoesIntoOneEntryInOrder() throws {
        let queue = OrderQueue()
        let pushes = try Self.pushes(5)
        queue.add(Array(pushes[..<2]))
        queue.add(Array(pushes[2..<3]))
        queue.add([(entry: 0, requests: 1)], scenario: .zero)
        queue.add(Array(pushes[3...]))
        #expect(Self.counts(queue) == [-1, 5])
        #expect(Self.counts(queue) == [])
    }

    @Test func countsThatWaitAreAddedUp() throws {
        let queue = OrderQueue()
        queue.add([(entry: 7, requests: 1)], scenario: .zero)
        queue.add([], scenario: .zero)
        queue.add([(entry: 3, requests: 2), (7, 4)], scenario: .zero)
        guard case .counts(let counts, scenario: .zero)? = queue.next() else {
            Issue.record("There are no counts.")
            return
        }
        #expect(counts.map(\.entry) == [3, 7] && counts.map(\.requests) == [2, 5])
        #expect(queue.next() == nil)
        // Another scenario has begun.
        let later = StreamID(milliseconds: 1, number: 1)
        queue.add([(entry: 7, requests: 1)], scenario: .zero)
        queue.add([(entry: 7, requests: 2)], scenario: later)
        guard case .counts(let current, scenario: later)? = queue.next() else {
            Issue.record("There are no counts of the later scenario.")
            return
        }
        #expect(current.map(\.requests) == [2])
    }

    @Test func pushesThatWereRefusedGoIntoNoEntry() throws {
        let queue = OrderQueue()
        let pushes = try Self.pushes(3)
        queue.add(Array(pushes[..<2]))
        let deadline = try #require(queue.firstDeadline)
        queue.add(Array(pushes[2...]))
        #expect(queue.takeExpired(at: deadline) == pushes[..<2].map(\.id))
        #expect(Self.counts(queue) == [1])
    }

    /// Replicas read several at a time.
    @Test func anEntryHoldsNoMoreThanItsBytes() throws {
        let queue = OrderQueue()
        let pushes = try Self.pushes(1500)
        queue.add(pushes)
        queue.add(Array(pushes[..<3]))
        let most = OrderQueue.byteLimit / pushes[0].size
        #expect(2..<OrderedPush.batchLimit ~= most)
        var left = 1503
        while case .pushes(let entry, _)? = queue.next() {
            #expect(entry.count == min(most, left))
            let bytes = OrderedPush.bytes(of: entry)
            #expect(bytes.count <= OrderQueue.byteLimit)
            #expect(try OrderedPush.pushes(from: bytes.span).count == entry.count)
            left -= entry.count
        }
        #expect(left == 0)
    }

    @Test func oversizedPushesGetAnEntryOfTheirOwn() throws {
        let queue = OrderQueue()
        var pushes = try Self.pushes(3)
        pushes[1].content.bytes += Array(repeating: UInt8(ascii: " "), count: OrderQueue.byteLimit)
        queue.add(pushes)
        queue.add([pushes[1]])
        #expect(Self.counts(queue) == [1, 1, 1, 1])
    }

    @Test func aQueueThatHasEndedTakesNoPushes() throws {
        let queue = OrderQueue()
        let pushes = try Self.pushes(2)
        #expect(queue.add([pushes[0]]))
        queue.finish()
        #expect(!queue.add([pushes[1]]))
        #expect(queue.takeExpired(at: nil) == [pushes[0].id])
    }

    @Test func deadlinesPassOnce() throws {
        let queue = OrderQueue()
        let pushes = try Self.pushes(2)
        queue.add(pushes)
        let deadline = try #require(queue.firstDeadline)
        #expect(queue.takeExpired(at: deadline - .milliseconds(1)) == [])
        #expect(queue.takeExpired(at: deadline) == pushes.map(\.id))
        #expect(queue.takeExpired(at: nil) == [] && queue.firstDeadline == nil)
    }

    @Test func entriesAppendedTwiceAreNewOnce() throws {
        var seen = SeenEntries()
        func entry(_ replica: String, _ started: UInt64, _ number: UInt64) -> OrderedEntry {
            OrderedEntry(replica: replica, started: started, number: number, body: [])
        }
        #expect(seen.note(entry("a", 7, 1)) && !seen.note(entry("a", 7, 1)))
        #expect(seen.note(entry("b", 7, 1)) && seen.note(entry("a", 7, 3)) && !seen.note(entry("a", 7, 2)))
        // The replica was started again.
        #expect(seen.note(entry("a", 8, 1)) && !seen.note(entry("a", 7, 4)))
    }

    @Test func anEntryIsReadAsItWasWritten() throws {
        var entry = OrderedEntry(
            replica: "a", started: 7, number: 9, body: OrderedEntry.body(of: [(entry: 1, requests: 20), (3, 4)]))
        (entry.end, entry.scenario) = (11, StreamID(milliseconds: 5, number: 6))
        let stored = StreamEntry(id: StreamID(milliseconds: 12, number: 0), fields: entry.fields("count"))
        guard case .counts(let read) = ControlMessage(stored) else {
            Issue.record("It is no count.")
            return
        }
        #expect(read == entry)
        #expect(read.counts.map(\.entry) == [1, 3] && read.counts.map(\.requests) == [20, 4])
        entry.body = Array("1:x,,7,2:-1,4:5".utf8)
        #expect(entry.counts.map(\.entry) == [4])
    }
}
