import HTTPTypes
import Hummingbird
import MockAPNS
import MockAPNSCore

/// An error answer of the API: its status and, as JSON, what is wrong and where.
struct APIError: Error, HTTPResponseError {
    var status: HTTPResponse.Status
    /// A code for programs, such as `unknownParameter`.
    var code: String
    /// A sentence for people, with what would have been right.
    var message: String
    /// The location in the request's body or query, as a JSON Pointer.
    var pointer = ""
    /// The methods that the path supports, if it was requested with another.
    var allow: String?
    /// The authentication challenge, if the request's authentication is missing or wrong.
    var challenge: String?

    static func notFound(_ message: String) -> APIError {
        APIError(status: .notFound, code: "notFound", message: message)
    }

    /// The error for a call that a server refuses because it is stopping.
    static let stopping = APIError(
        status: .serviceUnavailable, code: "stopped",
        message: "The server is stopping and answers only GET from now on; start it again.")

    /// The error for a call whose answer is cut off because the server stops.
    static let stopped = APIError(
        status: .serviceUnavailable, code: "stopped",
        message: "The server was stopped before the answer was complete.")

    /// Creates the error for a call that another member of the fleet has to answer, or none can.
    static func fleet(_ message: String) -> APIError {
        APIError(status: .conflict, code: "fleet", message: message)
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

/// Makes every error an ``APIError`` in JSON, including those of the router itself.
struct ErrorsAsJSON<Context: RequestContext>: RouterMiddleware {
    /// The URL for pushes.
    let providerURL: String

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do { return try await next(request, context) } catch let error as APIError {
            return error.response
        } catch let error as ControlError {
            return APIError(error).response
        } catch let error as QueryError {
            return APIError(error).response
        } catch is CancellationError {
            // Either the client has disconnected, or the server is being stopped.
            return APIError.stopped.response
        } catch let error as HTTPError where error.status == .notFound {
            let advice =
                request.uri.path.hasPrefix("/3/device")
                ? "pushes go to \(providerURL)." : "\(APICall.openAPI) lists all of them."
            return APIError.notFound(
                "There is no endpoint \"\(request.method.rawValue) \(request.uri.path.prefix(80))\"; \(advice)"
            ).response
        } catch let error as any HTTPResponseError {
            return APIError(
                status: error.status, code: "badRequest", message: "The request cannot be served: \(error.status)."
            ).response
        }
    }
}

extension Response {
    /// Creates a JSON answer.
    static func json(_ object: JSONObject, status: HTTPResponse.Status = .ok) -> Response {
        json(ByteBuffer(string: object.json), status: status)
    }

    /// Creates a JSON answer from bytes.
    static func json(_ bytes: ByteBuffer, status: HTTPResponse.Status = .ok) -> Response {
        Response(status: status, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: bytes))
    }

    /// Creates a text answer.
    static func text(_ text: String, status: HTTPResponse.Status = .ok, type: String = "text/plain; charset=utf-8")
        -> Response
    {
        Response(
            status: status, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
