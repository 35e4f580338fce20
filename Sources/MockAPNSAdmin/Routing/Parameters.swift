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
    func query<Query: PagedQuery>() throws -> Query { try Query(parameters: parameters) }
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
struct StrictParameters<Context: RequestContext>: RouterMiddleware {
    /// The parameters of the call.
    let known: [String]

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var seen: Set<String> = []
        for (name, _) in try request.parameters {
            guard known.contains(name) else { throw QueryError(unknown: name, known: known) }
            guard seen.insert(name).inserted else { throw QueryError(repeated: name) }
        }
        return try await next(request, context)
    }
}
