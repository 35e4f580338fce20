import MockAPNS
import MockAPNSCore
import MockAPNSScenario
import NIOHTTP1

// API errors for errors of the layers below.

extension APIError {
    /// Creates the error for something unexpected.
    init(failure error: any Error) {
        self.init(status: .internalServerError, code: "failed", message: "\(error)")
    }

    /// Creates the error for an invalid URL parameter.
    init(_ error: QueryError) {
        self = .badRequest("badParameter", error.message, pointer: "/\(error.key)")
    }

    /// Creates the error for something that cannot be done, or not now.
    init(_ error: ControlError) {
        let (status, code): (HTTPResponseStatus, String) =
            switch error {
            case .malformed: (.badRequest, "badValue")
            case .unknown: (.notFound, "notFound")
            case .taken: (.conflict, "taken")
            case .clockIsReal: (.conflict, "clockIsReal")
            }
        self.init(status: status, code: code, message: error.description)
    }

    /// Creates the error for a body that is not JSON.
    init(_ mistake: JSONText.Mistake, in text: [UInt8]) {
        let position = JSONText.position(of: mistake.offset, in: text.span)
        self = .badRequest(
            "badJSON",
            "The body is not JSON at line \(position.line), column \(position.column): \(mistake.message).",
            pointer: "")
    }

    /// Creates the error for a scenario, or a body containing one, that cannot be read.
    init(_ rejection: ScenarioRefusal, in text: [UInt8]) {
        switch rejection {
        case .notJSON(let mistake): self.init(mistake, in: text)
        case .mistakes(let mistakes): self.init(mistakes, in: text)
        }
    }

    /// Creates the error for a scenario with mistakes: the first three, and the number of others.
    init(_ mistakes: [ScenarioMistake], in text: [UInt8]) {
        let told = mistakes.prefix(3).map { mistake in
            let position = JSONText.position(of: min(mistake.offset, text.count), in: text.span)
            return "Line \(position.line), column \(position.column): \(mistake.sentence)"
        }
        let others = mistakes.count - told.count
        let more =
            switch others {
            case 0: ""
            case 1: " There is one more mistake; mock-apns check lists all of them."
            case _ where mistakes.count == ScenarioMistake.limit + 1:
                " There are more than \(ScenarioMistake.limit) mistakes in all."
            default: " There are \(others) more mistakes; mock-apns check lists all of them."
            }
        self = .badRequest(
            "badValue", told.joined(separator: " ") + more, pointer: mistakes.first?.pointer ?? "")
    }
}

extension APIError {
    /// Creates the error for what is not HTTP/1.1.
    init(_ error: HTTPParserError) {
        self = .badRequest(
            "badHTTP", "This is not an HTTP/1.1 request: \(error.fault). The connection is closed.", pointer: "")
    }
}

extension HTTPParserError {
    /// A description of the error, for people.
    fileprivate var fault: String {
        switch self {
        case .invalidEOFState: "it ends too early"
        case .headerOverflow: "its header fields are too long, or too many"
        case .closedConnection: "something follows a request whose Connection field made it the last"
        // The parser's name for the HTTP/2 preface.
        case .paused: "this port speaks HTTP/1.1, not HTTP/2"
        case .invalidVersion: "its version is not HTTP/1.1; this port speaks plain HTTP/1.1, not TLS"
        case .invalidMethod: "it does not begin with an HTTP method; this port speaks plain HTTP/1.1, not TLS"
        case .invalidURL: "its target is not a path"
        case .lfExpected: "a line does not end with CR and LF"
        case .invalidHeaderToken, .invalidCharactersUsed: "a header field has a character that is not allowed there"
        case .invalidContentLength: "its Content-Length is not a number"
        case .unexpectedContentLength: "it has both Content-Length and Transfer-Encoding"
        case .invalidChunkSize: "the size of a chunk is not a number"
        default: "it cannot be parsed (\(self))"
        }
    }
}

extension ScenarioMistake {
    /// The message with a full stop.
    var sentence: String { message.hasSuffix("?") ? message : message + "." }
}
