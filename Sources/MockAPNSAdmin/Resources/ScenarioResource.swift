import MockAPNS
import MockAPNSCore
import MockAPNSScenario
import NIOCore
import NIOHTTP1

/// `/api/v1/scenario` and `/api/v1/reset`: the current scenario, and starting over.
struct ScenarioResource {
    let server: MockAPNSServer

    /// Maximum size of a scenario's text in bytes: enough for several hundred thousand devices.
    static let textLimit = 64 << 20

    func add(to api: inout CallRoutes) {
        api.on(.getScenario) { request in
            let isCurrent = try request.flag("current")
            return try await request.whileConnected { try await shown(current: isCurrent) }
        }
        api.on(.playScenario, bodyLimit: Self.textLimit) { request in
            let isAnew = try request.flag("reset")
            let text = request.body
            return try await request.whileConnected { try await play(text, anew: isAnew) }
        }
        api.on(.checkScenario, bodyLimit: Self.textLimit) { request in
            let text = request.body
            return try await request.whileConnected { try await Self.mistakes(in: text) }
        }
        api.on(.reset) { request in
            let value = try request.part { ($0, []) }
            guard value.object?.isEmpty == true else {
                throw APIError.badRequest("badBody", "\(APICall.reset) takes no body, or {}.", pointer: "")
            }
            // Expectations of PING frames are judged by the frames received so far.
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

    /// Returns the mistakes of a scenario, as found by `mock-apns check`, without playing it.
    private static func mistakes(in text: [UInt8]) async throws -> Response {
        let found = try await BackgroundWork.run(.text(text.count)) { stop in Scenario.read(text, stop: stop).1 }
        let mistakes = found.map { mistake -> JSONObject in
            let position = JSONText.position(of: min(mistake.offset, text.count), in: text.span)
            return [
                "line": position.line, "column": position.column, "pointer": mistake.pointer,
                "message": mistake.message,
            ]
        }
        return .json(["mistakes": mistakes])
    }

    /// Plays a scenario. Ends early if the client disconnects before it has been read.
    private func play(_ text: [UInt8], anew isAnew: Bool) async throws -> Response {
        do { try await server.play(text, anew: isAnew) } catch let rejection as ScenarioRefusal {
            throw APIError(rejection, in: text)
        } catch let error as StartError {
            throw APIError.badRequest("badFile", error.description, pointer: "")
        }
        return Response.json(ByteBuffer(bytes: text))
    }
}
