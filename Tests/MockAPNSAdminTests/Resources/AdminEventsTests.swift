import Foundation
import MockAPNSAdmin
import SystemPackage
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

/// The stream of events, as a client of the API sees it.
@Suite struct AdminEventsTests {
    private static let play: @Sendable (inout Configuration) -> Void = {
        $0.play(
            """
            {"clock": {"manual": "2026-01-01T00:00:00Z"},
             "devices": [{"name": "alice", "token": "\(TestPush.device)", "online": false}]}
            """)
    }

    @Test func tellsLogLinesInOrder() async throws {
        try await withFolder { folder in
            let file = folder.appending("log.jsonl")
            let names = [
                "scenario", "connection", "request", "request", "rule", "request", "rule", "clock", "device",
                "update", "connection",
            ]
            var told: [(name: String, data: String)] = []
            try await withAdmin {
                Self.play(&$0)
                $0.log = .file(file)
            } _: { server, admin async throws in
                let events = try await EventClient.open(admin, after: "0-0")
                let provider = try await TestProvider.connect(to: server)
                try await provider.push(TestPush(server.authorization(), [("apns-expiration", "0")]))
                try await provider.push(TestPush(server.authorization(), [("apns-expiration", "1767229200")]))
                _ = try await admin.send(
                    "POST", "/api/v1/rules", body: #"{"name": "odd", "then": {"reject": "Shutdown"}}"#)
                try await provider.push(TestPush(server.authorization()))
                _ = try await admin.send("DELETE", "/api/v1/rules/odd")
                // The stream may be told of a request late, but then the same as the log: nothing has changed yet.
                _ = try await events.events(7)
                _ = try await admin.send("POST", "/api/v1/clock/advance", body: #"{"by": "30m"}"#)
                _ = try await admin.send("PATCH", "/api/v1/devices/alice", body: #"{"online": true}"#)
                await provider.close()
                told = try await events.events(names.count).map { ($0.name, $0.data) }
                await events.close()
            }
            #expect(told.map(\.name) == names)
            // The server has stopped, so the file is complete.
            let lines = String(decoding: try read(file), as: UTF8.self).split(separator: "\n").map(String.init)
            #expect(told.map(\.data) == lines)
        }
    }

    @Test func goesOnWhereTheClientWas() async throws {
        try await withAdmin { server, admin async throws in
            let first = try await EventClient.open(admin)
            let provider = try await TestProvider.connect(to: server)
            let push = TestPush(try server.authorization())
            for _ in 0..<3 { try await provider.push(push) }
            let told = try await first.events(4)
            await first.close()
            try await provider.push(push)
            let second = try await EventClient.open(admin, after: told[1].id)
            let rest = try await second.events(3)
            #expect(rest.prefix(2).map(\.id) == told.suffix(2).map(\.id))
            #expect(rest.prefix(2).map(\.data) == told.suffix(2).map(\.data))
            #expect(rest[2].data.contains(#""sequence":4,"#))
            // From now on only.
            let third = try await EventClient.open(admin)
            try await provider.push(push)
            #expect(try await third.events(1)[0].data.contains(#""sequence":5,"#))
            for client in [second, third] { await client.close() }
            await provider.close()
        }
    }

    @Test func aResetDoesNotEndIt() async throws {
        try await withAdmin { server, admin async throws in
            let provider = try await TestProvider.connect(to: server)
            let push = TestPush(try server.authorization())
            // The server has noted the connection when it has answered.
            try await provider.push(push)
            let events = try await EventClient.open(admin)
            try await provider.push(push)
            _ = try await events.events(1)
            #expect(try await admin.send("POST", "/api/v1/reset").status == 200)
            try await provider.push(push)
            let told = try await events.events(3)
            #expect(told.map(\.name) == ["request", "reset", "request"])
            #expect(told[2].data.contains(#""sequence":1,"#))
            await events.close()
            await provider.close()
        }
    }

    @Test func endsBeforeTheListenerWithTheLastEvents() async throws {
        try await withServer { server async throws in
            let admin = try await AdminServer.start(for: server, logger: quiet)
            let events = try await EventClient.open(AdminClient(url: admin.url))
            let provider = try await TestProvider.connect(to: server)
            await provider.close()
            _ = try await server.closer(of: 1)
            await admin.stop()
            let told = try await events.eventsUntilEnd()
            #expect(told.map(\.name) == ["connection", "connection"])
            #expect(try await events.text.hasSuffix("\r\n0\r\n\r\n"), "it ends as HTTP wants it")
        }
    }

    @Test func tellsRowsWhenItIsAskedTo() async throws {
        try await withAdmin { server, admin async throws in
            let events = try await EventClient.open(admin, query: "?fields=row&rate=1000")
            let provider = try await TestProvider.connect(to: server)
            try await provider.push(TestPush(server.authorization()))
            let told = try await events.events(2)
            #expect(told.map(\.name) == ["connection", "request"])
            #expect(told[1].id == "1-2" && told[1].data.utf8.count <= 300)
            #expect(told[1].data.hasPrefix(#"{"event":"request","sequence":1,"time":""#))
            #expect(!told[1].data.contains("headers"))
            await events.close()
            await provider.close()
        }
    }

    @Test(arguments: ["fields=all", "fields=", "rate=0", "rate=1001", "rate=-1", "rate=many", "rates=5"])
    func refusesParametersThatAreNone(query: String) async throws {
        try await withAdmin { _, admin async throws in
            let answer = try await admin.get("/api/v1/events?\(query)")
            #expect(answer.status == 400 && answer.error["code"] as? String == "badParameter")
        }
    }

    @Test func refusesAnIDThatIsNone() async throws {
        try await withAdmin { _, admin async throws in
            let events = try await EventClient.open(admin, after: "latest")
            let text = try await events.untilAnswered()
            #expect(text.hasPrefix("HTTP/1.1 400 "))
            #expect(text.contains(#"Last-Event-ID is \"latest\""#))
            await events.close()
        }
    }

    @Test(.withoutSanitizer) func thereAreSoManyAtMost() async throws {
        try await withAdmin { _, admin async throws in
            var clients: [EventClient] = []
            for _ in 0..<100 { clients.append(try await EventClient.open(admin)) }
            #expect(try await EventClient.open(admin).untilAnswered().hasPrefix("HTTP/1.1 503 "))
            await clients[0].close()
            // The server notices soon that there is room for another.
            while true {
                let another = try await EventClient.open(admin)
                let text = try await another.untilAnswered()
                await another.close()
                if text.hasPrefix("HTTP/1.1 200 ") { break }
            }
            for client in clients { await client.close() }
        }
    }
}

/// Reads a stream of events.
private struct EventClient {
    struct Event: Sendable {
        var id: String
        var name: String
        var data: String
    }

    private let connection: TestProvider

    /// Asks for the stream; returns when it is open, or refused.
    static func open(
        _ admin: AdminClient, after id: String? = nil, query: String = ""
    ) async throws -> EventClient {
        let client = EventClient(connection: try await .connect(port: try admin.port, speech: .tcp))
        let last = id.map { "Last-Event-ID: \($0)\r\n" } ?? ""
        try await client.connection.send(
            Array("GET /api/v1/events\(query) HTTP/1.1\r\nHost: localhost\r\n\(last)\r\n".utf8))
        _ = try await client.untilAnswered()
        return client
    }

    /// All that came so far.
    var text: String {
        get async throws { String(decoding: try await connection.perform { $0.received }, as: UTF8.self) }
    }

    func untilAnswered() async throws -> String {
        try await connection.wait { client in
            let text = String(decoding: client.received, as: UTF8.self)
            return text.contains("\n\n") || text.contains("}}") ? text : nil
        }
    }

    /// All events so far, once there are so many.
    func events(_ count: Int) async throws -> [Event] {
        try await connection.wait { client in
            let events = Self.events(client.received)
            return events.count >= count ? events : nil
        }
    }

    func eventsUntilEnd() async throws -> [Event] {
        try await connection.wait { $0.hasEnded ? Self.events($0.received) : nil }
    }

    func close() async { await connection.close() }

    /// Each write of the server is a chunk of whole events, so the lines of chunked encoding stand by themselves.
    private static func events(_ bytes: [UInt8]) -> [Event] {
        var events: [Event] = []
        var event = Event(id: "", name: "", data: "")
        for bytes in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let line = String(decoding: bytes, as: UTF8.self)
            if line.hasPrefix("id: ") { event.id = String(line.dropFirst(4)) }
            if line.hasPrefix("event: ") { event.name = String(line.dropFirst(7)) }
            if line.hasPrefix("data: ") { event.data = String(line.dropFirst(6)) }
            if line.isEmpty, !event.data.isEmpty {
                events.append(event)
                event.data = ""
            }
        }
        return events
    }
}
