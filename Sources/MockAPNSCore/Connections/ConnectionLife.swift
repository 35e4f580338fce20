/// The life of a provider's connection, from the TLS handshake to its end: takes events, and returns the one action to
/// carry out. It knows neither sockets nor clocks.
///
/// The gateway and the server each keep one. The gateway's is ahead: an order changes it when it is given, the server's
/// when it has been carried out. An order is the action that the one returns, and an event for the other.
///
/// ``ClosedBy`` lists the causes of an end. ``goAway(_:with:by:)`` orders every GOAWAY - for a rule, the timeline, the
/// admin API, an idle connection, too many errors or a refused certificate - except those of a server that stops, after a
/// violation of HTTP/2, and of another APNs.
package struct ConnectionLife: Sendable, Equatable {
    enum State: Sendable, Equatable {
        /// The TLS handshake is in progress.
        case handshake
        /// Requests are answered.
        case open
        /// Streams up to the last one of a GOAWAY are answered, then the server closes the connection.
        case draining(by: ClosedBy)
        /// As ``draining(by:)``, but the server stops: it ends the connection, whichever side closes the socket.
        case stopping(by: ClosedBy)
        /// The end is decided, and follows as soon as everything ready is sent.
        case closing(Ending, by: ClosedBy)
        /// The server's side is closed: input is discarded until the client closes its own.
        case ended(by: ClosedBy)
        /// Nothing is read or written any more, while TCP stays up.
        case silent
        /// The socket is closed.
        case closed(by: ClosedBy)
    }

    /// The server's action after an event.
    package enum Action: Sendable, Equatable {
        /// Nothing.
        case goOn
        /// Gets the GOAWAY from ``Gateway/shutDown(_:lastStream:)``, and carries it out.
        case goAway
        /// Sends what is ready, and closes the connection in this way.
        case close(Ending)
        /// Closes the socket, because nothing can be sent.
        case drop
    }

    /// The fate of a request.
    enum Fate {
        /// It is decided and answered.
        case processed
        /// Its stream is above the last one of a GOAWAY: it gets no answer.
        case ignored
        /// It came when the end of the connection was decided: it gets no answer.
        case tooLate
        /// It came after an expired provider token: its stream is reset.
        case refused
    }

    /// The reasons to delay the end of a connection.
    package struct Pending {
        /// Streams opened by the client that have not been answered yet.
        var openStreams: Int
        /// Whether an answer is being sent slowly.
        var isDripping: Bool
        /// Whether the client has announced that it opens no more streams.
        var isClientLeaving: Bool

        /// Creates what is pending, by default nothing.
        package init(openStreams: Int = 0, isDripping: Bool = false, isClientLeaving: Bool = false) {
            (self.openStreams, self.isDripping) = (openStreams, isDripping)
            self.isClientLeaving = isClientLeaving
        }
    }

    private(set) var state: State
    /// The mistake, as a sentence, if a fault or the client's certificate ends the connection.
    package private(set) var explanation: String?
    /// The highest stream of a processed request.
    private(set) var highestStream: UInt32 = 0
    /// The lowest last stream of the GOAWAY frames so far.
    package private(set) var lastStream = UInt32.max
    /// The highest stream that is still processed.
    private var ceiling = UInt32.max

    /// Creates the life of a connection whose TLS handshake begins.
    package init() { state = .handshake }

    /// Creates the life of a connection whose TLS handshake is done.
    static var open: Self {
        var life = Self()
        life.opened()
        return life
    }

    // MARK: State

    /// Whether the TLS handshake is in progress.
    package var isInHandshake: Bool { if case .handshake = state { true } else { false } }

    /// Whether no end has begun.
    package var isOpen: Bool { if case .open = state { true } else { false } }

    /// Whether the socket is closed.
    package var isClosed: Bool { if case .closed = state { true } else { false } }

    /// Whether further orders have an effect.
    var takesOrders: Bool {
        switch state {
        case .open, .draining, .stopping: true
        case .handshake, .closing, .ended, .silent, .closed: false
        }
    }

    /// Whether requests are answered.
    package var answers: Bool { if case .closing = state { true } else { takesOrders } }

    /// Whether input from the client is processed.
    package var reads: Bool { isInHandshake || answers }

    /// Whether the connection ends without an answer to any request.
    package var endsUnanswered: Bool { !isOpen && ceiling == 0 }

    /// The side that ends the connection, as far as is known.
    package var closedBy: ClosedBy {
        switch state {
        // If nothing else happens, it is the client.
        case .handshake, .open, .draining, .closing: .client
        case .stopping(let closedBy), .ended(let closedBy), .closed(let closedBy): closedBy
        case .silent: .silent
        }
    }

    /// Returns what becomes of a request. The gateway asks all its questions about GOAWAY here.
    @inline(__always)
    func fate(of stream: UInt32) -> Fate {
        if stream <= ceiling { return .processed }
        if stream > lastStream { return .ignored }
        return takesOrders ? .refused : .tooLate
    }

    // MARK: Orders

    /// Orders a GOAWAY.
    ///
    /// - Parameter stream: the stream of the push that triggers it, if any.
    mutating func goAway(
        _ plan: GoAwayPlan, with stream: UInt32? = nil, by closedBy: ClosedBy = .goAway
    ) -> ConnectionAction {
        apply(
            .goAway(plan.resolved(for: stream, highestStream: highestStream), then: plan.then, by: closedBy))
    }

    /// Refuses the client's certificate: orders the GOAWAY for that.
    ///
    /// - Parameter explanation: what is wrong with it, as a sentence.
    mutating func refuseCertificate(_ reason: Reason, _ explanation: String) -> ConnectionAction {
        self.explanation = explanation
        return goAway(GoAwayPlan([.init(lastStream: .zero, reason: reason)], then: .close), by: .certificate)
    }

    /// Orders an end without GOAWAY.
    ///
    /// - Parameter closedBy: who ends it; `nil` for a scenario or the API.
    mutating func close(_ ending: Ending, by closedBy: ClosedBy? = nil) -> ConnectionAction {
        apply(.close(ending, by: closedBy ?? ClosedBy(ending)))
    }

    /// Follows an order.
    ///
    /// - Returns: the order.
    @discardableResult
    package mutating func apply(_ order: ConnectionAction) -> ConnectionAction {
        switch order {
        case .goAway(let frames, let then, let closedBy):
            lastStream = min(lastStream, frames.lastStream)
            ceiling = min(ceiling, lastStream)
            switch then {
            case .stayOpen: break
            case .drain: drain(by: closedBy)
            case .close: beginClosing(.end, by: closedBy)
            }
        case .close(let ending, let closedBy): beginClosing(ending, by: closedBy)
        case .settings, .resetStream, .ignorePings: break
        }
        return order
    }

    private mutating func drain(by closedBy: ClosedBy) {
        switch state {
        case .open where closedBy == .server: state = .stopping(by: .server)
        case .draining(let first) where closedBy == .server: state = .stopping(by: first)
        case .open, .draining: state = .draining(by: closedBy)
        case .stopping where closedBy != .server: state = .stopping(by: closedBy)
        case .handshake, .stopping, .closing, .ended, .silent, .closed: break
        }
    }

    private mutating func beginClosing(_ ending: Ending, by closedBy: ClosedBy) {
        ceiling = 0
        guard answers else { return }
        state = .closing(ending, by: ending == .silent ? .silent : closedBy)
    }

    /// Handles an expired provider token: no later request is processed.
    mutating func wedge() { ceiling = 0 }

    // MARK: Events

    /// Handles the end of the TLS handshake.
    package mutating func opened() { state = .open }

    /// Handles a request that is processed.
    @inline(__always)
    mutating func processed(_ stream: UInt32) { highestStream = max(highestStream, stream) }

    /// Handles that the request just processed is not, because of the GOAWAY that it triggers.
    ///
    /// - Parameter stream: the highest stream processed before.
    mutating func leftOut(after stream: UInt32) { highestStream = stream }

    /// Handles that everything ready is sent: the connection ends if that was ordered, or if nothing is left to do.
    package mutating func settle(_ pending: Pending) -> Action {
        let isDone = pending.openStreams == 0 && !pending.isDripping
        switch state {
        case .closing(let ending, let closedBy):
            state = ending == .silent ? .silent : .ended(by: closedBy)
            return .close(ending)
        case .draining(let closedBy) where isDone, .stopping(let closedBy) where isDone:
            return end(by: closedBy)
        case .open where isDone && pending.isClientLeaving:
            return end(by: .client)
        case .handshake, .open, .draining, .stopping, .ended, .silent, .closed:
            return .goOn
        }
    }

    /// Handles what makes it impossible or needless to continue.
    ///
    /// - Parameter explanation: what was wrong, as a sentence.
    package mutating func end(by closedBy: ClosedBy, _ explanation: String? = nil) -> Action {
        switch state {
        case .ended, .closed: return .goOn
        case .handshake, .open, .draining, .stopping, .closing, .silent:
            state = .ended(by: closedBy)
            self.explanation = explanation
            return .close(.end)
        }
    }

    /// Handles a client that takes too long for the TLS handshake.
    package mutating func handshakeTimedOut(_ explanation: String) -> Action {
        (state, self.explanation) = (.ended(by: .handshake), explanation)
        return .drop
    }

    /// Handles a client that has reset the connection or disappeared.
    package mutating func lost() -> Action {
        switch state {
        case .ended, .closed: break
        case .handshake, .open, .draining, .stopping, .closing, .silent: state = .ended(by: .clientReset)
        }
        return .drop
    }

    /// Handles a server that stops.
    package mutating func shutDown() -> Action {
        switch state {
        case .open, .draining, .stopping, .closing: return .goAway
        case .handshake:
            state = .ended(by: .server)
            explanation = "The server was stopped before the TLS handshake was done."
            return .drop
        case .silent, .closed: return .drop
        case .ended: return .goOn
        }
    }

    /// Handles the closing of the socket.
    ///
    /// - Parameters:
    ///   - closedBy: who ended the connection; `nil` to keep the recorded one.
    ///   - explanation: what was wrong; a recorded one is kept.
    package mutating func closed(by closedBy: ClosedBy? = nil, _ explanation: String? = nil) {
        var closedBy = closedBy ?? self.closedBy
        // An order that was given while the server stopped may not have been carried out.
        if closedBy == .server, case .stopping(let first) = state { closedBy = first }
        state = .closed(by: closedBy)
        self.explanation = self.explanation ?? explanation.map(KeptText.cut)
    }
}
