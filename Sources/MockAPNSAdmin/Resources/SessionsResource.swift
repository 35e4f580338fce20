import MockAPNS
import MockAPNSCore
import MockAPNSJudge
import MockAPNSScenario
import NIOCore
import NIOHTTP1

/// `/api/v1/sessions`: separate servers within this one, each with all calls below its own path.
struct SessionsResource {
    /// The server's own routes.
    let routes: Routes
    private let routers = SessionRouters()

    init(routes: Routes) { self.routes = routes }

    private var sessions: Sessions { routes.server.sessions }

    func add(to api: inout CallRoutes) {
        api.on(.listSessions) { _ in Response.json(["sessions": sessions.all.map(object)]) }
        api.on(.openSession, bodyLimit: ScenarioResource.textLimit) { request in
            let text = request.body
            let authority = request.authority
            return try await request.whileConnected { try await open(text, askedBy: authority) }
        }
        api.on(.getSession) { request in Response.json(object(try session(request))) }
        api.on(.endSession) { request in
            try request.noBody("the session is named by its path.")
            let isJudged = try request.flag("judge", default: true)
            let name = try request.pathPart("name")
            guard name != Sessions.defaultName else {
                throw APIError(
                    status: .conflict, code: "taken",
                    message: "The session \"default\" is the server itself; SIGTERM ends it.")
            }
            guard let verification = await sessions.end(name, judged: isJudged) else { throw unknown(name) }
            return Response.json(ByteBuffer(bytes: verification.json))
        }
        api.onAll(below: .getSession) { request in
            do {
                let (router, own) = try route(request)
                return router.bodyLimit(for: own)
            } catch {
                return .failure(error as? APIError ?? APIError(failure: error))
            }
        } _: { request in
            let (router, own) = try route(request)
            return await router.respond(to: own)
        }
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

    private func session(_ request: Request) throws -> Session {
        let name = try request.pathPart("name")
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

    /// Returns the routes of a request's session, and the request with the path that it would have for the server
    /// itself. Requests below `default` go to the server's own routes.
    private func route(_ request: Request) throws -> (router: Router, request: Request) {
        let name = try request.pathPart("name")
        var own = request
        own.path = APICall.base + request.pathParts.dropFirst(Self.depth).joined(separator: "/")
        if name == Sessions.defaultName { return (routers[name, routes], own) }
        let session = try session(request)
        var sessionRoutes = Routes(
            server: session.server, address: routes.address, streams: routes.streams, access: routes.access)
        sessionRoutes.sessionPath = Self.path(of: name)
        return (routers[name, sessionRoutes, session], own)
    }

    /// The number of parts of a session's path.
    private static let depth = APICall.getSession.path.split(separator: "/").count
}

/// The routers of the sessions, created on first use and forgotten when their session ends.
private final class SessionRouters: Sendable {
    private let all = Guarded([String: (server: ObjectIdentifier, router: Router)]())

    /// - Parameter session: `nil` for the server itself.
    subscript(_ name: String, _ routes: Routes, _ session: Session? = nil) -> Router {
        let server = ObjectIdentifier(routes.server)
        if let known = all.withLock({ $0[name] }), known.server == server { return known.router }
        let router = routes.sessionRouter
        all.withLock { $0[name] = (server, router) }
        // Here and not with the call that ends it: a session may end by itself.
        session?.atEnd { [weak self] in self?.forget(name, server) }
        return router
    }

    /// Another session may have got the name.
    private func forget(_ name: String, _ server: ObjectIdentifier) {
        all.withLock { all in
            if all[name]?.server == server { all[name] = nil }
        }
    }
}
