@testable import MockAPNSCore
@testable import MockAPNSJudge

extension ProviderExample {
    private static let open = [
        #"{"at": "0s", "event": "connection", "state": "opened", "connection": 1, "serverName": "api.push.apple.com"}"#,
        #"{"at": "0s", "event": "connection", "state": "opened", "connection": 2, "serverName": "api.sandbox.push.apple.com"}"#,
    ]
    private static let busy =
        #""decidedBy": "rule:busy", "retryAfter": 30"#

    static let refusalExamples: [Self] = [
        .init(
            .pushAfter410,
            .found(
                1, #"{"at": "0s", "token": "alice", "reason": "Unregistered"}"#,
                #"{"at": "1m", "token": "alice", "reason": "Unregistered"}"#),
            // The same push again is no other that was under way.
            .found(
                1, #"{"at": "0s", "push": "A", "reason": "ExpiredToken"}"#,
                #"{"at": "5ms", "push": "A", "reason": "ExpiredToken"}"#),
            // What refuses it then is all the same.
            .found(
                1, #"{"at": "0s", "reason": "Unregistered"}"#, #"{"at": "1m", "reason": "TooManyRequests"}"#),
            // It was a rule that refused it, so that it is accepted tells nothing.
            .found(
                1, #"{"at": "0s", "reason": "Unregistered", "decidedBy": "rule:r"}"#, #"{"at": "1m"}"#),
            good: LintRun(
                #"{"at": "0s", "token": "alice", "reason": "Unregistered"}"#, #"{"at": "1m", "token": "alice"}"#),
            LintRun(#"{"at": "0s", "times": 9, "every": "10ms", "token": "alice", "reason": "Unregistered"}"#),
            LintRun(
                #"{"at": "0s", "topic": "com.example.app", "reason": "Unregistered"}"#,
                #"{"at": "1m", "topic": "com.example.chat", "reason": "Unregistered"}"#)),
        .init(
            .pushAfterBadToken,
            .found(
                1, #"{"at": "0s", "token": "alice", "reason": "BadDeviceToken"}"#,
                #"{"at": "1m", "token": "alice", "reason": "BadDeviceToken"}"#),
            .found(
                1, #"{"at": "0s", "reason": "DeviceTokenNotForTopic"}"#,
                #"{"at": "1m", "reason": "DeviceTokenNotForTopic"}"#),
            .found(
                1, #"{"at": "0s", "reason": "BadDeviceToken", "decidedBy": "rule:r"}"#, #"{"at": "1m"}"#),
            good: LintRun(
                #"{"at": "0s", "token": "alice", "reason": "BadDeviceToken"}"#, #"{"at": "1m", "token": "bob"}"#),
            LintRun(#"{"at": "0s", "times": 9, "every": "10ms", "reason": "BadDeviceToken"}"#),
            LintRun(#"{"at": "0s", "reason": "BadDeviceToken"}"#, #"{"at": "1m"}"#)),
        .init(
            .environmentsMixed,
            .found(
                1, open[0], open[1], #"{"at": "1s", "connection": 1, "token": "alice"}"#,
                #"{"at": "2s", "connection": 2, "token": "alice", "reason": "BadDeviceToken"}"#,
                scenario: #"{"environment": "serverName"}"#),
            good: LintRun(
                open[0], open[1], #"{"at": "1s", "connection": 1, "token": "alice"}"#,
                #"{"at": "2s", "connection": 2, "token": "bob"}"#, scenario: #"{"environment": "serverName"}"#),
            LintRun(
                open[0], open[1], #"{"at": "1s", "connection": 1, "token": "alice"}"#,
                #"{"at": "2s", "connection": 2, "token": "alice", "reason": "BadDeviceToken"}"#)),
        .init(
            .tooManyRefusals,
            .found(
                1, #"{"at": "0s", "times": 17, "every": "1s"}"#,
                #"{"at": "20s", "times": 3, "every": "1s", "token": "b*", "reason": "BadDeviceToken"}"#,
                scenario: #"{"lint": {"thresholds": {"refusalWindow": 20}}}"#),
            good: LintRun(
                #"{"at": "0s", "times": 18, "every": "1s"}"#,
                #"{"at": "20s", "times": 2, "every": "1s", "token": "b*", "reason": "BadDeviceToken"}"#,
                scenario: #"{"lint": {"thresholds": {"refusalWindow": 20}}}"#),
            LintRun(
                #"{"at": "0s", "times": 20, "every": "1s", "token": "b*", "reason": "Unregistered"}"#,
                scenario: #"{"lint": {"thresholds": {"refusalWindow": 20}}}"#)),
        .init(
            .retryAfterIgnored,
            .found(
                1, #"{"at": "0s", "push": "A", "reason": "TooManyRequests", \#(busy)}"#, #"{"at": "10s", "push": "A"}"#),
            // Another push to the device.
            .found(
                1, #"{"at": "0s", "push": "A", "reason": "TooManyRequests", \#(busy)}"#, #"{"at": "10s", "push": "B"}"#),
            good: LintRun(
                #"{"at": "0s", "push": "A", "reason": "TooManyRequests", \#(busy)}"#, #"{"at": "30s", "push": "A"}"#),
            LintRun(
                #"{"at": "0s", "push": "A", "reason": "TooManyRequests", \#(busy)}"#, #"{"at": "10ms", "push": "B"}"#,
                #"{"at": "10s", "token": "bob", "push": "C"}"#),
            LintRun(
                #"{"at": "0s", "push": "A", "reason": "TooManyRequests"}"#, #"{"at": "10s", "push": "A"}"#)),
    ]
}
