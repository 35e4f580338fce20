import HTTPTypes
import Hummingbird
import HummingbirdCore

/// Refuses requests that the ``AccessPolicy`` does not allow, before routing.
struct AccessMiddleware<Context: RequestContext>: RouterMiddleware {
    let policy: AccessPolicy

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if let rejection = policy.rejection(of: AccessPolicy.Caller(request.head)) { throw APIError(rejection) }
        return try await next(request, context)
    }
}

extension AccessPolicy.Caller {
    init(_ request: HTTPRequest) {
        method = request.method.rawValue
        // Split in the same way as the router does.
        path = URI(request.path ?? "").path.split(separator: "/").map(String.init)
        let fields = request.headerFields
        // The first `Host` becomes the authority, and is no longer among the fields.
        host = [request.authority].compactMap { $0 } + fields[values: .furtherHost]
        origin = fields[values: .origin]
        fetchSite = fields[values: .secFetchSite]
        fetchMode = fields[values: .secFetchMode]
        authorization = fields[values: .authorization]
    }
}

extension APIError {
    fileprivate init(_ rejection: AccessPolicy.Rejection) {
        switch rejection {
        case .unknownHost(let host):
            let asked = host.map { "Host is \"\($0.prefix(80))\"" } ?? "The request has no Host"
            let name = host.flatMap(Authority.init).map(\.host.text) ?? "NAME"
            self.init(
                status: .misdirectedRequest, code: "unknownHost",
                message:
                    "\(asked); the admin port answers to IP addresses, localhost, names without a dot, names that end in .localhost, .internal, .local or .svc, and those of --server-name and --admin-name. Add this one with --admin-name \(name)."
            )
        case .severalHosts(let count):
            self.init(
                status: .misdirectedRequest, code: "unknownHost",
                message: "The request has \(count) Host fields; the admin port takes requests with exactly one.")
        case .foreignOrigin(let field, let value):
            self.init(
                status: .forbidden, code: "foreignOrigin",
                message:
                    "\(field) is \"\(value.prefix(80))\": a web page of another origin may not use the admin port.")
        case .unauthorized(let isWrong):
            let found = isWrong ? "Authorization does not have this server's token" : "This server requires a token"
            self.init(
                status: .unauthorized, code: "unauthorized",
                message:
                    "\(found); send Authorization: Bearer TOKEN with the token given by --admin-token or the variable MOCK_APNS_ADMIN_TOKEN when it was started."
            )
            challenge = "Bearer"
        }
    }
}

extension HTTPField.Name {
    fileprivate static let furtherHost = HTTPField.Name("Host")!
    fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
    fileprivate static let secFetchMode = HTTPField.Name("Sec-Fetch-Mode")!
}
