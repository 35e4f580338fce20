@testable import MockAPNSCore
@testable import MockAPNSJudge

extension LintExample {
    private static func padded(_ count: Int, _ rest: String = #""aps": {"alert": {"title": "T", "body": "B"}}"#)
        -> String
    {
        let start = "{\(rest), \"story\": \""
        return start + String(repeating: "x", count: count - start.utf8.count - 2) + "\"}"
    }

    static let bodyExamples = [
        LintExample(
            .payloadNotJSON,
            [
                .at("", LintSample(#"{"aps": {"alert": {"title": "Game", "body": "Your turn"},}}"#)),
                .at("", LintSample(#"{"aps": {"alert": 'Your turn'}}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"alert": {"title": "Game", "body": "Your turn"}}}"#),
                LintSample(#"{"aps": {"alert": {"title": "\ud83d", "body": "Your turn"}}}"#),
            ]),
        LintExample(
            .payloadNotObject,
            [.at("", LintSample(#"[{"aps": {"badge": 1}}]"#)), .at("", LintSample("null"))],
            good: [LintSample(#"{"aps": {"badge": 1}}"#), LintSample("{}")]),
        LintExample(
            .payloadTooLarge,
            [
                .at("", LintSample(padded(4097), shown: #"{"aps": {"alert": …}, "story": "…"}, 4097 bytes"#)),
                .at("", LintSample(padded(5121), "apns-topic: com.example.app.voip")),
                .at("", LintSample(padded(5121), "apns-channel-id: dHN0LXNyY2gtY2hubA==")),
            ],
            good: [
                LintSample(padded(4096), shown: #"{"aps": {"alert": …}, "story": "…"}, 4096 bytes"#),
                LintSample(padded(5120), "apns-push-type: voip"),
                LintSample(padded(5120), "apns-channel-id: dHN0LXNyY2gtY2hubA=="),
            ]),
        LintExample(
            .payloadNearLimit,
            [
                .at("", LintSample(padded(3687), shown: #"{"aps": {"alert": …}, "story": "…"}, 3687 bytes"#)),
                .at(
                    "", LintSample(padded(2100), scenario: #"{"lint": {"thresholds": {"nearLimitPercent": 50}}}"#)),
            ],
            good: [
                LintSample(padded(3686), shown: #"{"aps": {"alert": …}, "story": "…"}, 3686 bytes"#),
                LintSample(padded(4097)), LintSample(padded(3687), "apns-topic: com.example.app.voip"),
            ]),
        LintExample(
            .payloadDuplicateKey,
            [
                .at("/aps/badge", LintSample(#"{"aps": {"badge": 1, "badge": 2}}"#)),
                .at("/list/0/a", LintSample(##"{"list": [{"a": 1, "b": 2, "\u0061": 3}]}"##)),
                .at(
                    "/x/k3",
                    LintSample(#"{"x": {"k3": 0, \#((0..<20).map { "\"k\($0)\": 1" }.joined(separator: ", "))}}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"badge": 1}, "badges": {"badge": 2}}"#),
                // One letter for people, two spellings for JSON.
                LintSample("{\"\u{E9}\": 1, \"e\u{301}\": 2}"),
            ]),
        LintExample(
            .payloadCompressed,
            [
                .at(
                    "",
                    LintSample(
                        #"{"aps": {"alert": {"title": "Game", "body": "Your turn"}}}"#, "content-encoding: gzip")),
                .at("", LintSample(gzip: [0x1F, 0x8B, 8, 0])),
            ],
            good: [
                LintSample(#"{"aps": {"alert": {"title": "Game", "body": "Your turn"}}}"#),
                LintSample(#"{"aps": {"badge": 1}}"#, "content-encoding: identity"),
            ]),
    ]

    static let apsExamples = [
        LintExample(
            .apsMissing,
            [
                .at("", LintSample(#"{"message": "Your turn"}"#, "apns-push-type: alert")),
                .at("", LintSample(#"{"score": 1}"#, "apns-topic: com.example.app.push-type.liveactivity")),
                .at("", LintSample(#"{"a": 1}"#, "apns-push-type: widgets")),
            ],
            good: [
                LintSample(
                    #"{"aps": {"alert": {"title": "Game", "body": "Your turn"}}}"#, "apns-push-type: alert"),
                LintSample("{}", "apns-push-type: alert"),
                LintSample(#"{"mdm": "5D5A2F21"}"#, "apns-push-type: alert"),
                LintSample(#"{"call": 7}"#, "apns-push-type: voip"), LintSample(#"{"call": 7}"#),
            ]),
        LintExample(
            .apsMisspelled,
            [
                .at("/APS", LintSample(#"{"APS": {"badge": 1}}"#)),
                .at("/apns", LintSample(#"{"apns": {"badge": 1}}"#)),
                .at("/asp", LintSample(#"{"asp": {"badge": 1}}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"badge": 1}}"#), LintSample(#"{"aps": {"badge": 1}, "apns": {}}"#),
                LintSample(#"{"app": "chess"}"#), LintSample(#"{"place": {"lat": 1}}"#),
            ]),
        LintExample(
            .apsNotObject,
            [
                .at("/aps", LintSample(#"{"aps": "Your turn"}"#)), .at("/aps", LintSample(#"{"aps": [{"badge": 1}]}"#)),
                .at("/aps", LintSample(#"{"aps": null}"#)),
            ],
            good: [LintSample(#"{"aps": {"badge": 1}}"#), LintSample(#"{"aps": {}}"#)]),
        LintExample(
            .apsNested,
            [
                .at("/payload/aps", LintSample(#"{"payload": {"aps": {"badge": 1}}}"#)),
                .at("/aps/aps", LintSample(#"{"aps": {"aps": {"badge": 1}}}"#)),
                .at("/apns/payload/aps", LintSample(#"{"apns": {"payload": {"aps": {"badge": 1}}}}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"badge": 1}}"#),
                LintSample(#"{"aps": {"badge": 1}, "camera": {"aps": "APS-C"}}"#),
            ]),
        LintExample(
            .apsKeysOutside,
            [
                .at("/badge", LintSample(#"{"aps": {"alert": {"title": "Game"}}, "badge": 1}"#)),
                .at("/alert", LintSample(#"{"alert": "Your turn"}"#)),
                .at(
                    "/content-available",
                    LintSample(#"{"aps": {}, "content-available": 1}"#, "apns-push-type: background")),
                .at(
                    "/event",
                    LintSample(#"{"aps": {"timestamp": 1790000000}, "event": "end"}"#, "apns-push-type: liveactivity")),
                .at(
                    "/url-args",
                    LintSample(#"{"aps": {"alert": {"title": "A"}}, "url-args": []}"#, "apns-topic: web.com.example")),
            ],
            good: [
                LintSample(#"{"aps": {"alert": {"title": "Game"}, "badge": 1}}"#),
                LintSample(#"{"aps": {"alert": {"title": "A"}}, "url-args": []}"#, "apns-topic: a.b"),
                LintSample(#"{"aps": {"alert": {"title": "Game"}, "badge": 1}, "badge": 1}"#),
                LintSample(#"{"aps": {"alert": {"title": "Game"}}, "event": "turn", "timestamp": 5}"#),
                LintSample(#"{"event": "call", "timestamp": 5}"#, "apns-push-type: voip"),
                // A word of many apps.
                LintSample(#"{"aps": {"alert": {"title": "Game"}}, "category": "sports"}"#),
                LintSample(#"{"aps": {"content-available": 1}, "category": 7}"#, "apns-push-type: background"),
            ]),
    ]

    static let keyExamples = [
        LintExample(
            .apsUnknownKey,
            [
                .at("/aps/gameID", LintSample(#"{"aps": {"badge": 1, "gameID": "12345678"}}"#)),
                .at("/aps/title", LintSample(#"{"aps": {"badge": 1, "title": "Game"}}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"badge": 1}, "gameID": "12345678"}"#),
                LintSample(#"{"aps": {"badge": 1, "thread-id": "game"}}"#),
            ]),
        LintExample(
            .keyMisspelled,
            [
                .at("/aps/content_available", LintSample(#"{"aps": {"content_available": 1}}"#)),
                .at("/aps/contentAvailable", LintSample(#"{"aps": {"contentAvailable": 1}}"#)),
                .at("/aps/state-date", LintSample(#"{"aps": {"state-date": 1790000000}}"#)),
                .at("/aps/events", LintSample(#"{"aps": {"events": "update"}}"#)),
                .at("/aps/alert/bodi", LintSample(#"{"aps": {"alert": {"bodi": "Your turn"}}}"#)),
                .at(
                    "/aps/sound/volum",
                    LintSample(#"{"aps": {"sound": {"critical": 1, "name": "default", "volum": 1}}}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"content-available": 1}}"#),
                LintSample(#"{"aps": {"badge": 1}, "content_available": 1}"#),
                LintSample(#"{"aps": {"budget": 1}}"#),
                LintSample(#"{"aps": {"alert": {"title": "Game", "icon": "x"}}}"#),
            ]),
        LintExample(
            .keyDeprecated,
            [
                .at(
                    "/aps/alert/action-loc-key",
                    LintSample(#"{"aps": {"alert": {"title": "Game", "body": "Your turn", "action-loc-key": "PLAY"}}}"#)
                ),
                .at(
                    "/aps/alert/summary-arg",
                    LintSample(#"{"aps": {"alert": {"title": "Game", "summary-arg": "Bob"}}}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"alert": {"title": "Game", "body": "Your turn"}, "category": "INVITE"}}"#),
                LintSample(#"{"aps": {"alert": {"title": "Game"}, "summary-arg": "Bob"}}"#),
            ]),
        LintExample(
            .keyTooNew,
            [
                .at(
                    "/aps/interruption-level",
                    LintSample(
                        #"{"aps": {"alert": {"title": "Game"}, "interruption-level": "passive"}}"#,
                        scenario: #"{"lint": {"deploymentTarget": "iOS 14"}}"#)),
                .at(
                    "/aps/event",
                    LintSample(
                        #"{"aps": {"event": "start"}}"#, "apns-push-type: liveactivity",
                        scenario: #"{"lint": {"deploymentTarget": "iOS 17.1"}}"#)),
                .at(
                    "/aps/content-changed",
                    LintSample(
                        #"{"aps": {"content-changed": true}}"#, "apns-push-type: widgets",
                        scenario: #"{"lint": {"deploymentTarget": "iOS 18"}}"#)),
            ],
            good: [
                LintSample(
                    #"{"aps": {"alert": {"title": "Game"}, "interruption-level": "passive"}}"#,
                    scenario: #"{"lint": {"deploymentTarget": "iOS 15"}}"#),
                LintSample(#"{"aps": {"alert": {"title": "Game"}, "interruption-level": "passive"}}"#),
                LintSample(
                    #"{"aps": {"event": "update"}}"#, "apns-push-type: liveactivity",
                    scenario: #"{"lint": {"deploymentTarget": "iOS 16.1"}}"#),
                LintSample(
                    #"{"aps": {"content-changed": true}}"#, "apns-push-type: controls",
                    scenario: #"{"lint": {"deploymentTarget": "iOS 18"}}"#),
            ]),
        LintExample(
            .keyWrongPushType,
            [
                .at(
                    "/aps/content-state",
                    LintSample(
                        #"{"aps": {"alert": {"title": "Game"}, "content-state": {"score": 1}}}"#,
                        "apns-push-type: alert")),
                .at(
                    "/aps/badge",
                    LintSample(#"{"aps": {"badge": 1}}"#, "apns-topic: com.example.app.push-type.liveactivity")),
                .at("/aps/alert/sound", LintSample(#"{"aps": {"alert": {"title": "Game", "sound": "default"}}}"#)),
                .at(
                    "/aps/url-args",
                    LintSample(#"{"aps": {"alert": {"title": "A"}, "url-args": []}}"#, "apns-topic: a.b")),
                .at(
                    "/aps/event",
                    LintSample(#"{"aps": {"content-available": 1, "event": "end"}}"#, "apns-push-type: background")),
            ],
            good: [
                LintSample(
                    #"{"aps": {"timestamp": 1790000000, "event": "update", "content-state": {"score": 1}}}"#,
                    "apns-push-type: liveactivity"),
                LintSample(#"{"aps": {"content-state": {"score": 1}}}"#),
                LintSample(#"{"aps": {"alert": {"title": "A"}, "url-args": []}}"#, "apns-topic: web.com.example"),
                LintSample(#"{"aps": {"alert": {"title": "A"}, "url-args": []}}"#),
                LintSample(#"{"aps": {"alert": {"title": "A"}, "content-available": 1}}"#, "apns-push-type: alert"),
                LintSample(#"{"aps": {"content-available": 1, "category": "A"}}"#, "apns-push-type: background"),
            ]),
    ]

    static let secretExamples = [
        LintExample(
            .secretValue,
            [
                .at("/card", LintSample(#"{"aps": {"badge": 1}, "card": "4111 1111 1111 1111"}"#)),
                .at("/user/Password", LintSample(#"{"user": {"Password": "sesame"}}"#)),
                .at("/numbers/0", LintSample(#"{"numbers": [5555555555554444]}"#)),
                .at("/card", LintSample(#"{"card": "3782 822463 10005"}"#)),
                .at("/card", LintSample(#"{"card": "30569309025904"}"#)),
                .at("/card", LintSample(#"{"card": "6011111111111117"}"#)),
                .at("/card", LintSample(#"{"card": "3530111333300000"}"#)),
                .at("/pin", LintSample(#"{"pin": 1234}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"badge": 1}, "card": "ends with 1111"}"#),
                LintSample(#"{"card": "4111 1111 1111 1112"}"#), LintSample(#"{"pin": true, "pins": "12"}"#),
                LintSample(#"{"password": ""}"#),
                // Milliseconds since 1970 that pass the same check as cards.
                LintSample(#"{"at": 1700000000007}"#),
                // The numbers of mobile phones (IMEI).
                LintSample(#"{"imei": "490154203237518"}"#), LintSample(#"{"imei": 356938035643809}"#),
                LintSample(#"{"imei": "35-209900-176148-1"}"#), LintSample(#"{"imei": "863010050000004"}"#),
                LintSample(#"{"order": 5105105105102}"#), LintSample(#"{"card": "4111  1111 1111 1111"}"#),
            ])
    ]
}

extension LintSample {
    fileprivate init(gzip bytes: [UInt8]) {
        self.init("")
        body = bytes
    }
}
