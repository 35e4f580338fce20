@testable import MockAPNSCore
@testable import MockAPNSJudge

extension ProviderExample {
    private static let call =
        #""topic": "com.example.app.voip", "pushType": "voip", "payload": {"caller": "Anna"}"#
    private static let speech =
        #""topic": "com.example.app.voip-ptt", "pushType": "pushtotalk", "payload": {"aps": {}, "activeSpeaker": "Kim"}"#

    static let headerExamples: [Self] = [
        .init(
            .hostMissing, .found(2, #"{"at": "0s", "times": 2, "every": "1m", "fields": {":scheme": "https"}}"#),
            good: LintRun(#"{"at": "0s", "fields": {":scheme": "https", ":authority": "api.push.apple.com"}}"#),
            LintRun(#"{"at": "0s", "fields": {":scheme": "https", "host": "api.push.apple.com"}}"#),
            // A log without them.
            LintRun(#"{"at": "0s"}"#)),
        .init(
            .headerUnknown, .found(2, #"{"at": "0s", "times": 2, "every": "1m", "fields": {"apns-colapse-id": "a"}}"#),
            .found(1, #"{"at": "0s", "fields": {"content-available": "1"}}"#),
            .found(1, #"{"at": "0s", "fields": {"apns-badge": "1", "collapse-id": "a", "apns_topic": "b"}}"#),
            good: LintRun(
                #"{"at": "0s", "collapseID": "a", "fields": {"user-agent": "a", "priority": "u=1", "title": "a"}}"#)),
        .init(
            .apnsIDMissing, .found(10, #"{"at": "0s", "times": 10, "every": "1m", "apnsID": null}"#),
            good: LintRun(#"{"at": "0s", "times": 10, "every": "1m"}"#),
            LintRun(#"{"at": "0s", "times": 9, "every": "1m", "apnsID": null}"#),
            LintRun(#"{"at": "0s", "times": 10, "every": "1m", "apnsID": null}"#, #"{"at": "11m"}"#)),
        .init(
            .apnsIDReused,
            .found(1, #"{"at": "0s", "push": "A", "apnsID": "1"}"#, #"{"at": "1m", "push": "B", "apnsID": "1"}"#),
            good: LintRun(
                #"{"at": "0s", "push": "A", "apnsID": "1", "reason": "TooManyRequests"}"#,
                #"{"at": "1m", "push": "A", "apnsID": "1"}"#)),
        .init(
            .pushTypeMissing, .found(2, #"{"at": "0s", "times": 2, "every": "1m", "pushType": null}"#),
            good: LintRun(#"{"at": "0s", "times": 2, "every": "1m", "pushType": "alert"}"#)),
        .init(
            .backgroundPriority,
            .found(
                1,
                #"{"at": "0s", "pushType": "background", "priority": 10, "payload": {"aps": {"content-available": 1}}}"#
            ),
            .found(1, #"{"at": "0s", "pushType": "background", "payload": {"aps": {"content-available": 1}}}"#),
            .found(1, #"{"at": "0s", "pushType": null, "payload": {"aps": {"content-available": 1}}}"#),
            good: LintRun(
                #"{"at": "0s", "pushType": "background", "priority": 5, "payload": {"aps": {"content-available": 1}}}"#)
        ),
        .init(
            .expirationUnit, .found(1, #"{"at": "0s", "expiration": 1795258800000}"#),
            .found(1, #"{"at": "0s", "expiration": 3600}"#),
            good: LintRun(#"{"at": "0s", "expiration": 1795258800}"#), LintRun(#"{"at": "0s", "expiration": 0}"#)),
        .init(
            .expirationPast, .found(1, #"{"at": "0s", "expiration": 1795251600}"#),
            good: LintRun(#"{"at": "0s", "expiration": 1795258800}"#), LintRun(#"{"at": "0s", "expiration": 0}"#),
            LintRun(#"{"at": "0s", "expiration": 1795255200}"#)),
        .init(
            .expirationMissing, .found(10, #"{"at": "0s", "times": 10, "every": "1m"}"#),
            good: LintRun(#"{"at": "0s", "times": 10, "every": "1m", "expiration": 1795258800}"#),
            LintRun(#"{"at": "0s", "times": 9, "every": "1m"}"#)),
        .init(
            .voipExpiration, .found(1, #"{"at": "0s", \#(call)}"#),
            .found(1, #"{"at": "0s", "expiration": 1795255261, \#(call)}"#),
            good: LintRun(#"{"at": "0s", "expiration": 0, \#(call)}"#),
            LintRun(#"{"at": "0s", "expiration": 1795255260, \#(call)}"#), LintRun(#"{"at": "0s"}"#)),
        .init(
            .pushtotalkUrgency, .found(1, #"{"at": "0s", "priority": 5, "expiration": 0, \#(speech)}"#),
            .found(1, #"{"at": "0s", \#(speech)}"#), .found(1, #"{"at": "0s", "expiration": 1795258800, \#(speech)}"#),
            good: LintRun(#"{"at": "0s", "priority": 10, "expiration": 0, \#(speech)}"#),
            LintRun(#"{"at": "0s", "expiration": 0, \#(speech)}"#)),
    ]
}
