import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

/// What a person reads of a payload.
@Suite struct ShownNotificationTests {
    private static let apps: Apps = {
        let text = #"""
            {"apps": [{"topic": "com.example.chess", "name": "Chess", "language": "de",
              "strings": {"en": {"MOVE": "%@ moved to %@"},
                          "de": {"MOVE": "%2$@ ist der neue Platz von %1$@, 100 %%", "WON": "Gewonnen"}},
              "categories": [{"id": "INVITE", "actions": [{"title": "Accept"}, {"title": "Decline", "destructive": true}]}]}]}
            """#
        return Scenario.read(Array(text.utf8)).0?.apps ?? Apps([])
    }()

    private static func shown(
        _ alert: String, _ more: String = "", topic: String = "com.example.chess"
    ) throws -> ShownNotification {
        let payload = #"{"aps": {"alert": \#(alert)\#(more)}}"#
        return try #require(ShownNotification(JSONText.read(Array(payload.utf8)), topic: topic, in: apps))
    }

    @Test func anAlertThatIsTextIsTheBody() throws {
        let shown = try Self.shown(#""Hello""#)
        #expect(shown.body == "Hello" && shown.title == nil && shown.subtitle == nil)
        #expect(shown.app == "Chess" && shown.level == .active && shown.sound == nil && shown.badge == nil)
        #expect(shown.notes.isEmpty)
    }

    @Test func anAlertHasThreeLines() throws {
        let shown = try Self.shown(#"{"title": "2-1", "subtitle": "Final", "body": "Alice scored"}"#)
        #expect(shown.title == "2-1" && shown.subtitle == "Final" && shown.body == "Alice scored")
    }

    @Test("Keys stand for texts in the device's language, with arguments by their positions")
    func localized() throws {
        let shown = try Self.shown(
            #"{"title": "ignored", "title-loc-key": "WON", "loc-key": "MOVE", "loc-args": ["Turm", "a1"]}"#)
        #expect(shown.title == "Gewonnen" && shown.body == "a1 ist der neue Platz von Turm, 100 %")
        #expect(shown.notes.isEmpty)
    }

    @Test func aKeyWithoutAStringIsShownItself() throws {
        let shown = try Self.shown(#"{"subtitle-loc-key": "LOST"}"#)
        #expect(shown.subtitle == "LOST")
        let note = #"There is no string for the subtitle-loc-key "LOST" in "de"; a device shows the key."#
        #expect(shown.notes == [note])
    }

    @Test func anArgumentThatIsMissingIsTold() throws {
        let shown = try Self.shown(#"{"loc-key": "MOVE", "loc-args": ["Turm"]}"#)
        #expect(shown.body == "%2$@ ist der neue Platz von Turm, 100 %" && shown.notes.count == 1)
    }

    @Test(arguments: InterruptionLevel.allCases) func aLevel(_ level: InterruptionLevel) throws {
        let shown = try Self.shown(#""x""#, #", "interruption-level": "\#(level.rawValue)""#)
        #expect(shown.level == level && shown.notes.isEmpty)
    }

    @Test func anUnknownLevelIsActive() throws {
        let shown = try Self.shown(#""x""#, #", "interruption-level": "urgent""#)
        #expect(shown.level == .active && shown.notes.count == 1)
    }

    @Test("Sounds by name; a critical one says how loud it is")
    func sounds() throws {
        let named = try Self.shown(#""x""#, #", "sound": "chime.aiff""#)
        #expect(named.sound == "chime.aiff" && named.notes.isEmpty)
        for (volume, percent) in [
            ("", "100"), (#", "volume": 0"#, "0"), (#", "volume": 1e300"#, "100"), (#", "volume": -1"#, "0"),
        ] {
            let critical = try Self.shown(#""x""#, #", "sound": {"critical": 1, "name": "siren"\#(volume)}"#)
            #expect(critical.notes.first?.contains(" \(percent) %") == true, "\(critical.notes)")
        }
        let critical = try Self.shown(#""x""#, #", "sound": {"critical": 1, "name": "siren", "volume": 0.8}"#)
        #expect(critical.sound == "siren" && critical.notes.first?.contains("80 %") == true)
        let harmless = try Self.shown(#""x""#, #", "sound": {"critical": 0, "name": "siren"}"#)
        #expect(harmless.sound == "siren" && harmless.notes.isEmpty)
        let wrong = try Self.shown(#""x""#, #", "sound": true"#)
        #expect(wrong.sound == nil && wrong.notes == [#""sound" is true, not the name of one."#])
    }

    @Test func badgeThreadAndMutableContent() throws {
        let shown = try Self.shown(#"{"title": "x"}"#, #", "badge": 3, "thread-id": "game-1", "mutable-content": 1"#)
        #expect(shown.badge == 3 && shown.thread == "game-1" && shown.isMutable && shown.notes.count == 1)
        #expect(try Self.shown(#""x""#, #", "badge": "3""#).badge == nil)
        let text = try Self.shown(#""x""#, #", "mutable-content": 1"#)
        #expect(!text.isMutable && text.notes.first?.contains("needs an alert that is an object") == true)
    }

    private static func shown(_ alert: String, _ more: String = "", app members: String) throws -> ShownNotification {
        let scenario = #"{"apps": [{"topic": "com.example.app", \#(members)}]}"#
        let apps = try #require(Scenario.read(Array(scenario.utf8)).0).apps
        let payload = Array(#"{"aps": {"alert": \#(alert)\#(more)}}"#.utf8)
        return try #require(ShownNotification(JSONText.read(payload), topic: "com.example.app", in: apps))
    }

    @Test("An extension changes the payload within thirty seconds, or not at all")
    func extensions() throws {
        let more = #", "mutable-content": 1"#
        let changes = #""replace": {"/aps/alert/body": "Decrypted", "/aps/thread-id": "t"}"#
        func shown(_ its: String, _ more: String) throws -> ShownNotification {
            try Self.shown(#"{"body": "…"}"#, more, app: #""extension": {\#(its)}"#)
        }
        let changed = try shown(#"\#(changes), "takes": "30s", "attaches": true"#, more)
        #expect(changed.body == "Decrypted" && changed.thread == "t" && changed.hasAttachment)
        #expect(changed.notes == ["The app's extension has changed it."])
        let slow = try shown(#"\#(changes), "takes": "31s", "attaches": true"#, more)
        #expect(slow.body == "…" && slow.thread == nil && !slow.hasAttachment)
        #expect(slow.notes == ["The app's extension takes 31s; after 30s the device shows the original."])
        #expect(try shown(changes, "").body == "…", "only with mutable-content")
        let emptied = try shown(#""replace": {"/aps/alert": ""}"#, more)
        #expect(emptied.body == "…" && emptied.notes.count == 1)
        let lost = try shown(#""replace": {"/aps/alert/body/0": "x"}"#, more)
        #expect(lost.body == "…")
        #expect(lost.notes == [#"The payload has no place for "/aps/alert/body/0" of the app's extension."#])
        let same = try shown(#""replace": {"/aps/alert/body": "…"}"#, more)
        #expect(same.notes.isEmpty)
    }

    private static func withReplacedArgument(at pointer: String) throws -> ShownNotification {
        let its = #""strings": {"en": {"MOVE": "%@ to %@"}}, "extension": {"replace": {"\#(pointer)": "Queen"}}"#
        let alert = #"{"loc-key": "MOVE", "loc-args": ["Rook", "a1"]}"#
        return try shown(alert, #", "mutable-content": 1"#, app: its)
    }

    @Test(arguments: [("/aps/alert/loc-args/0", "Queen to a1"), ("/aps/alert/loc-args/1", "Rook to Queen")])
    func anExtensionChangesAnElementOfAnArray(_ pointer: String, _ body: String) throws {
        let shown = try Self.withReplacedArgument(at: pointer)
        #expect(shown.body == body)
        #expect(shown.notes == ["The app's extension has changed it."])
    }

    @Test(arguments: ["2", "-1", "+1", "01", "-", "x", "", "0/x"])
    func anExtensionAddsNoElementToAnArray(_ place: String) throws {
        let pointer = "/aps/alert/loc-args/" + place
        let shown = try Self.withReplacedArgument(at: pointer)
        #expect(shown.body == "Rook to a1")
        #expect(shown.notes == [#"The payload has no place for "\#(pointer)" of the app's extension."#])
    }

    @Test("An extension's text takes the place of a localized one")
    func extensionsOfLocalizedTexts() throws {
        let alert = #"{"title-loc-key": "A", "subtitle-loc-key": "B", "loc-key": "C"}"#
        let its = #""extension": {"replace": {"/aps/alert/title": "1", "/aps/alert/body": "3"}}"#
        let shown = try Self.shown(alert, #", "mutable-content": 1"#, app: its)
        #expect(shown.title == "1" && shown.subtitle == "B" && shown.body == "3")
    }

    @Test("Of a category's actions four are shown, two of them on a banner")
    func actions() throws {
        let actions = (1...5).map { #"{"id": "A\#($0)", "title": "\#($0)", "options": ["foreground"]}"# }
        let category =
            #"{"id": "C", "actions": [\#(actions.joined(separator: ", "))], "hiddenPreviewsBodyPlaceholder": "Message"}"#
        let shown = try Self.shown(#""x""#, #", "category": "C""#, app: #""categories": [\#(category)]"#)
        #expect(shown.actions.map(\.id) == ["A1", "A2", "A3", "A4"] && shown.actions[0].options == [.foreground])
        #expect(shown.hiddenBody == "Message" && shown.notes.count == 2)
    }

    private static let banner = "A banner shows the first 2 of its actions."
    private static let device = "Its category has 5 actions; a device shows the first 4."

    @Test(
        "Only actions that are not shown are told of",
        arguments: [(1, []), (2, []), (3, [banner]), (4, [banner]), (5, [device, banner])] as [(Int, [String])])
    func notesOnActions(count: Int, notes: [String]) throws {
        let actions = (0..<count).map { #"{"id": "A\#($0)", "title": "\#($0)"}"# }.joined(separator: ", ")
        let app = #""categories": [{"id": "C", "actions": [\#(actions)]}]"#
        #expect(try Self.shown(#""x""#, #", "category": "C""#, app: app).notes == notes)
    }

    @Test func aPassiveNotificationIsQuiet() throws {
        let shown = try Self.shown(#""x""#, #", "interruption-level": "passive", "sound": "default""#)
        #expect(!shown.hasBanner && shown.sound == nil)
    }

    @Test("A category has its actions; an unknown one has none, and that is told")
    func categories() throws {
        let known = try Self.shown(#""x""#, #", "category": "INVITE""#)
        #expect(
            known.actions.map(\.title) == ["Accept", "Decline"] && known.actions.map(\.options) == [[], [.destructive]])
        #expect(known.notes.isEmpty)
        let unknown = try Self.shown(#""x""#, #", "category": "MOVE""#)
        #expect(unknown.category == "MOVE" && unknown.actions.isEmpty)
        #expect(unknown.notes == [#"The scenario declares no category "MOVE" for com.example.chess."#])
        // Nothing is known of the categories of an undeclared app.
        #expect(try Self.shown(#""x""#, #", "category": "MOVE""#, topic: "com.example.mail").notes.isEmpty)
    }

    @Test func aKeyWithoutAStringIsAFormatItself() throws {
        let shown = try Self.shown(#"{"loc-key": "%@ has moved %d times", "loc-args": ["Bob", "3"]}"#)
        #expect(shown.body == "Bob has moved 3 times" && shown.notes.count == 1)
    }

    @Test func aDevelopmentLanguageStandsInForAMissingOne() throws {
        var app = App(topic: "com.example.app")
        app.strings.languages = ["en": ["HI": "Hello"], "ja": ["HI": "こんにちは"]]
        app.language = "fr"
        let english = app.text(for: "HI")
        app.developmentLanguage = "ja"
        #expect(english == "Hello" && app.text(for: "HI") == "こんにちは")
    }

    @Test func aSoundThatTheAppDoesNotHaveIsTheDefaultOne() throws {
        var app = App(topic: "com.example.app")
        func sound(_ json: String) throws -> (String?, Int) {
            let payload = try JSONText.read(Array(#"{"aps": {"alert": "x", "sound": \#(json)}}"#.utf8))
            let shown = try #require(ShownNotification(payload, topic: app.topic, in: Apps([app])))
            return (shown.sound, shown.notes.count)
        }
        let any = try sound(#""goal.caf""#)
        #expect(any == ("goal.caf", 0))
        app.sounds = ["goal.caf"]
        for (json, name, notes) in [
            (#""goal.caf""#, "goal.caf", 0), (#""default""#, "default", 0), (#""gaol.caf""#, "default", 1),
            (#"{"name": "gaol.caf"}"#, "default", 1),
        ] {
            let played = try sound(json)
            #expect(played == (name, notes), "\(json)")
        }
    }

    @Test("An app is found by the topics of its push types; another is called by the end of its bundle id")
    func names() throws {
        #expect(try Self.shown(#""x""#, topic: "com.example.chess.push-type.liveactivity").app == "Chess")
        #expect(try Self.shown(#""x""#, topic: "com.example.mail.voip").app == "mail")
        #expect(try Self.shown(#""x""#, topic: ".voip").app == "voip")
    }

    @Test("Without a topic it is the only app, if there is only one")
    func appWithoutATopic() {
        let apps = [App(topic: "a"), App(topic: "b")]
        #expect(Apps([apps[0]]).app(of: nil)?.topic == "a")
        #expect(Apps(apps).app(of: nil) == nil && Apps(apps).app(of: "b")?.topic == "b" && Apps([]).app(of: "b") == nil)
    }

    @Test func stringsFilesAreListedInTopicOrder() {
        let topics = (1...9).map { "com.example.app\($0)" }
        let apps = topics.reversed().map { topic in
            var app = App(topic: topic)
            app.stringsFile = topic + ".strings"
            return app
        }
        #expect(Apps(apps).stringsFiles.map(\.topic) == topics)
    }

    @Test(arguments: [
        #"{"aps": {}}"#, #"{"aps": {"alert": ""}}"#, #"{"aps": {"alert": {}}}"#, #"{"aps": {"alert": 7}}"#, "{}", "7",
    ])
    func withoutAnAlertNothingIsShown(_ payload: String) throws {
        #expect(try ShownNotification(JSONText.read(Array(payload.utf8)), topic: "a", in: Self.apps) == nil)
    }

    @Test func itsJSONHasTheMembersExpectationsName() throws {
        let json = try #require(Self.shown(#"{"title": "\"2-1\""}"#, #", "badge": 0"#).json)
        #expect(json.object?.map(\.key) == ShownNotification.members)
        #expect(json["title"]?.string == #""2-1""# && json["badge"]?.int64 == 0 && json["body"]?.isNull == true)
    }
}

@Suite struct AppStringsTests {
    private static func text(_ key: String, _ language: String?, in strings: AppStrings) -> String? {
        strings.text(for: key, in: language)
    }

    @Test("A language is found by its beginning; without one the app's own, then English")
    func languages() {
        var strings = AppStrings()
        strings.languages = ["en": ["A": "a"], "de": ["A": "ä"]]
        #expect(Self.text("A", "de-AT", in: strings) == "ä" && Self.text("A", "fr", in: strings) == "a")
        strings.languages["zh-Hant"] = ["A": "甲"]
        #expect(Self.text("A", "zh-Hant-TW", in: strings) == "甲" && Self.text("A", "zh-Hans-CN", in: strings) == "a")
        strings.sourceLanguage = "de-DE"
        #expect(Self.text("A", "fr", in: strings) == "ä" && Self.text("A", "", in: strings) == "ä")
        strings.sourceLanguage = nil
        #expect(Self.text("A", nil, in: strings) == "a")
        strings.sourceLanguage = "de"
        #expect(Self.text("A", nil, in: strings) == "ä" && Self.text("A", "fr", in: strings) == "ä")
        strings = AppStrings()
        strings.languages = ["pl": ["A": "ą"], "fr": ["A": "à"], "it": ["A": "á"]]
        #expect(Self.text("A", nil, in: strings) == "à", "of others the first")
        #expect(Self.text("A", "de", in: strings) == nil)
    }

    @Test(
        "Arguments",
        arguments: [
            ("100 %%", [], "100 %", true), ("%@, %@", ["a", "b"], "a, b", true),
            ("%2$@ %1$@", ["a", "b"], "b a", true),
            ("%@ %@", ["a"], "a %@", false), ("%d", ["1"], "1", true), ("%1d", ["1"], "%1d", false),
            ("%2$d of %1$@", ["9", "8"], "8 of 9", true), ("%s", ["1"], "%s", false),
            ("%lld of %2$lld", ["9", "8"], "9 of 8", true), ("%ld%u", ["1", "2"], "12", true),
            ("50 %", [], "50 %", false),
            ("%1ld", ["1"], "%1ld", false), ("%1$s", ["1"], "%1$s", false), ("%2$@", ["a"], "%2$@", false),
            ("%0$@", ["a"], "%0$@", false), ("%@%@", ["é", "👍🏽"], "é👍🏽", true),
        ] as [(String, [String], String, Bool)])
    func arguments(_ format: String, _ arguments: [String], _ text: String, _ isWhole: Bool) {
        let filled = AppStrings.fill(format, arguments)
        #expect(filled.text == text && filled.isWhole == isWhole)
    }

    @Test func aStringsFileIsRead() throws {
        let text = #"""
            /* The greeting; "quoted" */
            "HELLO" = "Hello, \"%@\"\n";  // to the end of the line
            plain_key-1.a = "\U00e9\UD83D\UDC4D";
            """#
        let strings = try AppStrings(stringsFile: Array(text.utf8))
        #expect(strings.text(for: "HELLO", in: "pl") == "Hello, \"%@\"\n")
        #expect(strings.text(for: "plain_key-1.a", in: nil) == "é👍")
        var (little, big): ([UInt8], [UInt8]) = ([0xFF, 0xFE], [0xFE, 0xFF])
        for unit in text.utf16 {
            let (low, high) = (UInt8(unit & 255), UInt8(unit >> 8))
            little += [low, high]
            big += [high, low]
        }
        #expect(try AppStrings(stringsFile: little) == strings && AppStrings(stringsFile: big) == strings)
    }

    @Test(
        "A mistake in a strings file has its position",
        arguments: [
            (#""A" "B";"#, 4), (#""A" = "B""#, 9), (#""A" = "B"#, 6), ("/* a", 0), (#""A" = "\U12";"#, 9),
            (#""A" = "\U12"#, 9), ("= 3", 0),
        ])
    func mistakes(_ text: String, _ offset: Int) {
        let mistake = #expect(throws: JSONText.Mistake.self) { try AppStrings(stringsFile: Array(text.utf8)) }
        #expect(mistake?.offset == offset, "\(text)")
    }

    @Test func aCatalogIsRead() throws {
        let text = #"""
            {"sourceLanguage": "en", "version": "1.0", "strings": {
              "Hello": {},
              "WON": {"localizations": {"en": {"stringUnit": {"state": "translated", "value": "You won"}},
                                        "de": {"stringUnit": {"state": "translated", "value": "Gewonnen"}}}},
              "GAMES": {"localizations": {"en": {"variations": {"plural": {
                "one": {"stringUnit": {"value": "One game"}}, "other": {"stringUnit": {"value": "%@ games"}}}}}}}}}
            """#
        let strings = try AppStrings(catalog: Array(text.utf8))
        #expect(strings.text(for: "Hello", in: nil) == "Hello" && strings.text(for: "WON", in: nil) == "You won")
        #expect(strings.text(for: "WON", in: "de") == "Gewonnen" && strings.text(for: "Hello", in: "de") == nil)
        #expect(strings.text(for: "GAMES", in: "en") == "%@ games")
        #expect(throws: JSONText.Mistake.self) { try AppStrings(catalog: Array("{}".utf8)) }
    }
}
