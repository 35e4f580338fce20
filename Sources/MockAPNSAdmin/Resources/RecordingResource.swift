import MockAPNS
import MockAPNSCore
import MockAPNSScenario
import NIOCore
import NIOHTTP1

/// `/api/v1/recording`: a scenario made of what is done, and of the pushes that come.
struct RecordingResource {
    let server: MockAPNSServer

    func add(to api: inout CallRoutes) {
        api.on(.getRecording) { _ in .json(Self.state(server.recordingStart)) }
        api.on(.record) { request in
            let order = try request.part { Scenario().recordingOrder(from: $0) }
            return try await request.whileConnected {
                try await answer(to: order)
            }
        }
    }

    private func answer(to order: RecordingOrder) async throws -> Response {
        do {
            switch order {
            case .start: return .json(Self.state(try await server.startRecording()))
            case .stop: return .json(Self.object(try await server.stopRecording()))
            }
        } catch let error as RecordingRefusal {
            throw APIError(status: .conflict, code: "recording", message: error.description)
        } catch let error as OutdatedScenario {
            throw APIError(status: .conflict, code: "outdated", message: error.description)
        }
    }

    private static func state(_ start: RecordingStart?) -> JSONObject {
        ["state": start == nil ? "stopped" : "recording", "since": start?.time, "after": start?.position.sequence]
    }

    private static func object(_ recording: Recording) -> JSONObject {
        [
            "state": "stopped", "since": recording.start.time, "after": recording.start.position.sequence,
            "until": recording.end, "pushes": recording.steps.pushes,
            "steps": recording.steps.steps.map { step -> JSONObject in
                [
                    "list": step.list.rawValue, "text": step.text, "sequence": step.sequence,
                    "element": JSONObject(written: step.element),
                ]
            },
            "answers": recording.steps.answers.map { answer -> JSONObject in
                ["sequence": answer.sequence, "element": JSONObject(written: answer.expectation)]
            },
            "notes": recording.steps.notes,
            "scenario": JSONObject(written: String(decoding: recording.text, as: UTF8.self)),
        ]
    }
}
