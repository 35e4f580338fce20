import Hummingbird
import MockAPNS

/// Refuses everything but GET on a server that is stopping: its state can still be read, and event streams tell of its
/// last connections.
struct StoppingServer<Context: RequestContext>: RouterMiddleware {
    let server: MockAPNSServer

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard server.isReady || request.method == .get || request.method == .head else { throw APIError.stopping }
        return try await next(request, context)
    }
}
