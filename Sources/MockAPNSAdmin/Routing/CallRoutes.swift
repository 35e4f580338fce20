import HTTPTypes
import Hummingbird
import MockAPNS
import MockAPNSCore

/// Adds the routes of calls, each with what is checked before its answer.
struct CallRoutes {
    typealias Answer = @Sendable (Request, BasicRequestContext) async throws -> Response

    let router: Router<BasicRequestContext>
    /// The server that may be stopping, or be a member of a fleet; `nil` for calls that have passed its routes already.
    let server: MockAPNSServer?

    /// Adds the route of a call.
    ///
    /// - Parameter checksParameters: `false` for a call that checks them by itself.
    func on(_ call: APICall, checksParameters: Bool = true, _ answer: @escaping Answer) {
        let group = call.isOfAPI ? group(of: call) : router.group()
        if call.isOfAPI, checksParameters { group.add(middleware: StrictParameters(known: call.parameters)) }
        group.on(RouterPath(call.path), method: HTTPRequest.Method(call.method), use: answer)
    }

    /// Adds routes for all methods and all paths below that of a call.
    func onAll(below call: APICall, _ answer: @escaping Answer) {
        for method in APICall.Method.allCases {
            group(of: call).on(RouterPath(call.path + "/**"), method: HTTPRequest.Method(method), use: answer)
        }
    }

    private func group(of call: APICall) -> RouterGroup<BasicRequestContext> {
        let group = router.group()
        guard let server else { return group }
        return group.add(middleware: StoppingServer(server: server)).add(
            middleware: FleetMiddleware(call: call, server: server))
    }
}

extension HTTPRequest.Method {
    /// Creates the method of a call.
    init(_ method: APICall.Method) { self = Self(rawValue: method.rawValue) ?? .get }
}
