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
            "Unknown command \"xyz\"; the commands are serve, relay, exec, suite, probe, collect, verify, scenario, check, lint, certs, token, ready."
        ),
        (
            ["--scenario", "x.json"],
            "--scenario is an option of serve, relay, exec, collect and lint; the command comes first, as in: mock-apns serve --scenario x.json"
        ),
        (
            ["--log", "x", "exec", "--", "true"],
            "--log is an option of serve, relay, exec, verify and lint; the command comes first, as in: mock-apns exec --log x -- true"
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
        (["serve", "2197"], "serve takes a port with --port, as in: mock-apns serve --port 2197"),
        (
            ["collect", "redis://127.0.0.1"],
            "collect takes the engine of a fleet with --fleet, as in: mock-apns collect --fleet redis://127.0.0.1"
        ),
        (["certs", "voip"], "certs takes the kind of certificate with --kind, as in: mock-apns certs --kind voip"),
        (["serve", "--port", "0", "--protocol", "h2"], "Unknown option '--protocol'"),
        (["exec", "--timeout", "5s", "--", "true"], "Unknown option '--timeout'"),
        (["exec", "--port=0", "--quite", "npm", "--", "true"], "Unknown option '--quite'"),
        (
            ["serve", "--initial-streams", "0"],
            "The value '0' is invalid for '--initial-streams <n>': it must be a whole number, at least 1."
        ),
        (
            ["serve", "--fleet", "redis://x", "--fleet-delay", "11s"],
            "The value '11s' is invalid for '--fleet-delay <duration>': it is a duration from 1ms to 10s, such as 500ms."
        ),
        (
            ["token", "--certs", ""],
            "The value '' is invalid for '--certs <dir>': it is empty; perhaps a variable is not set."
        ),
        (
            ["token", "--key-id", ""],
            "The value '' is invalid for '--key-id <id>': it is empty; perhaps a variable is not set."
        ),
        (["certs", "--server-name", ""], "--server-name is \"\"; it must be a host name or an IP address."),
        (
            ["collect", "--fleet", "redis://127.0.0.1:1", "--admin-host", ""],
            "--admin-host is empty; it must be an address or a host name of this machine."
        ),
        (["check", ""], "The value '' is invalid for '<file>': it is empty; perhaps a variable is not set."),
        (
            ["lint", "--log", ""],
            "The value '' is invalid for '--log <file>': it is empty; perhaps a variable is not set."
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
        (
            ["suite", "--timeout", "0s", "tour", "--", "true"],
            "The value '0s' is invalid for '--timeout <duration>': a duration must be more than 0, such as 500ms or 10s."
        ),
        (
            ["probe", "--timeout", "-5s"],
            "The value '-5s' is invalid for '--timeout <duration>': a duration must be more than 0, such as 500ms or 10s."
        ),
        (
            ["ready", "--timeout", "100000d"],
            "The value '100000d' is invalid for '--timeout <duration>': that is too long; a duration is at most 99999d."
        ),
        (
            ["serve", "--session-ports", "abc"],
            "The value 'abc' is invalid for '--session-ports <first-last>': two ports, the lower one first, as in 2300-2399."
        ),
        (
            ["token", "--issued-at", "abc"],
            "The value 'abc' is invalid for '--issued-at <seconds>': it must be a whole number of seconds since 1970, at least 0."
        ),
        (
            ["token", "--issued-at", "-5"],
            "The value '-5' is invalid for '--issued-at <seconds>': it must be a whole number of seconds since 1970, at least 0."
        ),
        (
            ["token", "--issued-at", "99999999999999999999"],
            "The value '99999999999999999999' is invalid for '--issued-at <seconds>': it must be a whole number of seconds since 1970 from 0 to 9223372036854775807."
        ),
        (
            ["serve", "--log-limit", "-1"],
            "The value '-1' is invalid for '--log-limit <log-limit>': it must be a whole number, at least 1."
        ),
        (
            ["exec", "--log-limit", "-v", "--", "true"],
            "The value '-v' is invalid for '--log-limit <log-limit>': it must be a whole number, at least 1."
        ),
        (["serve", "--log-limit", "--verbose"], "Missing value for '--log-limit <log-limit>'"),
        (["serve", "--log-limit", "-h"], "Missing value for '--log-limit <log-limit>'"),
        (
            ["serve", "--port", "-1"],
            "The value '-1' is invalid for '--port <port>': a port is a number from 0 to 65535."
        ),
        (
            ["serve", "--session-ports", "-5"],
            "The value '-5' is invalid for '--session-ports <first-last>': two ports, the lower one first, as in 2300-2399."
        ),
        (
            ["serve", "--threads", "65"],
            "The value '65' is invalid for '--threads <threads>': it must be a whole number from 1 to 64."
        ),
        (
            ["serve", "--initial-streams", "x"],
            "The value 'x' is invalid for '--initial-streams <n>': it must be a whole number, at least 1."
        ),
        (
            ["suite", "--jobs", "0", "--", "true"],
            "The value '0' is invalid for '--jobs <jobs>': it must be a whole number from 1 to 64."
        ),
        (
            ["collect", "--fleet", "redis://127.0.0.1:1", "--admin-port", "70000"],
            "The value '70000' is invalid for '--admin-port <port>': a port is a number from 0 to 65535."
        ),
        (
            ["collect", "--fleet", "redis://127.0.0.1:1", "--log-limit", "many"],
            "The value 'many' is invalid for '--log-limit <log-limit>': it must be a whole number, at least 1."
        ),
        (
            ["certs", "--kind", "foo"],
            "The value 'foo' is invalid for '--kind <kind>': it must be voip, pass, website, watchkit, mdm, expired, revoked, wrong-environment, unknown-authority or not-push."
        ),
        (
            ["serve", "--auth", "foo"],
            "The value 'foo' is invalid for '--auth <auth>': it must be verify, decode or none."
        ),
        (
            ["serve", "--environment", "'. Please provide one of 'x'"],
            "The value ''. Please provide one of 'x'' is invalid for '--environment <environment>': it must be sandbox, production or serverName."
        ),
        (
            ["lint", "--fail-on", "foo", "-"],
            "The value 'foo' is invalid for '--fail-on <fail-on>': it must be error, warning, note or never."
        ),
        (
            ["check"],
            "There is nothing to check; name scenario files, as in: mock-apns check scenario.json"
        ),
        (
            ["suite", "tour"],
            "The driver is missing; it comes after --, as in: mock-apns suite tour -- python3 driver.py"
        ),
        (
            ["suite", "tour", "node", "driver.mjs"],
            "The driver is missing; it comes after --, as in: mock-apns suite tour -- node driver.mjs"
        ),
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
