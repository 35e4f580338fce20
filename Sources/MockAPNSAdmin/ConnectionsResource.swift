import Hummingbird
import MockAPNS
import MockAPNSCore

/// `/api/v1/connections`: who connected, how, and what came over it.
struct ConnectionsResource {
    let server: MockAPNSServer

    func add(to group: RouterGroup<BasicRequestContext>) {
        group.get("connections") { _, _ in
            let connections = await server.connections()
            return Response.json(["connections": connections.map(Self.object)])
        }
    }

    private static func object(_ connection: Connection) -> JSONObject {
        let facts = connection.facts
        let counters = connection.counters
        return [
            "id": connection.id, "openedAt": connection.openedAt, "closedAt": connection.closedAt,
            "closedBy": connection.closedBy?.name, "remoteAddress": facts.remoteAddress, "tlsVersion": facts.tlsVersion,
            "cipher": facts.cipher, "alpn": facts.alpn, "serverName": facts.serverName,
            "clientCertificate": facts.clientCertificate.map(object), "providerTokens": connection.providerTokens,
            "teamID": connection.teamID, "settingsSent": counters.settingsSent,
            "settingsReceived": counters.settingsReceived, "requests": connection.requests,
            "inFlight": counters.inFlight, "resetsSent": counters.resetsSent,
            "resetsReceived": counters.resetsReceived, "pings": counters.pings, "goAwaysSent": counters.goAwaysSent,
            "bytesReceived": counters.bytesReceived, "bytesSent": counters.bytesSent,
        ]
    }

    private static func object(_ certificate: ConnectionFacts.ClientCertificate) -> JSONObject {
        let environments =
            (certificate.isForSandbox ? ["sandbox"] : []) + (certificate.isForProduction ? ["production"] : [])
        return [
            "subject": certificate.subject, "serial": certificate.serial, "topics": certificate.topics.names,
            "environments": environments,
        ]
    }
}
