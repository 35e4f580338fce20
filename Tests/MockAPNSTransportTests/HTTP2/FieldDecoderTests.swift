import MockAPNSTransport
import Testing

@Suite struct FieldDecoderTests {
    /// A field of 4,000 bytes that enters the table, then a byte for each repetition of it.
    private func bomb(_ repetitions: Int) -> [UInt8] {
        let length: [UInt8] = [0x7F, UInt8((4000 - 127) % 128 | 128), UInt8((4000 - 127) / 128)]
        return [0x40, 1, UInt8(ascii: "x")] + length + [UInt8](repeating: UInt8(ascii: "a"), count: 4000)
            + [UInt8](repeating: 0xBE, count: repetitions)
    }

    @Test func shortBlocksForVeryLongFieldsAreRefused() throws {
        let each = 4001 + FieldDecoder.overhead
        #expect(try FieldDecoder().decode(bomb(9), atMost: 10 * each).count == 10)
        #expect(throws: FieldDecoder.Mistake.tooLong) { try FieldDecoder().decode(bomb(10), atMost: 10 * each) }
        // This one stands for 4 GB.
        #expect(throws: FieldDecoder.Mistake.tooLong) { try FieldDecoder().decode(bomb(1 << 20), atMost: 1 << 20) }
    }

    @Test func whatIsNoHeaderBlockIsRefused() {
        #expect(throws: FieldDecoder.Mistake.malformed) {
            try FieldDecoder().decode([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], atMost: 1000)
        }
    }
}
