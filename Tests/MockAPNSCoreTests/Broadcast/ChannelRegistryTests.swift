import Testing

@testable import MockAPNSCore

@Suite struct ChannelRegistryTests {
    private static func channel(_ id: String, topic: String = "a.b", isSandbox: Bool = true) -> BroadcastChannel {
        BroadcastChannel(
            id: ChannelID(id), topic: topic, isSandbox: isSandbox, policy: .none,
            createdAt: Timestamp(milliseconds: 0))
    }

    @Test func existingDeletedAndUnknownAreToldApart() throws {
        var registry = ChannelRegistry()
        let added = registry.add(Self.channel("one"))
        let number = try #require(added)
        #expect(registry.number(of: ChannelID("two")) == nil && registry[number]?.deletedAt == nil)
        registry.delete(number, at: Timestamp(milliseconds: 7))
        #expect(registry.number(of: ChannelID("one")) == number)
        #expect(registry[number]?.deletedAt == Timestamp(milliseconds: 7) && registry.count == 0)
        // An id never comes again.
        let again = registry.add(Self.channel("one"))
        #expect(again == nil)
    }

    @Test func appsAndEnvironmentsAreSeparateAndListedInOrder() {
        var registry = ChannelRegistry()
        for id in ["c", "a", "b"] { _ = registry.add(Self.channel(id)) }
        _ = registry.add(Self.channel("d", isSandbox: false))
        _ = registry.add(Self.channel("e", topic: "a.c"))
        #expect(registry.channels(of: "a.b", isSandbox: true).map(\.id.description) == ["c", "a", "b"])
        #expect(registry.count(of: "a.b", isSandbox: false) == 1 && registry.count(of: "a.c", isSandbox: true) == 1)
        #expect(registry.existing.map(\.id.description) == ["c", "a", "b", "d", "e"])
    }

    @Test func deletedChannelsAreForgottenOldestFirst() throws {
        var registry = ChannelRegistry()
        for index in 0..<ChannelRegistry.deletedLimit + 2 {
            let number = registry.add(Self.channel("\(index)"))
            registry.delete(try #require(number), at: Timestamp(milliseconds: 0))
        }
        #expect(registry.number(of: ChannelID("0")) == nil && registry.number(of: ChannelID("1")) == nil)
        #expect(registry.number(of: ChannelID("2")) != nil && registry.count == 0)
    }
}
