import Testing

@testable import MockAPNSFleet

@Suite struct FleetURLTests {
    @Test func anAddressHasItsParts() throws {
        let plain = try FleetURL("redis://engine")
        #expect(plain.address == .host("engine", port: 6379) && plain.password == nil && plain.database == 0)
        let full = try FleetURL("redis://me:p%40ss:w/rd@[::1]:7000/3")
        #expect(full.address == .host("::1", port: 7000) && full.user == "me" && full.database == 3)
        #expect(full.password == "p@ss:w/rd" && full.shown == "redis://[::1]:7000")
        let nameless = try FleetURL("redis://:secret@h")
        #expect(nameless.user == nil && nameless.password == "secret")
        #expect(try FleetURL("unix:/run/redis.sock").address == .path("/run/redis.sock"))
    }

    @Test(arguments: [
        "", "engine:6379", "redis://", "redis://h/x", "redis://h/-1", "unix:", "redis://secret@h",
    ])
    func whatIsNoAddressIsRefused(_ text: String) { #expect(throws: FleetURL.Mistake()) { try FleetURL(text) } }

    @Test(arguments: [
        (
            "rediss://me:secret@h",
            "asks for TLS to the engine, which is not supported; use redis:// instead of rediss://"
        ),
        ("redis://h:0", "has a port 0 that is not a number from 1 to 65535"),
        ("redis://me:secret@h:70000/1", "has a port 70000 that is not a number from 1 to 65535"),
        ("redis://h:", "has a port that is not a number from 1 to 65535"),
        // It may be a login without a host.
        ("redis://me:secret", "has a port that is not a number from 1 to 65535"),
    ])
    func whatIsWrongWithAnAddressIsSaid(_ text: String, _ message: String) {
        #expect(throws: FleetURL.Mistake(description: message)) { try FleetURL(text) }
    }
}
