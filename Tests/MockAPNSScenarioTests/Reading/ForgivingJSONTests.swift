import Testing

@testable import MockAPNSCore
@testable import MockAPNSJSON
@testable import MockAPNSScenario

/// Scenario files written with JavaScript or YAML in mind: the mistake is named, and so are those after it.
@Suite struct ForgivingJSONTests {
    private static func mistakes(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        let (scenario, mistakes) = Scenario.read(bytes)
        #expect(scenario == nil)
        return ScenarioMistake.lines(mistakes, file: "a", bytes)
    }

    private static let unknown = #"devcies is not a key of a scenario; did you mean "devices"?"#

    @Test(
        "Comments",
        arguments: [
            ("//", "// one\n{} // two\n", "a:1:1: "), ("#", "{ # one\n# two\n}", "a:1:3: "),
            ("/*", "{/* one\n * two */ }", "a:1:2: "), ("/*", "{} /* without an end", "a:1:4: "),
        ])
    func comments(sign: String, text: String, place: String) {
        #expect(
            Self.mistakes(text) == [
                "\(place)this is a comment (\(sign)), which JSON does not have; every object may contain a \"$comment\""
            ])
    }

    @Test("What follows is checked as well")
    func following() {
        let text = """
            {
              // devices
              'name': 'x', # and more
              seed: 1,
              "devcies": [],
              "description": "a" "clock": "real",
              "clock": "real",
              "rules": [7,],
            }
            """
        let found = Self.mistakes(text)
        #expect(
            found.map { String($0.prefix { $0 != " " }) } == [
                "a:2:3:", "a:3:3:", "a:3:11:", "a:3:16:", "a:4:3:", "a:5:3:", "a:6:22:", "a:7:3:", "a:8:13:", "a:8:15:",
                "a:9:1:",
            ], "\(found)")
        #expect(found[1].hasSuffix("this text has single quotation marks, but JSON has only double ones"))
        #expect(found[4].hasSuffix(#"the key seed has no quotation marks; in JSON it is "seed""#))
        #expect(found[5].hasSuffix(Self.unknown))
        #expect(found[6].hasSuffix("expected a comma or } after the member, found a quotation mark"))
        #expect(found[7].hasSuffix(#"expected each key once, found "clock" again"#))
        #expect(found[9].hasSuffix(#"found "]"; JSON has no comma after the last one"#))
    }

    @Test("Where nothing more can be understood, what came before is told")
    func unreadable() {
        let found = Self.mistakes("{\"name\": 'x', \"seed\": 00}")
        #expect(found.count == 2 && found[1].hasPrefix("a:1:23: expected a number without leading zeros"))
        #expect(Self.mistakes("\u{FEFF}{\"devcies\": []}").count == 2)
        #expect(Self.mistakes("{'a\n': 1}").count == 1)
        // That a key comes twice is found at the end of its object, and told at its place.
        let places = Self.mistakes("{\"clock\": {\"manual\": 1, \"manual\": 2 // note\n}, \"seed\": 00}").map {
            $0.prefix { $0 != " " }
        }
        #expect(places == ["a:1:25:", "a:1:37:", "a:2:12:"])
    }

    @Test(
        "YAML",
        arguments: [
            ("name: tour\ndevices: []\n", "a:1:1: "), ("# mine\n\nunknown devices : x\n", "a:3:1: "),
            ("---\n", "a:1:1: "),
            ("# a\n  # b\n  clock:\n    manual: now\n", "a:3:3: "), ("- a\n", "a:1:1: "),
            ("%YAML 1.2\n---\n", "a:1:1: "),
            ("name\n", nil), ("\"name\": 1", nil), ("", nil),
        ])
    func yaml(text: String, place: String?) {
        let found = Self.mistakes(text)
        if let place {
            #expect(found.count == 1 && found[0].hasPrefix(place + "this is YAML, and a scenario is JSON"), "\(found)")
        } else {
            #expect(!found.contains { $0.contains("YAML") }, "\(found)")
        }
    }

    @Test("Bodies of the API are JSON and nothing else, and the word for it is comment")
    func strict() {
        func message(_ text: String) -> String? {
            do throws(JSONText.Mistake) {
                _ = try JSONText.read(Array(text.utf8))
                return nil
            } catch { return error.message }
        }
        #expect(message("{} // two") == #"expected nothing after the value, found "//": JSON has no comments"#)
        #expect(message("{# x\n}") == ##"expected a key or }, found "#": JSON has no comments"##)
        #expect(message("{'a': 1}") == #"expected a key or }, found "'""#)
        #expect(message("[1,]") == #"expected another value after the comma, found "]""#)
        #expect(message("[1 2]") == #"expected a comma or ] after the element, found "2""#)
    }

    @Test("Typographic quotation marks are named once, and what follows is checked as well")
    func typographicQuotes() {
        let mark = "the typographic quotation mark"
        #expect(
            Self.mistakes("{ “name”: “it’s”,\n «devcies»: [], ‘seed’: 5 }") == [
                "a:1:3: this text begins with \(mark) “ (U+201C); JSON has only straight ones (\")",
                "a:2:2: \(Self.unknown)",
            ])
        let closed = Self.mistakes("{\"name”: 1,\n \"seed\": 1}")
        #expect(
            closed == [
                "a:1:7: expected a straight quotation mark (\") at the end of the text, found \(mark) ” (U+201D)"
            ])
        #expect(Self.mistakes("{\"name\": “x\n”}").last?.contains("expected a closing quotation mark") == true)
        // They are text like any other where the text ends as it should.
        #expect(Scenario.read(Array("{\"name\": \"“x” it’s\"}".utf8)).0?.name == "“x” it’s")
    }

    @Test("The schema is known by its title")
    func schema() {
        let text = #"{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A scenario of mock-apns"}"#
        #expect(Scenario.isSchema(Array(text.utf8)))
        #expect(!Scenario.isSchema(Array(#"{"$schema": "scenario.schema.json", "name": "x"}"#.utf8)))
        #expect(!Scenario.isSchema(Array("---".utf8)))
    }
}
