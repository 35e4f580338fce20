import Foundation
import MockAPNSCore
import MockAPNSTransport
import SystemPackage
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

@Suite(.withoutSanitizer) struct CommandTests {
    @Test func readyLinesAreJSONWithTheContractsMembers() async throws {
        try await withFolder { folder in
            let server = try await ServerProcess(
                ["serve", "--port", "0", "--admin-port", "0", "--certs", folder.string, "--quiet"])
            let (line, ready) = try await server.ready()
            let members = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: any Sendable])
            #expect(
                members.keys.sorted() == [
                    "admin", "apns", "certificateAuthority", "event", "keyID", "pid", "seed", "signingKey", "teamID",
                    "topic",
                ])
            #expect(line.hasPrefix(#"{"event":"ready","apns":"https://127.0.0.1:"#))
            #expect(ready.admin.hasPrefix("http://127.0.0.1:"))
            #expect([ready.keyID, ready.teamID, ready.topic] == ["ABC123DEFG", "DEF123GHIJ", "com.example.app"])
            #expect(ready.pid == server.processID)
            #expect(ready.certificateAuthority == folder.appending("ca.pem").string)
            #expect(FileManager.default.fileExists(atPath: ready.certificateAuthority))
            #expect(FileManager.default.fileExists(atPath: ready.signingKey ?? ""))
            let result = await server.stop()
            #expect(result.exitCode == 0)
            #expect(result.output.isEmpty)
            #expect(result.errors.isEmpty)
        }
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func aSignalEndsTheServerInOrder(signal: Int32) async throws {
        try await withFolder { folder in
            let server = try await ServerProcess([
                "serve", "--port", "0", "--admin-port", "0", "--certs", folder.string,
            ])
            let ready = try await server.ready().members
            let provider = try await TestProvider.connect(port: ready.port)
            try await provider.push(TestPush())
            server.signal(signal)
            let frames = try await provider.framesUntilEnd()
            #expect(frames.goAways == [GoAway(lastStream: 1, errorCode: 0, text: #"{"reason":"Shutdown"}"#)])
            #expect(await server.finished().exitCode == 0)
        }
    }

    @Test func aTokenOfTheCommandIsAccepted() async throws {
        try await withServerProcess { _, ready, folder in
            let token = try await ServerProcess.run(["token", "--certs", folder.string])
            #expect(token.exitCode == 0)
            let authority = try read(FilePath(ready.certificateAuthority))
            let provider = try await TestProvider.connect(port: ready.port, tls: .init(authority: authority))
            #expect(try await provider.push(TestPush("bearer \(token.output)")).status == "200")
            let old = try await ServerProcess.run(["token", "--certs", folder.string, "--issued-at", "1"])
            #expect(try await provider.push(TestPush("bearer \(old.output)")).reason == "ExpiredProviderToken")
        }
    }

    @Test func aKeyOfOnesOwnIsTrusted() async throws {
        try await withFolder { keys in
            let file = keys.appending("own.p8")
            try write(ES256SigningKey.generate().pem, to: file)
            let argument = "\(file):OWN4567890:TEAM567890"
            try await withServerProcess(["--trust-key", argument]) { _, ready, _ in
                let token = try await ServerProcess.run([
                    "token", "--key", file.string, "--key-id", "OWN4567890", "--team-id", "TEAM567890",
                ])
                let provider = try await TestProvider.connect(port: ready.port)
                #expect(try await provider.push(TestPush("bearer \(token.output)")).status == "200")
            }
        }
    }

    @Test func hangUpReadsTheCertificatesAgain() async throws {
        try await withServerProcess { server, ready, folder in
            let old = try read(FilePath(ready.certificateAuthority))
            let certs = try await ServerProcess.run(["certs", "--certs", folder.string])
            #expect(certs.exitCode == 0)
            let made = certs.output.split(separator: "\n").compactMap { FilePath(String($0)).lastComponent?.string }
            #expect(made == ["server-rsa.key", "server-rsa.pem"])
            for name in ["ca.pem", "ca.key", "server.pem", "client.pem"] {
                try FileManager.default.removeItem(atPath: folder.appending(name).string)
            }
            server.signal(SIGHUP)
            _ = try await server.message(containing: "There is no longer a ca.pem in \(folder)")
            _ = try await server.message(containing: "were reloaded")
            let same = try await TestProvider.connect(port: ready.port, tls: .init(authority: old))
            #expect(try await same.perform { $0.tls!.isHandshakeComplete })

            #expect(try await ServerProcess.run(["certs", "--certs", folder.string]).exitCode == 0)
            server.signal(SIGHUP)
            _ = try await server.message(containing: "were reloaded")
            let new = try read(FilePath(ready.certificateAuthority))
            #expect(new != old)
            let provider = try await TestProvider.connect(port: ready.port, tls: .init(authority: new))
            #expect(try await provider.perform { $0.tls!.isHandshakeComplete })

            try write(Array("garbage".utf8), to: FilePath(ready.certificateAuthority))
            server.signal(SIGHUP)
            _ = try await server.message(containing: "were not reloaded")
            let other = try await TestProvider.connect(port: ready.port, tls: .init(authority: new))
            #expect(try await other.perform { $0.tls!.isHandshakeComplete })
        }
    }

    @Test func certsMakesAndRenews() async throws {
        try await withFolder { parent in
            let folder = parent.appending("certs")
            let made = try await ServerProcess.run(["certs"], folder: parent)
            #expect(made.exitCode == 0)
            #expect(made.output.split(separator: "\n").contains { $0.hasSuffix("certs/ca.pem") })
            let again = try await ServerProcess.run(["certs"], folder: parent)
            #expect(again.output.isEmpty)
            #expect(again.errors.contains("Nothing was missing"))
            let named = try await ServerProcess.run(["certs", "--server-name", "push.internal"], folder: parent)
            #expect(named.output.split(separator: "\n").count == 4)
            for name in ["server.pem", "server-rsa.pem"] {
                #expect(try CertificateFacts(pem: read(folder.appending(name))).covers(["push.internal"]))
            }
            let kind = try await ServerProcess.run(["certs", "--kind", "expired"], folder: parent)
            #expect(kind.exitCode == 0)
            #expect(FileManager.default.fileExists(atPath: folder.appending("client-expired.p12").string))
        }
    }

    // MARK: Exit codes

    @Test(arguments: [
        ["serve", "--no-such-option"], ["serve", "--port", "many"], ["serve", "--auth", "maybe"],
        ["serve", "--trust-key", "file"], ["serve", "--threads", "0"], ["serve", "--server-name", ""],
        ["serve", "--server-name", "a b"], ["serve", "--host", ""], ["exec", "--admin-host", "", "--", "true"],
        ["certs", "--kind", "strange"],
        ["token", "--key", "x.p8"], ["ready", "--admin", "nonsense"], ["verify", "scenario.json"],
        ["verify", "--log", "log.jsonl"], ["nonsense"],
    ])
    func wrongUsageExitsWith64AndAHint(arguments: [String]) async throws {
        let result = try await ServerProcess.run(arguments)
        #expect(result.exitCode == 64)
        #expect(result.output.isEmpty)
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("mock-apns: ") == true)
        let command = arguments == ["nonsense"] ? "mock-apns" : "mock-apns \(arguments[0])"
        #expect(lines.last == "See '\(command) --help'.")
    }

    @Test func aFileThatCannotBeUnderstoodIs65() async throws {
        try await withFolder { folder in
            let file = folder.appending("key.p8")
            try write(Array("no key\n".utf8), to: file)
            let result = try await ServerProcess.run([
                "serve", "--port", "0", "--admin-port", "0", "--certs", folder.appending("certs").string,
                "--trust-key", "\(file):OWN4567890:TEAM567890",
            ])
            #expect(result.exitCode == 65)
            #expect(result.output.isEmpty)
            #expect(result.errors.contains("\(file):1:1: "))
        }
    }

    @Test func unavailablePortsOrFilesExitWith69() async throws {
        try await withServerProcess { _, ready, folder in
            let adminPort = try #require(URL(string: ready.admin)?.port)
            let start = ["serve", "--certs", folder.string]
            for (arguments, named) in [
                (["--port", "\(ready.port)", "--admin-port", "0"], "--port"),
                (["--port", "0", "--admin-port", "\(adminPort)"], "--admin-port"),
                (["--port", "0", "--admin-port", "0", "--log", "/nowhere/at/all.jsonl"], "--log"),
                (["--port", "0", "--admin-port", "0", "--trust-key", "/nowhere:OWN4567890:TEAM567890"], "/nowhere"),
            ] {
                let result = try await ServerProcess.run(start + arguments)
                #expect(result.exitCode == 69, "\(arguments)")
                #expect(result.output.isEmpty)
                #expect(result.errors.contains(named), "\(result.errors)")
            }
        }
    }

    @Test(arguments: [
        ["serve", "--host"], ["serve", "--admin-host"], ["exec", "--host"], ["exec", "--admin-host"],
    ])
    func unknownHostsExitWith69AndOneSentence(words: [String]) async throws {
        try await withFolder { folder in
            let options = ["--port", "0", "--admin-port", "0", "--quiet", "--certs", folder.string]
            let command = words[0] == "exec" ? ["--", "echo", "ran"] : []
            let result = try await ServerProcess.run(words + ["nosuch.invalid"] + options + command)
            #expect(result.exitCode == 69)
            #expect(result.output.isEmpty)
            #expect(
                result.errors
                    == "mock-apns: There is no such host as \"nosuch.invalid\"; \(words[1]) takes an address of "
                    + "this machine, or a name of one.")
        }
    }

    @Test func readyTellsByItsExitCode() async throws {
        let admin = try await withServerProcess { _, ready, _ in
            let result = try await ServerProcess.run(["ready", "--admin", ready.admin])
            #expect(result.exitCode == 0)
            return ready.admin
        }
        #expect(try await ServerProcess.run(["ready", "--admin", admin]).exitCode == 1)
        #expect(try await ServerProcess.run(["ready", "--admin", "nonsense"]).exitCode == 64)
    }

    @Test func variableOptionsComeBeforeCommandLineOptions() async throws {
        try await withFolder { folder in
            let log = folder.appending("a log.jsonl")
            let options = "--initial-streams 7 --auth none --log '\(log)'"
            try await withServerProcess(["--initial-streams", "9"], options: options) { _, ready, _ in
                let provider = try await TestProvider.connect(port: ready.port)
                #expect(try await provider.push(TestPush()).status == "200")
                #expect(try await provider.frames.first?.payload[6..<12] == [0, 3, 0, 0, 0, 9])
            }
            #expect(try jsonLines(log).contains { $0["event"] as? String == "request" })
        }
    }

    @Test func everyCommandHasHelpWithAnExample() async throws {
        for command in ["serve", "exec", "verify", "check", "lint", "certs", "token", "ready"] {
            let result = try await ServerProcess.run([command, "--help"])
            #expect(result.exitCode == 0)
            #expect(result.output.contains("mock-apns \(command)"))
            #expect(result.output.contains("Example"))
        }
    }

    @Test func verboselyEachRefusalIsTold() async throws {
        try await withFolder { folder in
            let server = try await ServerProcess([
                "serve", "--port", "0", "--admin-port", "0", "--certs", folder.string, "--verbose",
            ])
            let provider = try await TestProvider.connect(port: try await server.ready().members.port)
            try await provider.push(TestPush())
            let errors = await server.stop().errors
            #expect(errors.contains("Request 1: 403 MissingProviderToken. There is no authorization"), "\(errors)")
        }
    }

    @Test func tokensOfNewKeysComeWithANote() async throws {
        try await withFolder { folder in
            let arguments = ["token", "--certs", folder.string]
            let errors = try await [ServerProcess.run(arguments).errors, ServerProcess.run(arguments).errors]
            #expect(errors[0].contains("only a server with this folder") && errors[1].isEmpty, "\(errors)")
        }
    }

    @Test func tokenMakesNoFolder() async throws {
        try await withFolder { folder in
            let missing = folder.appending("new")
            let result = try await ServerProcess.run(["token", "--certs", missing.string])
            #expect(result.exitCode == 69 && result.output.isEmpty)
            #expect(result.errors.contains("There is no folder \(missing)"), "\(result.errors)")
            #expect(!FileManager.default.fileExists(atPath: missing.string))
        }
    }

    @Test func theCommandLinesScenarioOverridesTheVariables() async throws {
        try await withFolder { folder in
            let file = folder.appending("own.json")
            try write(Array(#"{"name": "own"}"#.utf8), to: file)
            try await withServerProcess(["--scenario", file.string], options: "--scenario /nowhere.json") {
                server, _, _ in
                let line = try await server.message(containing: "scenario")
                #expect(line.contains("own"))
            }
        }
    }

    @Test func checkSkipsTheSchemaAndNamesOtherFormats() async throws {
        try await withFolder { folder in
            let schema = FilePath(#filePath).removingLastComponent().removingLastComponent().removingLastComponent()
                .removingLastComponent().appending("scenarios/scenario.schema.json")
            let passed = try await ServerProcess.run(["check", schema.string])
            #expect(passed.exitCode == 0 && passed.errors.isEmpty)
            #expect(passed.output == "\(schema): the schema of scenarios, skipped")
            let file = folder.appending("a.json")
            try write(Array("// mine\n{'name': \"x\",\n \"devcies\": [],}\n".utf8), to: file)
            let result = try await ServerProcess.run(["check", schema.string, file.string])
            #expect(result.exitCode == 65)
            let lines = result.errors.split(separator: "\n").map { $0.replacing("\(file):", with: "") }
            #expect(lines.map { String($0.prefix { $0 != " " }) } == ["1:1:", "2:2:", "3:2:", "3:16:"], "\(lines)")
        }
    }

    @Test func checkReportsUnreadableFilesAfterFaultyOnes() async throws {
        try await withFolder { folder in
            let file = folder.appending("a.json")
            try write(Array("[]".utf8), to: file)
            let missing = folder.appending("missing.json")
            let result = try await ServerProcess.run(["check", file.string, missing.string])
            #expect(result.exitCode == 65)
            #expect(result.errors.contains("\(file):1:1:") && result.errors.contains("\(missing)"), "\(result.errors)")
        }
    }

    @Test func aStandardOutputLogFollowsTheReadyLine() async throws {
        try await withFolder { folder in
            let server = try await ServerProcess([
                "serve", "--port", "0", "--admin-port", "0", "--certs", folder.string, "--log", "-",
            ])
            let ready = try await server.ready().members
            let provider = try await TestProvider.connect(port: ready.port)
            try await provider.push(TestPush())
            let result = await server.stop()
            let events = result.output.split(separator: "\n").map { $0.split(separator: "\"")[3] }
            #expect(events == ["scenario", "connection", "request", "connection"])
        }
    }
}
