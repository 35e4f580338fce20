import MockAPNS
import MockAPNSCore
import MockAPNSTransport
import NIOCore
import NIOPosix
import SystemPackage

/// Sends probes to a server, one after the other, and collects its answers.
package final class ProbeRun {
    /// Why a run cannot go on.
    package enum Failure: Error, CustomStringConvertible {
        /// No server answers, or none that can be trusted.
        case unreachable(String)

        package var description: String {
            switch self {
            case .unreachable(let text): text
            }
        }
    }

    let target: ProbeTarget
    let timeout: Duration
    var pace: Pace
    var tokens: ProviderTokens
    var secrets = Secrets()
    private var devicesUsed: [DeviceKind: Int] = [:]
    private var contexts: [String: TLSClientContext] = [:]
    private var shared: [SharedConnection: ProbeConnection] = [:]
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let startedAt = WallClock.now()
    let stop: ProbeStop
    /// When to stop waiting in the present probe; `nil` as long as everything has come in time.
    private var lastDeadline: ContinuousClock.Instant?
    /// Whether the run only deletes what it has made.
    private var isCleaningUp = false
    /// Whether the server has been reached: it speaks HTTP/2.
    private var isReached = false
    /// The number of connections in a row on which the server has sent nothing.
    private var silentConnections = 0
    /// Where the probe that is being run is sent.
    var endpoint = ProbeEndpoint.provider
    /// The channels that the run has made.
    package internal(set) var channels = ProbeChannels()

    /// The properties that distinguish the connections shared by probes.
    private struct SharedConnection: Hashable {
        var endpoint: ProbeEndpoint
        var hasCertificate: Bool
    }

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - target: the server, and what there is for it.
    ///   - timeout: how long an answer may take.
    ///   - stop: ends the run early.
    package init(_ target: ProbeTarget, timeout: Duration = .seconds(10), stop: ProbeStop = ProbeStop()) {
        self.target = target
        self.stop = stop
        self.timeout = timeout
        pace = Pace(isSlow: target.isStranger)
        tokens = ProviderTokens(target.keys)
        for token in target.devices.values.joined() { secrets.add(token) }
    }

    /// Runs probes; `report` is called with each result as soon as it is there. A probe that is cut short by
    /// the end of the run has none.
    ///
    /// - Throws: ``Failure`` if the server cannot be reached; `CancellationError`.
    package func run(
        _ probes: [Probe], against earlier: EarlierAnswers? = nil, report: (ProbeResult) -> Void
    ) async throws -> [ProbeResult] {
        var results: [ProbeResult] = []
        do {
            if let first = probes.first(where: { $0.connection == nil && Self.missing(for: $0, target) == nil }) {
                // Nothing is reported of a server that cannot be reached.
                endpoint = first.endpoint
                _ = try await sharedConnection(for: first)
            }
            for probe in probes where !stop.hasCome {
                try Task.checkCancellation()
                let result = try await run(probe, earlier)
                if stop.isOver { break }
                results.append(result)
                report(result)
            }
        } catch {
            // Waits that are cut short make a server look silent.
            let isCutShort = stop.hasCome
            await end()
            if !isCutShort { throw error }
            return results
        }
        await end()
        return results
    }

    private func end() async {
        stop.beginCleanup()
        isCleaningUp = true
        lastDeadline = nil
        await deleteChannels(except: [])
        for connection in shared.values { await connection.close() }
        shared = [:]
        try? await group.shutdownGracefully()
    }

    /// Returns the first need of a probe that the target does not meet; `nil` if the probe can be run.
    package static func missing(for probe: Probe, _ target: ProbeTarget) -> ProbeNeed? {
        let missing = probe.needs.first { need in
            switch need {
            case .credentials: target.keys[.provider] == nil && target.certificates[.provider] == nil
            case .key(let kind): target.keys[kind] == nil
            case .certificate(let kind): target.certificates[kind] == nil
            case .device(let kind): target.devices[kind]?.isEmpty != false
            case .topic(let kind): target.furtherTopics[kind] == nil
            case .coverage: true
            }
        }
        guard missing == nil, target.hasCertificateOnly, let certificate = target.certificates[.provider] else {
            return missing
        }
        return probe.needs(withCertificateFor: certificate.topics, at: target)
    }

    /// Whether a probe cannot use the connection that has the client certificate, though it has none of its own.
    package static func isAnonymous(_ probe: Probe, _ target: ProbeTarget) -> Bool {
        target.hasCertificateOnly && probe.connection == nil && probe.hasOtherCredentials
    }

    private func run(_ probe: Probe, _ earlier: EarlierAnswers?) async throws -> ProbeResult {
        if let need = Self.missing(for: probe, target) { return ProbeResult(probe, skipped: need.reason) }
        let start = ContinuousClock.now
        lastDeadline = nil
        for connection in shared.values { connection.beginProbe() }
        if let problem = try await makeChannels(for: probe) { return ProbeResult(probe, skipped: problem) }
        endpoint = probe.endpoint
        var answers: [JSONText.Value?]
        if var setup = probe.connection {
            if target.hasCertificateOnly, probe.hasUsualCredentials { setup.certificate = .provider }
            let connection = try await open(setup)
            answers = try await play(probe, on: connection)
            await connection.close()
        } else {
            // A server may have ended the connection after an earlier probe.
            let name = name(of: probe)
            let wasOpen = shared[name] != nil
            answers = try await play(probe, on: try await sharedConnection(for: probe))
            if wasOpen, shared[name]?.end != nil, answers.contains(where: { $0?["noAnswer"] != nil }) {
                answers = try await play(probe, on: try await sharedConnection(for: probe))
            }
        }
        await deleteChannels(except: [.stored, .unstored])
        var result = ProbeResult(probe, answers: answers, comparedWith: earlier)
        result.milliseconds = Int64((ContinuousClock.now - start) / .milliseconds(1))
        return result
    }

    // MARK: Connections

    /// Returns the connection of all probes that have none of their own, to the current endpoint; a new one if it has
    /// ended.
    func sharedConnection(for probe: Probe) async throws -> ProbeConnection {
        let name = name(of: probe)
        if let shared = shared[name] {
            // Bytes that have arrived since show whether it is still open.
            if shared.end == nil, shared.goAways.isEmpty {
                if await shared.settle(until: deadline()) { return shared }
                if shared.end == nil { noteWaitInVain() }
            }
            await shared.close()
        }
        var setup = ProbeConnectionSetup()
        if name.hasCertificate { setup.certificate = .provider }
        let connection = try await open(setup)
        shared[name] = connection
        return connection
    }

    private func name(of probe: Probe) -> SharedConnection {
        if target.managementAddress == nil { endpoint = .provider }
        return SharedConnection(
            endpoint: endpoint, hasCertificate: target.hasCertificateOnly && !Self.isAnonymous(probe, target))
    }

    /// The time in all for deletions that are not answered, after the request to end.
    private static let cleanupLimit = Duration.seconds(5)

    private var isEndingSoon: Bool { isCleaningUp && stop.hasCome }

    /// Returns when to stop waiting for what is expected next. Once something has not come in time, everything else in the
    /// same probe is waited for as long as one answer, all of it together.
    func deadline() -> ContinuousClock.Instant {
        let limit = ContinuousClock.now + (isEndingSoon ? min(timeout, Self.cleanupLimit) : timeout)
        return min(limit, lastDeadline ?? limit)
    }

    /// Notes that something has not come in time.
    func noteWaitInVain() { lastDeadline = lastDeadline ?? .now + (isEndingSoon ? .zero : timeout) }

    /// Opens a connection, up to the server's first SETTINGS.
    private func open(_ setup: ProbeConnectionSetup) async throws -> ProbeConnection {
        try await pace.beforeConnection(unless: stop)
        let address = target.address(of: endpoint)
        let socket: ProbeSocket
        let tls: TLSClientConnection
        do {
            tls = try TLSClientConnection(
                context: try context(setup), host: address.host, protocols: setup.protocols)
            socket = try await ProbeSocket.open(
                host: address.host, port: address.port, on: group, within: max(.zero, deadline() - .now),
                unless: stop)
        } catch let error as CancellationError {
            throw error
        } catch let error as OpenSSLError {
            throw Failure.unreachable("A connection to \(address.authority) cannot be prepared: \(error).")
        } catch {
            throw Failure.unreachable("No server answers at \(address.authority): \(words(error)).")
        }
        // Only a server on this machine is not treated with care.
        guard target.isStranger || socket.isLocal else {
            await socket.close()
            throw Failure.unreachable("\(address.authority) was on this machine, and is not any more.")
        }
        let deadline = deadline()
        let connection = ProbeConnection(socket, tls, acknowledges: setup.acknowledges)
        connection.take([])
        _ = await connection.pump(until: deadline) { $0.tls.isHandshakeComplete }
        let isUsual = setup.certificate == nil || setup.certificate == .provider
        if !tls.isHandshakeComplete, isUsual, !isReached || connection.end == nil {
            await connection.close()
            throw Failure.unreachable(withoutTLS(connection))
        }
        if setup.preface == .atOnce { connection.writePreface() }
        if setup.preface != .never || setup.certificate != nil {
            _ = await connection.pump(until: deadline) { !$0.settings.isEmpty || $0.isGarbled || $0.isOtherProtocol }
        }
        if setup.preface == .afterSettings { connection.writePreface() }
        if !connection.settings.isEmpty || !connection.goAways.isEmpty {
            (isReached, silentConnections) = (true, 0)
        } else if setup.preface != .never, isUsual {
            silentConnections += connection.end == nil ? 1 : 0
            if connection.end == nil { noteWaitInVain() }
            if !isReached || silentConnections == Self.silenceLimit {
                await connection.close()
                throw Failure.unreachable(withoutHTTP2(connection))
            }
        }
        return connection
    }

    /// Number of silent connections in a row at which the server counts as unreachable.
    private static let silenceLimit = 3

    /// Says why TLS fails on a connection.
    private func withoutTLS(_ connection: ProbeConnection) -> String {
        let authority = target.address(of: endpoint).authority
        return switch connection.end {
        case .failed(let error) where error.alertReceived == nil:
            "TLS with \(authority) fails: \(error). If its certificate is to be trusted, name its authority with --ca."
        case .failed(let error): "\(authority) refuses TLS: \(error)."
        case .closed: "\(authority) closes the connection during TLS; does it speak TLS on this port?"
        case .excess: "\(authority) sends more than 1 MB, and TLS is still not established."
        case nil:
            "\(authority) accepts connections, but stays silent: TLS has no answer after \(Self.text(timeout))."
        }
    }

    /// Says what a server does instead of speaking HTTP/2.
    private func withoutHTTP2(_ connection: ProbeConnection) -> String {
        let authority = target.address(of: endpoint).authority
        if isReached { return "\(authority) has been silent on \(Self.silenceLimit) connections in a row." }
        let speaks = "\(authority) speaks TLS, but not HTTP/2"
        if let chosen = connection.tls.applicationProtocol, chosen != "h2" { return "\(speaks): it chooses \(chosen)." }
        if connection.isGarbled { return "\(speaks): it answers with HTTP/1." }
        if case .excess = connection.end { return "\(speaks): it sends more than 1 MB without SETTINGS." }
        if connection.end != nil { return "\(speaks): it ends the connection without SETTINGS." }
        let choice = connection.tls.applicationProtocol == nil ? "chooses no protocol by ALPN, and " : ""
        return "\(speaks): it \(choice)sends no SETTINGS within \(Self.text(timeout))."
    }

    private static func text(_ duration: Duration) -> String {
        let milliseconds = Int64(duration / .milliseconds(1))
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }

    private func context(_ setup: ProbeConnectionSetup) throws -> TLSClientContext {
        let name = "\(setup.versions) \(setup.certificate.map(\.rawValue) ?? "")"
        if let context = contexts[name] { return context }
        let certificate = setup.certificate.flatMap { target.certificates[$0] }
        let context = try TLSClientContext(
            authorities: target.authorities, certificate: certificate.map { ($0.chain, $0.privateKey) },
            versions: TLSClientContext.Versions(rawValue: setup.versions.rawValue) ?? .all)
        contexts[name] = context
        return context
    }

    private func words(_ error: any Error) -> String {
        if let error = error as? NIOConnectionError, let first = error.connectionErrors.first {
            return words(first.error)
        }
        if let error = error as? IOError { return "\(Errno(rawValue: error.errnoCode))" }
        if case .connectTimeout = error as? ChannelError { return "no connection within \(Self.text(timeout))" }
        return "\(error)"
    }

    // MARK: Values

    /// Replaces the placeholders of a text.
    func filled(_ text: String) -> String {
        guard text.mayHavePlaceholder else { return text }
        var text = text.replacing("{topic}", with: target.topic)
            .replacing("{authority}", with: target.address(of: endpoint).authority)
            .replacing("{device}", with: "{device:registered}")
        for kind in DeviceKind.allCases where text.contains("{device:\(kind.rawValue)") {
            let token = deviceToken(kind)
            text = text.replacing("{device:\(kind.rawValue)}", with: token)
                .replacing("{device:\(kind.rawValue) in upper case}", with: token.uppercased())
        }
        if text.contains("{uuid}") { text = text.replacing("{uuid}", with: Self.uuid()) }
        if text.contains("{UUID}") { text = text.replacing("{UUID}", with: Self.uuid().uppercased()) }
        if text.contains("{inAnHour}") { text = text.replacing("{inAnHour}", with: "\(startedAt.seconds + 3600)") }
        if text.contains("{now}") { text = text.replacing("{now}", with: "\(startedAt.seconds)") }
        for (kind, topic) in target.furtherTopics { text = text.replacing("{topic:\(kind.rawValue)}", with: topic) }
        for (kind, id) in channels.ids where text.contains("{channel:\(kind.rawValue)") {
            text = text.replacing("{channel:\(kind.rawValue)}", with: id)
                .replacing("{channel:\(kind.rawValue) with %3D}", with: id.replacing("=", with: "%3D"))
                .replacing("{channel:\(kind.rawValue) without padding}", with: id.replacing("=", with: ""))
        }
        return text
    }

    /// Returns the next device token of a kind.
    private func deviceToken(_ kind: DeviceKind) -> String {
        var tokens = target.devices[kind] ?? []
        if kind == .any { tokens = target.devices[.registered] ?? [Self.madeUpToken] }
        guard !tokens.isEmpty else { return Self.madeUpToken }
        devicesUsed[kind, default: 0] += 1
        return tokens[(devicesUsed[kind, default: 0] - 1) % tokens.count]
    }

    /// A device token that no device has.
    package static let madeUpToken = String(repeating: "6d6f636b", count: 8)

    private static func uuid() -> String {
        func digits(_ count: Int) -> String {
            String((0..<count).map { _ in "0123456789abcdef".randomElement() ?? "0" })
        }
        return "\(digits(8))-\(digits(4))-4\(digits(3))-a\(digits(3))-\(digits(12))"
    }
}
