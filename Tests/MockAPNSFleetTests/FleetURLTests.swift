import Testing

@testable import MockAPNSFleet

@Suite struct FleetURLTests {
    @Test func anAddressHasItsParts() throws {
        let plain = try #require(FleetURL("redis://engine"))
        #expect(plain.address == .host("engine", port: 6379) && plain.password == nil && plain.database == 0)
        let full = try #require(FleetURL("redis://me:p%40ss:w/rd@[::1]:7000/3"))
        #expect(full.address == .host("::1", port: 7000) && full.user == "me" && full.database == 3)
        #expect(full.password == "p@ss:w/rd" && full.shown == "redis://[::1]:7000")
        #expect(FleetURL("redis://:secret@h")?.user == nil && FleetURL("redis://:secret@h")?.password == "secret")
        #expect(FleetURL("unix:/run/redis.sock")?.address == .path("/run/redis.sock"))
    }

    @Test(arguments: [
        "", "engine:6379", "rediss://h", "redis://", "redis://h:0", "redis://h:x", "redis://h/x", "redis://h/-1",
        "unix:", "redis://secret@h", "redis://h:70000",
    ])
    func whatIsNoAddressIsRefused(_ text: String) { #expect(FleetURL(text) == nil) }
}
