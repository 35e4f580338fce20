import GatewayRigs
import MockAPNSPatterns
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

/// How much is kept and told apart. A bound that changes changes what users can rely on; see the documentation of each.
@Suite struct BoundsTests {
    @Test("What is kept, at most")
    func kept() {
        #expect(Connections.closedLimit == 1000 && EarlierResults.limit == 10_000)
        #expect(DeviceRegistry.selfRegisteredLimit == 1_000_000)
        #expect(DeviceRegistry.declaredLimit + DeviceRegistry.selfRegisteredLimit + 2 == 1 << 24)
        #expect(Mailbox.storedLimit == 256 && MailboxStore.displayedByteLimit == 268_435_456 && Display.limit == 100)
        #expect(CountsOfValues.limit == 100_000 && CountsOfValues.byteLimit == 16_777_216)
        #expect(TallyLimit.values == 1_000_000 && TallyLimit.waiting == 100_000)
    }

    @Test("What a pattern may cost")
    func patterns() {
        #expect(PatternContext.undecidedLimit == 10 && PatternContext.budget == 8 * PatternMemory.steps)
    }

    @Test("What APNs says of sizes and times")
    func apns() {
        #expect(PushType.payloadLimit == 4096 && PushType.payloadLimitForVoIP == 5120)
        #expect(Topic.longest == 300 && DeviceToken.lengths.lowerBound == 32 && DeviceToken.lengths.upperBound == 100)
        #expect(DeliveryPolicy.longestStorage == 30 * 24 * 3_600_000 && Authentication.clockTolerance == 3_600_000)
        #expect(LiveActivity.longestLife == 28_800_000 && LiveActivity.longestRest == 14_400_000)
        #expect(LiveActivity.furthestAhead == 28_800_000)
        #expect(Timestamp.countableSeconds == -9_000_000_000_000_000...9_000_000_000_000_000)
    }

    @Test("Closed connections are dropped a thousand at a time, the oldest first")
    func closedConnections() {
        var connections = Connections()
        func close(_ count: Int) {
            for _ in 0..<count {
                let connection = connections.reference(to: connections.makeID())
                connections.apply(ConnectionEvent(.opened(.example), connection, at: GatewayRig.now))
                let open = connections.open[0]
                let end = ConnectionEnd(of: open, by: .client, nil, ConnectionCounters())
                connections.apply(ConnectionEvent(.closed(end), connection, at: GatewayRig.now))
            }
        }
        close(2000)
        #expect(connections.all.map(\.id) == Array(1...2000))
        close(1)
        #expect(connections.all.map(\.id) == Array(1001...2001) && connections.count == 2001)
        close(998)
        #expect(connections.all.count == 1999 && connections[1001] != nil && connections[1000] == nil)
    }

    @Test("Seconds are rounded down, before 1970 as after")
    func seconds() {
        let times: [Int64] = [-2000, -1999, -1001, -1000, -999, -1, 0, 1, 999, 1000, 1999]
        #expect(times.map { Timestamp(milliseconds: $0).seconds } == [-2, -2, -2, -1, -1, -1, 0, 0, 0, 1, 1])
    }

    @Test("Counts of values forget those that were seen first, beyond their number or their bytes")
    func countsOfValues() {
        var counts = CountsOfValues()
        func take(_ value: CountsOfValues.Value) -> Int {
            counts.with(value) { count in
                count.matches += 1
                return count.matches
            }
        }
        for number in 0..<100_000 as Range<Int64> { #expect(take(.number(number)) == 1) }
        #expect(take(.number(0)) == 2 && counts.count == 100_000)
        #expect(take(.number(-1)) == 1 && counts.count == 100_000)
        #expect(take(.number(0)) == 1, "the first was forgotten")
        #expect(take(.number(2)) == 2 && take(.number(1)) == 1)
        // So often that the list of those that were forgotten is cut.
        for number in 200_000..<420_000 as Range<Int64> { _ = take(.number(number)) }
        #expect(counts.count == 100_000 && take(.number(320_000)) == 2 && take(.number(319_999)) == 1)

        counts = CountsOfValues()
        let texts = (0..<16).map { number in Array(repeating: UInt8(number), count: 1 << 20) }
        for text in texts { #expect(take(.text(text)) == 1) }
        #expect(take(.absent) == 1 && take(.text(texts[0])) == 2, "all of the bytes, and no more")
        #expect(take(.text([255])) == 1 && take(.text(texts[1])) == 2)
        #expect(take(.text(texts[0])) == 1, "one byte more, and the first is forgotten")
    }
}
