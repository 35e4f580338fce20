import HTTPTypes
import Hummingbird
import MockAPNS
import MockAPNSCore
import MockAPNSScenario

// API errors for errors of the layers below.

extension APIError {
    /// Creates the error for an invalid URL parameter.
    init(_ error: QueryError) {
        self = .badRequest("badParameter", error.message, pointer: "/\(error.key)")
    }

    /// Creates the error for something that cannot be done, or not now.
    init(_ error: ControlError) {
        let (status, code): (HTTPResponse.Status, String) =
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

    /// Creates the error for a scenario with mistakes: the first one, and the number of others.
    init(_ mistakes: [ScenarioMistake], in text: [UInt8]) {
        let mistake = mistakes.first
        let position = JSONText.position(of: min(mistake?.offset ?? 0, text.count), in: text.span)
        let more =
            switch mistakes.count {
            case 0, 1: ""
            case 2: " There is one more mistake."
            case ScenarioMistake.limit + 1: " There are more than \(ScenarioMistake.limit) mistakes in all."
            default: " There are \(mistakes.count - 1) more mistakes; mock-apns check lists all of them."
            }
        self = .badRequest(
            "badValue",
            "Line \(position.line), column \(position.column): \(mistake?.sentence ?? "this is not a scenario.")\(more)",
            pointer: mistake?.pointer ?? "")
    }
}

extension ScenarioMistake {
    /// The message with a full stop.
    var sentence: String { message.hasSuffix("?") ? message : message + "." }
}
