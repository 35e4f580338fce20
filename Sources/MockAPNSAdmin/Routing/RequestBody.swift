import Hummingbird
import MockAPNSCore
import NIOCore

extension Request {
    /// A request's body is no longer than this, in bytes, unless it is a scenario.
    static let bodyLimit = 1 << 20

    /// The body, read as JSON.
    ///
    /// - Throws: ``APIError`` where it is too long, or no JSON.
    func json(upTo limit: Int = bodyLimit) async throws -> (bytes: [UInt8], value: JSONText.Value) {
        var request = self
        let bytes = try await request.keptBody(upTo: limit)
        do { return (bytes, try JSONText.read(bytes)) } catch { throw APIError(error, in: bytes) }
    }

    /// Reads the body to its end, and keeps it: the connection can be watched then.
    mutating func keptBody(upTo limit: Int = bodyLimit) async throws -> [UInt8] {
        do { return try await Array(collectBody(upTo: limit).readableBytesView) } catch is NIOTooManyBytesError {
            throw APIError(
                status: .contentTooLarge, code: "tooLarge", message: "The body has more than \(limit) bytes.")
        }
    }

    /// The body, read as JSON and then as a part of a scenario.
    ///
    /// - Throws: ``APIError`` with the first mistake, and where it stands.
    func part<Part>(
        _ read: (JSONText.Value) -> (Part?, [ScenarioMistake])
    ) async throws -> Part {
        var request = self
        return try await request.keptPart(read)
    }

    /// As ``part(_:)``; the connection can be watched then.
    mutating func keptPart<Part>(
        upTo limit: Int = bodyLimit, _ read: (JSONText.Value) -> (Part?, [ScenarioMistake])
    ) async throws -> Part {
        // No body asks for nothing special, as `{}` does.
        let isEmpty = try await keptBody(upTo: limit).isEmpty
        let value = isEmpty ? try JSONText.read(Array("{}".utf8)) : try await json(upTo: limit).value
        let (part, mistakes) = read(value)
        if let part, mistakes.isEmpty { return part }
        var message = mistakes.first?.sentence ?? "the scenario cannot be understood."
        if message.hasPrefix("the scenario ") { message = "The body " + message.dropFirst("the scenario ".count) }
        throw APIError.badRequest("badValue", message, pointer: mistakes.first?.pointer ?? "")
    }

    /// Refuses a body, for a call that takes none: who sends one expects something of it.
    func noBody(_ advice: String) async throws {
        var request = self
        guard try await request.keptBody().isEmpty else {
            throw APIError.badRequest("badBody", "\(method.rawValue) \(uri.path) takes no body; \(advice)", pointer: "")
        }
    }
}
