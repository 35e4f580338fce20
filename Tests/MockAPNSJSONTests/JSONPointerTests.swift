import MockAPNSJSON
import Testing

@Suite("JSON Pointers")
struct JSONPointerTests {
    /// The example of RFC 6901, section 5.
    static let document = #"""
        {"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4,
         "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8, "01": 9}
        """#

    @Test(
        "The RFC's examples",
        arguments: [
            ("/foo/0", nil), ("/", 0), ("/a~1b", 1), ("/c%d", 2), ("/e^f", 3), ("/g|h", 4), (#"/i\j"#, 5), ("/k\"l", 6),
            ("/ ", 7), ("/m~0n", 8), ("/01", 9),
        ] as [(String, Int64?)])
    func examples(text: String, number: Int64?) throws {
        let value = try JSONText.read(Array(Self.document.utf8))
        let pointer = try #require(JSONPointer(text))
        #expect(value[pointer]?.int64 == number)
        #expect(pointer.description == text)
    }

    @Test("Elements and the whole")
    func elements() throws {
        let value = try JSONText.read(Array(Self.document.utf8))
        #expect(JSONPointer("").flatMap { value[$0] }?.object?.count == 11)
        #expect(JSONPointer("/foo").flatMap { value[$0] }?.array?.count == 2)
        #expect(JSONPointer("/foo/1").flatMap { value[$0] }?.string == "baz")
    }

    @Test(
        "What leads nowhere",
        arguments: [
            "/foo/2", "/foo/-", "/foo/01", "/foo/", "/foo/+1", "/foo/0/x", "/nothing", "/foo/99999999999999999999",
            "//",
        ])
    func nowhere(text: String) throws {
        let value = try JSONText.read(Array(Self.document.utf8))
        let pointer = try #require(JSONPointer(text))
        #expect(value[pointer] == nil)
    }

    @Test("What is no pointer", arguments: ["foo", "foo/bar", "/~", "/~2", "/a~", "#/foo"])
    func malformed(text: String) {
        #expect(JSONPointer(text) == nil)
    }

    @Test("~01 is ~1, not a slash")
    func order() {
        #expect(JSONPointer("/~01")?.parts == ["~1"])
    }
}
