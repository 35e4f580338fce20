import Hummingbird
import MockAPNSCore
import NIOCore

extension Request {
    /// A request's body is no longer than this, in bytes.
    static let bodyLimit = 1 << 20

    /// The body, read as JSON and then as a part of a scenario.
    ///
    /// - Throws: ``APIError`` with the first mistake, and where it stands.
    func part<Part>(
        _ read: (JSONText.Value) -> (Part?, [ScenarioMistake])
    ) async throws -> Part {
        let bytes = try await Array(body.collect(upTo: Self.bodyLimit).readableBytesView)
        let value: JSONText.Value
        do { value = try JSONText.read(bytes) } catch {
            let position = JSONText.position(of: error.offset, in: bytes.span)
            throw APIError.badRequest(
                "badJSON",
                "The body is not JSON at line \(position.line), column \(position.column): \(error.message).",
                pointer: "")
        }
        let (part, mistakes) = read(value)
        if let part, mistakes.isEmpty { return part }
        let mistake = mistakes.first
        var message = mistake?.message ?? "the body cannot be understood"
        if message.hasPrefix("the scenario ") { message = "the body " + message.dropFirst("the scenario ".count) }
        throw APIError.badRequest(
            "badValue", message.prefix(1).uppercased() + message.dropFirst() + ".", pointer: mistake?.pointer ?? "")
    }
}
