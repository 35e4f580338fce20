import MockAPNSCore
import TestSupport
import Testing

@testable import MockAPNS

/// The life of a connection, without one.
@Suite struct ConnectionStateTests {
    /// A connection that is through its handshake.
    private static var open: ConnectionState {
        var state = ConnectionState()
        state.finishHandshake()
        return state
    }

    private static let idle = ConnectionState.Pending(openStreams: 0, isDripping: false, isClientLeaving: false)
    private static let busy = ConnectionState.Pending(openStreams: 1, isDripping: false, isClientLeaving: false)
    private static let dripping = ConnectionState.Pending(openStreams: 0, isDripping: true, isClientLeaving: true)
    private static let leaving = ConnectionState.Pending(openStreams: 0, isDripping: false, isClientLeaving: true)
    private static let goAway = [GoAway(lastStream: 1, reason: .shutdown)]

    @Test func itReadsInTheHandshakeAndAnswersAfterIt() {
        var state = ConnectionState()
        #expect(state.isInHandshake && state.reads && !state.answers && !state.isOpen)
        state.finishHandshake()
        #expect(!state.isInHandshake && state.reads && state.answers && state.isOpen)
        #expect(state.settle(Self.idle) == nil)
    }

    @Test func itEndsWhenTheClientLeavesAndEveryStreamIsAnswered() {
        var state = Self.open
        #expect(state.settle(.init(openStreams: 1, isDripping: false, isClientLeaving: true)) == nil)
        #expect(state.settle(Self.dripping) == nil)
        #expect(state.settle(Self.leaving) == .shut(sendsCloseNotify: true))
        #expect(state.closedBy == .client)
        #expect(!state.reads && !state.answers)
    }

    @Test func afterAGoAwayItAnswersWhatIsOpenAndEnds() {
        var state = Self.open
        state.apply(.goAway(Self.goAway, then: .drain))
        #expect(state.answers && !state.isOpen)
        #expect(state.settle(Self.busy) == nil)
        #expect(state.settle(Self.idle) == .shut(sendsCloseNotify: true))
        #expect(state.closedBy == .server)
    }

    @Test func afterAGoAwayThatStaysOpenNothingEnds() {
        var state = Self.open
        state.apply(.goAway(Self.goAway, then: .stayOpen))
        #expect(state.isOpen)
        #expect(state.settle(Self.idle) == nil)
    }

    @Test(
        "What was ordered is done once all is sent, whatever is pending",
        arguments: [
            (ConnectionAction.Ending.end, ConnectionState.Ending.shut(sendsCloseNotify: true)),
            (.truncate, .shut(sendsCloseNotify: false)), (.reset, .reset), (.silent, .silence),
        ])
    func orderedEnding(ordered: ConnectionAction.Ending, ending: ConnectionState.Ending) {
        for action in [ConnectionAction.close(ordered), .goAway(Self.goAway, then: .close(ordered))] {
            var state = Self.open
            state.apply(action)
            #expect(state.answers)
            #expect(state.settle(Self.busy) == ending)
            #expect(state.closedBy == .server)
            #expect(!state.reads && !state.answers)
            #expect(state.settle(Self.leaving) == (ending == .silence ? .shut(sendsCloseNotify: true) : nil))
        }
    }

    @Test func otherActionsChangeNothing() {
        var state = Self.open
        state.apply(.settings(maxConcurrentStreams: 1, for: nil))
        state.apply(.resetStream([8]))
        state.apply(.ignorePings(true))
        #expect(state.isOpen && state.settle(Self.idle) == nil)
    }

    @Test func aGoAwayInsteadOfSettingsIsAllThatIsSaid() {
        var state = Self.open
        state.noteGoAwayInsteadOfSettings(lastStream: 0)
        #expect(!state.isOutputEnded)
        state.apply(.goAway(Self.goAway, then: .drain))
        state.noteGoAwayInsteadOfSettings(lastStream: 1)
        #expect(!state.isOutputEnded, "a stream is still to be answered")
        state.noteGoAwayInsteadOfSettings(lastStream: 0)
        #expect(state.isOutputEnded)

        var closing = Self.open
        closing.apply(.close(.end))
        closing.noteGoAwayInsteadOfSettings(lastStream: 7)
        #expect(closing.isOutputEnded)
    }

    @Test func aServerThatStopsSaysSoWhereItCan() {
        var state = Self.open
        #expect(state.shutDown() == .goAway)
        #expect(state.closedBy == .server && state.answers && !state.isOpen)
        #expect(state.shutDown() == .goAway)
        #expect(state.settle(Self.idle) == .shut(sendsCloseNotify: true))
        #expect(state.shutDown() == .wait)

        var early = ConnectionState()
        #expect(early.shutDown() == .close)
        var silent = Self.open
        silent.apply(.close(.silent))
        _ = silent.settle(Self.idle)
        #expect(silent.shutDown() == .close)
    }

    @Test func aFaultEndsItOnceAndSaysWhatWasWrong() {
        var state = Self.open
        #expect(state.end(by: .fault, "TLS failed.") == .shut(sendsCloseNotify: true))
        #expect(state.closedBy == .fault && state.explanation == "TLS failed.")
        #expect(state.end(by: .client) == nil)
        #expect(state.closedBy == .fault)
        state.close()
        #expect(state.isClosed)
        #expect(state.end(by: .client) == nil)
    }

    @Test func aClientThatVanishesIsNotedUnlessTheEndHadBegun() {
        var state = Self.open
        #expect(state.loseConnection() == .close)
        #expect(state.closedBy == .clientReset)
        var ended = Self.open
        _ = ended.end(by: .server)
        #expect(ended.loseConnection() == .close)
        #expect(ended.closedBy == .server)
    }
}
