package import MockAPNSCore
import MockAPNSScenario
import NIOCore

/// A separate server within a server's process.
package final class Session: Sendable {
    /// The session's name.
    package let name: String
    /// The session's server.
    package let server: MockAPNSServer
    /// The server name that assigns connections on the shared ports to this session.
    package let serverName: String?
    /// When it was opened.
    package let since = WallClock.now()
    /// The engine of the server that it belongs to.
    let parent: Engine
    /// How long it lasts without pushes or API calls, in milliseconds.
    private let expiresAfter: Int64
    private let latestQuestion: Guarded<Timestamp>
    private let expiry = Guarded(Timer?.none)
    /// The actions for its end; `nil` once it has ended.
    private let endActions = Guarded([@Sendable () -> Void]?.some([]))

    init(_ name: String, _ server: MockAPNSServer, of parent: MockAPNSServer, _ request: SessionRequest) {
        self.name = name
        self.server = server
        self.parent = parent.engine
        serverName = request.serverName
        expiresAfter = request.expiresAfter
        latestQuestion = Guarded(since)
    }

    /// Performs an action when it ends, or immediately if it has ended already.
    package func atEnd(_ action: @escaping @Sendable () -> Void) {
        if endActions.withLock({ $0?.append(action) }) == nil { action() }
    }

    /// Performs the actions for its end, and cancels its timer.
    func noteEnd() {
        expiry.withLock { $0?.cancel() }
        let actions = endActions.withLock { actions in
            defer { actions = nil }
            return actions ?? []
        }
        for action in actions { action() }
    }

    /// Records an API call.
    package func noteQuestion() { latestQuestion.withLock { $0 = WallClock.now() } }

    /// When it expires if nothing happens until then.
    package var until: Timestamp {
        let question = latestQuestion.withLock { $0 }
        let push = server.engine.gateway.withLock { $0.log.latestTime } ?? question
        return Timestamp(milliseconds: max(question, push).milliseconds + expiresAfter)
    }

    /// Ends the session after too much inactivity. It checks when that may be the case, and again later if there was
    /// activity.
    func watch(_ end: @escaping @Sendable () async -> Void) {
        let wait = max(1, until.milliseconds - WallClock.now().milliseconds)
        expiry.withLock { expiry in
            expiry = server.engine.timers.schedule(in: .milliseconds(wait)) { [weak self] in
                guard let self else { return }
                if until <= WallClock.now() { Task { await end() } } else { watch(end) }
            }
            // It may have ended before it was watched.
            if endActions.withLock({ $0 == nil }) { expiry?.cancel() }
        }
    }
}
