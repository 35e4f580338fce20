import Testing

@testable import MockAPNSCore

@Suite("Metrics")
struct MetricsTextTests {
    /// What a reader of the format makes of it: each sample by its name and labels. `nil` where a line breaks the
    /// rules.
    private static func read(_ text: String) -> [String: Double]? {
        var samples: [String: Double] = [:]
        var types: [String: String] = [:]
        var helped: Set<String> = []
        var family = ""
        guard text.hasSuffix("\n") else { return nil }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
            if words[0] == "#" {
                guard words.count == 4 else { return nil }
                if words[1] == "HELP" {
                    guard helped.insert(words[2]).inserted else { return nil }
                    family = words[2]
                } else {
                    guard words[1] == "TYPE", words[2] == family, types.updateValue(words[3], forKey: family) == nil,
                        ["counter", "gauge", "histogram"].contains(words[3])
                    else { return nil }
                    if words[3] == "counter", !family.hasSuffix("_total") { return nil }
                }
                continue
            }
            guard let end = line.lastIndex(of: " "), let value = Double(line[line.index(after: end)...]) else {
                return nil
            }
            let sample = String(line[..<end])
            let name = String(sample.prefix { $0 != "{" })
            let suffixes = types[family] == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
            guard suffixes.contains(where: { name == family + $0 }),
                name.utf8.allSatisfy({ $0 == UInt8(ascii: "_") || UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 })
            else { return nil }
            if sample.contains("{") {
                // One label: name="value", in which quotes and backslashes are escaped.
                var value = sample.drop { $0 != "\"" }.dropFirst()
                guard value.hasSuffix("\"}") else { return nil }
                value = value.dropLast(2)
                var isEscape = false
                for character in value {
                    if isEscape {
                        guard "\\n\"".contains(character) else { return nil }
                        isEscape = false
                    } else if character == "\\" {
                        isEscape = true
                    } else if character == "\"" {
                        return nil
                    }
                }
                guard !isEscape else { return nil }
            }
            guard samples.updateValue(value, forKey: sample) == nil else { return nil }
        }
        return samples
    }

    @Test("Metrics can be read, and say what was counted")
    func metrics() throws {
        let samples = try #require(Self.read(try StatisticsTests.sample().metrics))
        #expect(samples["mock_apns_requests_total"] == 10)
        #expect(samples[#"mock_apns_responses_total{status="200"}"#] == 6)
        #expect(samples[#"mock_apns_responses_total{status="500"}"#] == nil)
        #expect(samples[#"mock_apns_rejections_total{reason="BadDeviceToken"}"#] == 2)
        #expect(samples[#"mock_apns_rejections_total{reason="Shutdown"}"#] == 0)
        #expect(samples[#"mock_apns_outcomes_total{outcome="reset"}"#] == 1)
        #expect(samples[#"mock_apns_topic_requests_total{topic="com.example.app"}"#] == 7)
        #expect(samples["mock_apns_connections_open"] == 2)
        #expect(samples["mock_apns_connections_closed_total"] == 3)
        #expect(samples["mock_apns_log_records_dropped_total"] == 3)
        #expect(samples["mock_apns_log_write_errors_total"] == 2)
        #expect(samples["mock_apns_devices_evicted_total"] == 0)
        #expect(samples[#"mock_apns_decision_seconds_bucket{le="0.000032"}"#] == 3)
        #expect(samples[#"mock_apns_decision_seconds_bucket{le="0.000128"}"#] == 9)
        #expect(samples[#"mock_apns_decision_seconds_bucket{le="0.001024"}"#] == 10)
        #expect(samples[#"mock_apns_decision_seconds_bucket{le="16.777216"}"#] == 10)
        #expect(samples[#"mock_apns_decision_seconds_bucket{le="+Inf"}"#] == 10)
        #expect(samples["mock_apns_decision_seconds_count"] == 10)
        #expect(samples["mock_apns_decision_seconds_sum"] == 0.00145)
        #expect(samples["mock_apns_fleet_ship_errors_total"] == nil)
    }

    @Test("A replica of a fleet has a metric of its own", arguments: [0, 7])
    func fleet(errors: Int) throws {
        var summary = try StatisticsTests.sample()
        summary.fleetShipErrors = errors
        let samples = try #require(Self.read(summary.metrics))
        #expect(samples["mock_apns_fleet_ship_errors_total"] == Double(errors))
    }

    @Test("Labels are escaped")
    func escaping() throws {
        let samples = try #require(
            Self.read(try StatisticsTests.sample(topics: ["quote\" back\\slash", "line\nfeed é"]).metrics))
        #expect(samples[#"mock_apns_topic_requests_total{topic="quote\" back\\slash"}"#] == 7)
        #expect(samples[#"mock_apns_topic_requests_total{topic="line\nfeed é"}"#] == 2)
    }
}
