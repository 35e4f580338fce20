import Hummingbird
import MockAPNS
import MockAPNSCore
import NIOCore

/// `/api/v1/requests`: what providers sent, and why each request was answered as it was.
struct RequestsResource {
    let server: MockAPNSServer

    func add(to group: RouterGroup<BasicRequestContext>) {
        group.get("requests") { request, _ in try find(request) }
        group.get("requests/{id}") { _, context in try record(context.pathPart("id")) }
        group.delete("requests") { request, _ in try await delete(request) }
        group.post("requests/find") { request, _ in
            let scenario = server.vocabulary
            let query = try await request.part { scenario.requestQuery(from: $0) }
            return Response.json(ByteBuffer(bytes: server.requestLog.find(query).json))
        }
        group.post("requests/count") { request, _ in
            let scenario = server.vocabulary
            let match = try await request.part { scenario.countedRequests(from: $0) }
            let (count, undecided) = server.requestLog.counted(match)
            let answer: JSONObject = undecided == 0 ? ["count": count] : ["count": count, "undecided": undecided]
            return Response.json(answer)
        }
        group.post("requests/wait") { request, _ in try await wait(request) }
    }

    /// Answers when the requests have come, or the time is over. A client that goes away ends it.
    private func wait(_ request: Request) async throws -> Response {
        var request = request
        _ = try await request.keptBody()
        let scenario = server.vocabulary
        let awaited = try await request.part {
            scenario.awaitedRequests(from: $0, atMost: server.configuration.logLimit)
        }
        var response = try await request.body.consumeWithCancellationOnInboundClose { _ in
            let (log, found, isFulfilled) = await server.wait(
                for: awaited.match, count: awaited.count, after: awaited.after,
                within: .milliseconds(awaited.timeout))
            let page = log.page(of: found).json
            return isFulfilled ? .json(ByteBuffer(bytes: page)) : Self.missing(awaited, log, page)
        }
        // Nothing more is read from a connection that was watched.
        response.headers[.connection] = "close"
        return response
    }

    /// Those that came, and those that came nearest.
    private static func missing(_ awaited: AwaitedRequests, _ log: RequestSnapshot, _ page: [UInt8]) -> Response {
        var json = page
        json.removeLast()
        json.append(contentsOf: #","nearMisses":"#.utf8)
        NearMiss.appendJSON(log.nearMisses(awaited.match, after: awaited.after), to: &json)
        json.append(UInt8(ascii: "}"))
        return .json(ByteBuffer(bytes: json), status: .requestTimeout)
    }

    private func find(_ request: Request) throws -> Response {
        let query = try query(request)
        return .json(ByteBuffer(bytes: server.requestLog.find(query).json))
    }

    private func record(_ id: String) throws -> Response {
        guard let record = server.requestLog.record(id) else {
            throw APIError.notFound(
                "There is no request \"\(id)\" in the log; it takes a sequence number or an apns-id, and the log keeps the latest \(server.configuration.logLimit)."
            )
        }
        return .json(ByteBuffer(bytes: record))
    }

    private func delete(_ request: Request) async throws -> Response {
        try await request.noBody("conditions are parameters of its URL, as in status=410.")
        let query = try query(request)
        // A page of what matches would be a surprising thing to delete.
        for name in ["after", "limit", "order"] where request.uri.queryParameters.has(Substring(name)) {
            throw APIError.badRequest(
                "badParameter", "\(name) is for GET; DELETE forgets all that match, as by status=410.",
                pointer: "/\(name)")
        }
        return .json(["deleted": server.deleteRequests(matching: query.match)])
    }

    private func query(_ request: Request) throws -> RequestQuery {
        let parameters = try request.parameters
        do { return try RequestQuery(parameters: parameters) } catch { throw APIError(error) }
    }
}
