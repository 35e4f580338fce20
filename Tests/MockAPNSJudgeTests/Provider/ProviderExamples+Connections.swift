@testable import MockAPNSCore
@testable import MockAPNSJudge

extension ProviderExample {
    private static let refused =
        #""payload": null, "inFlight": 2, "outcome": "reset", "decidedBy": "connection", "resetCode": "REFUSED_STREAM""#

    static let connectionExamples: [Self] = [
        .init(
            .connectionPerPush, .found(5, #"{"at": "0s", "times": 5, "every": "10s", "connection": "*"}"#),
            good: LintRun(#"{"at": "0s", "times": 5, "every": "10s", "connection": 1}"#),
            LintRun(#"{"at": "0s", "times": 4, "every": "10s", "connection": "*"}"#),
            LintRun(
                #"{"at": "0s", "times": 5, "every": "10s", "connection": "*", "providerToken": "*", "teamID": "TEAM00000*"}"#
            ),
            LintRun(
                #"{"at": "0s", "times": 5, "every": "10s", "connection": "*"}"#,
                #"{"at": "1m", "times": 2, "every": "10s", "connection": "*"}"#),
            // It was the server that ended them.
            LintRun(
                #"{"at": "0s", "times": 5, "every": "10s", "connection": "*"}"#,
                #"{"at": "1m", "times": 5, "every": "10s", "event": "connection", "state": "closed", "connection": "*", "closedBy": "idle"}"#
            )),
        .init(
            .connectionChurn,
            .found(
                1,
                #"{"at": "0s", "times": 10, "every": "5s", "event": "connection", "state": "opened", "connection": "*"}"#,
                #"{"at": "1s", "times": 10, "every": "5s", "event": "connection", "state": "closed", "connection": "*", "closedBy": "client"}"#
            ),
            good: LintRun(
                #"{"at": "0s", "times": 10, "every": "10s", "event": "connection", "state": "opened", "connection": "*"}"#,
                #"{"at": "1s", "times": 10, "every": "10s", "event": "connection", "state": "closed", "connection": "*", "closedBy": "client"}"#
            ),
            LintRun(
                #"{"at": "0s", "times": 10, "every": "5s", "event": "connection", "state": "opened", "connection": "*"}"#,
                #"{"at": "1s", "times": 10, "every": "5s", "event": "connection", "state": "closed", "connection": "*", "closedBy": "goAway"}"#
            )),
        .init(
            .notMultiplexed, .found(1, #"{"at": "0s", "times": 50, "every": "1s", "inFlight": 1}"#),
            good: LintRun(
                #"{"at": "0s", "times": 49, "every": "1s", "inFlight": 1}"#, #"{"at": "49s", "inFlight": 2}"#),
            LintRun(
                #"{"at": "0s", "times": 50, "every": "1s", "inFlight": 1}"#,
                scenario: #"{"connection": {"maxConcurrentStreams": 1}}"#)),
        .init(
            .oneConnectionBurst,
            .found(
                1, #"{"at": "0s", "times": 101, "every": "1ms"}"#,
                scenario: #"{"lint": {"thresholds": {"burst": 100}}}"#),
            good: LintRun(
                #"{"at": "0s", "times": 101, "every": "100ms"}"#, scenario: #"{"lint": {"thresholds": {"burst": 100}}}"#
            )),
        .init(
            .streamLimitIgnored,
            .found(
                1, #"{"at": "0s"}"#, #"{"at": "0s", \#(refused)}"#),
            // The limit had fallen a while before.
            .found(
                1, #"{"at": "0s"}"#, #"{"at": "1s", \#(refused)}"#, #"{"at": "2s", \#(refused)}"#,
                scenario: #"{"connection": {"afterRejection": 1}}"#),
            .found(1, #"{"at": "0s", \#(refused)}"#, scenario: #"{"connection": {"afterRejection": 1}}"#),
            good: LintRun(
                #"{"at": "0s"}"#, #"{"at": "1s", "inFlight": 1}"#),
            LintRun(
                #"{"at": "0s"}"#, #"{"at": "1s", \#(refused)}"#, #"{"at": "1999ms", \#(refused)}"#,
                #"{"at": "3s", "inFlight": 2}"#, #"{"at": "4s", \#(refused)}"#,
                scenario: #"{"connection": {"afterRejection": 1}}"#),
            LintRun(
                #"{"at": "0s", "outcome": "reset", "decidedBy": "connection", "resetCode": "PROTOCOL_ERROR"}"#
            ),
            // The expired provider token may have made the connection useless.
            LintRun(
                #"{"at": "0s"}"#, #"{"at": "1s", "reason": "ExpiredProviderToken"}"#, #"{"at": "2s", \#(refused)}"#)),
        .init(
            .idleWithoutPing,
            .found(
                1, #"{"at": "0s"}"#, #"{"at": "50m", "providerToken": 2, "signed": "50m"}"#,
                #"{"at": "111m", "outcome": "stalled", "providerToken": 3, "signed": "110m"}"#,
                #"{"at": "112m", "event": "connection", "state": "closed", "closedBy": "client", "pings": 0}"#),
            // From the opening on.
            .found(
                1, #"{"at": "0s", "event": "connection", "state": "opened"}"#,
                #"{"at": "61m", "outcome": "stalled", "signed": "60m"}"#,
                #"{"at": "62m", "event": "connection", "state": "closed", "closedBy": "client", "pings": 0}"#),
            good: LintRun(
                #"{"at": "0s"}"#, #"{"at": "61m", "outcome": "stalled", "providerToken": 2, "signed": "60m"}"#,
                #"{"at": "62m", "event": "connection", "state": "closed", "closedBy": "client", "pings": 6}"#),
            LintRun(
                #"{"at": "0s"}"#, #"{"at": "59m", "outcome": "stalled"}"#,
                #"{"at": "62m", "event": "connection", "state": "closed", "closedBy": "client", "pings": 0}"#),
            LintRun(#"{"at": "0s"}"#, #"{"at": "61m", "outcome": "stalled"}"#)),
        .init(
            .goawayIgnored,
            .found(
                1, #"{"at": "0s", "push": "A", "outcome": "goAway"}"#,
                #"{"at": "5s", "push": "B", "outcome": "ignored"}"#),
            good: LintRun(
                #"{"at": "0s", "push": "A", "outcome": "goAway"}"#,
                #"{"at": "5ms", "push": "B", "outcome": "ignored"}"#,
                #"{"at": "1s", "connection": 2, "push": "A"}"#, #"{"at": "1s", "connection": 2, "push": "B"}"#)),
        .init(
            .goawayLost,
            .found(
                1, #"{"at": "0s", "push": "A", "outcome": "goAway"}"#, #"{"at": "2m", "connection": 2, "push": "B"}"#),
            // Nothing more can come.
            .found(
                2, #"{"at": "0s", "push": "A", "outcome": "goAway"}"#,
                #"{"at": "0s", "push": "B", "outcome": "ignored"}"#,
                #"{"at": "1s", "event": "connection", "state": "closed", "closedBy": "client"}"#),
            // A refused stream has no body, so that any other push to the device may be the same.
            .found(
                1,
                #"{"at": "0s", "payload": null, "outcome": "reset", "decidedBy": "connection", "resetCode": "REFUSED_STREAM"}"#,
                #"{"at": "2m", "token": "bob"}"#),
            .found(
                1, #"{"at": "0s", "outcome": "reset", "decidedBy": "rule:r", "resetCode": "REFUSED_STREAM"}"#,
                #"{"at": "2m"}"#),
            good: LintRun(
                #"{"at": "0s", "push": "A", "outcome": "goAway"}"#, #"{"at": "1s", "connection": 2, "push": "A"}"#,
                #"{"at": "2m", "connection": 2, "push": "B"}"#),
            // It may still come.
            LintRun(#"{"at": "0s", "push": "A", "outcome": "goAway"}"#, #"{"at": "5s", "connection": 2, "push": "B"}"#),
            LintRun(
                #"{"at": "0s", "payload": null, "outcome": "reset", "decidedBy": "connection", "resetCode": "REFUSED_STREAM"}"#,
                #"{"at": "2m"}"#),
            LintRun(
                #"{"at": "0s", "outcome": "reset", "decidedBy": "rule:r", "resetCode": "CANCEL"}"#,
                #"{"at": "2m"}"#)),
        .init(
            .answerNotAwaited, .found(5, #"{"at": "0s", "times": 5, "every": "1s", "outcome": "cancelled"}"#),
            .found(1, #"{"at": "0s", "times": 99, "every": "1s"}"#, #"{"at": "2m", "outcome": "cancelled"}"#),
            .found(
                1, #"{"at": "0s"}"#, #"{"at": "2m", "outcome": "cancelled"}"#,
                scenario: #"{"lint": {"thresholds": {"cancelledMinimum": 2}}}"#),
            good: LintRun(#"{"at": "0s", "times": 100, "every": "1s"}"#, #"{"at": "2m", "outcome": "cancelled"}"#)),
    ]
}
