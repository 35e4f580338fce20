import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge
@testable import MockAPNSScenario

/// A scenario's `lint`.
@Suite struct LintSettingsTests {
    private func settings(_ text: String) throws -> LintSettings {
        let (scenario, mistakes) = Scenario.read(Array(#"{"lint": \#(text)}"#.utf8))
        return try #require(scenario, "\(mistakes)").lint
    }

    @Test func withoutAnythingAllIsAsUsual() throws {
        #expect(try settings("{}") == LintSettings())
        #expect(Scenario().lint == LintSettings())
    }

    @Test func everyMemberCounts() throws {
        let settings = try settings(
            #"""
            {"thresholds": {"timestampFuture": "1h"}, "failOn": "never", "deploymentTarget": "iOS 17.2",
            "rules": {"badge-type": "off", "sound-type": "note", "timestamp-past": {"severity": "warning", "threshold": "5m"},
            "payload-near-limit": {"threshold": 75}}}
            """#)
        #expect(
            settings.rules == [.badgeType: .off, .soundType: .severity(.note), .timestampPast: .severity(.warning)])
        #expect(settings.failOn == nil && settings.deploymentTarget == SystemVersion(17, 2))
        #expect(settings.value(of: .timestampFuture) == 3_600_000 && settings.value(of: .timestampPast) == 300_000)
        #expect(settings.value(of: .nearLimitPercent) == 75 && settings.value(of: .dismissalAfterEnd) == 14_400_000)
    }

    @Test func datesMayBeOfAnotherAge() throws {
        var sample = LintSample(
            #"{"aps": {"alert": {"title": "A"}, "timestamp": 900000000}}"#, "apns-push-type: liveactivity",
            "apns-expiration: 900000000", scenario: #"{"lint": {"thresholds": {"datesFrom": 1, "expirationsFrom": 1}}}"#
        )
        #expect(!sample.found.contains { $0.hasPrefix("date-not-seconds") || $0.hasPrefix("expiration-unit") })
        sample.scenario = #"{"lint": {"rules": {"date-not-seconds": {"threshold": 900000001}}}}"#
        #expect(sample.found.contains("date-not-seconds /aps/timestamp") && sample.found.contains("expiration-unit "))
        sample.scenario = #"{"lint": {"thresholds": {"datesFrom": 9, "datesTo": 10, "expirationsTo": 10}}}"#
        #expect(sample.found.contains("date-not-seconds /aps/timestamp") && sample.found.contains("expiration-unit "))
    }

    @Test func theThresholdOfARuleCounts() throws {
        let sample = LintSample(
            #"{"aps": {"timestamp": 1790000000, "event": "update", "content-state": {}}}"#,
            "apns-push-type: liveactivity",
            scenario: #"{"lint": {"rules": {"timestamp-past": {"threshold": "5m"}}}}"#, clock: 1_790_000_300)
        #expect(sample.found == [])
        var late = sample
        late.clock = 1_790_000_301
        #expect(late.found == ["timestamp-past /aps/timestamp"])
    }
}
