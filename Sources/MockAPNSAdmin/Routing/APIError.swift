import HTTPTypes
import Hummingbird
import MockAPNS
import MockAPNSCore

/// A request to the API that cannot be served: its status and, as JSON, what is wrong and where.
struct APIError: Error, HTTPResponseError {
    var status: HTTPResponse.Status
    /// A word for programs, `unknownParameter`.
    var code: String
    /// A sentence for people, with what would have been right.
    var message: String
    /// Where in the request's body or query, a JSON Pointer.
    var pointer = ""
    /// The methods that the path takes, where it was asked with another.
    var allow: String?
    /// What has to be sent to be let in, where nothing or something else was.
    var challenge: String?

    static func notFound(_ message: String) -> APIError {
        APIError(status: .notFound, code: "notFound", message: message)
    }

    static func badRequest(_ code: String, _ message: String, pointer: String) -> APIError {
        APIError(status: .badRequest, code: code, message: message, pointer: pointer)
    }

    func response(from request: Request, context: some RequestContext) -> Response { response }

    /// The body.
    var object: JSONObject {
        ["error": ["code": code, "message": message, "pointer": pointer] as JSONObject]
    }

    var response: Response {
        var response = Response.json(object, status: status)
        if let allow { response.headers[.allow] = allow }
        if let challenge { response.headers[.wwwAuthenticate] = challenge }
        return response
    }
}

/// Makes every error an ``APIError`` in JSON, also those of the router itself.
struct ErrorsAsJSON<Context: RequestContext>: RouterMiddleware {
    /// Where pushes go.
    let providerURL: String

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do { return try await next(request, context) } catch let error as APIError {
            return error.response
        } catch let error as ControlError {
            return APIError(error).response
        } catch is CancellationError {
            // Either nobody is there to read it, or the server is being stopped.
            return APIError(
                status: .serviceUnavailable, code: "stopped",
                message: "The server was stopped before the answer was complete."
            ).response
        } catch let error as HTTPError where error.status == .notFound {
            let advice =
                request.uri.path.hasPrefix("/3/device")
                ? "pushes go to \(providerURL)." : "GET /api/v1/openapi.json has all of them."
            return APIError.notFound(
                "There is no call \"\(request.method.rawValue) \(request.uri.path.prefix(80))\"; \(advice)"
            ).response
        } catch let error as any HTTPResponseError {
            return APIError(
                status: error.status, code: "badRequest", message: "The request cannot be served: \(error.status)."
            ).response
        }
    }
}

extension Response {
    /// A JSON answer.
    static func json(_ object: JSONObject, status: HTTPResponse.Status = .ok) -> Response {
        json(ByteBuffer(string: object.json), status: status)
    }

    /// A JSON answer of bytes.
    static func json(_ bytes: ByteBuffer, status: HTTPResponse.Status = .ok) -> Response {
        Response(status: status, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: bytes))
    }

    /// A text answer.
    static func text(_ text: String, status: HTTPResponse.Status = .ok, type: String = "text/plain; charset=utf-8")
        -> Response
    {
        Response(
            status: status, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
