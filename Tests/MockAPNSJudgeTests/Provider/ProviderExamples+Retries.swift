@testable import MockAPNSCore
@testable import MockAPNSJudge

extension ProviderExample {
    private static func attempts(_ times: String..., ending: String? = nil) -> [String] {
        times.map { #"{"at": "\#($0)", "push": "A", "apnsID": "1", "reason": "TooManyRequests"}"# }
            + (ending.map { [#"{"at": "\#($0)", "push": "A", "apnsID": "1"}"#] } ?? [])
    }

    private static let busy =
        #""decidedBy": "rule:busy", "retryAfter": 30"#

    private static func run(_ lines: [String]) -> LintRun {
        var run = LintRun()
        run.lines = lines
        return run
    }

    static let retryExamples: [Self] = [
        .init(
            .retryUseless,
            .found(
                1, #"{"at": "0s", "push": "A", "reason": "PayloadTooLarge"}"#,
                #"{"at": "1m", "push": "A", "reason": "PayloadTooLarge"}"#),
            .found(
                1, #"{"at": "0s", "push": "A", "apnsID": "1", "reason": "BadMessageId"}"#,
                #"{"at": "1m", "push": "A", "apnsID": "1", "reason": "BadMessageId"}"#),
            .found(
                1, #"{"at": "0s", "push": "A", "reason": "BadPriority", "decidedBy": "rule:r"}"#,
                #"{"at": "1m", "push": "A"}"#),
            good: LintRun(
                #"{"at": "0s", "push": "A", "reason": "PayloadTooLarge"}"#, #"{"at": "1m", "push": "B"}"#),
            LintRun(
                #"{"at": "0s", "push": "A", "priority": 7, "reason": "BadPriority"}"#,
                #"{"at": "1m", "push": "A", "priority": 5}"#),
            LintRun(
                #"{"at": "0s", "push": "A", "apnsID": "1", "reason": "BadMessageId"}"#,
                #"{"at": "1m", "push": "A", "apnsID": "2"}"#)),
        .init(
            .retryWithoutBackoff,
            .found(
                1, #"{"at": "0s", "push": "A", "apnsID": "1", "reason": "TooManyRequests"}"#,
                #"{"at": "200ms", "push": "A", "apnsID": "1"}"#),
            Bad(run: run(attempts("0s", "2s", "4s", ending: "6s")), count: 1),
            // It did not wait as long as it was told to.
            .found(
                1, #"{"at": "0s", "push": "A", "apnsID": "1", "reason": "TooManyRequests", \#(busy)}"#,
                #"{"at": "200ms", "push": "A", "apnsID": "1"}"#),
            .found(
                1, #"{"at": "0s", "times": 3, "every": "2s", "push": "A", "apnsID": "1", "reason": "TooManyRequests"}"#,
                scenario: #"{"lint": {"thresholds": {"retryEvenGaps": 2}}}"#),
            good: run(attempts("0s", "1s", "3s", ending: "7s")), run(attempts("0s", "2s", "4s", ending: "9s")),
            LintRun(
                #"{"at": "0s", "push": "A", "apnsID": "1", "reason": "TooManyRequests"}"#,
                #"{"at": "200ms", "push": "B", "apnsID": "2"}"#),
            LintRun(
                #"{"at": "0s", "times": 4, "every": "30s", "push": "A", "apnsID": "1", "reason": "TooManyRequests", \#(busy)}"#
            )),
        .init(
            .retryEarly,
            .found(
                1, #"{"at": "0s", "push": "A", "apnsID": "1", "reason": "ServiceUnavailable"}"#,
                #"{"at": "1m", "push": "A", "apnsID": "1"}"#),
            good: LintRun(
                #"{"at": "0s", "push": "A", "apnsID": "1", "reason": "ServiceUnavailable"}"#,
                #"{"at": "15m", "push": "A", "apnsID": "1"}"#),
            run(attempts("0s", "1m"))),
        .init(
            .retryStorm, Bad(run: run(attempts("0s", "1s", "3s", "7s", "15s", "31s")), count: 1),
            good: run(attempts("0s", "1s", "3s", "7s", ending: "15s")),
            run(attempts("0s", "1s", "3s", ending: "7s") + attempts("5m", "6m", "8m"))),
        .init(
            .retryNewID,
            .found(
                1, #"{"at": "0s", "push": "A", "apnsID": "1", "outcome": "closed"}"#,
                #"{"at": "2s", "connection": 2, "push": "A", "apnsID": "2"}"#),
            good: LintRun(
                #"{"at": "0s", "push": "A", "apnsID": "1", "outcome": "closed"}"#,
                #"{"at": "2s", "connection": 2, "push": "A", "apnsID": "1"}"#),
            LintRun(
                #"{"at": "0s", "push": "A", "apnsID": null, "outcome": "closed"}"#,
                #"{"at": "2s", "connection": 2, "push": "A", "apnsID": null}"#),
            LintRun(
                #"{"at": "0s", "push": "A", "apnsID": "1"}"#, #"{"at": "2m", "push": "A", "apnsID": "2"}"#)),
        .init(
            .neverRetried,
            .found(
                1, #"{"at": "0s", "push": "A", "apnsID": "1", "reason": "ServiceUnavailable"}"#,
                #"{"at": "31m", "push": "B", "apnsID": "2"}"#),
            .found(1, #"{"at": "0s", "push": "A", "outcome": "closed"}"#, #"{"at": "31m", "push": "B"}"#),
            // Nothing more can come.
            .found(
                2, #"{"at": "0s", "push": "A", "reason": "TooManyRequests"}"#,
                #"{"at": "1s", "push": "B", "outcome": "closed"}"#,
                #"{"at": "2s", "event": "connection", "state": "closed", "closedBy": "client"}"#),
            .found(
                1, #"{"at": "0s", "push": "A", "reason": "ServiceUnavailable"}"#,
                #"{"at": "15m", "event": "connection", "state": "closed", "closedBy": "client"}"#),
            .found(
                1, #"{"at": "0s", "push": "A", "reason": "ServiceUnavailable", \#(busy)}"#,
                #"{"at": "30s", "event": "connection", "state": "closed", "closedBy": "client"}"#),
            good: LintRun(
                #"{"at": "0s", "push": "A", "apnsID": "1", "reason": "ServiceUnavailable"}"#,
                #"{"at": "16m", "push": "A", "apnsID": "1"}"#, #"{"at": "31m", "push": "B", "apnsID": "2"}"#),
            LintRun(
                #"{"at": "0s", "push": "A", "reason": "ServiceUnavailable"}"#, #"{"at": "29m", "push": "B"}"#),
            // It may wait for as long as Apple asks for, or the server.
            LintRun(
                #"{"at": "0s", "push": "A", "reason": "ServiceUnavailable"}"#,
                #"{"at": "14m", "event": "connection", "state": "closed", "closedBy": "client"}"#),
            LintRun(
                #"{"at": "0s", "push": "A", "reason": "TooManyRequests", \#(busy)}"#,
                #"{"at": "29s", "event": "connection", "state": "closed", "closedBy": "client"}"#),
            LintRun(#"{"at": "0s", "push": "A", "reason": "TooManyRequests"}"#),
            LintRun(
                #"{"at": "0s", "push": "A", "expiration": 0, "reason": "ServiceUnavailable"}"#,
                #"{"at": "31m", "push": "B"}"#)),
    ]
}
