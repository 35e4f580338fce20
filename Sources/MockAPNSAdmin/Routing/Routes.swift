import Hummingbird
import MockAPNS
import MockAPNSCore
import Synchronization

/// Where the admin listener is, known once it is open.
final class AdminAddress: Sendable {
    private let url = Mutex("")

    var value: String { url.withLock { $0 } }

    func set(_ value: String) { url.withLock { $0 = value } }
}

/// The table of what the admin listener answers.
struct Routes {
    let server: MockAPNSServer
    let address: AdminAddress
    let streams: EventStreams
    var access = AdminServer.Access()

    /// What is answered, as the OpenAPI document names it: `GET /api/v1/requests/{id}`.
    var operations: [String] {
        router.routes.map { route in
            let parts = route.path.description.split(separator: "/").map { part in
                part.first == ":" ? "{\(part.dropFirst())}" : String(part)
            }
            return "\(route.method.rawValue) /" + parts.joined(separator: "/")
        }
    }

    /// The OpenAPI document, as it is served.
    static var document: [UInt8] { PackageResources.openapi_json }

    var router: Router<BasicRequestContext> {
        let router = Router(options: .autoGenerateHeadEndpoints)
        router.add(middleware: ErrorsAsJSON(providerURL: server.url))
        router.add(middleware: DoorMiddleware(door: Door(access, serverNames: server.configuration.serverNames)))
        router.get("livez") { _, _ in Response.text("alive\n") }
        router.get("readyz") { [server] _, _ in
            server.isReady ? Response.text("ready\n") : Response.text("not ready\n", status: .serviceUnavailable)
        }
        router.get("metrics") { [server] _, _ in
            Response.text(server.summary.metrics, type: Summary.metricsContentType)
        }
        let api = router.group("api/v1").add(middleware: OnlyKnownParameters())
        RequestsResource(server: server).add(to: api)
        ConnectionsResource(server: server).add(to: api)
        api.get("summary") { [server] _, _ in Response.json(ByteBuffer(bytes: server.summary.json)) }
        IdentityResource(server: server, address: address, token: access.token).add(to: api)
        DevicesResource(server: server).add(to: api)
        ClockResource(server: server).add(to: api)
        ScenarioResource(server: server).add(to: api)
        RulesResource(server: server).add(to: api)
        VerifyResource(server: server).add(to: api)
        EventsResource(server: server, streams: streams).add(to: api)
        api.get("openapi.json") { _, _ in Response.json(ByteBuffer(bytes: Self.document)) }
        router.add(middleware: KnownPaths(of: router))
        return router
    }
}
