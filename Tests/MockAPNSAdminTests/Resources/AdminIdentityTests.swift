import Foundation
import MockAPNSTransport
import SystemPackage
import TestSupport
import Testing

@testable import MockAPNS
@testable import MockAPNSAdmin

/// What `/api/v1/identity` and the ready line tell of a signing key that the server did not make, and of a server that
/// listens on every address.
@Suite struct AdminIdentityTests {
    private static func scenario(_ key: String) -> String {
        #"{"authentication": {"teams": [{"teamID": "TEAM567890", "keys": [{"keyID": "OWN4567890"\#(key)}]}]}}"#
    }

    /// What a shell that evaluates the script has as the key's file, and what is in the folder that it made.
    private func evaluate(_ script: String) async throws -> (key: String, files: String) {
        let text = try await shell(
            "MOCK_APNS_KEY=another; " + script
                + #"echo "${MOCK_APNS_KEY-unset}"; ls "$MOCK_APNS_CERTS" | tr '\n' ' '; rm -r "$MOCK_APNS_CERTS""#)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return (String(lines[0]), String(lines[1]))
    }

    /// The configuration's environment overrides the scenario's.
    @Test func theServersEnvironmentIsNamed() async throws {
        try await withAdmin {
            $0.environment = .production
            $0.managementPorts = [Configuration.ManagementPort(port: 0)]
            $0.play(#"{"environment": "sandbox"}"#)
        } _: { _, admin async throws in
            let identity = try await admin.get("/api/v1/identity")
            #expect(identity.object["environment"] as? String == "production")
            #expect(identity.object["manageEnvironments"] as? [String] == ["production"])
        }
    }

    @Test func keysInFilesAreNamedButNotShown() async throws {
        try await withFolder { folder in
            // The path has what a shell would take apart.
            let keys = folder.appending("o'ne key")
            try FileManager.default.createDirectory(atPath: keys.string, withIntermediateDirectories: false)
            let pem = try ES256SigningKey.generate().pem
            try write(pem, to: keys.appending("own.p8"))
            try await withAdmin {
                $0.play(Self.scenario(#", "file": "o'ne key/own.p8""#), in: folder)
            } _: { server, admin async throws in
                let path = keys.appending("own.p8").string
                #expect(ReadyLine(server: server, admin: admin.url).signingKey == path)
                let identity = try await admin.get("/api/v1/identity")
                #expect(identity.object["signingKey"] is NSNull)
                #expect(identity.object["keyID"] as? String == "OWN4567890")
                #expect(!identity.text.contains(String(decoding: pem, as: UTF8.self).split(separator: "\n")[1]))
                let (key, files) = try await evaluate(admin.get("/api/v1/identity?format=shell").text)
                #expect(key == path)
                #expect(!files.contains(".p8"))
            }
        }
    }

    @Test func aKeyInTheScenarioIsNotShown() async throws {
        let pem = String(decoding: try ES256SigningKey.generate().pem, as: UTF8.self)
        try await withAdmin {
            $0.play(Self.scenario(#", "pem": "\#(pem.replacing("\n", with: "\\n"))""#))
        } _: { server, admin async throws in
            let ready = ReadyLine(server: server, admin: admin.url)
            #expect(ready.signingKey == nil)
            #expect(ready.json.contains(#""signingKey":null"#))
            let identity = try await admin.get("/api/v1/identity")
            #expect(identity.object["signingKey"] is NSNull)
            let script = try await admin.get("/api/v1/identity?format=shell").text
            #expect(!script.contains(pem.split(separator: "\n")[1]))
            let (key, files) = try await evaluate(script)
            #expect(key == "unset")
            #expect(!files.contains(".p8"))
        }
    }

    @Test func keysMadeForAScenarioAreShown() async throws {
        try await withFolder { folder in
            try await withAdmin {
                $0.certificates = folder
                $0.play(Self.scenario(""))
            } _: { server, admin async throws in
                let file = folder.appending("AuthKey_OWN4567890.p8")
                #expect(ReadyLine(server: server, admin: admin.url).signingKey == file.string)
                let identity = try await admin.get("/api/v1/identity").object
                #expect(identity["signingKey"] as? String == String(decoding: try read(file), as: UTF8.self))
                let (key, files) = try await evaluate(admin.get("/api/v1/identity?format=shell").text)
                #expect(key.hasSuffix("/AuthKey_OWN4567890.p8"))
                #expect(files.contains("AuthKey_OWN4567890.p8"))
            }
        }
    }

    @Test func serversOnAllAddressesNameTheOneAsked() async throws {
        try await withServer {
            $0.host = "0.0.0.0"
        } _: { server in
            let admin = try await AdminServer.start(for: server, host: "0.0.0.0", logger: quiet)
            do {
                #expect(server.url == "https://127.0.0.1:\(server.ports[0])")
                let asked = admin.url.replacing("127.0.0.1", with: "localhost")
                let identity = try await AdminClient(url: asked).get("/api/v1/identity").object
                #expect(identity["apns"] as? String == "https://localhost:\(server.ports[0])")
                #expect(identity["admin"] as? String == asked)
                let script = try await AdminClient(url: asked).get("/api/v1/identity?format=shell").text
                #expect(script.contains("MOCK_APNS_URL='https://localhost:\(server.ports[0])'\n"))
                #expect(script.contains("MOCK_APNS_HOST='localhost'\n"))
                #expect(script.contains("MOCK_APNS_ADMIN_URL='\(asked)'\n"))
                await admin.stop()
            } catch {
                await admin.stop()
                throw error
            }
        }
    }

    @Test func aServerOnOneAddressIsThere() async throws {
        try await withAdmin { server, admin in
            let asked = AdminClient(url: admin.url.replacing("127.0.0.1", with: "localhost"))
            let identity = try await asked.get("/api/v1/identity")
            #expect(identity.object["apns"] as? String == server.url)
        }
    }

    @Test(arguments: [
        ("mock-apns:2198", "mock-apns"), ("mock-apns", "mock-apns"), ("172.17.0.2:80", "172.17.0.2"),
        ("[::1]:2198", "[::1]"), ("a_b.c:1", "a_b.c"), ("", nil), (":2198", nil), ("a'$(id)'", nil), ("a b", nil),
        ("a/b", nil), ("a@b:1", nil), ("a\n", nil), ("ä", nil),
    ])
    func onlyPlainHostNamesAreTakenFromRequests(authority: String, name: String?) {
        #expect(RequestedHost.name(in: authority) == name)
    }
}
