@testable import MockAPNSCore
@testable import MockAPNSJudge

extension LintExample {
    static let damageExamples = [
        LintExample(
            .unpairedSurrogate,
            [
                .at(
                    "/aps/alert/title",
                    LintSample(#"{"aps": {"alert": {"title": "Game \ud83d", "body": "Your turn"}}}"#)),
                .at("/a", LintSample(#"{"a": "\uDE00"}"#)), .at("/a/0", LintSample(#"{"a": ["\ud83d\u0041"]}"#)),
                .at("/a", LintSample(#"{"a": "\ud83d\ud83d\ude00"}"#)),
                .at("/a/\u{FFFD}", LintSample(#"{"a": {"\ud83d": 1}}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"alert": {"title": "Game \ud83c\udfb2", "body": "Your turn"}}}"#),
                LintSample(#"{"a": "\uD83D\uDE00"}"#), LintSample(#"{"a": "\\ud83d"}"#),
                LintSample(#"{"a": "\ufffd"}"#),
            ]),
        LintExample(
            .replacementCharacter,
            [
                .at(
                    "/aps/alert/body",
                    LintSample("{\"aps\": {\"alert\": {\"title\": \"Game\", \"body\": \"Caf\u{FFFD}\"}}}")),
                .at("/a", LintSample(#"{"a": "\uFFFD"}"#)),
                .at("/a/\u{FFFD}", LintSample("{\"a\": {\"\u{FFFD}\": 1}}")),
            ],
            good: [
                LintSample(#"{"aps": {"alert": {"title": "Game", "body": "Café"}}}"#), LintSample(#"{"a": "\ud83d"}"#),
                LintSample("{\"a\": \"\u{FFFC} \u{FEFF}\"}"), LintSample(#"{"a": "\\ufffd"}"#),
            ]),
        LintExample(
            .numberOutOfRange,
            [
                .at("/score", LintSample(#"{"aps": {"badge": 1}, "score": 1e999}"#)),
                .at("/a/0", LintSample(#"{"a": [-1.5E+400]}"#)),
                .at(
                    "/a",
                    LintSample("{\"a\": \(String(repeating: "9", count: 400))}", shown: #"{"a": 999…999}, 400 digits"#)),
            ],
            good: [
                LintSample(#"{"aps": {"badge": 1}, "score": 1.7e308}"#), LintSample(#"{"a": 1e-999}"#),
                LintSample(#"{"a": "1e999"}"#),
            ]),
        LintExample(
            .contentAvailableOutside,
            [
                .at(
                    "/content_available",
                    LintSample(#"{"aps": {}, "content_available": true}"#, "apns-push-type: background")),
                .at("/contentAvailable", LintSample(#"{"contentAvailable": 1}"#)),
                .at("/mutable_content", LintSample(#"{"aps": {"alert": {"title": "A"}}, "mutable_content": 1}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"content-available": 1}}"#, "apns-push-type: background"),
                LintSample(#"{"aps": {"content-available": 1}, "content_available": true}"#),
                // Another rule finds these.
                LintSample(#"{"aps": {}, "content-available": 1}"#), LintSample(#"{"aps": {"content_available": 1}}"#),
            ]),
    ]
}
