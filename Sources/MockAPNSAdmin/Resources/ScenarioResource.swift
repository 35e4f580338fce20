import Hummingbird
import MockAPNS
import MockAPNSCore

/// `/api/v1/scenario` and `/api/v1/reset`: what is played, and beginning anew.
struct ScenarioResource {
    let server: MockAPNSServer

    /// A scenario's text is no longer than this, in bytes: enough for some hundred thousand devices.
    static let textLimit = 64 << 20

    func add(to group: RouterGroup<BasicRequestContext>) {
        group.get("scenario") { request, _ in
            let isCurrent = try request.flag("current")
            return try await request.answer { try await shown(current: isCurrent) }
        }
        group.put("scenario") { request, _ in
            let isAnew = try request.flag("reset")
            var request = request
            let text = try await request.keptBody(upTo: Self.textLimit)
            return try await request.answer { try await play(text, anew: isAnew) }
        }
        group.post("scenario/check") { request, _ in
            var request = request
            let text = try await request.keptBody(upTo: Self.textLimit)
            return try await request.answer { try await Self.mistakes(in: text) }
        }
        group.post("reset") { request, _ in
            let value = try await request.part { ($0, []) }
            guard value.object?.isEmpty == true else {
                throw APIError.badRequest("badBody", "POST /api/v1/reset takes no body, or {}.", pointer: "")
            }
            // What is expected of PING frames is judged by what has come until now.
            await server.reportCounters()
            server.reset()
            return Response.json(["reset": true])
        }
    }

    private func shown(current isCurrent: Bool) async throws -> Response {
        do {
            let text = isCurrent ? try await server.currentScenarioText : try await server.shownScenarioText
            return .json(ByteBuffer(bytes: text))
        } catch let error as OutdatedScenario {
            throw APIError(status: .conflict, code: "outdated", message: error.description)
        }
    }

    /// The mistakes of a scenario, as `mock-apns check` finds them; nothing is played.
    private static func mistakes(in text: [UInt8]) async throws -> Response {
        let found = try await Slices.apart(.text(text.count)) { stop in Scenario.read(text, stop: stop).1 }
        let mistakes = found.map { mistake -> JSONObject in
            let position = JSONText.position(of: min(mistake.offset, text.count), in: text.span)
            return [
                "line": position.line, "column": position.column, "pointer": mistake.pointer,
                "message": mistake.message,
            ]
        }
        return .json(["mistakes": mistakes])
    }

    /// Plays a scenario; a client that goes away before it was read ends that.
    private func play(_ text: [UInt8], anew isAnew: Bool) async throws -> Response {
        do { try await server.play(text, anew: isAnew) } catch let refusal as ScenarioRefusal {
            throw APIError(refusal, in: text)
        } catch let error as StartError {
            throw APIError.badRequest("badFile", error.description, pointer: "")
        }
        return Response.json(ByteBuffer(bytes: text))
    }
}
