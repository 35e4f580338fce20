import MockAPNS
import MockAPNSCore
import NIOHTTP1

extension MockAPNSServer {
    /// Lets the other members of a fleet make calls of the admin API on this server, through the same routes as those
    /// of its listener.
    package func acceptFleetCalls() {
        let router = Routes(server: self, address: AdminAddress(), streams: EventStreams()).sessionRouter
        performer = { call in
            let target = call.name.path(call.values) + (call.query.isEmpty ? "" : "?\(call.query)")
            let response = await router.respond(to: Request(HTTPMethod(call.name.method), target, body: call.body))
            do {
                return FleetAnswer(status: Int(response.status.code), body: try await response.body.collected())
            } catch {
                return FleetAnswer(status: 500, body: Array(APIError(failure: error).object.json.utf8))
            }
        }
    }
}
