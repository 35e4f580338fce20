import MockAPNS
import MockAPNSCore
import NIOHTTP1

/// Adds the routes of calls, each with what is checked before its answer.
struct CallRoutes {
    var router: Router
    /// The server that may be stopping, or be a member of a fleet; `nil` for calls that have passed its routes already.
    let server: MockAPNSServer?

    /// Adds the route of a call.
    ///
    /// - Parameters:
    ///   - bodyLimit: the maximum size of its body in bytes.
    ///   - checksParameters: `false` for a call that checks them by itself.
    mutating func on(
        _ call: APICall, bodyLimit: Int = Request.bodyLimit, checksParameters: Bool = true,
        _ answer: @escaping Router.Answer
    ) {
        guard call.isOfAPI else { return router.on(HTTPMethod(call.method), call.path, answer) }
        router.on(HTTPMethod(call.method), call.path, bodyLimit: bodyLimit) { [server] request in
            try await Self.pass(request, call, server) { request in
                if checksParameters { try request.checkParameters(known: call.parameters) }
                return try await answer(request)
            }
        }
    }

    /// Adds routes for all methods and all paths below that of a call.
    mutating func onAll(
        below call: APICall, bodyLimit: @escaping Router.BodyLimit, _ answer: @escaping Router.Answer
    ) {
        for method in APICall.Method.allCases {
            router.on(HTTPMethod(method), call.path + "/**") { [server] request in
                Self.isRefused(request, by: server) ? .failure(.stopping) : bodyLimit(request)
            } _: { [server] request in
                try await Self.pass(request, call, server, answer)
            }
        }
    }

    /// Whether a server is stopping and refuses a request: its state can still be read, and event streams tell of its last
    /// connections.
    private static func isRefused(_ request: Request, by server: MockAPNSServer?) -> Bool {
        server?.isReady == false && request.method != .GET && request.method != .HEAD
    }

    /// Refuses what a stopping server does not do. Calls to a member of a fleet are answered by those that its scope names.
    private static func pass(
        _ request: Request, _ call: APICall, _ server: MockAPNSServer?, _ answer: Router.Answer
    ) async throws -> Response {
        if isRefused(request, by: server) { throw APIError.stopping }
        guard let server else { return try await answer(request) }
        return try await FleetDispatch(call: call, server: server).answer(request, answer)
    }
}

extension HTTPMethod {
    /// Creates the method of a call.
    init(_ method: APICall.Method) { self.init(rawValue: method.rawValue) }
}
