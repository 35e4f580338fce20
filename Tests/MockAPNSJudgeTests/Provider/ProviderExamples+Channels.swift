@testable import MockAPNSCore
@testable import MockAPNSJudge

extension ProviderExample {
    static let channelExamples: [Self] = [
        .init(
            .channelsLeft,
            .found(
                1, #"{"at": "0s", "call": "create", "channel": "A"}"#,
                #"{"at": "1s", "call": "create", "channel": "B"}"#,
                #"{"at": "2s", "call": "delete", "channel": "A"}"#),
            .found(
                2, #"{"at": "0s", "times": 2, "every": "1s", "call": "create", "channel": "*"}"#,
                scenario: #"{"broadcast": {"limit": 10}}"#, severity: .error),
            good: LintRun(
                #"{"at": "0s", "call": "create", "channel": "A"}"#, #"{"at": "1s", "call": "publish", "channel": "A"}"#,
                #"{"at": "2s", "call": "delete", "channel": "A"}"#),
            LintRun(
                #"{"at": "0s", "call": "create", "channel": "A", "reason": "CannotCreateChannelConfig"}"#)),
        .init(
            .channelPerPush,
            .found(
                5, #"{"at": "0s", "times": 5, "every": "1m", "call": "create", "channel": "*"}"#,
                #"{"at": "1s", "times": 5, "every": "1m", "call": "publish", "channel": "*"}"#,
                #"{"at": "2s", "times": 5, "every": "1m", "call": "delete", "channel": "*"}"#),
            good: LintRun(
                #"{"at": "0s", "call": "create", "channel": "A"}"#,
                #"{"at": "1s", "times": 5, "every": "1s", "call": "publish", "channel": "A"}"#,
                #"{"at": "10s", "call": "delete", "channel": "A"}"#),
            LintRun(
                #"{"at": "0s", "times": 4, "every": "1m", "call": "create", "channel": "*"}"#,
                #"{"at": "1s", "times": 4, "every": "1m", "call": "publish", "channel": "*"}"#)),
    ]
}
