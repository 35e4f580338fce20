import Foundation
import TestSupport
import Testing

@testable import MockAPNS
@testable import MockAPNSAdmin

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Access control, and what the API keeps to itself, on a live admin listener. test_admin_access.py has what only raw sockets show.
@Suite struct AdminAccessTests {
    private func get(_ url: String, _ path: String, _ fields: [String: String]) async throws -> AdminClient.Answer {
        var request = URLRequest(url: URL(string: url + path)!)
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        let (content, response) = try await URLSession.shared.data(for: request)
        let http = response as! HTTPURLResponse
        return AdminClient.Answer(status: http.statusCode, body: content, fields: http.allHeaderFields)
    }

    @Test func theLibrarysListenerIsProtectedAlike() async throws {
        try await withServer { server in
            try await server.withAdmin(access: .init(names: ["mock.example.com"], token: "s3cret"), logger: quiet) {
                url in
                let none = try await get(url, "/api/v1/identity", [:])
                #expect(none.status == 401)
                #expect(none.error["code"] as? String == "unauthorized")
                // Foundation writes the names of fields in its own way.
                let challenge = none.fields.first { "\($0.key)".lowercased() == "www-authenticate" }
                #expect(challenge?.value as? String == "Bearer")
                let good = ["Authorization": "Bearer s3cret"]
                #expect(try await get(url, "/api/v1/identity", good).status == 200)
                let foreign = try await get(url, "/api/v1/identity", good.merging(["Origin": "null"]) { $1 })
                #expect(foreign.status == 403)
                #expect(foreign.error["code"] as? String == "foreignOrigin")
                #expect(try await get(url, "/readyz", [:]).status == 200)
            }
        }
    }

    @Test(arguments: [
        MockAPNSServer.AdminAccess(token: ""), MockAPNSServer.AdminAccess(token: "a b"),
        MockAPNSServer.AdminAccess(names: ["a b"]),
    ])
    func malformedNamesAndTokensAreRefused(access: MockAPNSServer.AdminAccess) async throws {
        try await withServer { server in
            _ = await #expect(throws: StartError.self) {
                try await server.withAdmin(access: access, logger: quiet) { _ in }
            }
        }
    }

    @Test func publicAdminPortsWithoutTokensAreReported() async throws {
        try await withServer { server in
            for (host, token, isTold) in [
                ("0.0.0.0", nil, true), ("0.0.0.0", "s3cret", false), ("127.0.0.1", nil, false),
                ("localhost", nil, false),
                (nil, nil, false),
            ] {
                let messages = Messages()
                let admin = try await AdminServer.start(
                    for: server, host: host, access: .init(token: token), logger: messages.logger)
                await admin.stop()
                #expect(messages.all.contains { $0.contains("--admin-token") } == isTold)
            }
        }
    }

    // MARK: Identity

    @Test(arguments: [
        ("https://push.example.com:443", "https://push.example.com:443", "push.example.com", "443"),
        ("https://push.example.com", "https://push.example.com:443", "push.example.com", "443"),
        ("https://localhost:32768/", "https://localhost:32768", "localhost", "32768"),
        ("HTTPS://[::1]:2197", "https://[::1]:2197", "::1", "2197"),
    ])
    func theIdentityHasTheAddressTheClientKnows(url: String, apns: String, host: String, port: String) async throws {
        try await withAdmin { _, admin in
            let asked = admin.url.replacing("127.0.0.1", with: "localhost")
            let client = AdminClient(url: asked)
            let escaped = url.replacing("[", with: "%5B").replacing("]", with: "%5D")
            let identity = try await client.get("/api/v1/identity?url=\(escaped)").object
            #expect(identity["apns"] as? String == apns)
            #expect(identity["admin"] as? String == asked)
            let script = try await client.get("/api/v1/identity?format=shell&url=\(escaped)").text
            for line in [
                "MOCK_APNS_URL='\(apns)'", "MOCK_APNS_HOST='\(host)'", "MOCK_APNS_PORT='\(port)'",
                "MOCK_APNS_ADMIN_URL='\(asked)'",
            ] {
                #expect(script.contains("export \(line)\n"))
            }
        }
    }

    @Test(arguments: [
        "", "push.example.com:443", "http://push.example.com:443", "https://", "https://:443", "https://a:0",
        "https://a:x",
        "https://a:65536", "https://a/path", "https://user@a:443", "https://a:443?x", "https://a%27:443",
        "https://a%20b",
        "https://%24(id)", "https://a%0A:443", "https://a:443%23x",
    ])
    func anAddressThatIsNoneIsRefused(url: String) async throws {
        try await withAdmin { _, admin in
            for format in ["json", "shell"] {
                let answer = try await admin.get("/api/v1/identity?format=\(format)&url=\(url)")
                #expect(answer.status == 400)
                #expect(answer.error["pointer"] as? String == "/url")
                #expect(answer.errorMessage.contains("https://mock-apns:2197"))
            }
        }
    }

    @Test func theShellGetsTheTokenToo() async throws {
        try await withServer { server in
            let token = #"a'b"$(id)`\"#
            try await server.withAdmin(access: .init(token: token), logger: quiet) { url in
                let script = try await get(
                    url, "/api/v1/identity?format=shell", ["Authorization": "Bearer \(token)"]
                ).text
                let printed = try await shell(
                    script + #"printf %s "$MOCK_APNS_ADMIN_TOKEN"; rm -r "$MOCK_APNS_CERTS""#)
                #expect(printed == token)
            }
        }
    }
}
