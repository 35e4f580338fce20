@testable import MockAPNSCore
@testable import MockAPNSJudge

extension ProviderExample {
    static let providerTokenExamples: [Self] = [
        .init(
            .tokenPerPush, .found(5, #"{"at": "0s", "times": 6, "every": "1s", "providerToken": "*"}"#),
            .found(
                2, #"{"at": "0s", "providerToken": 1}"#,
                #"{"at": "1s", "times": 2, "every": "1s", "providerToken": 2}"#,
                #"{"at": "3s", "times": 2, "every": "1s", "providerToken": 3}"#),
            good: LintRun(#"{"at": "0s", "times": 6, "every": "1s", "providerToken": 1}"#),
            LintRun(#"{"at": "0s", "times": 4, "every": "1s", "providerToken": "*"}"#),
            LintRun(#"{"at": "0s", "times": 6, "every": "1s", "providerToken": "*", "teamID": "TEAM00000*"}"#),
            LintRun(
                #"{"at": "0s", "times": 4, "every": "1s", "providerToken": 1}"#,
                #"{"at": "5s", "times": 2, "every": "1s", "providerToken": 2}"#)),
        .init(
            .providerTokenUpdates,
            .found(
                1, #"{"at": "0s", "providerToken": 1}"#, #"{"at": "8m", "providerToken": 2, "signed": "8m"}"#,
                #"{"at": "16m", "providerToken": 3, "signed": "16m"}"#),
            good: LintRun(
                #"{"at": "0s", "providerToken": 1}"#, #"{"at": "20m", "providerToken": 2, "signed": "20m"}"#,
                #"{"at": "40m", "providerToken": 3, "signed": "40m"}"#),
            LintRun(
                #"{"at": "0s", "providerToken": 1}"#, #"{"at": "8m", "providerToken": 2, "signed": "8m"}"#,
                #"{"at": "16m", "connection": 2, "providerToken": 3, "signed": "16m"}"#)),
        .init(
            .providerTokenYoung,
            .found(
                1, #"{"at": "0s", "providerToken": 1}"#, #"{"at": "10m", "providerToken": 2, "signed": "10m"}"#),
            good: LintRun(
                #"{"at": "0s", "providerToken": 1}"#, #"{"at": "25m", "providerToken": 2, "signed": "25m"}"#),
            // The one before was of no use any more, or is in use still, or is of another key.
            LintRun(
                #"{"at": "0s", "providerToken": 1, "reason": "InvalidProviderToken"}"#,
                #"{"at": "1s", "providerToken": 2, "signed": "1s"}"#),
            LintRun(
                #"{"at": "0s", "providerToken": 1}"#, #"{"at": "1s", "providerToken": 2, "signed": "1s"}"#,
                #"{"at": "2s", "providerToken": 1}"#),
            LintRun(
                #"{"at": "0s", "providerToken": 1}"#,
                #"{"at": "1s", "providerToken": 2, "keyID": "ABC123DEFH", "signed": "1s"}"#),
            // An older one, of another process.
            LintRun(
                #"{"at": "0s", "providerToken": 1}"#, #"{"at": "1s", "providerToken": 2, "signed": "-5m"}"#)),
        .init(
            .providerTokenOld, .found(1, #"{"at": "56m", "signed": "0s"}"#),
            .found(1, #"{"at": "61m", "signed": "0s", "reason": "ExpiredProviderToken"}"#, severity: .error),
            good: LintRun(#"{"at": "55m", "signed": "0s"}"#)),
        .init(
            .tokenPerTopic,
            .found(
                1, #"{"at": "0s", "topic": "com.example.app", "providerToken": 1}"#,
                #"{"at": "1s", "topic": "com.example.chat", "providerToken": 2}"#,
                #"{"at": "2s", "topic": "com.example.app", "providerToken": 1}"#,
                #"{"at": "3s", "topic": "com.example.chat", "providerToken": 2}"#,
                #"{"at": "4s", "topic": "com.example.app", "providerToken": 1}"#,
                #"{"at": "5s", "topic": "com.example.chat", "providerToken": 2}"#),
            good: LintRun(
                #"{"at": "0s", "times": 3, "every": "2s", "topic": "com.example.app", "providerToken": 1}"#,
                #"{"at": "1s", "times": 3, "every": "2s", "topic": "com.example.chat", "providerToken": 1}"#),
            // Two servers with a token each.
            LintRun(
                #"{"at": "0s", "providerToken": 1}"#, #"{"at": "1s", "providerToken": 2}"#,
                #"{"at": "2s", "providerToken": 1}"#, #"{"at": "3s", "providerToken": 2}"#,
                #"{"at": "4s", "providerToken": 1}"#, #"{"at": "5s", "providerToken": 2}"#)),
        .init(
            .teamsOnOneConnection,
            .found(
                2, #"{"at": "0s", "providerToken": 1}"#,
                #"{"at": "1s", "times": 2, "every": "1s", "providerToken": 2, "teamID": "KLM456NOPQ", "reason": "InvalidProviderToken"}"#
            ),
            good: LintRun(
                #"{"at": "0s", "providerToken": 1}"#,
                #"{"at": "1s", "times": 2, "every": "1s", "connection": 2, "providerToken": 2, "teamID": "KLM456NOPQ"}"#
            )),
    ]
}
