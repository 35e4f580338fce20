import Hummingbird
import MockAPNSCore
import MockAPNSScenario
import NIOCore

extension Request {
    /// Maximum size of a request body in bytes, except for scenarios.
    static let bodyLimit = 1 << 20

    private static func value(of body: [UInt8]) throws -> JSONText.Value {
        do { return try JSONText.read(body) } catch { throw APIError(error, in: body) }
    }

    /// Reads the whole body and keeps it, so that the connection can then be watched.
    mutating func keptBody(upTo limit: Int = bodyLimit) async throws -> [UInt8] {
        do { return try await Array(collectBody(upTo: limit).readableBytesView) } catch is NIOTooManyBytesError {
            throw APIError(
                status: .contentTooLarge, code: "tooLarge", message: "The body has more than \(limit) bytes.")
        }
    }

    /// Reads the body as JSON, and then as a part of a scenario.
    ///
    /// - Throws: ``APIError`` with the first mistake and its location.
    func part<Part>(
        _ read: (JSONText.Value) -> (Part?, [ScenarioMistake])
    ) async throws -> Part {
        var request = self
        return try await request.keptPart(read)
    }

    /// Like ``part(_:)``, but the connection can then be watched.
    mutating func keptPart<Part>(
        upTo limit: Int = bodyLimit, _ read: (JSONText.Value) -> (Part?, [ScenarioMistake])
    ) async throws -> Part {
        try Self.part(of: await keptBody(upTo: limit), read)
    }

    private static func part<Part>(
        of body: [UInt8], _ read: (JSONText.Value) -> (Part?, [ScenarioMistake])
    ) throws -> Part {
        // An empty body has the same meaning as `{}`.
        let (part, mistakes) = read(try value(of: body.isEmpty ? Array("{}".utf8) : body))
        if let part, mistakes.isEmpty { return part }
        var message = mistakes.first?.sentence ?? "the scenario cannot be understood."
        if message.hasPrefix("the scenario ") { message = "The body " + message.dropFirst("the scenario ".count) }
        throw APIError.badRequest("badValue", message, pointer: mistakes.first?.pointer ?? "")
    }

    /// Refuses a body for a call that takes none: a client that sends one expects it to have an effect.
    func noBody(_ advice: String) async throws {
        var request = self
        guard try await request.keptBody().isEmpty else {
            throw APIError.badRequest("badBody", "\(method.rawValue) \(uri.path) takes no body; \(advice)", pointer: "")
        }
    }
}
