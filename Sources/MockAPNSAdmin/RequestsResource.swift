import Hummingbird
import MockAPNS
import MockAPNSCore

/// `/api/v1/requests`: what providers sent, and why each request was answered as it was.
struct RequestsResource {
    let server: MockAPNSServer

    func add(to group: RouterGroup<BasicRequestContext>) {
        group.get("requests") { request, _ in try find(request) }
        group.get("requests/{id}") { _, context in try record(context.parameters.require("id")) }
        group.delete("requests") { request, _ in try delete(request) }
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

    private func delete(_ request: Request) throws -> Response {
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
        do { return try RequestQuery(parameters: request.parameters) } catch { throw APIError(error) }
    }
}
