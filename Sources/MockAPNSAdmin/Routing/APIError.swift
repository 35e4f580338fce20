import NIOHTTP1

/// An error answer of the API: its status and, as JSON, what is wrong and where.
struct APIError: Error {
    var status: HTTPResponseStatus
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

    /// Creates the error for a body with more bytes than allowed.
    static func tooLarge(_ limit: Int) -> APIError {
        APIError(status: .payloadTooLarge, code: "tooLarge", message: "The body has more than \(limit) bytes.")
    }

    static func badRequest(_ code: String, _ message: String, pointer: String) -> APIError {
        APIError(status: .badRequest, code: code, message: message, pointer: pointer)
    }

    /// The body.
    var object: JSONObject {
        ["error": ["code": code, "message": message, "pointer": pointer] as JSONObject]
    }

    var response: Response {
        var response = Response.json(object, status: status)
        if let allow { response.fields.add(name: "Allow", value: allow) }
        if let challenge { response.fields.add(name: "WWW-Authenticate", value: challenge) }
        return response
    }
}
