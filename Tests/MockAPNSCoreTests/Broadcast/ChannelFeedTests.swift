import GatewayRigs
import Testing

@testable import MockAPNSCore

/// What a channel keeps of the pushes published to it, and who listens.
@Suite struct ChannelFeedTests {
    private static let eightHours: Int64 = 28_800

    /// A push of as many bytes as its sequence number says.
    ///
    /// - Parameter second: its `timestamp`, in seconds from now; `nil` for none.
    private static func push(
        _ sequence: Int, _ event: String = "update", at second: Int64? = 0, hasState: Bool = true
    ) -> ChannelPush {
        let timestamp = second.map { #","timestamp":\#(GatewayRig.now.seconds + $0)"# } ?? ""
        let state = hasState ? #","content-state":{"n":\#(sequence)}"# : ""
        let body = Array(#"{"aps":{"event":"\#(event)"\#(timestamp)\#(state)}}"#.utf8)
        return ChannelPush(
            sequence: sequence, time: GatewayRig.now, content: LiveActivityPush(body.span), byteCount: sequence)
    }

    private static func feed(online: Int = 0, offline: Int = 0) -> ChannelFeed {
        var feed = ChannelFeed()
        for id in 0..<online + offline { feed.add(id, isOnline: id < online) }
        return feed
    }

    // MARK: What is stored

    @Test(arguments: [(1, 1), (28_799_999, 28_799_999), (28_800_000, 28_800_000), (28_800_001, 28_800_000)])
    func pushesAreStoredUntilExpiryOrEightHours(expiration: Int64, end: Int64) {
        var feed = ChannelFeed()
        let until = GatewayRig.now.advanced(by: expiration)
        #expect(feed.publish(Self.push(1), storedUntil: until, limit: 64).isStored)
        #expect(feed.stored(at: GatewayRig.now.advanced(by: end - 1))?.sequence == 1)
        #expect(feed.stored(at: GatewayRig.now.advanced(by: end)) == nil)
    }

    @Test func whatHasExpiredAlreadyReplacesNothingStored() {
        var feed = ChannelFeed()
        let later = GatewayRig.now.advanced(by: 1000)
        #expect(feed.publish(Self.push(1), storedUntil: later, limit: 64).isStored)
        #expect(!feed.publish(Self.push(2), storedUntil: GatewayRig.now, limit: 64).isStored)
        #expect(!feed.publish(Self.push(3), storedUntil: nil, limit: 64).isStored)
        #expect(feed.stored(at: GatewayRig.now)?.sequence == 1)
    }

    // MARK: What is kept

    @Test func pushesThatReachNoSubscriberAreNotKept() {
        var feed = Self.feed(offline: 1)
        _ = feed.publish(Self.push(1, at: 10), storedUntil: nil, limit: 64)
        _ = feed.publish(Self.push(2, "end"), storedUntil: nil, limit: 64)
        #expect(feed.pushes.isEmpty && feed.ends.isEmpty && feed.byteCount == 0)
        #expect(feed.figures.subscribers == 1 && feed.figures.delivered == 0)
        feed.setOnline(true)
        // No subscriber shows the first.
        #expect(feed.publish(Self.push(3, at: 5), storedUntil: nil, limit: 64).ignored == nil)
        #expect(feed.pushes.map(\.sequence) == [3] && feed.byteCount == 3)
        _ = feed.publish(Self.push(4, "end"), storedUntil: nil, limit: 64)
        #expect(feed.ends.map(\.sequence) == [4] && feed.byteCount == 7)
        #expect(feed.figures.subscribers == 0 && feed.online == 0 && feed.figures.delivered == 2)
        feed.dropPushes()
        #expect(feed.pushes.isEmpty && feed.ends.isEmpty && feed.byteCount == 0)
    }

    /// Which pushes have a state, the maximum number kept, and which are kept.
    @Test(arguments: [
        ([true, true, true], 3, [1, 2, 3]), ([true, false, false, false], 3, [2, 3, 4]),
        ([false, false, false, true], 3, [1, 2, 4]), ([false, true, false, false], 3, [2, 3, 4]),
        ([false, false, true, false], 3, [1, 3, 4]), ([true, false, true], 1, [3]),
    ])
    func coveredUpdatesGoFirstThenTheOldest(hasState: [Bool], limit: Int, kept: [Int]) {
        var feed = Self.feed(online: 1)
        for (index, hasState) in hasState.enumerated() {
            let push = Self.push(index + 1, hasState: hasState)
            _ = feed.publish(push, storedUntil: nil, limit: limit)
        }
        #expect(feed.pushes.map(\.sequence) == kept)
        #expect(feed.byteCount == kept.reduce(0, +))
    }

    @Test func aLowerLimitKeepsOnlyTheNewest() {
        var feed = Self.feed(online: 1)
        for sequence in 1...4 { _ = feed.publish(Self.push(sequence), storedUntil: nil, limit: 4) }
        _ = feed.publish(Self.push(5), storedUntil: nil, limit: 1)
        #expect(feed.pushes.map(\.sequence) == [5] && feed.byteCount == 5)
    }

    @Test func laterUpdatesTakenByAllCoverEarlierOnes() {
        let update = Self.push(1)
        for second in [0, 1, Self.eightHours] {
            #expect(update.isCovered(by: Self.push(2, at: second)), "\(second)")
        }
        // A device that takes the first ignores these, or keeps its state.
        for second in [-1, Self.eightHours + 1, nil] {
            #expect(!update.isCovered(by: Self.push(2, at: second)), "\(String(describing: second))")
        }
        for event in ["start", "end", "x"] { #expect(!update.isCovered(by: Self.push(2, event, at: 1)), "\(event)") }
        let stateless = Self.push(2, at: 1, hasState: false)
        #expect(!update.isCovered(by: stateless))
        #expect(!Self.push(1, at: Self.eightHours).isCovered(by: stateless))
        // What every device ignores is not seen anyway.
        #expect(Self.push(1, at: Self.eightHours + 1).isCovered(by: stateless))
        #expect(Self.push(1, at: nil).isCovered(by: stateless))
        for event in ["start", "x"] { #expect(Self.push(1, event).isCovered(by: stateless), "\(event)") }
    }

    // MARK: What is ignored

    /// The `timestamp` that a device shows as it comes online, and whether it ignores an update of 9 seconds, too.
    @Test(arguments: [(nil, false), (8, false), (9, false), (10, true), (11, true)] as [(Int64?, Bool)])
    func whoComesOnlineMayTakeAnOlderUpdate(showing: Int64?, isIgnored: Bool) {
        var feed = Self.feed(online: 1)
        _ = feed.publish(Self.push(1, at: 10), storedUntil: nil, limit: 64)
        feed.welcome(showing: showing.map { Timestamp(seconds: GatewayRig.now.seconds + $0) })
        let outcome = feed.publish(Self.push(2, at: 9), storedUntil: nil, limit: 64)
        #expect((outcome.ignored != nil) == isIgnored)
    }

    @Test func whatIsIgnoredIsNotTheNewest() {
        var feed = Self.feed(online: 1)
        let updates: [(second: Int64, ignoredFor: String?)] = [
            (10, nil), (10, nil), (5, "request 2"), (7, "request 2"), (Self.eightHours + 1, "8 hours ahead"), (11, nil),
            (Self.eightHours, nil), (Self.eightHours - 1, "request 7"),
        ]
        for (index, update) in updates.enumerated() {
            let push = Self.push(index + 1, at: update.second)
            let ignored = feed.publish(push, storedUntil: nil, limit: 64).ignored
            #expect(ignored?.contains(update.ignoredFor ?? "") == (update.ignoredFor == nil ? nil : true), "\(update)")
        }
    }

    // MARK: Who listens

    @Test func liveActivitiesEndAtTheFirstLaterEnd() {
        var feed = ChannelFeed()
        for id in 1...5 {
            feed.add(id, isOnline: true)
            _ = feed.publish(Self.push(2 * id - 1), storedUntil: nil, limit: 64)
            _ = feed.publish(Self.push(2 * id, "end"), storedUntil: nil, limit: 64)
        }
        #expect((0...10).map { feed.end(after: $0)?.number } == [2, 2, 4, 4, 6, 6, 8, 8, 10, 10, nil])
    }

    @Test func theOldestSubscriptionIsPassedOverFirst() {
        var feed = Self.feed(online: 5)
        for id in 0..<5 {
            #expect(feed.oldest == id && Array(feed.open) == Array(id..<5))
            feed.dropOldest()
        }
        #expect(feed.oldest == nil && feed.open.isEmpty)
        for id in 5..<9 { feed.add(id, isOnline: true) }
        feed.dropOldest()
        feed.keep { $0 != 7 }
        #expect(feed.oldest == 6 && Array(feed.open) == [6, 8])
    }
}
