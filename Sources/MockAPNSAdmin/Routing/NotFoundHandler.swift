import HTTPTypes
import Hummingbird
import MockAPNSCore

/// Answers 405, with the allowed methods, if a path is known but the method is not, and 404 with the path that was
/// probably meant if there is one.
///
/// It is added after all routes, so that it only sees requests that no route handles.
struct NotFoundHandler<Context: RequestContext>: RouterMiddleware {
    private let routes: [(path: RouterPath, method: HTTPRequest.Method)]
    /// The path of the session that the routes belong to; empty for the server's own.
    private let sessionPath: String

    init(of router: Router<Context>, sessionPath: String = "") {
        routes = router.routes.map { ($0.path, $0.method) }
        self.sessionPath = sessionPath
    }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let parts = request.uri.path.split(separator: "/")
        // Of `requests/find` and `requests/{id}`, the literal path takes precedence.
        let paths = routes.map(\.path).filter { $0.isPath(of: parts) }
        guard let path = paths.max(by: { $0.literals < $1.literals }) else {
            guard let near = nearestPath(to: parts, request.method) else { return try await next(request, context) }
            // As a client writes them, who may have named a session.
            let paths = [request.uri.path, near].map { APICall.path($0, below: sessionPath) }
            let asked = "\(request.method.rawValue) \(paths[0].prefix(120))"
            throw APIError.notFound("There is no endpoint \"\(asked)\"; did you mean \(paths[1])?")
        }
        var methods = routes.filter { $0.path == path }.map(\.method.rawValue)
        if methods.contains("GET") { methods.append("HEAD") }
        let allowed = methods.sorted().joined(separator: ", ")
        throw APIError(
            status: .methodNotAllowed, code: "methodNotAllowed",
            message: "\(request.method.rawValue) is not for \(request.uri.path); expected \(allowed).", allow: allowed)
    }

    /// Returns the known path nearest to an unknown one: with other words for its parts, or with what calls begin with.
    private func nearestPath(to parts: [Substring], _ method: HTTPRequest.Method) -> String? {
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

extension RouterPath {
    fileprivate func isPath(of parts: [Substring]) -> Bool {
        count == parts.count && zip(self, parts).allSatisfy { $0 ~= $1 }
    }

    /// Returns parts that this path is meant by, corrected to be such a path, with the number of corrections.
    fileprivate func corrected(_ parts: [Substring]) -> (path: String, changes: Int)? {
        guard count == parts.count, count > 0 else { return nil }
        var path = ""
        var changes = 0
        for (known, part) in zip(self, parts) {
            if known ~= part, known != RouterPath.Element.recursiveWildcard {
                path += "/\(part)"
            } else if known == known.description, MeantWord(String(part), among: [known.description]) != nil {
                path += "/\(known.description)"
                changes += 1
            } else {
                return nil
            }
        }
        return (path, changes)
    }

    /// The number of literal parts.
    fileprivate var literals: Int { filter { $0 == $0.description }.count }
}
