@testable import MockAPNSCore
@testable import MockAPNSJudge

extension LintExample {
    static let pushTypeExamples = [
        LintExample(
            .flagNotOne,
            [
                .at("/aps/content-available", LintSample(#"{"aps": {"content-available": true}}"#)),
                .at("/aps/content-available", LintSample(#"{"aps": {"content-available": "1"}}"#)),
                .at("/aps/mutable-content", LintSample(#"{"aps": {"alert": {"title": "A"}, "mutable-content": 2}}"#)),
                .at(
                    "/aps/content-available",
                    LintSample(#"{"aps": {"alert": {"title": "A"}, "content-available": 0}}"#), .note),
            ],
            good: [
                LintSample(#"{"aps": {"content-available": 1}}"#), LintSample(#"{"aps": {"content-available": 1.0}}"#),
                LintSample(#"{"aps": {"alert": {"title": "A"}, "mutable-content": 1}}"#),
            ]),
        LintExample(
            .mutableWithoutAlert,
            [
                .at("/aps/mutable-content", LintSample(#"{"aps": {"content-available": 1, "mutable-content": 1}}"#)),
                .at("/aps/mutable-content", LintSample(#"{"aps": {"alert": "Your turn", "mutable-content": 1}}"#)),
                .at(
                    "/aps/mutable-content",
                    LintSample(#"{"aps": {"alert": {"launch-image": "a"}, "mutable-content": 1}}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"alert": {"title": "Game"}, "mutable-content": 1}}"#),
                LintSample(#"{"aps": {"alert": {"loc-key": "TURN"}, "mutable-content": 1}}"#),
                LintSample(#"{"aps": {"content-available": 1, "mutable-content": 0}}"#),
            ]),
        LintExample(
            .backgroundWithAlert,
            [
                .at(
                    "/aps/sound",
                    LintSample(#"{"aps": {"content-available": 1, "sound": ""}}"#, "apns-push-type: background")),
                .at(
                    "/aps/alert",
                    LintSample(#"{"aps": {"content-available": 1, "alert": "A"}}"#, "apns-push-type: background")),
                .at(
                    "/aps/badge",
                    LintSample(#"{"aps": {"content-available": 1, "badge": 0}}"#, "apns-push-type: background")),
            ],
            good: [
                LintSample(#"{"aps": {"content-available": 1}}"#, "apns-push-type: background"),
                LintSample(#"{"aps": {"content-available": 1, "badge": 1}}"#),
            ]),
        LintExample(
            .backgroundWithoutFlag,
            [
                .at("/aps", LintSample(#"{"aps": {}, "revision": 7}"#, "apns-push-type: background")),
                .at("/aps", LintSample(#"{"aps": {"content-available": 0}}"#, "apns-push-type: background")),
            ],
            good: [
                LintSample(#"{"aps": {"content-available": 1}, "revision": 7}"#, "apns-push-type: background"),
                LintSample(#"{"aps": {}, "revision": 7}"#),
            ]),
        LintExample(
            .backgroundExtraKeys,
            [
                .at(
                    "/aps/category",
                    LintSample(#"{"aps": {"content-available": 1, "category": "SYNC"}}"#, "apns-push-type: background")),
                .at("/aps/thread-id", LintSample(#"{"aps": {"content-available": 1, "thread-id": "SYNC"}}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"content-available": 1}, "kind": "SYNC"}"#, "apns-push-type: background"),
                LintSample(#"{"aps": {"content-available": 1, "category": "SYNC"}}"#, "apns-push-type: alert"),
            ]),
        LintExample(
            .alertShowsNothing,
            [
                .at("/aps", LintSample(#"{"aps": {"content-available": 1}}"#, "apns-push-type: alert")),
                .at("/aps", LintSample(#"{"aps": {}}"#, "apns-push-type: alert")),
            ],
            good: [
                LintSample(#"{"aps": {"content-available": 1}}"#, "apns-push-type: background"),
                LintSample(#"{"aps": {"badge": 0}}"#, "apns-push-type: alert"),
                LintSample(#"{"aps": {"content-available": 1}}"#),
            ]),
        LintExample(
            .alertWakesApp,
            [
                .at(
                    "/aps/content-available",
                    LintSample(
                        #"{"aps": {"alert": {"title": "Game"}, "content-available": 1}}"#, "apns-push-type: alert"))
            ],
            good: [
                LintSample(#"{"aps": {"alert": {"title": "Game"}}}"#, "apns-push-type: alert"),
                LintSample(#"{"aps": {"alert": {"title": "Game"}, "content-available": 0}}"#),
            ]),
        LintExample(
            .contentChangedValue,
            [
                .at("/aps/content-changed", LintSample(#"{"aps": {"content-changed": 1}}"#, "apns-push-type: widgets")),
                .at("/aps", LintSample(#"{"aps": {}}"#, "apns-topic: com.example.app.push-type.controls")),
            ],
            good: [
                LintSample(#"{"aps": {"content-changed": true}}"#, "apns-push-type: widgets"),
                LintSample(#"{"aps": {"content-changed": 1}}"#),
            ]),
    ]

    static let interruptionExamples = [
        LintExample(
            .interruptionLevelValue,
            [
                .at(
                    "/aps/interruption-level",
                    LintSample(#"{"aps": {"alert": {"title": "A"}, "interruption-level": "timeSensitive"}}"#)),
                .at(
                    "/aps/interruption-level",
                    LintSample(#"{"aps": {"alert": {"title": "A"}, "interruption-level": 2}}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"alert": {"title": "A"}, "interruption-level": "time-sensitive"}}"#),
                LintSample(#"{"aps": {"alert": {"title": "A"}, "interruption-level": "active"}}"#),
            ]),
        LintExample(
            .interruptionLevelCritical,
            [
                .at(
                    "/aps/interruption-level",
                    LintSample(#"{"aps": {"alert": {"title": "Alarm"}, "interruption-level": "critical"}}"#)),
                .at(
                    "/aps/interruption-level",
                    LintSample(
                        #"{"aps": {"alert": {"title": "Alarm"}, "sound": "default", "interruption-level": "critical"}}"#
                    )),
            ],
            good: [
                LintSample(
                    #"{"aps": {"alert": {"title": "Alarm"}, "sound": {"critical": 1, "name": "default"}, "interruption-level": "critical"}}"#
                )
            ]),
        LintExample(
            .interruptionLevelPriority,
            [
                .at(
                    "/aps/interruption-level",
                    LintSample(
                        #"{"aps": {"alert": {"title": "A"}, "interruption-level": "time-sensitive"}}"#,
                        "apns-priority: 5")),
                .at(
                    "/aps/interruption-level",
                    LintSample(
                        #"{"aps": {"alert": {"title": "A"}, "interruption-level": "critical"}}"#, "apns-priority: 1")),
            ],
            good: [
                LintSample(
                    #"{"aps": {"alert": {"title": "A"}, "interruption-level": "time-sensitive"}}"#, "apns-priority: 10"),
                LintSample(#"{"aps": {"alert": {"title": "A"}, "interruption-level": "time-sensitive"}}"#),
                LintSample(#"{"aps": {"alert": {"title": "A"}, "interruption-level": "passive"}}"#, "apns-priority: 5"),
            ]),
        LintExample(
            .passiveWithSound,
            [
                .at(
                    "/aps/interruption-level",
                    LintSample(
                        #"{"aps": {"alert": {"title": "A"}, "sound": "default", "interruption-level": "passive"}}"#))
            ],
            good: [
                LintSample(#"{"aps": {"alert": {"title": "A"}, "interruption-level": "passive"}}"#),
                LintSample(#"{"aps": {"alert": {"title": "A"}, "sound": "default", "interruption-level": "active"}}"#),
            ]),
        LintExample(
            .relevanceScoreRange,
            [
                .at("/aps/relevance-score", LintSample(#"{"aps": {"alert": {"title": "A"}, "relevance-score": 75}}"#)),
                .at(
                    "/aps/relevance-score", LintSample(#"{"aps": {"alert": {"title": "A"}, "relevance-score": "0.5"}}"#)
                ),
                .at(
                    "/aps/relevance-score", LintSample(#"{"aps": {"alert": {"title": "A"}, "relevance-score": -0.1}}"#)),
            ],
            good: [
                LintSample(#"{"aps": {"alert": {"title": "A"}, "relevance-score": 0.75}}"#),
                LintSample(#"{"aps": {"alert": {"title": "A"}, "relevance-score": 1}}"#),
                LintSample(#"{"aps": {"relevance-score": 75}}"#, "apns-push-type: liveactivity"),
            ]),
    ]
}
