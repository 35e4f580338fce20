import MockAPNS
import MockAPNSCore
import NIOCore

/// `/api/v1/fleet`: the members of the server's fleet, as far as it knows them.
struct FleetResource {
    let server: MockAPNSServer

    func add(to api: inout CallRoutes) {
        api.on(.getFleet) { [server] _ in
            guard let fleet = server.fleet else {
                let none: String? = nil
                return Response.json(["name": none, "role": none, "ready": server.isReady] as JSONObject)
            }
            return Response.json(ByteBuffer(bytes: await fleet.status()))
        }
    }
}
