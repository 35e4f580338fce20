import Testing

@testable import MockAPNSCore

/// What a person reads of the alert of a push to a Live Activity.
@Suite struct LiveActivityAlertTests {
    private static let app: App = {
        var app = App(topic: "com.example.app")
        app.strings.languages = ["en": ["GOAL": "%@ scored"]]
        app.sounds = ["goal.caf"]
        return app
    }()

    private static func alert(_ json: String) throws -> LiveActivityAlert {
        LiveActivityAlert(try JSONText.read(Array(json.utf8)), app)
    }

    private static func expected(
        title: String? = nil, body: String? = nil, sound: String? = nil, notes: [String] = []
    ) throws -> LiveActivityAlert {
        var alert = try alert("{}")
        (alert.title, alert.body, alert.sound, alert.notes) = (title, body, sound, notes)
        return alert
    }

    @Test func anAlertThatIsTextIsTheBody() throws {
        #expect(try Self.alert(#""Goal!""#) == Self.expected(body: "Goal!"))
    }

    @Test func titleAndBodyMayBeKeysOfStrings() throws {
        let alert = try Self.alert(#"{"title":"Goal","body":{"loc-key":"GOAL","loc-args":["Ada"]},"sound":"goal.caf"}"#)
        #expect(try alert == Self.expected(title: "Goal", body: "Ada scored", sound: "goal.caf"))
    }

    @Test func aKeyWithoutAStringIsShownItself() throws {
        let note = #"There is no string for the loc-key "WON" of "title" in "en"; a device shows the key."#
        let alert = try Self.alert(#"{"title":{"loc-key":"WON"}}"#)
        #expect(alert.title == "WON")
        #expect(alert.notes == [note])
    }

    @Test func soundsTheAppLacksAreTheDefaultOne() throws {
        let note = #"The app has no sound "gaol.caf"; a device plays the default one."#
        let alert = try Self.alert(#"{"body":"Goal","sound":"gaol.caf"}"#)
        #expect(try alert == Self.expected(body: "Goal", sound: "default", notes: [note]))
    }

    /// A notification's `loc-key` beside the texts is not known here.
    @Test(arguments: [
        (#""Goal""#, true), (#"{"title":"Goal"}"#, true), (#"{"body":"1-0"}"#, true),
        (#"{"title":{"loc-key":"GOAL"}}"#, true), (#""""#, false), (#"{"title":"","body":""}"#, false),
        (#"{"title":{"loc-key":""}}"#, false), (#"{"loc-key":"GOAL"}"#, false), (#"{"sound":"goal.caf"}"#, false),
        ("{}", false), ("7", false),
    ])
    func onlyTextsAreSomethingToRead(_ json: String, isSomething: Bool) throws {
        #expect(LiveActivityAlert.isSomethingToRead(try JSONText.read(Array(json.utf8))) == isSomething)
    }
}
