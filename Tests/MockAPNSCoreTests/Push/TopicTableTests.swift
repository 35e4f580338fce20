import MockAPNSCore
import Testing

@Suite("Topics and their numbers")
struct TopicTableTests {
    @Test("A topic has one number, by its exact text")
    func numbers() throws {
        let table = Table(hashSeed: 3)
        let texts = (0..<2000).map { "com.example.app\($0)" } + ["", "a", "A", "é", String(repeating: "x", count: 300)]
        let numbers = try texts.map { try #require(table.intern($0)) }
        #expect(Set(numbers).count == texts.count)
        #expect(table.count == texts.count)
        for (text, known) in zip(texts, numbers) {
            #expect(table.text(known) == text)
            let again = table.intern(text)
            #expect(again == known)
            #expect(table.find(text) == known)
        }
        #expect(table.find("com.example.app2000") == nil)
        #expect(table.count == texts.count)
    }

    @Test("It takes no more topics than its limit, and no more text")
    func bounds() {
        let table = Table(hashSeed: 3)
        for number in 0..<TopicTable.limit { _ = table.intern("t\(number)") }
        #expect(table.count == TopicTable.limit)
        let beyond = table.intern("one more")
        #expect(beyond == nil)
        let known = table.intern("t77")
        #expect(known.map { table.text($0) } == "t77")

        let long = Table(hashSeed: 3)
        for number in 0..<600 { _ = long.intern(String(repeating: "x", count: 8000) + "\(number)") }
        #expect(long.count == 524)
    }
}

/// A table behind a reference, because `#expect` copies what it looks at.
private final class Table {
    private var table: TopicTable

    init(hashSeed: UInt64) { table = TopicTable(hashSeed: hashSeed) }

    var count: Int { table.count }
    func intern(_ topic: String) -> TopicIndex? { table.intern(topic) }
    func find(_ topic: String) -> TopicIndex? {
        let bytes = Array(topic.utf8)
        return table.find(bytes.span)
    }
    func text(_ topic: TopicIndex) -> String { table.text(topic) }
}
