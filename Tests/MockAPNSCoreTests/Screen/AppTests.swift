import Testing

@testable import MockAPNSCore

/// What a scenario says of an app: its notification service extension, and the languages of its strings.
@Suite struct AppTests {
    private static func replacement(_ pointer: String, _ value: String) throws -> (JSONPointer, JSONText.Value) {
        (try #require(JSONPointer(pointer)), try JSONText.read(Array(value.utf8)))
    }

    private static func example() throws -> App.Extension {
        var example = App.Extension()
        (example.takes, example.attaches) = (1000, true)
        example.replace = [try replacement("/aps/badge", "1")]
        return example
    }

    @Test func extensionsWithEquivalentReplacementsAreEqual() throws {
        var other = try Self.example()
        other.replace = [try Self.replacement("/aps/badge", "1.0")]
        #expect(try Self.example() == other)
    }

    @Test func anyDifferenceMakesExtensionsUnequal() throws {
        var others = [try Self.example(), try Self.example()]
        others[0].takes = 999
        others[1].attaches = false
        for (pointer, value) in [("/aps/badge", "2"), ("/aps/sound", "1")] {
            var other = try Self.example()
            other.replace = [try Self.replacement(pointer, value)]
            others.append(other)
        }
        var longer = try Self.example()
        longer.replace.append(try Self.replacement("/aps/sound", "null"))
        others.append(longer)
        for other in others { #expect(try Self.example() != other, "\(other)") }
    }

    /// A file in a single language that it does not name has its strings under an empty one.
    @Test(
        arguments: [
            ([""], nil, ""), ([""], "de", ""), (["en"], nil, #" in "en""#), (["en"], "de", #" in "en""#),
            (["fr"], "de", #" in "de", nor in a language to fall back to"#), ([], "de", ""), ([], nil, ""),
        ] as [([String], String?, String)])
    func onlyNamedLanguagesAreTold(_ languages: [String], on device: String?, place: String) {
        var app = App(topic: "com.example.app")
        app.language = device
        for language in languages { app.strings.languages[language] = ["GOAL": "Goal"] }
        #expect(app.searchedLanguages == place)
    }
}
