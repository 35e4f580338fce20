@testable import MockAPNSCore
@testable import MockAPNSJudge

extension LintExample {
    private static let type = "apns-push-type: liveactivity"
    private static let channel = "apns-channel-id: dHN0LXNyY2gtY2hubA=="
    private static let now: Int64 = 1_790_000_000

    private static func activity(_ members: String, _ more: String..., earlier: [String] = [], clock: Int64? = nil)
        -> LintSample
    {
        var sample = LintSample("{\"aps\": {\(members)}}", earlier: earlier.map { "{\"aps\": {\($0)}}" }, clock: clock)
        sample.headers = [type] + more
        return sample
    }

    private static let update = #""timestamp": 1790000000, "event": "update", "content-state": {"score": 1}"#
    private static let end = #""timestamp": 1790000000, "event": "end", "content-state": {"score": 1}"#
    private static let start =
        #""timestamp": 1790000000, "event": "start", "content-state": {"score": 0}, "attributes-type": "Game", "attributes": {"id": 7}"#
    private static let startWithAlert = start + #", "alert": {"title": "Game", "body": "It begins"}"#

    static let liveActivityExamples = [
        LintExample(
            .liveactivityEvent,
            [
                .at("/aps", activity(#""timestamp": 1790000000, "content-state": {"score": 1}"#)),
                .at(
                    "/aps/event",
                    activity(#""timestamp": 1790000000, "event": "finish", "content-state": {"score": 1}"#)),
                .at("/aps", activity(#""events": "update", "timestamp": 1790000000"#)),
            ],
            good: [activity(update), LintSample(#"{"aps": {"timestamp": 1790000000}}"#)]),
        LintExample(
            .liveactivityTimestamp,
            [
                .at("/aps", activity(#""event": "update", "content-state": {"score": 1}"#)),
                .at(
                    "/aps/timestamp",
                    activity(#""timestamp": "1790000000", "event": "update", "content-state": {"score": 1}"#)),
            ],
            good: [activity(update), LintSample(#"{"aps": {"event": "update"}}"#)]),
        LintExample(
            .dateNotSeconds,
            [
                .at(
                    "/aps/timestamp",
                    activity(#""timestamp": 1790000000000, "event": "update", "content-state": {"score": 1}"#)),
                .at("/aps/stale-date", activity(update + #", "stale-date": "2026-11-22T10:00:00Z""#)),
                .at("/aps/dismissal-date", activity(end + #", "dismissal-date": 811692800"#)),
                .at(
                    "/aps/timestamp",
                    activity(#""timestamp": "1790000000", "event": "update", "content-state": {"score": 1}"#)),
            ],
            good: [
                activity(update), activity(update + #", "stale-date": 1790000600"#),
                activity(end + #", "dismissal-date": 1790000600.5"#),
            ]),
        LintExample(
            .contentStateType,
            [
                .at("/aps", activity(#""timestamp": 1790000000, "event": "update""#)),
                .at(
                    "/aps/content-state",
                    activity(#""timestamp": 1790000000, "event": "update", "content-state": "1:0""#)),
                .at("/aps", activity(#""timestamp": 1790000000, "event": "end""#), .note),
                .at("/aps/content-state", activity(#""timestamp": 1790000000, "event": "end", "content-state": []"#)),
            ],
            good: [activity(update), activity(end)]),
        LintExample(
            .contentStateDate,
            [
                .at(
                    "/aps/content-state/kickOff",
                    activity(
                        #""timestamp": 1790000000, "event": "update", "content-state": {"kickOff": "2026-11-22T18:30:00Z"}"#
                    )),
                .at(
                    "/aps/content-state/a/0",
                    activity(
                        #""timestamp": 1790000000, "event": "update", "content-state": {"a": ["2026-11-22T18:30:00.250+01:00"]}"#
                    )),
                .at(
                    "/aps/content-state/eta",
                    activity(#""timestamp": 1790000000, "event": "update", "content-state": {"eta": 1790000600}"#)),
                .at(
                    "/aps/content-state/eta",
                    activity(#""timestamp": 1790000000, "event": "end", "content-state": {"eta": 1790000600250.0}"#)),
            ],
            good: [
                activity(#""timestamp": 1790000000, "event": "update", "content-state": {"kickOff": 813695400}"#),
                activity(
                    #""timestamp": 1790000000, "event": "update", "content-state": {"a": 1399999999, "b": 2200000000, "c": 1000}"#
                ),
                activity(
                    #""timestamp": 1790000000, "event": "update", "content-state": {"day": "2026-11-22", "text": "2026-11-22 at 18:30"}"#
                ),
            ]),
        LintExample(
            .dismissalWithoutEnd,
            [
                .at("/aps/dismissal-date", activity(update + #", "dismissal-date": 1790000600"#)),
                .at("/aps/dismissal-date", activity(end + #", "dismissal-date": 1790014401"#), .note),
            ],
            good: [
                activity(end + #", "dismissal-date": 1790000600"#), activity(end + #", "dismissal-date": 1790014400"#),
                activity(update + #", "stale-date": 1790000600"#),
            ]),
        LintExample(
            .staleBeforeTimestamp,
            [
                .at("/aps/stale-date", activity(update + #", "stale-date": 1789999000"#)),
                .at("/aps/stale-date", activity(update + #", "stale-date": 1790000000"#)),
            ],
            good: [
                activity(update + #", "stale-date": 1790000600"#), activity(update + #", "stale-date": 1790000001"#),
            ]),
        LintExample(
            .liveactivityPriority, [.at("", activity(update, "apns-priority: 1"))],
            good: [
                activity(update, "apns-priority: 5"), activity(update, channel, "apns-priority: 1"), activity(update),
            ]),
    ]

    static let timeExamples = [
        LintExample(
            .timestampPast,
            [
                .at(
                    "/aps/timestamp",
                    activity(
                        update, earlier: [#""timestamp": 1790000005, "event": "update", "content-state": {"score": 1}"#]
                    )),
                .at("/aps/timestamp", activity(update, clock: now + 61)),
            ],
            good: [
                activity(
                    update, earlier: [#""timestamp": 1789999995, "event": "update", "content-state": {"score": 1}"#]),
                activity(update, earlier: [update]), activity(update, clock: now + 60),
                activity(end, earlier: [#""timestamp": 1790000005, "event": "update", "content-state": {"score": 1}"#]),
                activity(end, clock: now + 600), activity(update),
            ]),
        LintExample(
            .timestampFuture, [.at("/aps/timestamp", activity(update, clock: now - 8 * 3600 - 1))],
            good: [activity(update, clock: now - 8 * 3600), activity(update, clock: now), activity(update)]),
    ]

    static let startExamples = [
        LintExample(
            .startIncomplete,
            [
                .at(
                    "/aps",
                    activity(
                        #""timestamp": 1790000000, "event": "start", "content-state": {"score": 0}, "alert": {"title": "Game", "body": "It begins"}"#
                    )),
                .at("/aps", activity(start)),
                .at(
                    "/aps/attributes",
                    activity(
                        #""timestamp": 1790000000, "event": "start", "content-state": {}, "alert": {"title": "A"}, "attributes-type": "B", "attributes": 1"#
                    )),
                .at(
                    "/aps",
                    activity(
                        #""timestamp": 1790000000, "event": "start", "alert": {"title": "A"}, "attributes-type": "B", "attributes": {}"#
                    )),
                .at(
                    "/aps/content-state",
                    activity(
                        #""timestamp": 1790000000, "event": "start", "content-state": 3, "alert": {"title": "A"}, "attributes-type": "B", "attributes": {}"#
                    )),
            ],
            good: [activity(startWithAlert), activity(update)]),
        LintExample(
            .startAlertEmpty,
            [
                .at("/aps/alert", activity(start + #", "alert": {"title": "", "body": ""}"#)),
                .at("/aps/alert", activity(start + #", "alert": {}"#)),
                .at("/aps/alert", activity(start + #", "alert": """#)),
                .at("/aps/alert", activity(start + #", "alert": {"title-loc-key": "GAME", "loc-key": "GAME"}"#)),
            ],
            good: [
                activity(startWithAlert), activity(start + #", "alert": {"title": {"loc-key": "GAME"}}"#),
                activity(update + #", "alert": {}"#),
            ]),
        LintExample(
            .startWithoutUpdates,
            [.at("/aps", activity(startWithAlert))],
            good: [
                activity(startWithAlert + #", "input-push-token": 1"#),
                activity(startWithAlert + #", "input-push-channel": "dHN0LXNyY2gtY2hubA==""#), activity(update),
            ]),
        LintExample(
            .activityLocKey,
            [
                .at("/aps/alert/loc-key", activity(update + #", "alert": {"title": "A", "loc-key": "GAME"}"#)),
                .at(
                    "/aps/alert/title-loc-args",
                    activity(update + #", "alert": {"body": "A", "title-loc-args": ["1"]}"#)),
            ],
            good: [
                activity(update + #", "alert": {"title": {"loc-key": "GAME", "loc-args": ["1"]}, "body": "A"}"#),
                LintSample(#"{"aps": {"alert": {"title-loc-key": "GAME", "body": "A"}}}"#, "apns-push-type: alert"),
            ]),
        LintExample(
            .inputPush,
            [
                .at("/aps/input-push-token", activity(startWithAlert + #", "input-push-token": true"#)),
                .at(
                    "/aps/input-push-token",
                    activity(startWithAlert + #", "input-push-token": 1, "input-push-channel": "dHN0LXNyY2gtY2hubA==""#)
                ),
                .at("/aps/input-push-token", activity(update + #", "input-push-token": 1"#)),
                .at("/aps/input-push-channel", activity(end + #", "input-push-channel": "dHN0LXNyY2gtY2hubA==""#)),
                .at("/aps/input-push-channel", activity(startWithAlert + #", "input-push-channel": "not base64!""#)),
                .at("/aps/input-push-channel", activity(startWithAlert + #", "input-push-channel": """#)),
            ],
            good: [
                activity(startWithAlert + #", "input-push-token": 1"#),
                activity(startWithAlert + #", "input-push-channel": "dHN0LXNyY2gtY2hubA==""#),
            ]),
        LintExample(
            .broadcastStart, [.at("/aps/event", activity(startWithAlert, channel))],
            good: [activity(update, channel), activity(end, channel), activity(startWithAlert)]),
    ]
}
