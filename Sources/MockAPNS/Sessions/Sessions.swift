package import MockAPNSCore
package import MockAPNSJudge
package import MockAPNSScenario
import NIOCore
import Synchronization

/// The sessions of a server: separate servers within its process, for many tests at a time.
///
/// Each has its own scenario, seed, devices, rules, clock, log, expectations and connections. They share the server's
/// keys and certificates, its event loops and its log file.
package final class Sessions: Sendable {
    /// Maximum number of sessions.
    package static let limit = 1000
    /// Maximum number of requests kept in a session's log.
    package static let logLimit = 10_000
    /// The name that refers to the server itself.
    package static let defaultName = "default"

    /// Why a session cannot be opened.
    package enum Rejection: Error, Sendable {
        /// Another session has its name, port or server name; with a sentence.
        case taken(String, code: String)
        /// Its server name cannot be used; with a sentence.
        case badServerName(String)
        /// There are too many sessions, or there is no port or descriptor for it; with a sentence.
        case unavailable(String)
        /// The server is stopping.
        case stopping
    }

    private struct State: Sendable {
        var open: [String: Session] = [:]
        /// The names of sessions being opened.
        var reserved: Set<String> = []
        var latestNumber = 0
        /// Sessions whose connections are being closed.
        var ending: [Session] = []
        /// The results of expectations and rules of ended sessions, if they will be asked for.
        var endedResults = EndedSessionResults()
        /// The number of sessions refused because there were too many.
        var refused = 0
        /// The findings of lint in ended sessions, if they will be asked for.
        var endedLint = LintVerdict()
        /// The totals of ended sessions.
        var endedTotals: Summary?
    }

    private let state = Guarded(State())
    /// Closed when the server stops; sessions being opened are inside.
    private let opening = Gate()
    /// The engines of sessions with a server name, by that name; whether there are any is known without the lock.
    private let engines = Guarded([String: Engine]())
    private let hasServerNames = Atomic(false)

    // MARK: Finding

    /// The session with that name.
    package subscript(name: String) -> Session? { state.withLock { $0.open[name] } }

    /// All sessions, by name.
    package var all: [Session] { state.withLock { $0.open.values.sorted { $0.name < $1.name } } }

    /// Whether any session has a server name.
    var haveServerNames: Bool { hasServerNames.load(ordering: .acquiring) }

    /// Returns the engine of the session with that server name.
    func engine(forServerName name: String?) -> Engine? {
        guard let name else { return nil }
        return engines.withLock { $0[name.lowercased()] }
    }

    // MARK: Opening and ending

    /// Opens a session of a server.
    ///
    /// - Throws: ``Rejection``, and ``StartError`` if its scenario names a file that cannot be used.
    package func open(_ request: SessionRequest, of server: MockAPNSServer) async throws -> Session {
        let session = try await opening.use { try await openNow(request, of: server) }
        guard let session else { throw Rejection.stopping }
        return session
    }

    private func openNow(_ request: SessionRequest, of server: MockAPNSServer) async throws -> Session {
        let name = try reserve(request, of: server)
        defer { state.withLock { _ = $0.reserved.remove(name) } }
        if let serverName = request.serverName { try check(serverName, of: server) }
        let loaded = LoadedScenario(
            request.scenario ?? Scenario(), text: request.text, folder: server.loaded.withLock { $0.folder })
        let own = try await listen(name, loaded, request.port, of: server)
        let session = Session(name, own, of: server, request)
        if let serverName = request.serverName, !claim(serverName, for: own.engine) {
            await own.stop(waiting: .zero)
            throw Self.serverNameTaken(serverName)
        }
        state.withLock { $0.open[name] = session }
        session.watch { [weak self] in await self?.end(session) }
        return session
    }

    /// Ends a session: closes its port, sends GOAWAY `Shutdown` on its connections, and closes them when their streams
    /// have ended.
    ///
    /// - Parameters:
    ///   - name: the session's name.
    ///   - isJudged: whether its expectations count; they do not if its test was skipped.
    /// - Returns: the results of its expectations, once its port is free; `nil` if there is no such session.
    @discardableResult
    package func end(_ name: String, judged isJudged: Bool = true) async -> Verification? {
        guard let session = self[name] else { return nil }
        return await end(session, judged: isJudged)
    }

    @discardableResult
    private func end(
        _ session: Session, judged isJudged: Bool = true, waiting limit: Duration = .seconds(5)
    ) async -> Verification? {
        let verification = isJudged ? await session.server.verifyRun().verification : Verification([])
        let isLinted = isJudged && session.server.engine.lintsRun
        let lint = isLinted ? await session.server.lintRun() : LintVerdict()
        // At once, so that a query for the results of all sessions contains those of this one exactly once.
        let isOpen = state.withLock { state in
            guard state.open[session.name] === session else { return false }
            state.open[session.name] = nil
            state.ending.append(session)
            if session.server.engine.keepsEarlierResults {
                state.endedResults.add(verification, session: session.name)
            }
            state.endedLint.add(lint, session: session.name)
            return true
        }
        guard isOpen else { return nil }
        engines.withLock { engines in
            if let serverName = session.serverName { engines[serverName] = nil }
            hasServerNames.store(!engines.isEmpty, ordering: .releasing)
        }
        session.noteEnd()
        Task { await stop(session, waiting: limit) }
        await session.server.stopListening()
        return verification
    }

    private func stop(_ session: Session, waiting limit: Duration) async {
        await session.server.stop(waiting: limit)
        var totals = session.server.summary
        totals.devices = 0
        totals.limits.end()
        state.withLock { state in
            state.ending.removeAll { $0 === session }
            state.endedTotals.add(totals)
        }
        session.parent.giveBackMemorySoon()
    }

    /// Refuses new sessions; returns when those being opened are open, or have failed.
    func close() async { await opening.close() }

    /// Ends all sessions; returns when they have ended.
    func endAll(waiting limit: Duration) async {
        // The server stops, so no results will be asked for.
        for session in all { await end(session, judged: false, waiting: limit) }
        for session in state.withLock({ $0.ending }) { await session.server.stop(waiting: limit) }
    }

    /// Returns the results of expectations and rules of all sessions, with ended ones first.
    package func verification() async -> Verification {
        let (ended, open) = state.withLock { ($0.endedResults, $0.open.values.sorted { $0.name < $1.name }) }
        var verification = ended.verification
        for session in open { verification.add(await session.server.verifyRun().verification, session: session.name) }
        return verification
    }

    /// Returns what lint has found in all sessions, in ended ones first.
    package func lint() async -> LintVerdict {
        let (ended, open) = state.withLock { ($0.endedLint, $0.open.values.sorted { $0.name < $1.name }) }
        var verdict = ended
        for session in open { verdict.add(await session.server.lintRun(), session: session.name) }
        return verdict
    }

    /// The totals of all sessions, open and ended; `nil` if there were none.
    package var totals: Summary? {
        let (ended, others) = state.withLock { ($0.endedTotals, Array($0.open.values) + $0.ending) }
        var totals = ended
        for session in others { totals.add(session.server.summary) }
        return totals
    }

    /// How full the collections are.
    var limitUses: [LimitUse] {
        state.withLock { state in
            [
                LimitUse(
                    "sessions", limit: Self.limit, used: state.open.count + state.reserved.count, dropped: state.refused
                ),
                LimitUse(
                    "session_results", limit: EndedSessionResults.limit, used: state.endedResults.count,
                    dropped: state.endedResults.dropped),
            ]
        }
    }

    // MARK: Available names and ports

    private func reserve(_ request: SessionRequest, of server: MockAPNSServer) throws(Rejection) -> String {
        try state.withLock { state throws(Rejection) in
            var name = request.name ?? ""
            func isTaken(_ name: String) -> Bool {
                name == Self.defaultName || state.open[name] != nil || state.reserved.contains(name)
            }
            while name.isEmpty || (request.name == nil && isTaken(name)) {
                state.latestNumber += 1
                name = "session-\(state.latestNumber)"
            }
            if name == Self.defaultName {
                throw .taken("The session \"default\" is the server itself; choose another name.", code: "taken")
            }
            if isTaken(name) {
                throw .taken(
                    "There is already a session \"\(name)\"; choose another name, or end that one.", code: "taken")
            }
            if state.open.count + state.reserved.count >= Self.limit {
                state.refused += 1
                throw .unavailable("There are \(Self.limit) sessions, which is the maximum; end one first.")
            }
            state.reserved.insert(name)
            return name
        }
    }

    private func check(_ serverName: String, of server: MockAPNSServer) throws(Rejection) {
        guard !serverName.hasSuffix(".apple.com") else {
            throw .badServerName(
                "serverName is \"\(serverName.prefix(80))\", which is Apple's; choose a name of your own.")
        }
        let known = Identity.serverNames + server.configuration.serverNames
        guard known.contains(where: { $0.lowercased() == serverName }) else {
            throw .badServerName(
                "serverName is \"\(serverName.prefix(80))\", which is not in the server's certificate; start the server with --server-name \(serverName.prefix(80))."
            )
        }
        if engine(forServerName: serverName) != nil { throw Self.serverNameTaken(serverName) }
    }

    private func claim(_ serverName: String, for engine: Engine) -> Bool {
        engines.withLock { engines in
            guard engines[serverName] == nil else { return false }
            engines[serverName] = engine
            hasServerNames.store(true, ordering: .releasing)
            return true
        }
    }

    private static func serverNameTaken(_ serverName: String) -> Rejection {
        .taken("The server name \"\(serverName)\" belongs to another session.", code: "taken")
    }

    private func listen(
        _ name: String, _ loaded: LoadedScenario, _ port: Int?, of server: MockAPNSServer
    ) async throws -> MockAPNSServer {
        if let port {
            do { return try await server.openSession(name, playing: loaded, port: port) } catch let error as StartError
            {
                guard case .unavailable(let reason) = error else { throw error }
                throw Rejection.taken(reason, code: "portTaken")
            }
        }
        let ports = server.configuration.sessionPorts
        // Trying one costs as much as opening a session.
        let taken = Set(all.flatMap(\.server.ports))
        var latest: StartError?
        for candidate in ports ?? 0...0 where !taken.contains(candidate) {
            do { return try await server.openSession(name, playing: loaded, port: candidate) } catch let error
                as StartError
            {
                guard case .unavailable = error else { throw error }
                latest = error
            }
        }
        let reason = ports.map {
            "No port from \($0.lowerBound) to \($0.upperBound) is free; end a session, or start the server with more --session-ports."
        }
        throw Rejection.unavailable(reason ?? latest?.description ?? "There is no free port.")
    }
}

extension Summary? {
    fileprivate mutating func add(_ other: Summary) {
        guard var sum = self else { return self = other }
        sum.add(other)
        self = sum
    }
}
