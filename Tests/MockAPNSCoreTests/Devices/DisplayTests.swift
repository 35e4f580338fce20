import GatewayRigs
import Testing

@testable import MockAPNSCore

@Suite("What a device shows")
struct DisplayTests {
    private static func push(
        _ number: Int, _ aps: String, collapseID: String = "", topic: TopicIndex? = nil
    ) -> KeptPush {
        KeptPush(
            sequence: number, time: GatewayRig.now, topic: topic, collapseID: Array(collapseID.utf8).span,
            payload: Array(#"{"aps":{\#(aps)}}"#.utf8).span)
    }

    private static func alert(_ number: Int, collapseID: String = "") -> KeptPush {
        push(number, #""alert":"Hello""#, collapseID: collapseID)
    }

    @Test("The newest hundred notifications, however many came and whether they collapse", arguments: [false, true])
    func hundred(collapses: Bool) {
        var display = Display()
        for number in 1...1000 {
            display.add(Self.alert(number, collapseID: collapses ? "\(number)" : ""))
            if number == 100 { #expect(display.shown.map(\.sequence) == Array(1...100)) }
            if number == 101 { #expect(display.shown.map(\.sequence) == Array(2...101)) }
        }
        #expect(display.shown.map(\.sequence) == Array(901...1000))
    }

    @Test("A push without an alert sets the number and is not shown", arguments: ["", "c"])
    func badgeOnly(collapseID: String) {
        var display = Display()
        display.add(Self.push(1, #""badge":3"#, collapseID: collapseID))
        #expect(display.shown.isEmpty && display.badge == 3)
        display.add(Self.alert(2, collapseID: collapseID))
        #expect(display.shown.map(\.sequence) == [2] && display.badge == 3)
        display.add(Self.push(3, #""badge":0"#, collapseID: collapseID))
        #expect(display.shown.map(\.sequence) == [2] && display.badge == 0)
    }

    @Test(
        "The number counts, too, that came with a push before the newest hundred", arguments: ["badge", #"b\u0061dge"#])
    func oldBadge(key: String) {
        var display = Display()
        display.add(Self.push(1, #""alert":"a","\#(key)":4"#))
        display.add(Self.push(2, #""alert":"a","\#(key)":5"#))
        for number in 3...300 { display.add(Self.push(number, #""alert":"bad""#)) }
        #expect(display.badge == 5)
        #expect(display.shown.map(\.sequence) == Array(201...300))
    }

    @Test("A push that cannot be shown changes nothing")
    func unshown() {
        var display = Display()
        var push = Self.push(1, #""alert":"a","badge":4"#)
        push.pushType = nil
        display.add(push)
        #expect(display.shown.isEmpty && display.badge == nil)
        #expect(display.history(at: GatewayRig.now, removal: nil).latest.map(\.state) == [.ignored])
    }

    @Test("It is known how many bytes are kept, whenever pushes are read", arguments: [1, 100])
    func bytes(limit: Int) {
        var display = Display()
        var bytes = 0
        for number in 1...900 {
            bytes += display.add(Self.push(number, #""alert":"\#(number)""#), limit: limit)
            #expect(bytes == display.byteCount)
        }
        #expect(limit > 1 || display.shown.map(\.sequence) == [900])
    }

    @Test("It is known how many bytes are kept when pushes to Live Activities are read beside notifications")
    func bytesBesideActivities() {
        var display = Display()
        var bytes = display.add(Self.alert(1))
        for number in 2...500 {
            var push = Self.push(number, #""event":"update","timestamp":1"#)
            push.pushType = .liveactivity
            bytes += display.add(push)
            #expect(bytes == display.byteCount)
        }
    }

    @Test("Pushes are read when four hundred wait; of all but the newest hundred nothing is kept then")
    func readTogether() {
        let size = Self.alert(1).byteCount
        var display = Display()
        for number in 1...400 {
            display.add(Self.alert(number))
            #expect(display.pushByteCount == (number < 400 ? number : 100) * size)
        }
    }

    @Test("Where a device keeps its newest notification only, each push is read as it comes")
    func readOneByOne() {
        let size = Self.alert(1).byteCount
        var display = Display()
        for number in 1...10 {
            display.add(Self.alert(number), limit: 1)
            #expect(display.pushByteCount == size)
        }
    }

    @Test("A notification takes the place of one with its collapse id and topic")
    func collapsing() {
        var topics = TopicTable(hashSeed: 1)
        let (one, other) = (topics.intern("com.example.app"), topics.intern("com.example.other"))
        var display = Display()
        for (number, id, topic) in [
            (1, "c", one), (2, "c", other), (3, "cc", one), (4, "", one), (5, "", one), (6, "c", one), (7, "d", one),
        ] {
            display.add(Self.push(number, #""alert":"a""#, collapseID: id, topic: topic))
        }
        #expect(display.shown.map(\.sequence) == [6, 2, 3, 4, 5, 7])
    }

    @Test("One device's notifications after another's")
    func appending() {
        var (first, second) = (Display(), Display())
        for number in 1...60 { first.add(Self.push(number, #""alert":"a","badge":\#(number)"#)) }
        first.add(Self.alert(61, collapseID: "c"))
        second.add(Self.alert(62, collapseID: "c"))
        for number in 63...110 { second.add(Self.alert(number)) }
        first.append(second)
        #expect(first.shown.map(\.sequence) == Array(10...60) + Array(62...110))
        #expect(first.badge == 60)
        var third = Display()
        third.add(Self.push(111, #""badge":1"#))
        first.append(third)
        #expect(first.badge == 1)
    }
}
