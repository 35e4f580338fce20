import MockAPNSCore
import MockAPNSJSON
import Testing

@Suite("Minifying JSON")
struct JSONMinifyTests {
    static func minified(_ text: String) -> String? {
        var output = Array("before".utf8)
        let isTaken = minify(Array(text.utf8), into: &output)
        #expect(output.starts(with: "before".utf8))
        if !isTaken { #expect(output.count == 6) }
        return isTaken ? String(decoding: output.dropFirst(6), as: UTF8.self) : nil
    }

    @Test(
        "White space outside of strings goes, nothing else",
        arguments: [
            (#"{"aps":{"alert":"Hello"}}"#, #"{"aps":{"alert":"Hello"}}"#),
            (" { \"a b\" :\t[ 1 ,\r\n 2.50e+01 , \" x \\\" y \" ] } ", #"{"a b":[1,2.50e+01," x \" y "]}"#),
            (#"{"a": 1, "a": 2}"#, #"{"a":1,"a":2}"#),
            (#"[ "\u00E9\/" ]"#, #"["\u00E9\/"]"#),
            (#" "\\" "#, #""\\""#),
            (#"[ "\ud800" ]"#, #"["\ud800"]"#),
            (" true ", "true"), ("[false , null]", "[false,null]"), ("[ ]", "[]"), ("{ }", "{}"),
        ])
    func blanks(text: String, expected: String) {
        #expect(Self.minified(text) == expected)
    }

    @Test(
        "What is not JSON leaves nothing behind",
        arguments: ["", "{", "{\"a\":1,}", " [1] x", "[1 ,, 2]", "{\"a\" : tru}"])
    func refused(text: String) {
        #expect(Self.minified(text) == nil)
    }

    @Test("Mutated texts: reader and minifier agree, and minified means the same", arguments: 0..<8)
    func mutations(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let pieces =
            Array(#"{}[]",:\u0 1.eE+-truefalsn/bdD8x"#.utf8) + [0x0A, 0x80, 0xC3, 0xA9, 0xED, 0xA0, 0xF0, 0xFF, 0]
        let originals = JSONTextTests.good.map { Array($0.utf8) }
        var agreed = 0
        for _ in 0..<2500 {
            var text = originals.randomElement(using: &random) ?? []
            if Bool.random(using: &random) {
                text =
                    Array("{\"k\":".utf8) + text + Array(",\"l\": ".utf8)
                    + (originals.randomElement(using: &random) ?? []) + Array("}".utf8)
            }
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let place = Int.random(in: 0...text.count, using: &random)
                let piece = pieces.randomElement(using: &random) ?? 0
                switch Int.random(in: 0...2, using: &random) {
                case 0: text.insert(piece, at: place)
                case 1 where place < text.count: text[place] = piece
                default: if place < text.count { text.remove(at: place) }
                }
            }
            let value = try? JSONText.read(text, .recorded)
            var output: [UInt8] = []
            let isTaken = minify(text, into: &output)
            #expect(isTaken == (value != nil), "\(String(decoding: text, as: UTF8.self))")
            if let value {
                agreed += 1
                #expect(try JSONText.read(output, .recorded).means(value))
                var again: [UInt8] = []
                #expect(minify(output, into: &again) && again == output)
            } else {
                #expect(output.isEmpty)
            }
        }
        #expect(agreed > 250 && agreed < 2250)
    }
}
