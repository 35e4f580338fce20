import HTTPTypes
import Hummingbird
import MockAPNS
import MockAPNSCore
import MockAPNSJudge
import MockAPNSScenario

/// `/api/v1/sessions`: separate servers within this one, each with all calls below its own path.
struct SessionsResource {
    /// The server's own routes.
    let routes: Routes
    private let responders = Responders()

    init(routes: Routes) { self.routes = routes }

    private var sessions: Sessions { routes.server.sessions }

    func add(to api: CallRoutes) {
        api.on(.listSessions) { _, _ in Response.json(["sessions": sessions.all.map(object)]) }
        api.on(.openSession) { request, _ in
            var request = request
            let text = try await request.keptBody(upTo: ScenarioResource.textLimit)
            let authority = request.head.authority
            return try await request.answer { try await open(text, askedBy: authority) }
        }
        api.on(.getSession) { _, context in Response.json(object(try session(context))) }
        api.on(.endSession) { request, context in
            try await request.noBody("the session is named by its path.")
            let isJudged = try request.flag("judge", default: true)
            let name = try context.pathPart("name")
            guard name != Sessions.defaultName else {
                throw APIError(
                    status: .conflict, code: "taken",
                    message: "The session \"default\" is the server itself; SIGTERM ends it.")
            }
            guard let verification = await sessions.end(name, judged: isJudged) else { throw unknown(name) }
            return Response.json(ByteBuffer(bytes: verification.json))
        }
        api.onAll(below: .getSession) { request, context in try await answer(request, context) }
    }

    // MARK: Opening

    private func open(_ text: [UInt8], askedBy authority: String?) async throws -> Response {
        let server = routes.server
        let request: SessionRequest
        do { request = try await server.sessionRequest(text) } catch let rejection as ScenarioRefusal {
            throw APIError(rejection, in: text)
        }
        do {
            let session = try await sessions.open(request, of: server)
            let identity = IdentityResource(
                server: session.server, address: routes.address, sessionPath: Self.path(of: session.name), token: nil)
            return Response.json(
                try identity.object(askedBy: authority).adding("name", session.name), status: .created)
        } catch Sessions.Rejection.taken(let reason, let code) {
            throw APIError(status: .conflict, code: code, message: reason)
        } catch Sessions.Rejection.badServerName(let reason) {
            throw APIError.badRequest("badValue", reason, pointer: "/serverName")
        } catch Sessions.Rejection.unavailable(let reason) {
            throw APIError(status: .serviceUnavailable, code: "noSession", message: reason)
        } catch Sessions.Rejection.stopping {
            throw APIError.stopping
        } catch let error as StartError {
            throw APIError.badRequest("badFile", error.description, pointer: "/scenario")
        }
    }

    private static func path(of name: String) -> String { APICall.getSession.path([name]) }

    // MARK: Using

    private func session(_ context: BasicRequestContext) throws -> Session {
        let name = try context.pathPart("name")
        guard let session = sessions[name] else { throw unknown(name) }
        session.noteQuestion()
        return session
    }

    private func unknown(_ name: String) -> APIError {
        .notFound("There is no session \"\(name.prefix(80))\"; \(APICall.listSessions) lists the existing ones.")
    }

    private func object(_ session: Session) -> JSONObject {
        let summary = session.server.summary
        return [
            "name": session.name, "apns": session.server.url, "serverName": session.serverName,
            "requests": summary.requests, "connections": summary.connectionsOpened,
            "connectionsOpen": summary.connectionsOpen, "since": session.since, "until": session.until,
        ]
    }

    /// Passes a request to the routes of its session, with the path it would have for the server itself. Requests below
    /// `default` go to the server's own routes.
    private func answer(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let name = try context.pathPart("name")
        let place = APICall.getSession.path.split(separator: "/")
        let parts = request.uri.path.split(separator: "/").dropFirst(place.count)
        let query = request.uri.query.map { "?\($0)" } ?? ""
        var head = request.head
        head.path = APICall.base + parts.joined(separator: "/") + query
        let request = Request(head: head, body: request.body)
        if name == Sessions.defaultName {
            return try await responders[name, routes].respond(to: request, context: context)
        }
        let session = try session(context)
        var own = Routes(
            server: session.server, address: routes.address, streams: routes.streams, access: routes.access)
        own.sessionPath = Self.path(of: name)
        return try await responders[name, own, session].respond(to: request, context: context)
    }
}

/// The responders of the sessions, created on first use and forgotten when their session ends.
private final class Responders: Sendable {
    typealias Responder = RouterResponder<BasicRequestContext>

    private let all = Guarded([String: (server: ObjectIdentifier, responder: Responder)]())

    /// - Parameter session: `nil` for the server itself.
    subscript(_ name: String, _ routes: Routes, _ session: Session? = nil) -> Responder {
        let server = ObjectIdentifier(routes.server)
        if let known = all.withLock({ $0[name] }), known.server == server { return known.responder }
        let responder = routes.sessionRouter.buildResponder()
        all.withLock { $0[name] = (server, responder) }
        // Here and not with the call that ends it: a session may end by itself.
        session?.atEnd { [weak self] in self?.forget(name, server) }
        return responder
    }

    /// Another session may have got the name.
    private func forget(_ name: String, _ server: ObjectIdentifier) {
        all.withLock { all in
            if all[name]?.server == server { all[name] = nil }
        }
    }
}
