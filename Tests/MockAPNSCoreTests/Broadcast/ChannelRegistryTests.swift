import Testing

@testable import MockAPNSCore

@Suite struct ChannelRegistryTests {
    private static func channel(
        _ id: String, named name: String? = nil, topic: String = "a.b", isSandbox: Bool = true
    ) -> BroadcastChannel {
        BroadcastChannel(
            id: ChannelID(id), name: name, topic: topic, isSandbox: isSandbox, policy: .none,
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
        // An id is never reused.
        let again = registry.add(Self.channel("one"))
        #expect(again == nil)
        // What was deleted stays so since then.
        registry.delete(number, at: Timestamp(milliseconds: 8))
        #expect(registry[number]?.deletedAt == Timestamp(milliseconds: 7) && registry.count == 0)
    }

    @Test func eachAppAndEnvironmentListsChannelsInOrder() {
        var registry = ChannelRegistry()
        for id in ["c", "a", "b"] { _ = registry.add(Self.channel(id)) }
        _ = registry.add(Self.channel("d", isSandbox: false))
        _ = registry.add(Self.channel("e", topic: "a.c"))
        #expect(registry.channels(of: "a.b", isSandbox: true).map(\.id.description) == ["c", "a", "b"])
        #expect(registry.count(of: "a.b", isSandbox: false) == 1 && registry.count(of: "a.c", isSandbox: true) == 1)
        #expect(registry.existing.map(\.id.description) == ["c", "a", "b", "d", "e"])
        #expect(registry.numbers(of: "a.b") == [1, 2, 3, 4] && registry.numbers(of: "a.c") == [5])
        #expect(registry.count(of: "a.c", isSandbox: false) == 0 && registry.count == 5)
    }

    @Test func anAppHasItsExistingChannelsInOrder() {
        var registry = ChannelRegistry()
        for (index, topic) in ["a.b", "a.c", "a.d", "a.b", "a.d"].enumerated() {
            _ = registry.add(Self.channel("\(index)", topic: topic))
        }
        #expect((1...5).map { registry.app(ofChannel: $0)?.topic } == ["a.b", "a.c", "a.d", "a.b", "a.d"])
        #expect((1...3).map { registry.app(ofChannel: $0)?.numbers } == [[1, 4], [2], [3, 5]])
        for number in 1...2 { registry.delete(number, at: Timestamp(milliseconds: 0)) }
        #expect(registry.app(ofChannel: 4)?.numbers == [4] && registry.app(ofChannel: 2)?.numbers == [])
        #expect(registry.app(ofChannel: 6) == nil)
        #expect(
            registry.numbers(of: "a.d", isSandbox: true) == [3, 5]
                && registry.numbers(of: "a.d", isSandbox: false) == [])
        #expect(registry.count(of: "a.b", isSandbox: true) == 1 && registry.count == 3)
    }

    @Test func aPageHasTheChannelsAfterAPosition() throws {
        var registry = ChannelRegistry()
        for number in 1...7 { _ = registry.add(Self.channel("\(number)", named: "n\(number)")) }
        registry.delete(3, at: Timestamp(milliseconds: 0))
        let channels = registry
        func page(_ text: String) throws -> Page<Int> {
            let parameters = text.split(separator: "&").map { part in
                let both = part.split(separator: "=")
                return (name: String(both[0]), value: String(both[1]))
            }
            let query = try ChannelQuery(parameters: parameters)
            var page = Page<Int>()
            // Two at a time, as if there were very many.
            repeat {
                channels.look(for: query, count: 2, &page)
            } while !page.isComplete(query.page)
            return page
        }
        #expect(try page("limit=100").elements == [1, 2, 4, 5, 6, 7] && page("limit=100").next == nil)
        #expect(try page("limit=2").elements == [1, 2] && page("limit=2").next == 2)
        #expect(try page("limit=2&after=2").elements == [4, 5] && page("limit=2&after=2").next == 5)
        #expect(try page("limit=2&after=5").elements == [6, 7] && page("limit=2&after=5").next == nil)
        #expect(try page("after=9223372036854775807").elements == [] && page("after=7").next == nil)
        #expect(try page("name=n4").elements == [4] && page("name=4").elements == [4] && page("name=n3").elements == [])
        for wrong in ["limit=0", "limit=1001", "after=-1", "nmae=x", "limit=1&limit=2"] {
            #expect(throws: QueryError.self) { _ = try page(wrong) }
        }
        #expect(try page("limit=1000").elements.count == 6)
    }

    @Test func aSearchExaminesAtMostItsCount() throws {
        var registry = ChannelRegistry()
        for number in 1...7 { _ = registry.add(Self.channel("\(number)")) }
        var page = Page<Int>()
        registry.look(for: try ChannelQuery(parameters: []), count: 2, &page)
        #expect(page.elements == [1, 2] && page.next == 2)
        registry.look(for: try ChannelQuery(parameters: []), &page)
        #expect(page.elements == Array(1...7) && page.next == nil)
    }

    /// A log may tell of channels before it says which they are.
    @Test func unknownChannelsGetNumbersOfTheirOwn() {
        var registry = ChannelRegistry()
        #expect([("a", nil), ("b", nil), ("a", nil)].map { registry.resolve($0.0, named: $0.1) } == [1, 2, 1])
        #expect(registry.resolve("c", named: "final") == 3)
        #expect(registry.resolve("d", named: "final") == 3 && registry.resolve("d", named: nil) == 3)
    }

    /// In merged logs, several servers may have given a channel the same id.
    @Test func ofChannelsSharingAnIDTheFirstExistingIsFound() {
        var registry = ChannelRegistry()
        for id in ["other", "one", "one", "one"] { registry.follow(Self.channel(id)) }
        let one = ChannelID("one")
        var found = [registry.another(with: one)]
        for number in 2...4 {
            registry.delete(number, at: Timestamp(milliseconds: 0))
            found.append(registry.another(with: one))
        }
        #expect(found == [2, 3, 4, nil])
    }

    @Test func onlyChannelsNeverDeletedExist() {
        var registry = ChannelRegistry(deletedLimit: 1)
        for id in ["forgotten", "deleted", "existing"] { registry.add(Self.channel(id)) }
        for number in 1...2 { registry.delete(number, at: Timestamp(milliseconds: 0)) }
        #expect((0...4).map { registry.exists($0) } == [false, false, false, true, false])
    }

    @Test func existingChannelsAreFoundByNameOrID() {
        var registry = ChannelRegistry()
        _ = registry.add(Self.channel("one", named: "final"))
        for text in ["final", "one"] { #expect(registry.existing(text) == 1 && registry.number(text) == 1) }
        #expect(registry.existing(id: "one") == 1 && registry.existing(id: "final") == nil)
        registry.delete(1, at: Timestamp(milliseconds: 0))
        for text in ["final", "one"] {
            #expect(registry.existing(text) == nil && registry.existing(id: text) == nil)
            #expect(registry.number(text) == 1 && registry.isKnown(text))
        }
        #expect(!registry.isKnown("two"))
        // The name may come again.
        _ = registry.add(Self.channel("two", named: "final"))
        #expect(registry.existing("final") == 2 && registry.number(named: "final") == 2)
    }

    @Test func thereIsNoRoomBeyondTheLimit() {
        var registry = ChannelRegistry(limit: 2)
        var numbers: [Int?] = []
        for id in ["a", "b", "c"] {
            #expect(registry.isFull == (id == "c"))
            numbers.append(registry.add(Self.channel(id)))
        }
        #expect(numbers == [1, 2, nil] && registry.count == 2 && !registry.isKnown("c"))
        registry.delete(1, at: Timestamp(milliseconds: 0))
        #expect(!registry.isFull)
        numbers.append(registry.add(Self.channel("c")))
        #expect(numbers.last == 3 && registry.isFull)
    }

    @Test func deletedChannelsAreForgottenOldestFirst() throws {
        var registry = ChannelRegistry()
        let limit = 100_000
        for index in 1...2 * limit + 2 {
            let number = registry.add(Self.channel("\(index)", named: index < 4 ? "name \(index)" : nil))
            // Its name is another's by the time it is forgotten.
            if index == 2 { _ = registry.add(Self.channel("other", named: "name 2")) }
            let forgotten = registry.delete(try #require(number), at: Timestamp(milliseconds: 0))
            if index <= limit { #expect(forgotten == nil) }
            if index == limit + 2 {
                #expect(registry.number(of: ChannelID("2")) == nil && registry.number(of: ChannelID("3")) != nil)
                #expect(!registry.isKnown("name 1") && registry.isKnown("name 2") && registry.isKnown("name 3"))
            }
        }
        let last = limit + 2
        #expect(registry.number(of: ChannelID("\(last)")) == nil && registry.count == 1)
        #expect(registry.number(of: ChannelID("\(last + 1)")) != nil)
    }

    @Test func forgottenChannelsAreCounted() throws {
        var registry = ChannelRegistry(deletedLimit: 1)
        for id in ["a", "b", "c"] {
            let number = registry.add(Self.channel(id))
            registry.delete(try #require(number), at: Timestamp(milliseconds: 0))
        }
        #expect(registry.forgottenCount == 2)
        #expect(registry.deletedCount == 1)
    }
}
