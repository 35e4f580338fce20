import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

/// Topics that do not fit are refused, or accepted by no more devices than they should be.
@Suite struct TopicLimitTests {
    private static let tokens = (0..<100).map { number in
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    private static func push(_ topic: String, to device: Int = 1) -> ExamplePush {
        ExamplePush {
            $0.topic = topic
            $0.path = "/3/device/" + tokens[device]
        }
    }

    /// A gateway that has seen as many topics in pushes as are kept.
    private static func fullRig() -> GatewayRig {
        var rig = GatewayRig()
        var number = 0
        while rig.gateway.state.devices.topics.intern(pushed: Array("com.example.n\(number)".utf8).span) != nil {
            number += 1
        }
        return rig
    }

    @Test("A device that registers itself with a topic beyond the limit does not accept others")
    func selfRegistered() throws {
        var rig = Self.fullRig()
        #expect(rig.send(Self.push("com.example.beyond")).status == 200)
        #expect(rig.send(Self.push("com.example.beyond")).status == 200)
        let other = rig.send(Self.push("com.example.n5"))
        #expect(other.reason == "DeviceTokenNotForTopic", "\(other.explanation)")
        #expect(rig.send(Self.push("com.example.n5", to: 2)).status == 200)
        #expect(rig.send(Self.push("com.example.beyond", to: 2)).reason == "DeviceTokenNotForTopic")
        let token = try #require(DeviceToken(hex: Self.tokens[1]))
        let found = rig.gateway.devices.find(token)
        let index = try #require(found)
        let view = rig.gateway.view(of: index, at: rig.now)
        #expect(view.topics == ["(beyond the limit of topics)"])
        let uses = rig.gateway.limitUses()
        let use = try #require(uses.first { $0.name == "topics" })
        #expect(use.used == TopicTable.pushedLimit && use.limit == TopicTable.limit && use.dropped > 0)
    }

    /// A push that is kept without a topic has none later.
    @Test func whatHasNoTopicHasNoText() throws {
        var registry = DeviceRegistry(hashSeed: 1)
        let number = registry.topics.intern("com.example.app")
        let topic = try #require(number)
        let texts = [registry.topic(topic.rawValue), registry.topic(DeviceRecord.noTopic)]
        #expect(texts == ["com.example.app", ""])
    }

    /// Follows a push that was delivered to a device, as a log tells of it; it may not say the topic.
    private static func follow(topic: String, in state: inout ServiceState) {
        let (token, topic) = (Array(tokens[1].utf8), Array(topic.utf8))
        let payload = Array(#"{"aps":{"alert":"Hello"}}"#.utf8)
        var record = RequestRecord()
        record.delivery = .delivered
        record.token = ByteRange(start: 0, count: token.count)
        state.apply(DecidedPush(record, as: 1, fields: token.span, payload: payload.span, topic: topic.span))
    }

    private static func view(in state: borrowing ServiceState) throws -> DeviceView {
        let found = state.devices.find(try #require(DeviceToken(hex: tokens[1])))
        let device = try #require(found)
        return DeviceView(
            device, in: state.devices, state.mailboxes.mailbox(of: device), Apps([]), at: GatewayRig.now,
            latestSequence: 1)
    }

    @Test(arguments: ["", "com.example.app"])
    func aDeviceRegistersItselfForAGivenTopic(_ topic: String) throws {
        var state = ServiceState(DeviceRegistry(hashSeed: 1))
        Self.follow(topic: topic, in: &state)
        #expect(try Self.view(in: state).topics == [topic].filter { !$0.isEmpty })
    }

    @Test(arguments: [("", "com.example.first"), ("com.example.app", "com.example.app")])
    func pushesWithoutATopicUseTheFirst(_ topic: String, _ app: String) throws {
        var state = ServiceState(DeviceRegistry(hashSeed: 1))
        let first = state.devices.topics.intern("com.example.first")
        let device = Device(topics: [try #require(first)])
        let declared = state.devices.declare(device, try #require(DeviceToken(hex: Self.tokens[1])))
        try #require(declared != nil)
        Self.follow(topic: topic, in: &state)
        let view = try Self.view(in: state)
        #expect(view.app(of: try #require(view.displayed.first)) == app)
    }

    @Test("Pushes leave room for the topics of declared devices, and what does not fit is refused")
    func declared() throws {
        var rig = Self.fullRig()
        func device(_ number: Int, topics: [String]) throws -> DeclaredDevice {
            var device = DeclaredDevice(token: try #require(DeviceToken(hex: Self.tokens[number])))
            device.topics = topics
            return device
        }
        let room = TopicTable.limit - TopicTable.pushedLimit
        let fits = try device(3, topics: (0..<room).map { "com.example.d\($0)" })
        var isDeclared = rig.gateway.declare(fits, at: rig.now) != nil
        #expect(isDeclared)
        #expect(rig.send(Self.push("com.example.d7", to: 3)).status == 200)
        #expect(rig.send(Self.push("com.example.n7", to: 3)).reason == "DeviceTokenNotForTopic")
        let tooMany = try device(4, topics: ["com.example.d1", "com.example.new"])
        isDeclared = rig.gateway.declare(tooMany, at: rig.now) != nil
        #expect(!isDeclared)
        let known = try device(5, topics: ["com.example.d1", "com.example.n1"])
        isDeclared = rig.gateway.declare(known, at: rig.now) != nil
        #expect(isDeclared)
        rig.gateway.reset(at: rig.now)
        isDeclared = rig.gateway.declare(tooMany, at: rig.now) != nil
        #expect(isDeclared)
    }

    @Test("A scenario whose devices have more topics than are kept has a mistake", arguments: [0, 1])
    func scenario(beyond: Int) throws {
        let perDevice = 1000
        let count = TopicTable.limit + beyond
        let devices = stride(from: 0, to: count, by: perDevice).enumerated().map { index, first in
            let topics = (first..<min(first + perDevice, count)).map { "\"com.example.t\($0)\"" }
            return #"{"token": "\#(Self.tokens[index])", "topics": [\#(topics.joined(separator: ","))]}"#
        }
        let text = #"{"devices": [\#(devices.joined(separator: ","))]}"#
        let (scenario, mistakes) = Scenario.read(try JSONText.read(Array(text.utf8)))
        #expect((scenario != nil) == (beyond == 0))
        #expect(mistakes.map(\.pointer) == (beyond == 0 ? [] : ["/devices/65/topics"]))
        if let mistake = mistakes.first {
            let sentence = "goes beyond the limit of all devices together: 65534 different topics with 4194304 bytes"
            #expect(mistake.message.contains(sentence), "\(mistake.message)")
        }
    }

    @Test("The texts of topics are limited, too")
    func texts() throws {
        let long = String(repeating: "x", count: 290)
        let topics = (0..<14_500).map { "\"\(long).\($0)\"" }
        let text = #"{"devices": [{"token": "\#(Self.tokens[1])", "topics": [\#(topics.joined(separator: ","))]}]}"#
        #expect(Scenario.read(try JSONText.read(Array(text.utf8))).1.count == 1)
    }
}
