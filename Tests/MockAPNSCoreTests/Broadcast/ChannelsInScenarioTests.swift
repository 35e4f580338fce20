import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

/// The broadcast capability on the timeline, and expectations of channels, live and from a log.
@Suite struct ChannelsInScenarioTests {
    @Test func turningBroadcastOffDeletesChannelsForGood() throws {
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

    @Test func turningTheCapabilityOnLeavesTheChannels() throws {
        var rig = BroadcastRig()
        let id = try rig.channel()
        rig.rig.gateway.turnBroadcast(true, for: BroadcastRig.app, at: rig.rig.now.clock)
        #expect(rig.publish(id).what == "200")
    }

    @Test func scenarioAndAPIGiveChannelsTheSameID() throws {
        let names = (1...4).map { "channel \($0)" }
        func channels(_ names: ArraySlice<String>) -> String {
            let all = names.map { #"{"name": "\#($0)", "topic": "com.example.app"}"# }
            return #""channels": [\#(all.joined(separator: ", "))],"#
        }
        var rig = BroadcastRig(channels(names[..<2]))
        for name in names[2...] {
            let added = rig.rig.gateway.declare(
                DeclaredChannel(name: name, topic: BroadcastRig.app), at: GatewayRig.now)
            #expect(added?.name == name)
        }
        let expected = BroadcastRig(channels(names[...])).rig.gateway.channels.existing
        #expect(rig.rig.gateway.channels.existing.map(\.id) == expected.map(\.id) && expected.count == 4)
        // None of them is that of a request.
        for _ in 0..<4 { #expect(rig.create().status == 201) }
        #expect(rig.rig.gateway.channels.count == 8)
    }

    @Test func deletingAChannelFreesItsName() throws {
        var rig = BroadcastRig()
        let final = DeclaredChannel(name: "final", topic: BroadcastRig.app)
        let declared = rig.rig.gateway.declare(final, at: GatewayRig.now)
        let first = try #require(declared)
        let taken = rig.rig.gateway.declare(final, at: GatewayRig.now)
        #expect(taken == nil)
        #expect(rig.delete(first.id.description).status == 204)
        let second = rig.rig.gateway.declare(final, at: GatewayRig.now)
        #expect(second?.name == "final" && second?.id != first.id)
        // Any number may have none.
        for _ in 0..<2 {
            let nameless = DeclaredChannel(name: "", topic: BroadcastRig.app)
            let added = rig.rig.gateway.declare(nameless, at: GatewayRig.now)
            #expect(added != nil && added?.name == nil)
        }
    }

    @Test func anIDIsDeclaredOnlyOnce() {
        var rig = BroadcastRig()
        func channel(_ name: String) -> DeclaredChannel {
            var channel = DeclaredChannel(name: name, topic: BroadcastRig.app)
            channel.id = ChannelID("AAAA")
            return channel
        }
        let first = rig.rig.gateway.declare(channel("one"), at: GatewayRig.now)
        #expect(first?.name == "one")
        let second = rig.rig.gateway.declare(channel("two"), at: GatewayRig.now)
        #expect(second == nil && rig.rig.gateway.channels.existing.map(\.name) == ["one"])
        // It stays taken when the channel is deleted.
        #expect(rig.delete("AAAA").status == 204)
        let third = rig.rig.gateway.declare(channel("three"), at: GatewayRig.now)
        #expect(third == nil && rig.rig.gateway.channels.existing.isEmpty)
    }

    @Test func forgettingAChannelForgetsItsPushes() throws {
        var rig = BroadcastRig()
        rig.rig.gateway.state.channels = ChannelRegistry(deletedLimit: 1)
        let ids = try [rig.channel(), rig.channel()]
        for id in ids { #expect(rig.publish(id).what == "200") }
        func published() -> [Int] {
            [1, 2].map { rig.rig.gateway.figures(ofChannel: $0, at: GatewayRig.now).published }
        }
        #expect(rig.delete(ids[0]).status == 204 && published() == [1, 1])
        #expect(rig.delete(ids[1]).status == 204 && published() == [0, 1])
        #expect(rig.publish(ids[0]).what == "BadChannelId" && rig.publish(ids[1]).what == "ChannelNotRegistered")
    }

    @Test func channelExpectationsWorkLiveAndFromTheLog() throws {
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
            #expect(rig.rig.gateway.verificationInput(at: rig.rig.time).verify().passed == passes, "\(expectation)")
            #expect(try rig.recorded().input.verify().passed == passes, "\(expectation)")
        }
    }
}
