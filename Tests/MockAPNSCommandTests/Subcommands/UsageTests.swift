import MockAPNSCore
import TestSupport
import Testing

/// What a command line says that is wrong, or almost right.
@Suite(.withoutSanitizer) struct UsageTests {
    @Test(arguments: ["--version", "version", "-v", "-V"]) func theVersionIsOneLine(word: String) async throws {
        let result = try await ServerProcess.run([word])
        #expect(result.exitCode == 0 && result.errors.isEmpty)
        let words = result.output.split(separator: " ", omittingEmptySubsequences: false)
        #expect(words.prefix(3) == ["mock-apns", "\(MockAPNSVersion.text)", "(OpenSSL"], "\(result.output)")
        #expect(words.count == 4 && words[3].hasPrefix("3.") && words[3].hasSuffix(")"), "\(result.output)")
    }

    @Test(arguments: [
        (["serv"], "Unknown command \"serv\"; did you mean \"serve\"?"),
        (
            ["xyz"],
            "Unknown command \"xyz\"; the commands are serve, exec, suite, probe, collect, verify, scenario, check, lint, certs, token, ready."
        ),
        (
            ["--scenario", "x.json"],
            "--scenario is an option of serve, exec, collect and lint; the command comes first, as in: mock-apns serve --scenario x.json"
        ),
        (
            ["--log", "x", "exec", "--", "true"],
            "--log is an option of serve, exec, verify and lint; the command comes first, as in: mock-apns exec --log x -- true"
        ),
        (["--kind=expired"], "--kind is an option of certs; the command comes first"),
        (["serve", "--scenario", "a", "--scenario=b"], "--scenario is given 2 times; a server plays one scenario."),
        (["serve", "a.json"], "serve takes a scenario with --scenario, as in: mock-apns serve --scenario a.json"),
        (
            ["serve", "--quiet", "tour"],
            "serve takes a scenario with --scenario, as in: mock-apns serve --quiet --scenario tour"
        ),
        (
            ["exec", "a.json"],
            "exec takes a scenario with --scenario, as in: mock-apns exec --scenario a.json -- npm test"
        ),
        (
            ["exec", "a.json", "--", "x"],
            "exec takes a scenario with --scenario, as in: mock-apns exec --scenario a.json -- x"
        ),
        (
            ["exec", "npm", "test"],
            "The command to run comes after --, with all its words, as in: mock-apns exec -- npm test"
        ),
        (
            ["exec", "--port", "0", "sh", "-c", "a b", "--", "--watch"],
            "The command to run comes after --, with all its words, as in: mock-apns exec --port 0 -- sh -c 'a b' -- --watch"
        ),
        (
            ["ready", "http://localhost"],
            "ready takes the address of a server with --admin, as in: mock-apns ready --admin http"
        ),
        (["serve", "-v"], "-v is not an option; --verbose prints more, --version prints the version."),
        (
            ["serve", "--trust-key", "AuthKey_KEY4567890.p8"],
            "The value 'AuthKey_KEY4567890.p8' is invalid for '--trust-key <file:keyid:teamid>': the key id and the team id are missing, as in AuthKey_KEY4567890.p8:KEY4567890:DEF123GHIJ."
        ),
        (
            ["serve", "--trust-key", "k.p8:ABC"],
            "The value 'k.p8:ABC' is invalid for '--trust-key <file:keyid:teamid>': the team id is missing, as in k.p8:ABC:"
        ),
        (
            ["ready", "--timeout", "30"],
            "The value '30' is invalid for '--timeout <duration>': a duration is a whole number with a unit, such as 30s."
        ),
        (
            ["ready", "--timeout", "2 s"],
            "The value '2 s' is invalid for '--timeout <duration>': a duration is a whole number with a unit; write 2s, without the blank."
        ),
        (
            ["serve", "--manage-port", "2195:sandboxx"],
            "The value '2195:sandboxx' is invalid for '--manage-port <port[:environment]>': a port from 0 to 65535, alone or with"
        ),
        (
            ["serve", "--session-ports", "2399-2300"],
            "The value '2399-2300' is invalid for '--session-ports <first-last>': two ports, the lower one first, as in 2300-2399."
        ),
        (["suite", "tour"], "The driver is missing; it comes after --, as in: mock-apns suite -- python3 driver.py"),
        (
            ["suite", "node", "driver.mjs"],
            "The driver is missing; it comes after --, as in: mock-apns suite -- node driver.mjs"
        ),
        (["scenario", "--schema", "tour"], "--schema prints the schema; leave out the name."),
        (["verify"], "There is nothing to judge; give --log FILE, --admin URL of a running server, or --fleet URL"),
        (["verify", "--log", "a", "--admin", "http://127.0.0.1:1", "b"], "--log and --admin contradict each other"),
        (["verify", "--log", "a", "--finish", "b"], "--finish is for a running server"),
        (["verify", "--admin", "nonsense"], "--admin is \"nonsense\""),
    ])
    func wrongUsageIsExplained(arguments: [String], message: String) async throws {
        let result = try await ServerProcess.run(arguments)
        #expect(result.exitCode == 64 && result.output.isEmpty)
        #expect(result.errors.hasPrefix("mock-apns: \(message)"), "\(result.errors)")
    }
}
