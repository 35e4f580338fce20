import TestClients
import Testing

@testable import MockAPNSTransport

@Suite struct StreamLimitTests {
    @Test func theFirstLimitCountsFromItsAcknowledgementOn() {
        var limit = StreamLimit(1)
        #expect(limit.send() == 1)
        #expect(limit.allows(open: 99))
        #expect(!limit.allows(open: 1000))
        limit.acknowledge()
        #expect(limit.allows(open: 0))
        #expect(!limit.allows(open: 1))
    }

    @Test func raisesCountWhenSentAndFallsAtOnce() {
        var limit = StreamLimit(1)
        _ = limit.send()
        limit.acknowledge()
        limit.announce(1000)
        #expect(!limit.allows(open: 1))
        #expect(limit.send() == 1000)
        #expect(limit.allows(open: 999))
        #expect(!limit.allows(open: 1000))
        limit.announce(5)
        #expect(!limit.allows(open: 5))
        #expect(limit.send() == 5)
        #expect(limit.send() == nil)
    }

    @Test func aFallQueuedBehindARaiseCounts() {
        var limit = StreamLimit(10)
        limit.announce(1000)
        limit.announce(2)
        #expect(limit.send() == 10)
        #expect(limit.send() == 1000)
        limit.acknowledge()
        #expect(!limit.allows(open: 2))
        #expect(limit.announced == 2)
    }

    @Test func excessStreamsAreRefusedWithoutEndingTheConnection() {
        let server = TestServer(streams: 1, answers: false)
        server.shakeHands()
        let first = server.exchange([.headers(1, ends: false), .headers(3, ends: false), .headers(5)])
        #expect(first.resets(of: 3) == [7, 5])
        #expect(first.resets(of: 5) == [7])
        #expect(server.arrivals.map(\.stream) == [3, 5])
        #expect(server.arrivals.map(\.fault) == [.refused, .refused])
        #expect(server.arrivals[0].fields == RawFrame.push.map { [$0.0, $0.1] })
        #expect(server.session.openStreams == 1)
        // Its DATA is heard no more; the first stream goes on, and the next after it is let in.
        #expect(server.exchange([.data(3, [1]), .data(1, [2])]).isEmpty)
        #expect(server.arrivals.last?.body == [2])
        server.answer(server.arrivals[2])
        _ = server.output()
        #expect(server.exchange([.headers(7)]).isEmpty)
        #expect(server.arrivals.last?.fault == nil)
        #expect(!server.isFailed)
    }

    @Test func beforeTheAcknowledgementNothingIsRefused() {
        let server = TestServer(streams: 1, answers: false)
        server.shakeHands(acknowledges: false)
        _ = server.exchange((0..<200).map { .headers($0 * 2 + 1, ends: false) })
        #expect(server.session.openStreams == 200)
        let frames = server.exchange([.settingsAcknowledgement, .headers(401)])
        #expect(frames.resets(of: 401) == [7])
        #expect(server.session.openStreams == 200)
    }

    @Test func aClientThatNeverAcknowledgesIsBoundedToo() {
        let server = TestServer(streams: 1, answers: false)
        server.shakeHands(acknowledges: false)
        let frames = server.exchange((0..<1500).map { .headers($0 * 2 + 1, ends: false) })
        #expect(server.session.openStreams == 1000)
        #expect(frames.of(.reset).count == 1000)
    }

    @Test func laterSettingsCarryAllFiveEntries() {
        let server = TestServer(streams: 1, answers: false)
        server.shakeHands()
        server.session.announce(maxConcurrentStreams: 1000)
        var bytes = server.output()
        let expected = RawFrame.settings([(1, 4096), (3, 1000), (4, 65_535), (5, 16_384), (6, 8000)])
        #expect(RawFrame.take(from: &bytes) == [expected])
        _ = server.exchange([.headers(1, ends: false), .headers(3, ends: false)])
        #expect(server.session.openStreams == 2)
        server.session.announce(maxConcurrentStreams: 2)
        let frames = server.exchange([.headers(5)])
        #expect(frames.map(\.type) == [4, 3])
        #expect(frames.resets(of: 5) == [7])
    }

    @Test func settingsLeaveBeforeTheAnswersQueuedAfterThem() {
        let server = TestServer(streams: 1, answers: false)
        server.shakeHands()
        _ = server.exchange([.headers(1)])
        server.session.announce(maxConcurrentStreams: 1000)
        server.answer(server.arrivals[0])
        var bytes = server.output()
        #expect(RawFrame.take(from: &bytes).map(\.type) == [4, 1])
    }
}
