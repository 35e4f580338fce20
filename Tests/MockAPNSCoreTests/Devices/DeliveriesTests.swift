import GatewayRigs
import Testing

@testable import MockAPNSCore

/// All that APNs did with a push: its record, the table by day, the metrics.
@Suite struct DeliveriesTests {
    private static let offline = DeliveryRig.alice(#""online": false"#)

    /// The steps of a push, such as `Delivered to Device +60`, with the seconds since the start.
    private static func steps(_ rig: borrowing DeliveryRig, _ sequence: Int) -> [String] {
        rig.gateway.log.withSubject(sequence) { subject in
            subject.deliveries.map {
                "\($0.state.name) +\(($0.clock.milliseconds - DeliveryRig.start.milliseconds) / 1000)"
            }
        } ?? []
    }

    @Test func storedPushesKeepAllThatBecameOfThem() throws {
        var rig = try DeliveryRig(Self.offline)
        let sequence = rig.send(("apns-priority", "5"))
        try rig.advance(seconds: 60)
        try rig.change { ($0.isOnline, $0.savesPower) = (true, true) }
        try rig.advance(seconds: 60)
        try rig.change { $0.savesPower = false }
        #expect(
            Self.steps(rig, sequence) == [
                "Stored - Device Offline +0", "Stored - Power Considerations +60",
                "Delivered to Device (From Storage) +120",
            ])
        let ordinary = rig.send()
        #expect(Self.steps(rig, ordinary) == ["Delivered to Device +120"])
        let refused = rig.send(topic: "com.example.other")
        #expect(Self.steps(rig, refused) == [])
    }

    @Test func recordsOfTheAPIHaveThem() throws {
        var rig = try DeliveryRig(Self.offline)
        rig.send()
        try rig.advance(seconds: 1)
        try rig.change { $0.isOnline = true }
        let record = try #require(rig.gateway.log.snapshot.record(1))
        #expect(
            String(decoding: record, as: UTF8.self).contains(
                #","deliveries":[{"state":"Stored - Device Offline","clock":"2026-11-21T10:00:00.000Z"},{"state":"Delivered to Device (From Storage)","clock":"2026-11-21T10:00:01.000Z"}]"#
            ), "\(String(decoding: record, as: UTF8.self))")
    }

    @Test func manyStepsKeepTheFirstAndTheLatest() throws {
        var rig = try DeliveryRig(DeliveryRig.alice(#""online": false, "power": "saving""#))
        rig.send(("apns-priority", "5"))
        for _ in 0..<40 {
            try rig.advance(seconds: 1)
            try rig.change { $0.isOnline = true }
            try rig.change { $0.isOnline = false }
        }
        let steps = Self.steps(rig, 1)
        #expect(steps.count == DeliveryStep.most)
        #expect(steps.first == "Stored - Device Offline +0" && steps.last == "Stored - Device Offline +40")
        #expect(steps[1] == "Stored - Device Offline +25")
    }

    @Test func theTableCountsEachStatusByDay() throws {
        var rig = try DeliveryRig(Self.offline)
        rig.send(("apns-push-type", "alert"))
        rig.send(("apns-push-type", "background"), ("apns-priority", "5"), body: #"{"aps":{"content-available":1}}"#)
        rig.send(topic: "com.example.other")
        try rig.advance(seconds: 86_400)
        try rig.change { $0.isOnline = true }
        rig.send()
        let table = rig.gateway.log.snapshot.countingDeliveries.finish().csv
        #expect(
            table.split(separator: "\r\n") == [
                "Push Type,Status,Date,Count",
                "alert,Stored - Device Offline,2026-11-21,1",
                "background,Stored - Device Offline,2026-11-21,1",
                ",Delivered to Device,2026-11-22,1",
                "background,Delivered to Device (From Storage),2026-11-22,1",
            ])
    }

    @Test func metricsCountByTypeAndStatus() throws {
        var rig = try DeliveryRig(Self.offline)
        for _ in 0..<2 { rig.send(("apns-push-type", "alert")) }
        try rig.advance(seconds: 1)
        try rig.change { $0.isOnline = true }
        rig.send()
        let metrics = rig.gateway.summary(at: rig.now).metrics.split(separator: "\n").filter {
            $0.hasPrefix("mock_apns_deliveries_total")
        }
        #expect(
            metrics == [
                #"mock_apns_deliveries_total{push_type="alert",status="Delivered to Device (From Storage)"} 1"#,
                #"mock_apns_deliveries_total{push_type="alert",status="Stored - Device Offline"} 2"#,
                #"mock_apns_deliveries_total{push_type="",status="Delivered to Device"} 1"#,
            ])
    }

    @Test func aUniqueIDFindsItsRecord() throws {
        var rig = try DeliveryRig(DeliveryRig.alice())
        for _ in 0..<3 { rig.send() }
        let log = rig.gateway.log.snapshot
        let id = try #require(log.withSubject(2) { $0.ids.unique } ?? nil)
        #expect(log.search(forRecord: id).finish() == 2)
        #expect(log.search(forRecord: id.uppercased()).finish() == 2)
        let found = log.search(for: try RequestQuery(parameters: [("uniqueID", id.uppercased())], at: GatewayRig.now))
            .finish()
        #expect(found.sequences == [2])
    }
}
