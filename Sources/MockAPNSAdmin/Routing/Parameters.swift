import HTTPTypes
import Hummingbird
import MockAPNSCore

extension Request {
    /// The parameters of the URL, in order.
    ///
    /// - Throws: ``APIError`` for invalid percent-encoding.
    var parameters: [(name: String, value: String)] {
        get throws {
            for part in uri.query?.split(separator: "&") ?? [] where String(part).withoutPercentEncoding == nil {
                throw APIError.badRequest(
                    "badParameter", "\"\(part.prefix(80))\" in the URL is not valid percent-encoding.", pointer: "")
            }
            return uri.queryParameters.map { (name: String($0.key), value: String($0.value)) }
        }
    }

    /// Returns the parameters of the URL as a query for a list.
    func query<Query: PagedQuery>() throws -> Query {
        let parameters = try parameters
        do { return try Query(parameters: parameters) } catch { throw APIError(error) }
    }
}

extension Request {
    /// Returns a parameter that is `true` or `false`.
    func flag(_ name: String, default absent: Bool = false) throws -> Bool {
        switch uri.queryParameters[Substring(name)] {
        case nil: return absent
        case "false": return false
        case "true": return true
        case let value?:
            throw APIError.badRequest(
                "badParameter", "\(name) is \"\(value.prefix(80))\"; expected \"true\" or \"false\".",
                pointer: "/\(name)")
        }
    }

    /// Whether requests are asked for as rows, by `fields=row`.
    var asksForRows: Bool {
        get throws {
            switch uri.queryParameters["fields"] {
            case nil: return false
            case "row": return true
            case let value?:
                throw APIError.badRequest(
                    "badParameter", "fields is \"\(value.prefix(80))\"; expected \"row\".", pointer: "/fields")
            }
        }
    }
}

/// Refuses URL parameters that would otherwise be silently ignored: misspelled and repeated ones.
struct OnlyKnownParameters<Context: RequestContext>: RouterMiddleware {
    /// Calls that check their parameters themselves, because they have many.
    private static var careful: [String] { ["/api/v1/requests"] }

    /// Returns the parameters of a call, for those that have few.
    private static func known(_ method: HTTPRequest.Method, _ path: Substring) -> [String] {
        switch (method, path) {
        case (_, "/api/v1/identity"): ["format", "url"]
        case (_, "/api/v1/identity/certificate"): ["kind", "topic"]
        case (.put, "/api/v1/scenario"): ["reset"]
        case (.get, "/api/v1/scenario"), (.head, "/api/v1/scenario"): ["current"]
        case (.get, "/api/v1/channels"), (.head, "/api/v1/channels"): ChannelQuery.parameters
        case (.get, "/api/v1/devices"), (.head, "/api/v1/devices"): DeviceQuery.parameters
        case (.get, "/api/v1/rules"), (.head, "/api/v1/rules"): RuleQuery.parameters
        case (_, "/api/v1/events"): ["fields", "rate"]
        case (.post, "/api/v1/requests/find"): ["fields"]
        case (.get, _) where path.hasPrefix("/api/v1/requests/") && path.split(separator: "/").count == 4: ["fields"]
        case (.get, "/api/v1/lint"), (.head, "/api/v1/lint"): ["rule", "severity", "sequence", "sentBy"]
        case (.get, "/api/v1/lint/pushes"), (.head, "/api/v1/lint/pushes"):
            ["rule", "severity", "sentBy", "after", "before", "limit"]
        case (.post, "/api/v1/verify"): ["format", "finish"]
        case (.delete, _) where path.hasPrefix("/api/v1/sessions/"): ["judge"]
        default: []
        }
    }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var path = Substring(request.uri.path)
        while path.last == "/" { path.removeLast() }
        // Routes below a session check for themselves.
        let isOfSession = path.hasPrefix("/api/v1/sessions/") && path.split(separator: "/").count > 4
        if !isOfSession, !Self.careful.contains(String(path)) {
            let known = Self.known(request.method, path)
            var seen: Set<String> = []
            for (name, _) in try request.parameters {
                guard known.contains(name) else { throw APIError(QueryError(unknown: name, known: known)) }
                guard seen.insert(name).inserted else { throw APIError(QueryError(repeated: name)) }
            }
        }
        return try await next(request, context)
    }
}
