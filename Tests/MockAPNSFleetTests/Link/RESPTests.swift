import NIOCore
import Testing

@testable import MockAPNSFleet

@Suite("The engine's protocol")
struct RESPTests {
    private static let replies: [(bytes: String, value: RESPValue)] = [
        ("+OK\r\n", .text(Array("OK".utf8))),
        ("$0\r\n\r\n", .text([])),
        ("$5\r\na\r\n\0b\r\n", .text(Array("a\r\n\0b".utf8))),
        ("$-1\r\n", .none),
        ("*-1\r\n", .none),
        (":-42\r\n", .number(-42)),
        ("-ERR unknown command\r\n", .error("ERR unknown command")),
        ("*0\r\n", .list([])),
        (
            "*1\r\n*2\r\n$1\r\nk\r\n*1\r\n*2\r\n$3\r\n1-1\r\n*2\r\n$1\r\nd\r\n$-1\r\n",
            .list([
                .list([
                    .text(Array("k".utf8)),
                    .list([.list([.text(Array("1-1".utf8)), .list([.text(Array("d".utf8)), .none])])]),
                ])
            ])
        ),
    ]

    private func read(_ bytes: [UInt8], cutAt cut: Int, with reader: RESPReader) throws -> [RESPValue] {
        var values: [RESPValue] = []
        for piece in [bytes[..<cut], bytes[cut...]] {
            try reader.feed(Array(piece).span)
            while let value = try reader.next() { values.append(value) }
        }
        return values
    }

    @Test func everyReplyIsReadHoweverItIsCut() throws {
        let all = Self.replies.flatMap { Array($0.bytes.utf8) }
        let reader = RESPReader()
        for cut in 0...all.count {
            #expect(try read(all, cutAt: cut, with: reader) == Self.replies.map(\.value))
        }
        for (text, value) in Self.replies {
            var values: [RESPValue] = []
            for byte in text.utf8 {
                #expect(values.isEmpty)
                try reader.feed([byte].span)
                while let value = try reader.next() { values.append(value) }
            }
            #expect(values == [value])
        }
    }

    @Test func aLongTextIsRead() throws {
        let text = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let bytes = Array("$\(text.count)\r\n".utf8) + text + Array("\r\n".utf8)
        let reader = RESPReader()
        for cut in [0, 1, 5, 11, 4096, bytes.count - 1, bytes.count] {
            #expect(try read(bytes, cutAt: cut, with: reader) == [.text(text)])
        }
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n", "\u{16}\u{3}\u{1}", "$abc\r\n", ":1x\r\n", "$-2\r\n", "?\r\n"])
    func whatIsNoReplyIsAnError(_ text: String) throws {
        let reader = RESPReader()
        #expect(throws: RESPMistake.self) {
            try reader.feed(Array(text.utf8).span)
            while try reader.next() != nil {}
        }
        // It stays one.
        #expect(throws: RESPMistake.self) { while try reader.next() != nil {} }
    }

    @Test func listsWithinListsWithoutEndAreAnError() throws {
        let reader = RESPReader()
        #expect(throws: RESPMistake.self) {
            for _ in 0..<100 {
                try reader.feed(Array("*1\r\n".utf8).span)
                while try reader.next() != nil {}
            }
        }
    }

    private func command(_ arguments: [[UInt8]]) -> [UInt8] {
        Array(buffer: ByteBuffer(command: arguments, allocator: ByteBufferAllocator()))
    }

    @Test func aCommandHasItsArgumentsWhateverTheirBytes() {
        #expect(command([Array("TIME".utf8)]) == Array("*1\r\n$4\r\nTIME\r\n".utf8))
        #expect(
            command([Array("SET".utf8), [], [0, 13, 10, 255]])
                == Array("*3\r\n$3\r\nSET\r\n$0\r\n\r\n$4\r\n".utf8) + [0, 13, 10, 255, 13, 10])
        // What is written is read as a list of texts.
        let arguments = [Array("XADD".utf8), Array("k".utf8), (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }]
        let reader = RESPReader()
        #expect(throws: Never.self) { try reader.feed(command(arguments).span) }
        #expect((try? reader.next()) == .list(arguments.map { .text($0) }))
    }
}
