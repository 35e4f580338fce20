import Testing

@testable import MockAPNSCore

/// The broadcast capability on the timeline, and expectations of channels, live and from a log.
@Suite struct ChannelsInScenarioTests {
    @Test func turningTheCapabilityOffDeletesAllChannelsForGood() throws {
        var rig = BroadcastRig(
            #"""
            "clock": {"manual": "now"},
            "channels": [{"name": "final", "topic": "com.example.app", "channelID": "AAAA"},
                         {"name": "other", "topic": "com.example.other", "channelID": "BBBB"}],
            "timeline": [{"at": "1m", "do": {"topic": "com.example.app", "broadcast": false}},
                         {"at": "2m", "do": {"topic": "com.example.app", "broadcast": true}}],
            """#)
        #expect(rig.publish("AAAA").what == "200")
        _ = try rig.rig.gateway.advance(by: 60_000)
        rig.rig.now.clock = rig.rig.gateway.clock.time(at: rig.rig.now.real)
        #expect(rig.publish("AAAA").what == "BroadcastFeatureNotEnabled")
        _ = try rig.rig.gateway.advance(by: 60_000)
        #expect(rig.publish("AAAA").what == "ChannelNotRegistered")
        #expect(rig.create().status == 201)
        #expect(rig.rig.gateway.channels.existing.map(\.name) == ["other", nil])
    }

    @Test func expectationsOfChannelsHoldLiveAndFromTheLog() throws {
        let channels = #""channels": [{"name": "final", "topic": "com.example.app", "channelID": "AAAA"}],"#
        for (expectation, passes) in [
            (#"{"channel": "final", "published": 2}"#, true), (#"{"channel": "final", "published": 1}"#, false),
            (#"{"channels": 2}"#, true), (#"{"channels": {"atMost": 1}}"#, false),
        ] {
            var rig = try RecordedRig(expectation, channels)
            rig.start()
            rig.send(.publish(to: "AAAA"))
            rig.send(.publish(to: "AAAA"))
            rig.send(.publish(to: "ZZZZ"))
            let body = #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#
            for _ in 0..<2 { rig.send(.call("POST", "/1/apps/com.example.app/channels", body: body)) }
            let id = try #require(rig.rig.gateway.channels.existing.last?.id.description)
            rig.send(.call("DELETE", "/1/apps/com.example.app/channels", channel: id))
            #expect(rig.rig.gateway.evidence(at: rig.rig.time).verify().passed == passes, "\(expectation)")
            #expect(try rig.recorded().evidence.verify().passed == passes, "\(expectation)")
        }
    }
}
