import MockAPNS
import MockAPNSCore
import MockAPNSScenario

/// `/api/v1/connections`: the connections, how they were made, and what they carried.
struct ConnectionsResource {
    let server: MockAPNSServer

    func add(to api: inout CallRoutes) {
        api.on(.listConnections) { _ in
            let connections = await server.connections()
            return Response.json(["connections": connections.map(Self.object)])
        }
        api.on(.sendGoAway) { request in
            let recipient = try Self.recipient(request)
            let plan = try request.part { Scenario().goAway(from: $0) }
            return try Self.done(await server.goAway(plan: plan, to: recipient), recipient)
        }
        api.on(.closeConnections) { request in
            let recipient = try Self.recipient(request)
            let ending = try request.part { Scenario().ending(from: $0) }
            return try Self.done(await server.close(recipient, by: ending), recipient)
        }
    }

    private static func recipient(_ request: Request) throws -> MockAPNSServer.Recipient {
        let text = try request.pathPart("id")
        if text == "all" { return .all }
        guard let id = Int(text), id > 0 else { throw unknown(text) }
        return .connection(id: id)
    }

    /// Returns the ids of the connections that received an order.
    private static func done(_ ids: [Int], _ recipient: MockAPNSServer.Recipient) throws -> Response {
        if case .connection(let id) = recipient, ids.isEmpty { throw unknown(String(id)) }
        return .json(["connections": ids])
    }

    private static func unknown(_ text: String) -> APIError {
        .notFound(
            "No open connection has the id \"\(text.prefix(80))\"; \(APICall.listConnections) lists them, and \"all\" means all that are open."
        )
    }

    private static func object(_ connection: Connection) -> JSONObject {
        let facts = connection.facts
        let counters = connection.counters
        return [
            "id": connection.id, "connection": connection.number, "openedAt": connection.openedAt,
            "closedAt": connection.closedAt,
            "closedBy": connection.closedBy?.name, "explanation": connection.explanation,
            "remoteAddress": facts.remoteAddress, "tlsVersion": facts.tlsVersion, "cipher": facts.cipher,
            "alpn": facts.alpn, "serverName": facts.serverName,
            "clientCertificate": facts.clientCertificate.map(object), "providerTokens": connection.providerTokens,
            "teamID": connection.teamID, "settingsSent": counters.settingsSent,
            "settingsReceived": counters.settingsReceived, "requests": connection.requests,
            "inFlight": counters.inFlight, "resetsSent": counters.resetsSent,
            "resetsReceived": counters.resetsReceived, "pings": counters.pings, "goAwaysSent": counters.goAwaysSent,
            "bytesReceived": counters.bytesReceived, "bytesSent": counters.bytesSent,
        ]
    }

    private static func object(_ certificate: ConnectionFacts.ClientCertificate) -> JSONObject {
        [
            "subject": certificate.subject, "serial": certificate.serial, "topics": certificate.topics.names,
            "environments": certificate.environments,
        ]
    }
}
