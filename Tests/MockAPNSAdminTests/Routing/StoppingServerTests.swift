import MockAPNS
import MockAPNSCore
import TestSupport
import Testing

/// The admin API of a server that is stopping.
@Suite struct StoppingServerTests {
    @Test func onlyReadingIsAnswered() async throws {
        try await withAdmin { server, admin async throws in
            #expect(try await admin.send("POST", "/api/v1/sessions", body: #"{"name": "a"}"#).status == 201)
            let wait = Task {
                let answer = try await admin.send(
                    "POST", "/api/v1/requests/wait", body: #"{"count": 1, "timeout": "5m"}"#)
                return "\(answer.status) \(answer.text)"
            }
            try await server.until(\.hasWaiters)
            await server.stop()
            let ended = try await wait.value
            #expect(ended.hasPrefix("503 ") && ended.contains("was stopped"), "\(ended)")
            for (method, path) in [
                ("POST", "/api/v1/sessions"), ("DELETE", "/api/v1/sessions/a"), ("POST", "/api/v1/reset"),
                ("PUT", "/api/v1/scenario"), ("POST", "/api/v1/pushes"), ("PATCH", "/api/v1/devices/a"),
                ("POST", "/api/v1/sessions/a/reset"), ("POST", "/api/v1/requests/wait"),
            ] {
                let answer = try await admin.send(method, path, body: "{}")
                #expect(answer.status == 503, "\(method) \(path)")
                #expect(answer.text.contains("The server is stopping"), "\(answer.text)")
            }
            for path in ["/api/v1/requests", "/api/v1/summary", "/api/v1/connections", "/api/v1/clock", "/livez"] {
                #expect(try await admin.get(path).status == 200, "\(path)")
            }
            #expect(try await admin.get("/readyz").status == 503)
        }
    }
}
