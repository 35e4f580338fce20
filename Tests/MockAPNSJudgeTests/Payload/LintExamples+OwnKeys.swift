@testable import MockAPNSCore
@testable import MockAPNSJudge

extension LintExample {
    static let ownKeyExamples = [
        LintExample(
            .safariURLArgs,
            [
                .at(
                    "/aps",
                    LintSample(
                        #"{"aps": {"alert": {"title": "Sale", "body": "Today"}}}"#, "apns-topic: web.com.example")),
                .at(
                    "/aps/url-args",
                    LintSample(
                        #"{"aps": {"alert": {"title": "A"}, "url-args": "sale"}}"#, "apns-topic: web.com.example")),
                .at(
                    "/aps/url-args/1",
                    LintSample(
                        #"{"aps": {"alert": {"title": "A"}, "url-args": ["a", 7]}}"#, "apns-topic: web.com.example")),
            ],
            good: [
                LintSample(
                    #"{"aps": {"alert": {"title": "Sale", "body": "Today"}, "url-args": ["sale"]}}"#,
                    "apns-topic: web.com.example"),
                LintSample(#"{"aps": {"alert": {"title": "A"}, "url-args": []}}"#, "apns-topic: web.com.example"),
                LintSample(#"{"aps": {"alert": {"title": "A"}}}"#, "apns-topic: com.example.web"),
                // Another rule finds this.
                LintSample(#"{"aps": {"alert": {"title": "A"}}, "url-args": []}"#, "apns-topic: web.com.example"),
            ]),
        LintExample(
            .fileproviderKeys,
            [
                .at(
                    "",
                    LintSample(
                        #"{"container-identifier": "NSFileProviderWorkingSetContainerItemIdentifier"}"#,
                        "apns-push-type: fileprovider")),
                .at("", LintSample(#"{"domain": "files"}"#, "apns-topic: com.example.app.pushkit.fileprovider")),
                .at(
                    "/domain",
                    LintSample(#"{"container-identifier": "A", "domain": 7}"#, "apns-push-type: fileprovider")),
            ],
            good: [
                LintSample(
                    #"{"container-identifier": "NSFileProviderWorkingSetContainerItemIdentifier", "domain": "files"}"#,
                    "apns-push-type: fileprovider"),
                LintSample(#"{"domain": "files"}"#, "apns-push-type: background"),
            ]),
        LintExample(
            .mdmKeys,
            [
                .at("", LintSample("{}", "apns-push-type: mdm")),
                .at("/mdm", LintSample(#"{"mdm": 7}"#, "apns-push-type: mdm")),
                .at("/mdm", LintSample(#"{"mdm": ""}"#, "apns-topic: com.apple.mgmt.External.a")),
                .at("/aps", LintSample(#"{"mdm": "A", "aps": {}}"#, "apns-push-type: mdm"), .warning),
            ],
            good: [
                LintSample(#"{"mdm": "7E3F2C1A-6D29-4C0B-9C1E-0F6C2B9D1A11"}"#, "apns-push-type: mdm"),
                LintSample(#"{"mdm": 7, "aps": {"alert": {"title": "A"}}}"#, "apns-push-type: alert"),
            ]),
        LintExample(
            .locationPriority,
            [.at("", LintSample(#"{"query": 1}"#, "apns-push-type: location", "apns-priority: 1"))],
            good: [
                LintSample(#"{"query": 1}"#, "apns-push-type: location", "apns-priority: 5"),
                LintSample(#"{"query": 1}"#, "apns-push-type: location", "apns-priority: 10"),
                LintSample(#"{"query": 1}"#, "apns-push-type: location"),
                LintSample(#"{"aps": {"content-available": 1}}"#, "apns-push-type: background", "apns-priority: 1"),
            ]),
    ]
}
