import HTTPTypes
import Hummingbird

/// Answers 405, with the allowed methods, if a path is known but the method is not.
///
/// It is added after all routes, so that it only sees requests that no route handles.
struct KnownPaths<Context: RequestContext>: RouterMiddleware {
    private let routes: [(path: RouterPath, method: HTTPRequest.Method)]

    init(of router: Router<Context>) { routes = router.routes.map { ($0.path, $0.method) } }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let parts = request.uri.path.split(separator: "/")
        // Of `requests/find` and `requests/{id}`, the literal path takes precedence.
        let paths = routes.map(\.path).filter { $0.isPath(of: parts) }
        guard let path = paths.max(by: { $0.literals < $1.literals }) else { return try await next(request, context) }
        var methods = routes.filter { $0.path == path }.map(\.method.rawValue)
        if methods.contains("GET") { methods.append("HEAD") }
        let allowed = methods.sorted().joined(separator: ", ")
        throw APIError(
            status: .methodNotAllowed, code: "methodNotAllowed",
            message: "\(request.method.rawValue) is not for \(request.uri.path); expected \(allowed).", allow: allowed)
    }
}

extension RouterPath {
    fileprivate func isPath(of parts: [Substring]) -> Bool {
        count == parts.count && zip(self, parts).allSatisfy { $0 ~= $1 }
    }

    /// The number of literal parts.
    fileprivate var literals: Int { filter { $0 == $0.description }.count }
}
