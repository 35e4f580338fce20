import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

/// Payloads that are right: what Apple's guides and a tutorial show, and what real providers send.
@Suite struct LintSampleTests {
    /// A payload from a guide. Where the guide itself is wrong, why.
    struct Shown: Sendable, CustomTestStringConvertible {
        var name: String
        var body: String
        var type = PushType.alert
        var mistake: LintRule?
        var testDescription: String { name }
    }

    @Test(arguments: shown) func payloadsOfTheGuidesHaveNoErrors(shown: Shown) {
        let errors = LintSample(shown.body, "apns-push-type: \(shown.type.name)").findings.filter {
            $0.severity == .error
        }
        #expect(errors.map(\.rule) == (shown.mistake.map { [$0] } ?? []), "\(errors.map(\.line))")
    }

    static let shown = [
        // Generating a remote notification
        Shown(
            name: "a game request",
            body: #"""
                {
                   "aps" : {
                      "alert" : { "title" : "Game Request", "subtitle" : "Five Card Draw", "body" : "Bob wants to play poker" },
                      "category" : "GAME_INVITATION"
                   },
                   "gameID" : "12345678"
                }
                """#),
        Shown(
            name: "badge and sound",
            body: #"{"aps" : {"badge" : 9, "sound" : "bingbong.aiff"}, "messageID" : "ABCDEFGHIJ"}"#),
        Shown(
            name: "a localized message",
            body: #"{"aps": {"alert": {"loc-key": "GAME_PLAY_REQUEST_FORMAT", "loc-args": [ "Shelly", "Rick"]}}}"#),
        // Local and Remote Notification Programming Guide
        Shown(
            name: "a text", body: #"{"aps" : { "alert" : "Message received from Bob" }, "acme2" : [ "bang",  "whiz" ]}"#
        ),
        Shown(
            name: "an action button",
            body: #"""
                {
                    "aps" : {
                        "alert" : {"title" : "Game Request", "body" : "Bob wants to play poker", "action-loc-key" : "PLAY"},
                        "badge" : 5
                    },
                    "acme1" : "bar",
                    "acme2" : [ "bang",  "whiz" ]
                }
                """#),
        Shown(
            name: "mail",
            body:
                #"{"aps": {"alert": "You got your emails.", "badge": 9, "sound": "bingbong.aiff"}, "acme1": "bar", "acme2": 42}"#
        ),
        Shown(
            name: "a localized message with a sound",
            body: #"""
                {"aps": {"alert": {"loc-key": "GAME_PLAY_REQUEST_FORMAT", "loc-args": [ "Jenna", "Frank"]},
                "sound": "chime.aiff"}, "acme": "foo"}
                """#),
        Shown(
            name: "a background update", body: #"{"aps": {"content-available": 1}, "acme1": "bar", "acme2": 42}"#,
            type: .background),
        Shown(name: "hello", body: #"{ "aps" : { "alert" : "Hello" } }"#),
        Shown(
            // A comma is missing, one is too many, and the sound has typographic quotation marks.
            name: "a category, which is not JSON",
            body: #"""
                {
                   "aps" : {
                      "category" : "NEW_MESSAGE_CATEGORY"
                      "alert" : {
                         "body" : "Acme message received from Johnny Appleseed",
                      },
                      "badge" : 3,
                      "sound" : “chime.aiff"
                   },
                   "acme-account" : "jane.appleseed@apple.com",
                   "acme-message" : "message123456"
                }
                """#, mistake: .payloadNotJSON),
        // A tutorial
        Shown(
            name: "title, body, badge and sound",
            body:
                #"{"aps": {"alert": {"title": "This is Title", "body": "This is Body"}, "badge": 1, "sound": "default"}}"#
        ),
        Shown(
            // Four commas with nothing after them.
            name: "mutable content, which is not JSON",
            body: #"""
                {"aps" : {"alert" : {"title" : "This is title", "body" : "This is body",}, "badge" : 2,
                "sound" : "default", "mutable-content" : 1,},}
                """#, mistake: .payloadNotJSON),
        Shown(
            name: "an image, which is not JSON",
            body: #"""
                {"aps" : {"alert" : {"title" : "This is title", "body" : "This is body",}, "badge" : 2,
                "sound" : "default", "mutable-content" : 1,}, "media-url" : "https://example.com/images/UNA.jpg",}
                """#, mistake: .payloadNotJSON),
    ]

    @Test func twoHundredRealisticPayloadsGetNotesAtMost() {
        let samples = RealPayloads.all
        #expect(samples.count >= 200)
        for sample in samples {
            let found = sample.findings.filter { $0.severity > .note }
            #expect(found.isEmpty, "\(String(decoding: sample.body, as: UTF8.self)): \(found.map(\.line))")
        }
    }
}
