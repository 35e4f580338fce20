import MockAPNS
import MockAPNSCore
import NIOHTTP1

/// The routes of the admin listener, or of a session: which answer belongs to which method and path.
struct Router: Sendable {
    typealias Answer = @Sendable (Request) async throws -> Response
    /// Returns the maximum size in bytes of the body of a request, known by its head, or why it has no answer.
    typealias BodyLimit = @Sendable (Request) -> Result<Int, APIError>

    /// What answers the requests with a method and a path.
    struct Route: Sendable {
        let method: HTTPMethod
        let path: RoutePath
        /// The maximum size of a body in bytes.
        let bodyLimit: BodyLimit
        let answer: Answer
    }

    private(set) var routes: [Route] = []
    /// The URL for pushes.
    let providerURL: String
    /// The path of the session that the routes belong to; empty for the server's own.
    let sessionPath: String
    /// What may stand before all paths.
    var prefix = PathPrefix()

    init(providerURL: String, sessionPath: String = "") {
        (self.providerURL, self.sessionPath) = (providerURL, sessionPath)
    }

    /// Adds a route. `GET` answers `HEAD` as well; the connection leaves out the body.
    mutating func on(
        _ method: HTTPMethod, _ path: String, bodyLimit: @escaping BodyLimit, _ answer: @escaping Answer
    ) {
        routes.append(Route(method: method, path: RoutePath(path), bodyLimit: bodyLimit, answer: answer))
    }

    /// Adds a route for bodies of at most some number of bytes.
    mutating func on(
        _ method: HTTPMethod, _ path: String, bodyLimit: Int = Request.bodyLimit, _ answer: @escaping Answer
    ) {
        on(method, path, bodyLimit: { _ in .success(bodyLimit) }, answer)
    }

    /// Returns the maximum size in bytes of a request's body, or why it has no answer.
    func bodyLimit(for request: Request) -> Result<Int, APIError> {
        guard let route = route(of: request) else { return .failure(notFound(request)) }
        return route.bodyLimit(routed(request, by: route))
    }

    /// Answers a request. Errors are answers too, in JSON.
    func respond(to request: Request) async -> Response {
        do {
            guard let route = route(of: request) else { throw notFound(request) }
            let request = routed(request, by: route)
            let limit = try route.bodyLimit(request).get()
            guard request.body.count <= limit else { throw APIError.tooLarge(limit) }
            return try await route.answer(request)
        } catch let error as APIError {
            return error.response
        } catch let error as ControlError {
            return APIError(error).response
        } catch let error as QueryError {
            return APIError(error).response
        } catch is CancellationError {
            // Either the client has disconnected, or the server is being stopped.
            return APIError.stopped.response
        } catch {
            return APIError(failure: error).response
        }
    }

    private func routed(_ request: Request, by route: Route) -> Request {
        var request = request
        request.variables = route.path.variables(in: request.pathParts) ?? [:]
        return request
    }

    private func route(of request: Request) -> Route? {
        let path = path(of: request.pathParts)
        let method = request.method == .HEAD ? .GET : request.method
        return routes.first { $0.path == path && $0.method == method }
    }

    /// Returns the known path that a path is: of `requests/find` and `requests/{id}`, the literal one takes precedence.
    private func path(of parts: [Substring]) -> RoutePath? {
        routes.lazy.map(\.path).filter { $0.variables(in: parts) != nil }.max { $0.precedence < $1.precedence }
    }

    // MARK: Unknown paths

    /// Returns the error for a request without a route: 405 with the allowed methods if the path is known, else 404, with
    /// the path that was probably meant if there is one.
    private func notFound(_ request: Request) -> APIError {
        if let path = path(of: request.pathParts) {
            var methods = routes.filter { $0.path == path }.map(\.method.rawValue)
            if methods.contains("GET") { methods.append("HEAD") }
            let allowed = methods.sorted().joined(separator: ", ")
            return APIError(
                status: .methodNotAllowed, code: "methodNotAllowed",
                message: "\(request.method.rawValue) is not for \(request.path); expected \(allowed).", allow: allowed)
        }
        // As a client writes them, who may have named a session.
        let asked = "\(request.method.rawValue) \(APICall.path(request.path, below: sessionPath).prefix(120))"
        if let near = nearestPath(to: request.pathParts, request.method) {
            return .notFound(
                "There is no endpoint \"\(asked)\"; did you mean \(APICall.path(near, below: sessionPath))?")
        }
        let advice =
            request.path.hasPrefix("/3/device")
            ? "pushes go to \(providerURL)." : "\(APICall.openAPI) lists all of them."
        return .notFound("There is no endpoint \"\(asked)\"; \(advice)")
    }

    /// Returns the known path nearest to an unknown one: with other words for its parts, or with what calls begin with.
    private func nearestPath(to parts: [Substring], _ method: HTTPMethod) -> String? {
        // Pushes to this port are answered with the address for pushes.
        guard let first = parts.first, !first.allSatisfy(\.isNumber), parts.count <= 10 else { return nil }
        let base = APICall.base.split(separator: "/")
        let call = parts.drop { $0 == base[0] || $0.first == "v" && $0.dropFirst().allSatisfy(\.isNumber) }
        var best: (path: String, cost: Int)?
        for route in routes {
            for asked in [base + call, Array(call)] {
                guard let (path, changes) = route.path.corrected(asked) else { continue }
                let cost = 2 * changes + (route.method == method ? 0 : 3)
                if cost < best?.cost ?? .max { best = (path, cost) }
            }
        }
        return best?.path
    }
}
