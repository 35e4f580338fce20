import Testing

@testable import MockAPNSJSON

@Suite struct PlainStringTests {
    /// Each byte at each place of two words: the end of the plain part is found to the byte.
    @Test func findsWhatIsNotPlainAnywhere() {
        for byte in UInt8.min...UInt8.max {
            let isPlain =
                byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            for place in 0..<20 {
                var text = [UInt8](repeating: 0x21, count: 20)
                text[place] = byte
                #expect(text.span.endOfPlainString(from: 0) == (isPlain ? 20 : place))
            }
        }
    }
}
