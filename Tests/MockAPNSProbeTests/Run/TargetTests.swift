import MockAPNSProbe
import Testing

/// What is this machine, and what is not.
@Suite struct TargetTests {
    @Test(arguments: ["127.0.0.1", "127.9.9.9", "::1", "localhost", "LOCALHOST"])
    func loopback(host: String) {
        #expect(ProbeTarget.isLoopback(host))
        #expect(!ProbeTarget(host: host, port: 1, authorities: nil).isStranger)
    }

    @Test(arguments: [
        "api.sandbox.push.apple.com", "10.0.0.1", "127.0.0.1.example.com", "127.1", "localhost.example.com", "::2",
        "127.0.0.256",
    ])
    func strangers(host: String) {
        #expect(ProbeTarget(host: host, port: 1, authorities: nil).isStranger)
    }

    @Test func aNameIsLookedUp() async throws {
        var target = ProbeTarget(host: "127.0.0.2", port: 1, authorities: nil)
        try await target.resolve()
        #expect(!target.isStranger)
        target = ProbeTarget(host: "192.0.2.1", port: 1, authorities: nil)
        try await target.resolve()
        #expect(target.isStranger)
        target = ProbeTarget(host: "no-such-host.invalid", port: 1, authorities: nil)
        await #expect(throws: ProbeRun.Failure.self) { try await target.resolve() }
    }

    @Test func authority() {
        #expect(ProbeTarget(host: "api.push.apple.com", port: 443, authorities: nil).authority == "api.push.apple.com")
        #expect(ProbeTarget(host: "::1", port: 2197, authorities: nil).authority == "[::1]:2197")
    }

    @Test func whatIsMissingIsSaid() {
        let target = ProbeTarget(host: "127.0.0.1", port: 1, authorities: nil)
        let probe = ProbeList.all.named("headers/priority-5")?.first
        #expect(probe.flatMap { ProbeRun.missing(for: $0, target)?.reason }?.contains("--key") == true)
        for probe in ProbeList.all.probes {
            if let need = ProbeRun.missing(for: probe, target) { #expect(!need.reason.isEmpty) }
        }
    }
}
