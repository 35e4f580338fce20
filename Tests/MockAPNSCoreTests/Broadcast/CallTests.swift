import GatewayRigs
import Testing

@testable import MockAPNSCore

/// The five calls about broadcast channels, and what is recorded of them.
@Suite struct CallTests {
    @Test func aChannelLivesFromCreateToDelete() throws {
        var rig = BroadcastRig()
        let created = rig.create()
        #expect(created.status == 201 && created.decision.answer?.call?.body == nil)
        #expect(created.decision.answer?.uniqueID == nil)
        let id = try #require(created.decision.answer?.channelID)
        let read = rig.read(id)
        #expect(read.status == 200)
        #expect(read.decision.answer?.text == #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
        #expect(rig.list().decision.answer?.text == #"{"channels":["\#(id)"]}"#)
        let published = rig.publish(id)
        #expect(published.status == 200 && published.decision.answer?.uniqueID != nil)
        let deleted = rig.delete(id)
        #expect(deleted.status == 204 && deleted.decision.answer?.text == nil)
        #expect(rig.list().decision.answer?.text == #"{"channels":[]}"#)
        #expect(rig.publish(id).what == "ChannelNotRegistered")
        #expect(rig.delete(id).what == "BadPath")
    }

    @Test func onlyDeletingAgainLeavesNothingToDo() throws {
        var rig = BroadcastRig()
        let id = try rig.channel()
        _ = rig.delete(id)
        #expect(rig.delete(id).explanation.hasSuffix("; there is nothing left to do."))
        #expect(rig.read(id).explanation.hasSuffix("; create another."))
        #expect(rig.publish(id).explanation.hasSuffix("; create another."))
    }

    @Test func anIDHasTheShapeOfApples() throws {
        var rig = BroadcastRig()
        for _ in 0..<100 {
            let text = Array(try rig.channel().utf8)
            #expect(text.count == 24 && text.suffix(2) == Array("==".utf8) && ChannelID.isBase64(text.span))
            let decoded = Base64URL.decode(text.span)
            let bytes = try #require(decoded)
            // Version 1, and a clock sequence of zero.
            #expect(bytes.count == 16 && bytes[6] >> 4 == 1 && bytes[8] == 0 && bytes[9] == 0)
        }
    }

    @Test func idsAreMadeFromTheSeed() throws {
        func ids(seed: UInt64) throws -> [String] {
            var rig = ScriptRig("", seed: seed)
            let body = #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#
            return try (0..<3).map { _ in
                let seen = rig.send(.call("POST", "/1/apps/com.example.app/channels", body: body))
                return try #require(seen.decision.answer?.channelID)
            }
        }
        #expect(try ids(seed: 3) == ids(seed: 3))
        #expect(try Set(ids(seed: 3) + ids(seed: 4)).count == 6)
    }

    @Test func theRequestNumberDeterminesTheChannelID() throws {
        var rig = BroadcastRig()
        _ = rig.list()
        let expected = rig.rig.gateway.ids.channelID(ofRequest: 2).description
        #expect(try rig.channel() == expected)
    }

    @Test func noTwoRequestsGetTheSameID() throws {
        var rig = BroadcastRig()
        let seen = [rig.rig.send(), rig.list(), rig.list(), rig.rig.send()]
        let ids = seen.compactMap { $0.decision.answer?.apnsID.text }
        #expect(Set(ids).count == 4)
        for id in ids { #expect(id == id.uppercased()) }
    }

    @Test(arguments: ["sandbox", "production"]) func theAPIShowsAChannel(of environment: String) throws {
        let channel = BroadcastChannel(
            id: ChannelID("AA/="), name: "final", topic: "com.example.app", isSandbox: environment == "sandbox",
            policy: .mostRecent, createdAt: GatewayRig.now)
        var figures = ChannelFigures()
        (figures.published, figures.delivered, figures.subscribers, figures.stored) = (1, 2, 3, 4)
        let json = try JSONText.read(channel.json(figures))
        #expect(json["environment"]?.string == environment && json["channelID"]?.string == "AA/=")
        #expect(["published", "delivered", "subscribers", "stored"].map { json[$0]?.int64 } == [1, 2, 3, 4])
    }

    @Test func theRequestIDIsEchoedExactlyOrMade() throws {
        var rig = BroadcastRig()
        let sent = "a1B2c3d4-0000-1111-2222-333344445555"
        let path = "/1/apps/com.example.app/all-channels"
        let echoed = rig.rig.send(.call("GET", path, ("apns-request-id", sent)))
        #expect(echoed.decision.answer?.apnsID.text == sent)
        #expect(try echoed.member("requestID")?.string == sent)
        let made = rig.list()
        #expect(try made.member("requestID")?.string == made.decision.answer?.apnsID.text)
        #expect(try made.member("apnsID")?.isNull == true)
    }

    @Test func theRecordHasWhatOnlyACallHas() throws {
        var rig = BroadcastRig()
        let created = rig.create()
        let id = try #require(created.decision.answer?.channelID)
        #expect(try created.member("call")?.string == "create" && created.member("channel")?.string == id)
        #expect(try created.member("topic")?.string == "com.example.app")
        #expect(try created.member("storagePolicy")?.int64 == 1)
        let published = rig.publish(id)
        let unique = try #require(published.decision.answer?.uniqueID?.text)
        #expect(try published.member("uniqueID")?.string == unique)
        #expect(try published.member("pushType")?.string == "liveactivity")
        let log = rig.rig.gateway.log.snapshot
        let request = try #require(published.member("requestID")?.string)
        for each in [unique, request] { #expect(log.search(forRecord: each).finish() == 2) }
        // A push has none of it.
        #expect(try rig.rig.send().member("call") == nil)
    }

    @Test func productionAnswersWithoutAUniqueID() throws {
        var rig = BroadcastRig(#""environment": "production","#)
        #expect(try rig.publish(rig.channel()).decision.answer?.uniqueID == nil)
    }

    @Test func declaredChannelsHaveNamesAndAnyID() throws {
        var rig = BroadcastRig(
            #"""
            "channels": [{"name": "final", "topic": "com.example.app", "channelID": "any text", "storage": "none"},
                         {"name": "semi", "topic": "com.example.app"}],
            """#.replacing("any text", with: "any-text"))
        let published = rig.publish("any-text")
        #expect(published.status == 200)
        #expect(try published.member("channelName")?.string == "final" && published.member("storagePolicy")?.int64 == 0)
        let list = try JSONText.read(Array(try #require(rig.list().decision.answer?.text).utf8))["channels"]
        #expect(list?[0]?.string == "any-text" && list?[1]?.string?.utf8.count == 24 && list?.array?.count == 2)
    }

    @Test func aRefusedStreamIsRecordedWithItsCall() throws {
        var rig = BroadcastRig()
        var push = ExamplePush.publish(to: "x")
        push.fault = .refused
        let seen = rig.rig.send(push)
        #expect(try seen.member("call")?.string == "publish" && seen.record.outcome == .reset)
    }

    @Test func unansweredCallsRecordTheirRequestID() throws {
        var rig = BroadcastRig(rules: #"{"when": {"on": "channels"}, "then": {"stall": true}}"#)
        let id = "a1B2c3d4-0000-1111-2222-333344445555"
        let path = "/1/apps/com.example.app/all-channels"
        #expect(try rig.rig.send(.call("GET", path, ("apns-request-id", id))).member("requestID")?.string == id)
        #expect(try rig.rig.send(.call("GET", path)).member("requestID")?.isNull == true)
    }

    @Test func aRestartForgetsChannels() throws {
        var rig = BroadcastRig(#""channels": [{"name": "final", "topic": "com.example.app"}],"#)
        _ = try rig.channel()
        #expect(rig.rig.gateway.channels.count == 2)
        rig.rig.gateway.reset(at: GatewayRig.now)
        #expect(rig.rig.gateway.channels.existing.map(\.name) == ["final"])
    }

    @Test func callsCountByTopicEvenWithoutADevice() throws {
        var rig = BroadcastRig()
        let id = try rig.channel()
        rig.publish(id)
        // Refused, and no device has that topic.
        _ = rig.rig.send(.call("GET", "/1/apps/com.example.other.voip/all-channels"))
        let summary = Summary(
            rig.rig.gateway.statistics, devices: rig.rig.gateway.devices, connectionsOpened: 1, connectionsOpen: 1,
            dropped: 0,
            at: GatewayRig.now)
        #expect(summary.byTopic == [Summary.Count(name: BroadcastRig.app, count: 2)])
        #expect(summary.requests == 3 && summary.otherTopics == 0)
    }
}
