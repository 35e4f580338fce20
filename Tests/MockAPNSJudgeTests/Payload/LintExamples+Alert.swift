@testable import MockAPNSCore
@testable import MockAPNSJudge

extension LintExample {
    static let alertExamples = [
        LintExample(
            .alertType,
            [
                .at("/aps/alert", LintSample(#"{"aps": {"alert": 7}}"#)),
                .at("/aps/alert", LintSample(#"{"aps": {"alert": ["A"]}}"#)),
                .at("/aps/alert", LintSample(#"{"aps": {"alert": null}}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"alert": {"title": "Game"}}}"#), LintSample(#"{"aps": {"alert": "Your turn"}}"#),
            ]),
        LintExample(
            .alertEmpty,
            [
                .at("/aps/alert", LintSample(#"{"aps": {"alert": {}}}"#)),
                .at("/aps/alert", LintSample(#"{"aps": {"alert": ""}}"#)),
                .at(
                    "/aps/alert",
                    LintSample(#"{"aps": {"alert": {"title": "", "launch-image": "a"}}}"#, "apns-push-type: alert")),
            ],
            good: [
                LintSample(#"{"aps": {"alert": {"title": "Game"}}}"#),
                LintSample(#"{"aps": {"alert": {"loc-key": "TURN"}}}"#),
                LintSample(#"{"aps": {"alert": {}}}"#, "apns-push-type: liveactivity"),
            ]),
        LintExample(
            .alertIsString, [.at("/aps/alert", LintSample(#"{"aps": {"alert": "Your turn"}}"#))],
            good: [
                LintSample(#"{"aps": {"alert": {"title": "Game", "body": "Your turn"}}}"#),
                LintSample(#"{"aps": {"alert": ""}}"#),
            ]),
        LintExample(
            .alertTitleMissing,
            [
                .at("/aps/alert", LintSample(#"{"aps": {"alert": {"body": "Your turn"}}}"#)),
                .at("/aps/alert", LintSample(#"{"aps": {"alert": {"loc-key": "TURN", "title": ""}}}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"alert": {"title": "Game", "body": "Your turn"}}}"#),
                LintSample(#"{"aps": {"alert": {"title-loc-key": "GAME", "body": "Your turn"}}}"#),
                LintSample(#"{"aps": {"alert": {"title": "Game"}}}"#),
            ]),
        LintExample(
            .alertTextType,
            [
                .at("/aps/alert/title", LintSample(#"{"aps": {"alert": {"title": 3, "body": "Your turn"}}}"#)),
                .at("/aps/alert/body", LintSample(#"{"aps": {"alert": {"title": "A", "body": {"loc-key": "TURN"}}}}"#)),
                .at("/aps/alert/loc-key", LintSample(#"{"aps": {"alert": {"title": "A", "loc-key": ["TURN"]}}}"#)),
                .at(
                    "/aps/alert/subtitle",
                    LintSample(
                        #"{"aps": {"alert": {"title": "A", "subtitle": {"loc-key": "B"}}}}"#,
                        "apns-push-type: liveactivity")),
                .at("/aps/alert/title", LintSample(#"{"aps": {"alert": {"title": null}}}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"alert": {"title": "3", "body": "Your turn"}}}"#),
                LintSample(
                    #"{"aps": {"alert": {"title": "A", "body": {"loc-key": "TURN"}}}}"#, "apns-push-type: liveactivity"),
                LintSample(#"{"aps": {"alert": {"title": "A", "title-loc-key": null}}}"#),
            ]),
        LintExample(
            .alertEscapedU,
            [
                .at("/aps/alert/title", LintSample(#"{"aps": {"alert": {"title": "Caf\\u00e9 opens"}}}"#)),
                .at("/aps/alert", LintSample(#"{"aps": {"alert": "\\U0001F600"}}"#)),
                .at(
                    "/aps/alert/loc-args/0",
                    LintSample(#"{"aps": {"alert": {"loc-key": "A", "loc-args": ["\\u00e9"]}}}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"alert": {"title": "Café opens"}}}"#),
                LintSample(#"{"aps": {"alert": {"title": "Caf\u00e9 opens"}}}"#),
                LintSample(#"{"aps": {"alert": {"title": "C:\\users\\update"}}}"#),
                LintSample(#"{"aps": {"alert": {"title": "\\u00e"}}}"#),
            ]),
        LintExample(
            .alertPlaceholder,
            [
                .at("/aps/alert/body", LintSample(#"{"aps": {"alert": {"title": "Game", "body": "Hello {{name}}"}}}"#)),
                .at("/aps/alert/body", LintSample(#"{"aps": {"alert": {"title": "Game", "body": "Hello ${name}"}}}"#)),
                .at("/aps/alert/title", LintSample(#"{"aps": {"alert": {"title": "%@ has moved"}}}"#)),
                .at("/aps/alert/title", LintSample(#"{"aps": {"alert": {"title": "Hello undefined!"}}}"#)),
                .at("/aps/alert", LintSample(#"{"aps": {"alert": "null"}}"#)),
                .at("/aps/alert", LintSample(#"{"aps": {"alert": "You won NaN points"}}"#)),
                .at("/aps/alert", LintSample(#"{"aps": {"alert": "From [object Object]"}}"#)),
                .at(
                    "/aps/alert/loc-args/1",
                    LintSample(#"{"aps": {"alert": {"loc-key": "A", "loc-args": ["x", "undefined"]}}}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"alert": {"title": "Game", "body": "Hello Bob"}}}"#),
                LintSample(#"{"aps": {"alert": {"title": "Nullify {it} for $5, 100 %"}}}"#),
                LintSample(#"{"aps": {"alert": {"title": "NaNo, annullate, undefined_x, énull"}}}"#),
                LintSample(#"{"aps": {"alert": {"title": "A"}}, "x": "{{name}}"}"#),
            ]),
    ]

    private static let strings = #"""
        {"apps": [{"topic": "com.example.app", "strings": {"en": {"MOVED": "%@ moved %@", "WON": "100 %% won"},
        "de": {"MOVED": "%2$@ von %1$@", "WON": "Gewonnen"}},
        "categories": [{"id": "GAME_INVITATION", "actions": [{"title": "Accept"}]}]}]}
        """#

    static let localizationExamples = [
        LintExample(
            .locArgsWithoutKey,
            [
                .at("/aps/alert/loc-args", LintSample(#"{"aps": {"alert": {"title": "Game", "loc-args": ["Bob"]}}}"#)),
                .at(
                    "/aps/alert/title-loc-args",
                    LintSample(#"{"aps": {"alert": {"title": "A", "loc-key": "B", "title-loc-args": ["C"]}}}"#)),
                .at(
                    "/aps/alert/body/loc-args",
                    LintSample(
                        #"{"aps": {"alert": {"title": "A", "body": {"loc-args": ["C"]}}}}"#,
                        "apns-push-type: liveactivity")),
            ],
            good: [
                LintSample(#"{"aps": {"alert": {"title": "Game", "loc-key": "MOVED", "loc-args": ["Bob"]}}}"#),
                LintSample(#"{"aps": {"alert": {"title": "Game", "title-loc-args": null}}}"#),
            ]),
        LintExample(
            .locKeyAndText,
            [
                .at(
                    "/aps/alert/title-loc-key",
                    LintSample(#"{"aps": {"alert": {"title": "Game", "title-loc-key": "GAME"}}}"#)),
                .at(
                    "/aps/alert/loc-key",
                    LintSample(#"{"aps": {"alert": {"title": "A", "body": "B", "loc-key": "C"}}}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"alert": {"title-loc-key": "GAME"}}}"#),
                LintSample(#"{"aps": {"alert": {"title": "Game", "loc-key": "TURN", "title-loc-key": null}}}"#),
            ]),
        LintExample(
            .locArgsType,
            [
                .at(
                    "/aps/alert/loc-args/1",
                    LintSample(#"{"aps": {"alert": {"title": "Game", "loc-key": "MOVED", "loc-args": ["Bob", 4]}}}"#)),
                .at("/aps/alert/loc-args", LintSample(#"{"aps": {"alert": {"loc-key": "MOVED", "loc-args": "Bob"}}}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"alert": {"title": "Game", "loc-key": "MOVED", "loc-args": ["Bob", "4"]}}}"#),
                LintSample(#"{"aps": {"alert": {"loc-key": "MOVED", "loc-args": []}}}"#),
            ]),
        LintExample(
            .locKeyWithoutArgs,
            [
                .at(
                    "/aps/alert/loc-key",
                    LintSample(#"{"aps": {"alert": {"title": "Game", "loc-key": "%@ has moved"}}}"#)),
                .at(
                    "/aps/alert/title-loc-key",
                    LintSample(#"{"aps": {"alert": {"title-loc-key": "%1$@ won", "title-loc-args": []}}}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"alert": {"title": "Game", "loc-key": "%@ has moved", "loc-args": ["Bob"]}}}"#),
                LintSample(#"{"aps": {"alert": {"loc-key": "100 %%@ sure"}}}"#),
            ]),
        LintExample(
            .locKeyUnknown,
            [
                .at(
                    "/aps/alert/loc-key",
                    LintSample(
                        #"{"aps": {"alert": {"title": "Game", "loc-key": "MOVD"}}}"#, "apns-topic: com.example.app",
                        scenario: strings)),
                .at(
                    "/aps/alert/title-loc-key",
                    LintSample(#"{"aps": {"alert": {"title-loc-key": "GAME"}}}"#, scenario: strings)),
            ],
            good: [
                LintSample(
                    #"{"aps": {"alert": {"title": "Game", "loc-key": "WON"}}}"#, "apns-topic: com.example.app",
                    scenario: strings),
                LintSample(
                    #"{"aps": {"alert": {"loc-key": "MOVD"}}}"#, "apns-topic: com.example.other", scenario: strings),
                LintSample(#"{"aps": {"alert": {"loc-key": "MOVD"}}}"#),
            ]),
        LintExample(
            .locArgsCount,
            [
                .at(
                    "/aps/alert/loc-args",
                    LintSample(
                        #"{"aps": {"alert": {"title": "Game", "loc-key": "MOVED", "loc-args": ["Bob"]}}}"#,
                        "apns-topic: com.example.app", scenario: strings)),
                .at("/aps/alert/loc-key", LintSample(#"{"aps": {"alert": {"loc-key": "MOVED"}}}"#, scenario: strings)),
                .at(
                    "/aps/alert/loc-args",
                    LintSample(#"{"aps": {"alert": {"loc-key": "WON", "loc-args": ["Bob"]}}}"#, scenario: strings)),
            ],
            good: [
                LintSample(
                    #"{"aps": {"alert": {"title": "Game", "loc-key": "MOVED", "loc-args": ["Bob", "e4"]}}}"#,
                    "apns-topic: com.example.app", scenario: strings),
                LintSample(#"{"aps": {"alert": {"loc-key": "WON"}}}"#, scenario: strings),
                LintSample(#"{"aps": {"alert": {"loc-key": "MOVED", "loc-args": ["Bob"]}}}"#),
            ]),
    ]

    static let identifierExamples = [
        LintExample(
            .stringKeyType,
            [
                .at("/aps/thread-id", LintSample(#"{"aps": {"alert": {"title": "Game"}, "thread-id": 42}}"#)),
                .at("/aps/category", LintSample(#"{"aps": {"alert": {"title": "Game"}, "category": null}}"#)),
                .at("/aps/alert/launch-image", LintSample(#"{"aps": {"alert": {"title": "A", "launch-image": 1}}}"#)),
                .at("/aps/attributes-type", LintSample(#"{"aps": {"attributes-type": {}}}"#)),
                .at("/aps/filter-criteria", LintSample(#"{"aps": {"filter-criteria": true}}"#)),
                .at("/aps/target-content-id", LintSample(#"{"aps": {"target-content-id": 1}}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"alert": {"title": "Game"}, "thread-id": "42"}}"#),
                LintSample(#"{"aps": {"alert": {"title": "Game"}, "category": ""}, "thread-id": "42"}"#),
            ]),
        LintExample(
            .categoryUnknown,
            [
                .at(
                    "/aps/category",
                    LintSample(
                        #"{"aps": {"alert": {"title": "Game"}, "category": "GAME_INVITE"}}"#,
                        "apns-topic: com.example.app", scenario: strings))
            ],
            good: [
                LintSample(
                    #"{"aps": {"alert": {"title": "Game"}, "category": "GAME_INVITATION"}}"#,
                    "apns-topic: com.example.app", scenario: strings),
                LintSample(#"{"aps": {"alert": {"title": "Game"}, "category": "GAME_INVITE"}}"#),
                LintSample(
                    #"{"aps": {"alert": {"title": "Game"}, "category": "GAME_INVITE"}}"#,
                    scenario: #"{"apps": [{"topic": "com.example.app"}]}"#),
            ]),
    ]

    private static let sounds = #"{"apps": [{"topic": "com.example.app", "sounds": ["goal.caf", "whistle.caf"]}]}"#

    static let badgeAndSoundExamples = [
        LintExample(
            .badgeType,
            [
                .at("/aps/badge", LintSample(#"{"aps": {"badge": "1"}}"#)),
                .at("/aps/badge", LintSample(#"{"aps": {"badge": "+1"}}"#)),
                .at("/aps/badge", LintSample(#"{"aps": {"badge": "Increment"}}"#)),
                .at("/aps/badge", LintSample(#"{"aps": {"badge": null}}"#)),
            ],
            good: [LintSample(#"{"aps": {"badge": 1}}"#), LintSample(#"{"aps": {"badge": 0}}"#)]),
        LintExample(
            .badgeNotWhole,
            [
                .at("/aps/badge", LintSample(#"{"aps": {"badge": -1}}"#)),
                .at("/aps/badge", LintSample(#"{"aps": {"badge": 1.5}}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"badge": 1}}"#), LintSample(#"{"aps": {"badge": 3.0}}"#),
                LintSample(#"{"aps": {"badge": 0}}"#),
            ]),
        LintExample(
            .badgeZeroWithAlert, [.at("/aps/badge", LintSample(#"{"aps": {"alert": {"title": "Game"}, "badge": 0}}"#))],
            good: [
                LintSample(#"{"aps": {"badge": 0}}"#),
                LintSample(#"{"aps": {"alert": {"title": "Game"}, "badge": 1}}"#),
            ]),
        LintExample(
            .soundType,
            [
                .at("/aps/sound", LintSample(#"{"aps": {"sound": true}}"#)),
                .at("/aps/sound", LintSample(#"{"aps": {"sound": ["default"]}}"#)),
                .at(
                    "/aps/alert/sound",
                    LintSample(
                        #"{"aps": {"alert": {"title": "A", "sound": {"name": "b"}}}}"#, "apns-push-type: liveactivity")),
            ],
            good: [
                LintSample(#"{"aps": {"sound": "default"}}"#),
                LintSample(#"{"aps": {"sound": {"critical": 1, "name": "default"}}}"#),
                LintSample(#"{"aps": {"alert": {"title": "A", "sound": "default"}}}"#, "apns-push-type: liveactivity"),
            ]),
        LintExample(
            .soundObjectNotCritical,
            [
                .at("/aps/sound", LintSample(#"{"aps": {"sound": {"name": "default"}}}"#)),
                .at("/aps/sound", LintSample(#"{"aps": {"sound": {"name": "default", "critical": 0}}}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"sound": "default"}}"#),
                LintSample(#"{"aps": {"sound": {"critical": 1, "name": "default", "volume": 0.5}}}"#),
            ]),
        LintExample(
            .soundCriticalValues,
            [
                .at(
                    "/aps/sound/volume",
                    LintSample(#"{"aps": {"sound": {"critical": 1, "name": "default", "volume": 50}}}"#)),
                .at(
                    "/aps/sound/volume",
                    LintSample(#"{"aps": {"sound": {"critical": 1, "name": "default", "volume": -0.1}}}"#)),
                .at("/aps/sound/critical", LintSample(#"{"aps": {"sound": {"critical": true, "name": "default"}}}"#)),
                .at("/aps/sound/critical", LintSample(#"{"aps": {"sound": {"critical": 2, "name": "default"}}}"#)),
                .at("/aps/sound", LintSample(#"{"aps": {"sound": {"critical": 1}}}"#)),
                .at("/aps/sound/name", LintSample(#"{"aps": {"sound": {"critical": 1, "name": 5}}}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"sound": {"critical": 1, "name": "default", "volume": 0.5}}}"#),
                LintSample(#"{"aps": {"sound": {"critical": 1, "name": "default", "volume": 0}}}"#),
                LintSample(#"{"aps": {"sound": {"critical": 0, "name": "default", "volume": 1}}}"#),
            ]),
        LintExample(
            .soundDefaultCase,
            [
                .at("/aps/sound", LintSample(#"{"aps": {"sound": "Default"}}"#)),
                .at("/aps/sound/name", LintSample(#"{"aps": {"sound": {"critical": 1, "name": "DEFAULT"}}}"#)),
            ],
            good: [LintSample(#"{"aps": {"sound": "default"}}"#), LintSample(#"{"aps": {"sound": "Default.caf"}}"#)]),
        LintExample(
            .soundFileKind,
            [
                .at("/aps/sound", LintSample(#"{"aps": {"sound": "chime.mp3"}}"#)),
                .at("/aps/sound", LintSample(#"{"aps": {"sound": "chime"}}"#)),
                .at("/aps/sound", LintSample(#"{"aps": {"sound": "Sounds/chime.caf"}}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"sound": "chime.caf"}}"#), LintSample(#"{"aps": {"sound": "bingbong.aiff"}}"#),
                LintSample(#"{"aps": {"sound": "CHIME.WAV"}}"#), LintSample(#"{"aps": {"sound": "default"}}"#),
            ]),
        LintExample(
            .soundUnknown,
            [
                .at(
                    "/aps/sound",
                    LintSample(#"{"aps": {"sound": "gaol.caf"}}"#, "apns-topic: com.example.app", scenario: sounds))
            ],
            good: [
                LintSample(#"{"aps": {"sound": "goal.caf"}}"#, "apns-topic: com.example.app", scenario: sounds),
                LintSample(#"{"aps": {"sound": "default"}}"#, "apns-topic: com.example.app", scenario: sounds),
                LintSample(#"{"aps": {"sound": "gaol.caf"}}"#),
                LintSample(#"{"aps": {"sound": "gaol.caf"}}"#, "apns-topic: com.example.other", scenario: sounds),
                // It is ignored there, whatever its name is.
                LintSample(
                    #"{"aps": {"event": "update", "sound": "gaol.caf"}}"#,
                    "apns-topic: com.example.app.push-type.liveactivity", scenario: sounds),
            ]),
    ]
}
