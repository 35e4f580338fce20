import MockAPNS
import TestSupport
import Testing

@testable import MockAPNSAdmin

/// Who may ask the admin port, decided without a socket.
@Suite struct AccessPolicyTests {
    /// A policy with the names that a server may have besides.
    private func policy(_ names: [String] = [], token: String? = nil, serverNames: [String] = []) -> AccessPolicy {
        AccessPolicy(MockAPNSServer.AdminAccess(names: names, token: token), serverNames: serverNames)
    }

    private func caller(
        _ method: String = "GET", _ path: String = "/api/v1/requests", host: [String] = ["localhost:2198"],
        _ change: (inout AccessPolicy.Caller) -> Void = { _ in }
    ) -> AccessPolicy.Caller {
        var caller = AccessPolicy.Caller(method: method, path: path.split(separator: "/").map(String.init), host: host)
        change(&caller)
        return caller
    }

    // MARK: Host

    @Test(arguments: [
        "127.0.0.1", "127.0.0.1:2198", "0.0.0.0:1", "192.168.178.20:65535", "8.8.8.8", "127.0.0.1.:2198",
        "[::1]", "[::1]:2198", "[FE80::1]:2198", "[fe80::1%25eth0]:2198", "[fe80::1%eth0]", "[::ffff:127.0.0.1]:80",
        "localhost", "localhost:2198", "LocalHost:2198", "localhost.", "localhost.:2198", "localhost:",
        "a.localhost:2198",
        "mock-apns", "mock-apns:2198", "MOCK_APNS_1:2198", "2130706433", "host.docker.internal:2198",
        "printer.local", "printer.LOCAL.:80", "mock-apns.ci.svc:2198", "mock-apns.ci.svc.cluster.local:2198",
    ])
    func aPrivateNameIsKnown(host: String) {
        #expect(policy().rejection(of: caller(host: [host])) == nil)
    }

    @Test(arguments: [
        "attacker.com", "attacker.com:2198", "rebind.attacker.com.:2198", "localhost.attacker.com",
        "127.0.0.1.attacker.com",
        "evil.local.attacker.com:2198", "x.svc.attacker.com", "evillocal.com", "api.push.apple.com",
        // Neither names nor addresses.
        "", " ", ":2198", ".", "..", ".local", "a..local", "attacker.com#.local", "attacker.com/.local",
        "attacker.com?.local",
        "localhost@attacker.com", "user@localhost", "user:pass@localhost", "attacker.com\\.local",
        "attacker.com,localhost",
        "localhost, attacker.com", "local host", "localhost:80:80", "localhost:port", "localhost:-1", "localhost:65536",
        "localhost:99999999999999999999", "localhost:8０", "http://localhost", "localhost/", "\u{212A}ube", "ä", "*",
        "*.local",
        "::1", "[::1", "::1]", "[::1]x", "[]", "[127.0.0.1]", "[localhost]", "[::1%]", "[::1%a b]", "[::1]:x",
        "127.0.0.256",
        "127.1", "1.2.3.4.5", "localhost\u{0}", "localhost%00.attacker.com",
    ])
    func anythingElseIsUnknown(host: String) {
        #expect(policy().rejection(of: caller(host: [host])) == .unknownHost(host))
    }

    @Test func oneHostHasToBeGiven() {
        #expect(policy().rejection(of: caller(host: [])) == .unknownHost(nil))
        for other in ["attacker.com", "localhost"] {
            #expect(policy().rejection(of: caller(host: ["localhost:2198", other])) == .severalHosts(2))
        }
        #expect(policy().rejection(of: caller(host: ["a.com", "b.com", "c.com"])) == .severalHosts(3))
    }

    @Test func namesAreAdded() {
        let policy = policy(
            ["Mock.Example.com.", "*.ci.example.com"], serverNames: ["push.example.org", "*.example.net"])
        for host in [
            "mock.example.com:2198", "MOCK.example.COM.", "a.ci.example.com", "push.example.org:80", "x.example.net",
        ] {
            #expect(policy.rejection(of: caller(host: [host])) == nil, "\(host)")
        }
        for host in ["example.com", "a.mock.example.com", "ci.example.com", "a.b.ci.example.com", "example.net"] {
            #expect(policy.rejection(of: caller(host: [host])) == .unknownHost(host))
        }
        #expect(self.policy(["*"]).rejection(of: caller(host: ["any.example.com:1"])) == nil)
        #expect(self.policy(["*"]).rejection(of: caller(host: ["a@b.example.com"])) != nil)
        #expect(self.policy(["*"]).rejection(of: caller(host: [])) == .unknownHost(nil))
    }

    @Test(arguments: ["livez", "readyz"]) func healthChecksComeByAnyName(path: String) {
        let policy = policy(token: "secret")
        for host in [["attacker.com"], [], ["a", "b"], ["@"]] {
            #expect(policy.rejection(of: caller("GET", "/\(path)", host: host)) == nil)
            #expect(policy.rejection(of: caller("GET", "/\(path)/x", host: host)) != nil)
        }
    }

    @Test(arguments: [
        ("mock.example.com", true), ("a", true), ("*", true), ("*.example.com", true), ("10.0.0.1", true), ("", false),
        ("a b", false), ("a:80", false), ("a.*", false), ("**", false), ("http://a", false), ("[::1]", false),
    ])
    func whatIsAName(name: String, isName: Bool) {
        #expect(MockAPNSServer.AdminAccess.isName(name) == isName)
    }

    // MARK: Origin

    @Test(arguments: ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
    func noMethodIsForPagesOfOtherOrigins(method: String) {
        for site in ["cross-site", "same-site", "Cross-Site"] {
            let rejection = policy().rejection(of: caller(method) { $0.fetchSite = [site] })
            #expect(rejection == .foreignOrigin(field: "Sec-Fetch-Site", value: site))
        }
        for site in ["same-origin", "none"] {
            #expect(policy().rejection(of: caller(method) { $0.fetchSite = [site] }) == nil)
        }
        let rejection = policy().rejection(of: caller(method) { $0.origin = ["http://attacker.com"] })
        #expect(rejection == .foreignOrigin(field: "Origin", value: "http://attacker.com"))
    }

    @Test(arguments: [
        ("localhost:2198", "http://localhost:2198", true), ("LOCALHOST:2198", "http://localhost:2198", true),
        ("localhost", "http://localhost", true), ("[::1]:2198", "http://[::1]:2198", true),
        ("localhost:8080", "http://localhost:8080", true),
        ("localhost:2198", "null", false), ("localhost:2198", "", false),
        ("localhost:2198", "http://localhost", false), ("localhost:2198", "http://localhost:2199", false),
        ("localhost:2198", "https://localhost:2198", true), ("localhost:2198", "http://127.0.0.1:2198", false),
        ("localhost:2198", "http://localhost:2198/", false), ("localhost:2198", "http://localhost.:2198", false),
        ("localhost:2198", "localhost:2198", false), ("localhost:2198", "http://a.localhost:2198", false),
        ("localhost:2198", "http://localhost:2198.attacker.com", false), ("localhost", "http://localhost:80", false),
    ])
    func theOriginIsSchemeHostAndPort(host: String, origin: String, isOwn: Bool) {
        let rejection = policy().rejection(of: caller("POST", host: [host]) { $0.origin = [origin] })
        #expect(rejection == (isOwn ? nil : .foreignOrigin(field: "Origin", value: origin)))
    }

    @Test func everyOriginHasToBeTheOwn() {
        let rejection = policy().rejection(of: caller { $0.origin = ["http://localhost:2198", "http://attacker.com"] })
        #expect(rejection == .foreignOrigin(field: "Origin", value: "http://attacker.com"))
        // A page that came from here, whose browser says so in both ways.
        let own = policy().rejection(
            of: caller("PUT") {
                $0.origin = ["http://localhost:2198"]
                $0.fetchSite = ["same-origin"]
            })
        #expect(own == nil)
    }

    @Test func pagesOfOtherOriginsGetNoHealthChecks() {
        #expect(policy().rejection(of: caller("GET", "/livez") { $0.fetchSite = ["cross-site"] }) != nil)
    }

    @Test func aLinkMayLeadToThePage() {
        func visit(_ method: String, _ path: String, mode: String = "navigate") -> AccessPolicy.Rejection? {
            policy().rejection(
                of: caller(method, path) {
                    $0.fetchSite = ["cross-site"]
                    $0.fetchMode = [mode]
                })
        }
        for path in ["/", "/ui", "/ui/", "/ui/devices/alice"] { #expect(visit("GET", path) == nil) }
        #expect(visit("POST", "/ui/") != nil)
        #expect(visit("GET", "/ui/", mode: "no-cors") != nil)
        for path in ["/api/v1/identity", "/metrics", "/uix", "/livez"] { #expect(visit("GET", path) != nil) }
    }

    // MARK: Token

    @Test(arguments: ["Bearer s3cret", "bearer s3cret", "BEARER s3cret"])
    func theTokenLetsIn(authorization: String) {
        #expect(policy(token: "s3cret").rejection(of: caller { $0.authorization = [authorization] }) == nil)
    }

    @Test(arguments: [
        "", "Bearer", "Bearer ", "s3cret", "Basic s3cret", "Bearer s3cre", "Bearer s3crets", "Bearer S3cret",
        "Bearer  ",
        "Bearer s3cret s3cret", "Bearer s3cret,", "Bearer\ts3cret", "Token s3cret",
    ])
    func anotherTokenDoesNot(authorization: String) {
        let rejection = policy(token: "s3cret").rejection(of: caller { $0.authorization = [authorization] })
        #expect(rejection == .unauthorized(isWrong: true))
    }

    @Test func theTokenIsAskedOfEveryCall() {
        let policy = policy(token: "s3cret")
        for (method, path) in [
            ("GET", "/api/v1/openapi.json"), ("GET", "/metrics"), ("POST", "/api/v1/reset"), ("GET", "/nothing"),
            ("OPTIONS", "/api/v1/requests"),
        ] {
            #expect(policy.rejection(of: caller(method, path)) == .unauthorized(isWrong: false))
        }
        for path in ["/", "/ui", "/ui/assets/x.js", "/livez", "/readyz"] {
            #expect(policy.rejection(of: caller("GET", path)) == nil)
        }
        let twice = policy.rejection(of: caller { $0.authorization = ["Bearer s3cret", "Bearer s3cret"] })
        #expect(twice == .unauthorized(isWrong: true))
    }

    @Test func hostAndOriginAreAskedBeforeTheToken() {
        let policy = policy(token: "s3cret")
        let authorization = ["Bearer s3cret"]
        #expect(
            policy.rejection(of: caller(host: ["attacker.com"]) { $0.authorization = authorization })
                == .unknownHost("attacker.com"))
        #expect(
            policy.rejection(
                of: caller {
                    $0.authorization = authorization
                    $0.origin = ["null"]
                }) == .foreignOrigin(field: "Origin", value: "null"))
        #expect(policy.rejection(of: caller { $0.origin = ["null"] }) == .foreignOrigin(field: "Origin", value: "null"))
    }

    @Test(arguments: [
        ("s3cret", true), ("a", true), ("!~'\"$`\\", true), ("", false), ("a b", false), ("a\n", false), ("ä", false),
    ])
    func whatIsAToken(text: String, isToken: Bool) {
        #expect(MockAPNSServer.AdminAccess.isToken(text) == isToken)
    }
}
