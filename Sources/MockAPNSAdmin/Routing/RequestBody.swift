import MockAPNSCore
import MockAPNSScenario
import NIOHTTP1

extension Request {
    /// Reads the body as JSON, and then as a part of a scenario.
    ///
    /// - Throws: ``APIError`` with the first mistake and its location.
    func part<Part>(_ read: (JSONText.Value) -> (Part?, [ScenarioMistake])) throws -> Part {
        // An empty body has the same meaning as `{}`.
        let text = body.isEmpty ? Array("{}".utf8) : body
        let value: JSONText.Value
        do { value = try JSONText.read(text) } catch { throw APIError(error, in: text) }
        let (part, mistakes) = read(value)
        if let part, mistakes.isEmpty { return part }
        var message = mistakes.first?.sentence ?? "the scenario cannot be understood."
        if message.hasPrefix("the scenario ") { message = "The body " + message.dropFirst("the scenario ".count) }
        throw APIError.badRequest("badValue", message, pointer: mistakes.first?.pointer ?? "")
    }

    /// Refuses a body with anything in it, for a POST of which clients may expect that it has one.
    func emptyBody(_ advice: String) throws {
        guard try part({ ($0, []) }).object?.isEmpty == true else {
            let message = "\(method.rawValue) \(path) takes no body, or {}; \(advice)"
            throw APIError.badRequest("badBody", message, pointer: "")
        }
    }

    /// Refuses a body for a call that takes none: a client that sends one expects it to have an effect.
    func noBody(_ advice: String) throws {
        guard body.isEmpty else {
            throw APIError.badRequest("badBody", "\(method.rawValue) \(path) takes no body; \(advice)", pointer: "")
        }
    }
}
