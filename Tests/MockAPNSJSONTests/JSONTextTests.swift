import MockAPNSJSON
import Testing

@Suite("Reading JSON")
struct JSONTextTests {
    static let good = [
        "null", "true", "false", "0", "-0", "1", "-12", "1.5", "0.0", "1e5", "1E+5", "1e-5", "-0.1e01",
        "123456789012345678901",
        #""""#, #""a""#, #""\"\\\/\b\f\n\r\t""#, #""\u0041\u00e9\u20AC""#, #""\ud83d\ude00""#, #""é€😀""#,
        "\"\u{7F}\"",
        #""\u0000""#, #""/""#, "[]", "[ ]", "[1]", "[1,2]", "[[[]]]", " [ 1 , \"a\" , null ] ", "{}", "{ }",
        #"{"a":1}"#, #"{"a":{"b":[]},"c":"d"}"#, #"{"":0}"#, "\t\r\n {\"a\"\n:\t1\r}\n", #"{"a":1,"A":1}"#,
        "{\"\u{E9}\":1,\"e\u{301}\":2}", "\"\u{FFFF}\u{10FFFF}\"", "1e999", "[-1,1.0e+2,true,false,null]",
    ]

    static let bad: [(text: String, offset: Int)] = [
        ("", 0), (" ", 1), ("nul", 0), ("True", 0), ("nan", 0), ("Infinity", 0), ("-", 1), ("+1", 0), ("01", 0),
        ("-01", 1), ("1.", 2), (".5", 0), ("1.e5", 2), ("1e", 2), ("1e+", 3), ("0x10", 1), ("1a", 1), ("1 2", 2),
        ("--1", 1), ("1_000", 1), ("'a'", 0), ("\"", 1), ("\"a", 2), (#""\""#, 3), (#""\x""#, 2), (#""\u12""#, 5),
        (#""\u12G4""#, 5), (#""\ud800""#, 1), (#""\udc00""#, 1), (#""\ud800\ud800""#, 1), (#""\ud800x""#, 1),
        (#""\ud800\n""#, 1), ("\"a\nb\"", 2), ("\"\t\"", 1), ("\"\u{0}\"", 1), ("[", 1), ("]", 0), ("[1", 2),
        ("[1,", 3), ("[1,]", 3), ("[,1]", 1), ("[1 2]", 3), ("[1}", 2), ("{", 1), ("}", 0), ("{\"a\"", 4),
        ("{\"a\":", 5), ("{\"a\":1", 6), ("{\"a\":1,", 7), ("{\"a\":1,}", 7), ("{\"a\" 1}", 5), ("{a:1}", 1),
        ("{1:1}", 1), ("{,}", 1), ("{\"a\":1]", 6), ("{\"a\":}", 5), ("{\"a\"::1}", 5), ("[1]]", 3), ("{} x", 3),
        ("[1]\u{0}", 3), ("/**/1", 0), ("1//", 1), ("\u{FEFF}1", 0), ("\u{A0}1", 0), ("1\u{B}", 1), ("\u{2028}1", 0),
        ("é", 0), ("[\"a\",\n4\n,1,", 11), ("tru\u{65}1", 4),
    ]

    @Test("What the grammar has is read, and minified", arguments: good)
    func accepted(text: String) throws {
        let value = try JSONText.read(Array(text.utf8))
        var output: [UInt8] = []
        #expect(minify(Array(text.utf8), into: &output))
        #expect(try JSONText.read(output).means(value))
    }

    @Test("What it has not is refused, at its place", arguments: bad)
    func refused(text: String, offset: Int) {
        let mistake = #expect(throws: JSONText.Mistake.self) { try JSONText.read(Array(text.utf8)) }
        #expect(mistake?.offset == offset)
        #expect(mistake?.message.hasPrefix("expected ") == true)
        // Only surrogates are the reader's own strictness.
        #expect(isJSON(Array(text.utf8)) == text.contains(#"\ud"#))
    }

    @Test(
        "Only UTF-8 is read",
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80],
            [0xE2, 0x82], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5], [0xFF],
            [0xF0, 0x9F, 0x98], [0xE2, 0x28, 0xA1],
        ] as [[UInt8]])
    func notUTF8(wrong: [UInt8]) {
        let text = Array("\"a".utf8) + wrong + Array("\"".utf8)
        let mistake = #expect(throws: JSONText.Mistake.self) { try JSONText.read(text) }
        #expect(mistake?.offset == 2)
        #expect(!isJSON(text))
        #expect(!isJSON((Array("\"".utf8) + wrong)))
    }

    private func message(_ text: String) -> String? {
        do throws(JSONText.Mistake) {
            _ = try JSONText.read(Array(text.utf8))
            return nil
        } catch { return error.message }
    }

    @Test("Messages say what was expected and what was found")
    func messages() {
        #expect(message("{\"a\":1,}") == #"expected another key after the comma, found "}""#)
        #expect(message("[1,]") == #"expected another value after the comma, found "]""#)
        #expect(message("[1") == "expected a comma or ] after the element, found the end of the text")
        #expect(message("{\"a\" é}") == #"expected a colon after the key, found "é""#)
        #expect(message("{\"a\":1,\"b\":2,\"a\":3}") == #"expected each key once, found "a" again"#)
        #expect(
            message("\"\u{1}\"") == "expected control characters in a string to be escaped, found the character U+0001")
        #expect(message("007") == "expected a number without leading zeros")
    }

    @Test("What is wrong is told on one line, whatever the text has in it")
    func messagesAreOneLine() {
        #expect(message(#"{"a\n\f":1,"a\n\f":2}"#) == #"expected each key once, found "a\n\u{0C}" again"#)
        #expect(message("{\"a\" \u{2028}1}") == #"expected a colon after the key, found "\u{2028}""#)
        #expect(message("\u{85}") == #"expected a value, found "\u{0085}""#)
    }

    @Test("Values and keys know where they stand, strings are decoded, numbers keep their text")
    func tree() throws {
        let text = #" {"aps": {"badge":3, "title" : "a\n\u00e9\ud83d\ude00"}, "list":[1.50, true, null]}"#
        let value = try JSONText.read(Array(text.utf8))
        #expect(value.offset == 1)
        #expect(value.object?.map(\.key) == ["aps", "list"])
        #expect(value.object?.map(\.keyOffset) == [2, 57])
        #expect(value["aps"]?.offset == 9)
        #expect(value["aps"]?["badge"]?.int64 == 3)
        #expect(value["aps"]?["title"]?.string == "a\né😀")
        #expect(value["list"]?[0]?.number?.text == "1.50")
        #expect(value["list"]?[0]?.double == 1.5)
        #expect(value["list"]?[1]?.bool == true)
        #expect(value["list"]?[2]?.isNull == true)
        #expect(value["list"]?[3] == nil)
        #expect(value["none"] == nil)
        #expect(value["aps"]?.array == nil && value["list"]?.object == nil && value.string == nil)
    }

    @Test(
        "Numbers as whole ones and as fractions",
        arguments: [
            ("0", 0, 0), ("-0", 0, 0), ("3.0", 3, 3), ("0.3e1", 3, 3), ("1e3", 1000, 1000), ("1.5", nil, 1.5),
            ("9223372036854775807", Int64.max, 0x1p63), ("9223372036854775808", nil, 0x1p63),
            ("-9223372036854775808", Int64.min, -0x1p63), ("1e400", nil, nil),
            ("9007199254740993.0", 0x20_0000_0000_0000, 0x1p53),
        ] as [(String, Int64?, Double?)])
    func numbers(text: String, int64: Int64?, double: Double?) throws {
        let value = try JSONText.read(Array(text.utf8))
        #expect(value.int64 == int64)
        #expect(value.double == double)
    }

    @Test("A key that comes twice is a mistake at its second place", arguments: [0, 3, 20])
    func duplicates(others: Int) throws {
        let filling = (0..<others).map { "\"k\($0)\":0," }.joined()
        let text = #"{"x":{"same":1,\#(filling)"s\u0061me":2}}"#
        let mistake = #expect(throws: JSONText.Mistake.self) { try JSONText.read(Array(text.utf8)) }
        #expect(mistake?.offset == 15 + filling.utf8.count)
        let recorded = try JSONText.read(Array(text.utf8), .recorded)
        #expect(recorded["x"]?["same"]?.int64 == 2)
        #expect(recorded["x"]?.object?.count == others + 2)
        #expect(isJSON(Array(text.utf8)))
    }

    @Test("Keys that only look alike are two")
    func lookalikes() throws {
        let value = try JSONText.read(Array("{\"\u{E9}\":1,\"e\u{301}\":2}".utf8))
        #expect(value["\u{E9}"]?.int64 == 1)
        #expect(value["e\u{301}"]?.int64 == 2)
    }

    @Test("A recorded payload may have a lone surrogate")
    func surrogates() throws {
        #expect(try JSONText.read(Array(#""a\ud800b""#.utf8), .recorded).string == "a\u{FFFD}b")
        #expect(try JSONText.read(Array(#""\ud800\u0041""#.utf8), .recorded).string == "\u{FFFD}A")
    }

    @Test("Nesting has a bound, and beyond it nothing breaks", arguments: [#"["#, #"{"a":"#, #"[{"a":"#])
    func depth(opening: String) throws {
        let levels = opening.contains("[{") ? 2 : 1
        func nested(_ depth: Int) -> [UInt8] {
            let closing = opening.contains("[{") ? "}]" : opening == "[" ? "]" : "}"
            let times = depth / levels
            return Array(
                (String(repeating: opening, count: times) + "1" + String(repeating: closing, count: times)).utf8)
        }
        _ = try JSONText.read(nested(512))
        let mistake = #expect(throws: JSONText.Mistake.self) { try JSONText.read(nested(512 + levels)) }
        #expect(mistake?.message.contains("512") == true)
        #expect(throws: JSONText.Mistake.self) { try JSONText.read(nested(1_000_000)) }
        #expect(isJSON(nested(500)))
        #expect(!isJSON(nested(500 + levels)))
        #expect(!isJSON(nested(1_000_000)))
    }

    @Test("Line and column are those of an editor")
    func positions() {
        let text = Array("{\n\t\"é😀\": x\r\n}".utf8)
        func position(_ offset: Int) -> [Int] {
            let position = JSONText.position(of: offset, in: text.span)
            return [position.line, position.column]
        }
        #expect(position(0) == [1, 1])
        #expect(position(1) == [1, 2])
        #expect(position(2) == [2, 1])
        #expect(position(3) == [2, 2])
        #expect(position(Array("{\n\t\"é😀\": ".utf8).count) == [2, 8])
        #expect(position(text.count - 1) == [3, 1])
        #expect(position(1000) == [3, 2])
    }
}

/// As the reader's own, for an array: `#expect` does not take spans.
func isJSON(_ text: [UInt8]) -> Bool { JSONText.isValid(text.span) }

func minify(_ text: [UInt8], into output: inout [UInt8]) -> Bool { JSONText.minify(text.span, into: &output) }
