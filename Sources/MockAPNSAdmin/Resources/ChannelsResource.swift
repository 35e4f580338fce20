import MockAPNS
import MockAPNSCore
import MockAPNSScenario
import NIOCore
import NIOHTTP1

/// `/api/v1/channels`: the broadcast channels that exist.
struct ChannelsResource {
    let server: MockAPNSServer

    func add(to api: inout CallRoutes) {
        api.on(.listChannels) { request in try list(request) }
        api.on(.createChannel) { request in
            let channel = try request.part { Scenario().channel(from: $0) }
            return Response.json(ByteBuffer(bytes: try server.declare(channel).json), status: .created)
        }
        api.on(.getChannel) { request in
            Response.json(ByteBuffer(bytes: try known(request).channel.json))
        }
        api.on(.deleteChannel) { request in
            try server.removeChannel(known(request).name)
            return Response.json(["deleted": 1])
        }
    }

    private func list(_ request: Request) throws -> Response {
        let list = server.channels(try request.pagedQuery())
        var json = Array(#"{"channels":["#.utf8)
        for (index, channel) in list.channels.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            json += channel.json
        }
        let apps = list.apps.map { app -> JSONObject in
            [
                "topic": app.topic, "environment": app.isSandbox ? "sandbox" : "production",
                "channels": app.channels, "uniqueSubscribers": app.uniqueSubscribers,
            ]
        }
        json += #"],"apps":\#(apps.json),"total":\#(list.total),"next":\#(list.next.json)}"#.utf8
        return Response.json(ByteBuffer(bytes: json))
    }

    /// Returns the channel in the path: by its name, by its id, or by its id in the alphabet of URLs, since ids may have
    /// slashes.
    private func known(_ request: Request) throws -> (name: String, channel: MockAPNSServer.KnownChannel) {
        let name = try request.pathPart("channel")
        for candidate in [name, ChannelID.fromURL(name)] {
            if let channel = server.knownChannel(candidate) { return (candidate, channel) }
        }
        throw APIError.notFound("\(MockAPNSServer.unknownChannel(name)) \(APICall.listChannels) lists the known ones.")
    }
}
