import Testing

@testable import MockAPNSCore

@Suite("Statistics and their texts")
struct StatisticsTests {
    /// Ten pushes: six accepted, three refused, one reset.
    static func sample(topics names: [String] = ["com.example.app", "com.example.app.voip"]) throws -> Summary {
        var registry = DeviceRegistry(hashSeed: 1)
        var statistics = Statistics()
        var topics: [TopicIndex?] = []
        for name in names { topics.append(registry.topics.intern(name)) }
        let now = Timestamp(seconds: 1000)
        func count(_ status: UInt16?, _ reason: Reason?, _ outcome: Outcome, _ topic: TopicIndex?, _ latency: Int) {
            var record = RequestRecord()
            record.connectionID = 1
            (record.time, record.latencyMicroseconds) = (now, UInt32(latency))
            (record.status, record.reason, record.outcome) = (status, reason, outcome)
            statistics.count(record, topic: topic, type: .alert)
        }
        for latency in 1...6 { count(200, nil, .responded, topics[0], latency * 10) }
        count(400, .badDeviceToken, .responded, topics[1], 70)
        count(400, .badDeviceToken, .responded, topics[1], 80)
        count(410, .unregistered, .responded, topics[0], 90)
        count(nil, nil, .reset, nil, 1000)
        statistics.logWriteErrors = 2
        return Summary(
            statistics, devices: registry, connectionsOpened: 5, connectionsOpen: 2, dropped: 3,
            at: Timestamp(seconds: 1001))
    }

    @Test("The summary as JSON")
    func json() throws {
        #expect(
            String(decoding: try Self.sample().json, as: UTF8.self) == """
                {"requests":10,"requestsByAdmin":0,"byStatus":{"200":6,"400":2,"410":1},"byReason":{"BadDeviceToken":2,"Unregistered":1},\
                "byTopic":{"com.example.app":7,"com.example.app.voip":2},"otherTopics":0,\
                "byOutcome":{"responded":9,"reset":1},"requestsPerSecond":{"last10Seconds":10.0,"peak":10},\
                "latencyMicroseconds":{"p50":50,"p90":91,"p99":1000,"max":1000},\
                "connections":{"opened":5,"closed":3,"open":2},"devices":{"known":0,"evicted":0},\
                "log":{"dropped":3,"writeErrors":2}}
                """)
        let odd = try Self.sample(topics: ["quote\" back\\slash", "line\nfeed é"])
        let value = try JSONText.read(odd.json)
        #expect(value["byTopic"]?["quote\" back\\slash"]?.int64 == 7)
        #expect(value["byTopic"]?["line\nfeed é"]?.int64 == 2)
    }

    @Test("The summary for people")
    func text() throws {
        #expect(
            try Self.sample().text == """
                10 requests, at most 10 in a second.
                  200  6
                  400  2  (BadDeviceToken 2)
                  410  1  (Unregistered 1)
                  reset  1
                  com.example.app  7
                  com.example.app.voip  2
                Decided within p50 50, p90 91, p99 1000, at most 1000 microseconds.
                5 connections, 2 open.
                3 records were dropped from memory; --log-limit keeps more.
                2 lines could not be written to the log.

                """)
        let empty = Summary(
            Statistics(), devices: DeviceRegistry(hashSeed: 1), connectionsOpened: 1, connectionsOpen: 0, dropped: 0,
            at: Timestamp(seconds: 0))
        #expect(empty.text == "No requests.\n1 connection, 0 open.\n")
        let odd = try Self.sample(topics: ["quote\" back\\slash", "line\nfeed é"])
        #expect(odd.text.contains("\n  quote\" back\\slash  7\n"))
        #expect(!odd.text.contains("line\nfeed"))
        // Those of another server come as JSON, and something else may answer.
        #expect(Summary.text(of: try JSONText.read(Self.sample().json)) == (try Self.sample().text))
        for answer in ["{}", "[]", #"{"requests":"many"}"#] {
            #expect(Summary.text(of: try JSONText.read(Array(answer.utf8))) == nil)
        }
    }

    @Test("Only the busiest topics are named")
    func manyTopics() {
        var registry = DeviceRegistry(hashSeed: 1)
        var statistics = Statistics()
        for number in 0..<150 {
            let topic = registry.topics.intern("t\(number)")
            var record = RequestRecord()
            record.connectionID = 1
            record.status = 200
            for _ in 0...number { statistics.count(record, topic: topic, type: .alert) }
        }
        let summary = Summary(
            statistics, devices: registry, connectionsOpened: 0, connectionsOpen: 0, dropped: 0,
            at: Timestamp(seconds: 0))
        #expect(summary.byTopic.count == 100)
        #expect(summary.byTopic.first == Summary.Count(name: "t149", count: 150))
        #expect(summary.byTopic.last == Summary.Count(name: "t50", count: 51))
        #expect(summary.otherTopics == (1...50).reduce(0, +))
    }

    @Test("An outcome that changes is counted once")
    func change() {
        var statistics = Statistics()
        var record = RequestRecord()
        record.connectionID = 1
        record.outcome = .delayed
        statistics.count(record, topic: nil, type: nil)
        statistics.countChange(from: .delayed, to: .responded)
        #expect(statistics.count(of: Outcome.delayed) == 0)
        #expect(statistics.count(of: Outcome.responded) == 1)
        #expect(statistics.requests == 1)
    }
}
