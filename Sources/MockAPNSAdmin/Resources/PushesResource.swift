import MockAPNS
import MockAPNSCore
import MockAPNSScenario
import NIOCore
import NIOHTTP1

/// `/api/v1/pushes`: sends pushes without a provider, decided in the server itself.
struct PushesResource {
    let server: MockAPNSServer

    func add(to api: inout CallRoutes) {
        api.on(.push) { request in
            let scenario = server.namesInScope
            let push = try request.part { scenario.adminPush(from: $0) }
            do {
                guard push.repetitions != nil else { return try record(of: try await server.push(push)) }
                return try records(of: try await server.pushRepeatedly(push))
            } catch let error as StartError {
                throw APIError(
                    status: .conflict, code: "noSigningKey",
                    message: "The server cannot sign a provider token; give \"headers\" an \"authorization\". \(error)")
            }
        }
    }

    private func record(of sequence: Int) throws -> Response {
        guard let record = server.requestLog.record(sequence) else { throw gone }
        return .json(ByteBuffer(bytes: record))
    }

    private func records(of sequences: [Int]) throws -> Response {
        let log = server.requestLog
        var json = Array(#"{"requests":["#.utf8)
        for (index, sequence) in sequences.enumerated() {
            guard let record = log.record(sequence) else { throw gone }
            if index > 0 { json.append(UInt8(ascii: ",")) }
            json += record
        }
        json.append(contentsOf: "]}".utf8)
        return .json(ByteBuffer(bytes: json), status: .accepted)
    }

    private var gone: APIError {
        APIError(
            status: .conflict, code: "gone",
            message:
                "The push was decided, but its record is no longer kept; the log is shorter than that, or was reset."
        )
    }
}
