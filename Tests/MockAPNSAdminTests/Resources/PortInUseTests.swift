import Foundation
import MockAPNS
import MockAPNSAdmin
import TestSupport
import Testing

/// A port that is in use: the message says what uses it, and how to choose another one.
@Suite("Ports in use")
struct PortInUseTests {
    @Test("A session gets to know that the port is one of this server")
    func sessions() async throws {
        try await withAdmin {
            $0.managementPorts = [.init(port: 0)]
        } _: { server, admin async throws in
            let opened = try await admin.send("POST", "/api/v1/sessions", body: #"{"name": "first"}"#)
            #expect(opened.status == 201)
            let adminPort = try #require(URL(string: admin.url)?.port)
            for (port, holder) in [
                (server.ports[0], "a provider port of this server"),
                (server.managementPorts[0], "a management port of this server"),
                (adminPort, "the admin port of this server"),
                (try #require(server.sessions["first"]).server.ports[0], #"the port of the session "first""#),
            ] {
                let answer = try await admin.send("POST", "/api/v1/sessions", body: #"{"port": \#(port)}"#)
                #expect(answer.status == 409 && answer.error["code"] as? String == "portTaken", "\(answer.text)")
                #expect(
                    answer.error["message"] as? String
                        == "Port \(port) on 127.0.0.1 is already \(holder); choose another \"port\", or leave it out for any free one."
                )
            }
            #expect(try await admin.send("DELETE", "/api/v1/sessions/first").status == 200)
        }
    }

    @Test("A port of another server is not called one of this server")
    func otherServers() async throws {
        try await withServer { other in
            let port = other.ports[0]
            try await withAdmin { server, admin async throws in
                let answer = try await admin.send("POST", "/api/v1/sessions", body: #"{"port": \#(port)}"#)
                #expect(
                    answer.error["message"] as? String
                        == "Port \(port) on 127.0.0.1 is in use by another program or server; stop it, or choose another \"port\", or leave it out for any free one."
                )
            }
            let line = await message { $0.ports = [port] }
            #expect(
                line
                    == "Port \(port) on 127.0.0.1 is in use by another program or server; stop it, or choose another port, or 0 for any free one (--port)."
            )
        }
    }

    @Test("A port that is used twice")
    func twice() async throws {
        let (provider, line) = try await messageOnFreePort { $0.ports = [$1, $1] }
        #expect(
            line
                == "Port \(provider) on 127.0.0.1 is already a provider port of this server; choose another port, or 0 for any free one (--port)."
        )
        let (management, other) = try await messageOnFreePort {
            $0.ports = [$1]
            $0.managementPorts = [.init(port: $1)]
        }
        #expect(
            other
                == "Port \(management) on 127.0.0.1 is already a provider port of this server; choose another port, or 0 for any free one (--manage-port)."
        )
        try await withServer { server in
            let port = server.ports[0]
            let error = await #expect(throws: MockAPNSServer.StartError.self) {
                _ = try await AdminServer.start(for: server, port: port, logger: quiet)
            }
            #expect(
                error?.description
                    == "Port \(port) on 127.0.0.1 is already a provider port of this server; choose another port, or 0 for any free one (--admin-port)."
            )
        }
    }

    @Test("No port is left for sessions")
    func range() async throws {
        try await withServer { other in
            let port = other.ports[0]
            try await withAdmin {
                $0.sessionPorts = port...port
            } _: { server, admin async throws in
                let answer = try await admin.send("POST", "/api/v1/sessions", body: "{}")
                #expect(
                    answer.error["message"] as? String
                        == "No port from \(port) to \(port) is free; end a session, or start the server with more --session-ports."
                )
            }
        }
    }

    /// Returns a port that was free, and why a server does not start that uses it twice. Another process may take it in
    /// between, so that it is tried again.
    private func messageOnFreePort(
        _ configure: (inout Configuration, Int) -> Void
    ) async throws -> (port: Int, line: String?) {
        for _ in 0..<5 {
            let port = try await withServer { $0.ports[0] }
            let line = await message { configure(&$0, port) }
            if line?.contains("another program") == false { return (port, line) }
        }
        return (0, nil)
    }

    /// Returns why such a server does not start.
    private func message(_ configure: (inout Configuration) -> Void) async -> String? {
        var configuration = Configuration()
        configure(&configuration)
        let chosen = configuration
        let error = await #expect(throws: MockAPNSServer.StartError.self) {
            await (try MockAPNSServer.start(chosen)).stop()
        }
        return error?.description
    }
}
