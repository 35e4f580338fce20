import MockAPNS
import MockAPNSCore
import NIOCore
import NIOHTTP1

/// The URL of the admin listener, known once it is open.
final class AdminAddress: Sendable {
    private let known = Guarded((url: "", isOnLoopback: true))

    var value: String { known.withLock { $0.url } }
    /// Whether only this machine can reach it.
    var isOnLoopback: Bool { known.withLock { $0.isOnLoopback } }

    func set(_ value: String, isOnLoopback: Bool) { known.withLock { $0 = (value, isOnLoopback) } }
}

/// The routes of the admin listener.
struct Routes {
    let server: MockAPNSServer
    let address: AdminAddress
    let streams: EventStreams
    var access = MockAPNSServer.AdminAccess()
    /// Whether the page is available.
    var hasPage = true
    /// The path of the session that these routes belong to, `/api/v1/sessions/NAME`; empty for the server's own.
    var sessionPath = ""

    var router: Router {
        var api = CallRoutes(router: Router(providerURL: server.url), server: server)
        api.router.prefix = PathPrefix(own: access.prefix)
        api.on(.isAlive) { _ in .text("alive\n") }
        api.on(.isReady) { [server] _ in
            let problem = server.isReady ? server.fleet?.problem.map { ": \($0)" } : ""
            return problem.map { .text("not ready\($0)\n", status: .serviceUnavailable) } ?? .text("ready\n")
        }
        api.on(.metrics) { [server, streams] _ in
            var summary = server.summary
            summary.limits += streams.limitUses
            if let sessions = server.sessions.totals { summary.add(sessions) }
            summary.fleetShipErrors = server.fleet?.shipErrors
            return .text(summary.metrics, type: Summary.metricsContentType)
        }
        if hasPage { PageResource().add(to: &api.router) }
        addCalls(to: &api)
        FleetResource(server: server).add(to: &api)
        SessionsResource(routes: self).add(to: &api)
        api.on(.openAPI) { _ in .json(ByteBuffer(bytes: PageFiles.openAPI)) }
        return api.router
    }

    /// The routes of a session, with the same paths as the server's own.
    var sessionRouter: Router {
        var api = CallRoutes(router: Router(providerURL: server.url, sessionPath: sessionPath), server: nil)
        addCalls(to: &api)
        return api.router
    }

    /// Adds the calls that apply to one session, or to the server itself.
    private func addCalls(to api: inout CallRoutes) {
        RequestsResource(server: server).add(to: &api)
        PushesResource(server: server).add(to: &api)
        ConnectionsResource(server: server).add(to: &api)
        api.on(.summary) { [server] _ in .json(ByteBuffer(bytes: server.summary.json)) }
        TimelineResource(server: server).add(to: &api)
        api.on(.listDifferences) { [server] _ in .json(ByteBuffer(bytes: server.summary.relay.json)) }
        IdentityResource(server: server, address: address, sessionPath: sessionPath, token: access.token).add(to: &api)
        DevicesResource(server: server).add(to: &api)
        ChannelsResource(server: server).add(to: &api)
        ClockResource(server: server).add(to: &api)
        ScenarioResource(server: server).add(to: &api)
        RecordingResource(server: server).add(to: &api)
        ScenariosResource().add(to: &api)
        RulesResource(server: server).add(to: &api)
        VerifyResource(server: server).add(to: &api)
        LintResource(server: server).add(to: &api)
        EventsResource(server: server, streams: streams).add(to: &api)
    }
}
