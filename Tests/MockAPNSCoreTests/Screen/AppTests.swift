import Testing

@testable import MockAPNSCore

/// What a scenario says of an app: the languages of its strings.
@Suite struct AppTests {
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
