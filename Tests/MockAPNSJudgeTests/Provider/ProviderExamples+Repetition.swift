@testable import MockAPNSCore
@testable import MockAPNSJudge

extension ProviderExample {
    private static let wake =
        #""pushType": "background", "priority": 5, "payload": {"aps": {"content-available": 1}}"#
    private static let complication =
        #""topic": "com.example.app.complication", "pushType": "complication", "payload": {"steps": 4000}"#
    private static let update =
        #""topic": "com.example.app.push-type.liveactivity", "pushType": "liveactivity", "payload": {"aps": {"event": "update", "timestamp": "now", "content-state": {}}}"#

    private static let start =
        #""topic": "com.example.app.push-type.liveactivity", "pushType": "liveactivity", "payload": {"aps": {"event": "start", "timestamp": "now", "content-state": {}, "attributes-type": "A", "attributes": {}, "alert": {"title": "Goal", "body": "1-0"}}}"#
    private static let end =
        #""topic": "com.example.app.push-type.liveactivity", "pushType": "liveactivity", "payload": {"aps": {"event": "end", "timestamp": "now", "content-state": {}}}"#
    /// The token of the runs.
    private static let alice = String(String(repeating: "616c696365", count: 7).prefix(64))

    static let repetitionExamples: [Self] = [
        .init(
            .duplicatePush, .found(1, #"{"at": "0s", "push": "A"}"#, #"{"at": "10s", "push": "A"}"#),
            // The first answer was late, and so the provider pushed again.
            .found(
                1, #"{"at": "0s", "push": "A", "outcome": "delayed", "status": 200}"#, #"{"at": "10s", "push": "A"}"#),
            good: LintRun(#"{"at": "0s", "push": "A"}"#, #"{"at": "60s", "push": "A"}"#),
            LintRun(
                #"{"at": "0s", "push": "A", "collapseID": "a"}"#, #"{"at": "10s", "push": "A", "collapseID": "a"}"#),
            LintRun(#"{"at": "0s", "push": "A"}"#, #"{"at": "10s", "push": "A", "token": "bob"}"#),
            LintRun(#"{"at": "0s", "push": "A", "reason": "TooManyRequests"}"#, #"{"at": "10s", "push": "A"}"#),
            // What is the same by nature.
            LintRun(#"{"at": "0s", "times": 2, "every": "10s", \#(wake)}"#),
            LintRun(
                #"{"at": "0s", "times": 2, "every": "10s", "topic": "pass.com.example", "pushType": null, "payload": {}}"#
            ),
            LintRun(
                #"{"at": "0s", "times": 2, "every": "10s", "topic": "com.apple.mgmt.a", "pushType": "mdm", "payload": {"mdm": "A"}}"#
            ),
            LintRun(#"{"at": "0s", "times": 2, "every": "10s", \#(complication)}"#)),
        .init(
            .backgroundTooMany, .found(1, #"{"at": "0s", "times": 4, "every": "10m", \#(wake)}"#),
            good: LintRun(#"{"at": "0s", "times": 3, "every": "10m", \#(wake)}"#),
            LintRun(#"{"at": "0s", "times": 4, "every": "20m", \#(wake)}"#),
            LintRun(#"{"at": "0s", "times": 4, "every": "10m", "token": "b*", \#(wake)}"#)),
        .init(
            .complicationTooMany, .found(1, #"{"at": "0s", "times": 51, "every": "1m", \#(complication)}"#),
            good: LintRun(#"{"at": "0s", "times": 50, "every": "1m", \#(complication)}"#),
            LintRun(#"{"at": "0s", "times": 60, "every": "30m", \#(complication)}"#)),
        .init(
            .liveactivityAllUrgent, .found(1, #"{"at": "0s", "times": 20, "every": "2m", "priority": 10, \#(update)}"#),
            good: LintRun(#"{"at": "0s", "times": 20, "every": "2m", "priority": 5, \#(update)}"#),
            LintRun(#"{"at": "0s", "times": 19, "every": "2m", "priority": 10, \#(update)}"#),
            LintRun(
                #"{"at": "0s", "priority": 5, \#(update)}"#,
                #"{"at": "1m", "times": 20, "every": "2m", "priority": 10, \#(update)}"#)),
        .init(
            .liveactivityNotStarted, .found(1, #"{"at": "0s", "times": 3, "every": "1m", \#(update)}"#),
            .found(2, #"{"at": "0s", "times": 2, "every": "1m", "token": "b*", \#(end)}"#),
            .found(1, #"{"at": "0s", \#(start), "reason": "TooManyRequests"}"#, #"{"at": "1m", \#(update)}"#),
            good: LintRun(#"{"at": "0s", \#(start)}"#, #"{"at": "1m", \#(update)}"#, #"{"at": "2m", \#(end)}"#),
            LintRun(#"{"at": "0s", \#(update), "reason": "BadDeviceToken"}"#),
            LintRun(
                #"{"at": "0s", \#(update)}"#,
                scenario:
                    #"{"channels": [{"name": "final", "topic": "com.example.app"}], "#
                    + #""devices": [{"token": "\#(alice)", "topic": "com.example.app", "activities": ["final"]}]}"#
            )),
        .init(
            .collapseIDShared,
            .found(
                1,
                #"{"at": "0s", "times": 3, "every": "1m", "collapseID": "chat", "payload": {"aps": {"alert": {"title": "Message *", "body": "Hello"}}}}"#
            ),
            good: LintRun(
                #"{"at": "0s", "times": 3, "every": "1m", "collapseID": "chat", "payload": {"aps": {"alert": {"title": "Chat", "body": "* messages"}}}}"#
            ),
            LintRun(
                #"{"at": "0s", "times": 3, "every": "1m", "collapseID": "chat", "token": "b*", "payload": {"aps": {"alert": {"title": "Message *", "body": "Hello"}}}}"#
            )),
        .init(
            .collapseIDUnused,
            .found(
                1,
                #"{"at": "0s", "times": 3, "every": "2m", "payload": {"aps": {"alert": {"title": "Chat", "body": "* messages"}}}}"#
            ),
            good: LintRun(
                #"{"at": "0s", "times": 3, "every": "2m", "collapseID": "chat", "payload": {"aps": {"alert": {"title": "Chat", "body": "* messages"}}}}"#
            ),
            LintRun(
                #"{"at": "0s", "times": 3, "every": "5m", "payload": {"aps": {"alert": {"title": "Chat", "body": "* messages"}}}}"#
            )),
    ]
}
