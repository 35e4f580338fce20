import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

@Suite("What becomes of a push, by what is known of its device")
struct DeliveryPolicyTests {
    private static let priorities: [Priority] = [.immediate, .powerConsiderate, .powerFirst]

    private static func conditions(_ change: (inout DeliveryPolicy.Conditions) -> Void) -> DeliveryPolicy.Conditions {
        var conditions = DeliveryPolicy.Conditions()
        change(&conditions)
        return conditions
    }

    /// The answers to a new push that can be stored, to one that cannot, and to one in storage; for each priority.
    private static func answers(_ device: DeliveryPolicy.Conditions) -> [[Delivery]] {
        [
            priorities.map { DeliveryPolicy.ofNew($0, isWorthStoring: true, device) },
            priorities.map { DeliveryPolicy.ofNew($0, isWorthStoring: false, device) },
            priorities.map { DeliveryPolicy.ofStored($0, device) },
        ]
    }

    private static func same(_ deliveries: Delivery...) -> [[Delivery]] {
        deliveries.map { Array(repeating: $0, count: priorities.count) }
    }

    @Test("The questions come in their order, and the first one that finds something decides")
    func order() {
        let plain = DeliveryPolicy.Conditions()
        #expect(Self.answers(plain) == Self.same(.delivered, .delivered, .deliveredFromStorage))
        let saving = Self.conditions { $0.savesPower = true }
        #expect(
            Self.answers(saving) == [
                [.delivered, .storedPower, .storedPower], [.delivered, .discardedExpired, .discardedExpired],
                [.deliveredFromStorage, .storedPower, .storedPower],
            ])
        for savesPower in [false, true] {
            let offline = Self.conditions { ($0.isOnline, $0.savesPower) = (false, savesPower) }
            #expect(Self.answers(offline) == Self.same(.storedOffline, .discardedExpired, .storedOffline))
            for isOnline in [false, true] {
                let disabled = Self.conditions {
                    ($0.allowsNotifications, $0.isOnline, $0.savesPower) = (false, isOnline, savesPower)
                }
                #expect(
                    Self.answers(disabled)
                        == Self.same(.discardedDisabled, .discardedDisabled, .discardedDisabledFromStorage))
                for allows in [false, true] {
                    let gone = Self.conditions {
                        ($0.isRegistered, $0.allowsNotifications) = (false, allows)
                        ($0.isOnline, $0.savesPower) = (isOnline, savesPower)
                    }
                    #expect(
                        Self.answers(gone)
                            == Self.same(
                                .discardedUnregistered, .discardedUnregistered, .discardedUnregisteredFromStorage))
                }
            }
        }
    }

    @Test("What has reached the device, and of what nothing more becomes")
    func deliveries() {
        for delivery in Delivery.allCases {
            #expect(delivery.reachedDevice == [.delivered, .deliveredFromStorage].contains(delivery))
            #expect(delivery.isFinal == ![.received, .storedOffline, .storedPower].contains(delivery))
        }
    }

    @Test("A stored push that is discarded is neither shown nor received")
    func discarded() throws {
        var rig = try DeliveryRig(DeliveryRig.alice(#""online": false"#))
        let push = rig.send()
        try rig.change { ($0.allowsNotifications, $0.isOnline) = (false, true) }
        #expect(rig.delivery(push) == "Discarded - Disabled (From Storage)")
        #expect(try rig.alerts().isEmpty && rig.view().device.received == 0 && rig.view().stored.isEmpty)
        let now = rig.now
        try rig.change { $0.registration = .unregistered(at: now, acceptFor: 0) }
        let line = try #require(rig.lines.last { $0.contains(#""unregisteredAt""#) })
        #expect(!line.contains("acceptFor"))
    }

    @Test(
        "A push that shows nothing is delivered, and changes nothing of what is shown",
        arguments: ["background", "voip"])
    func shownByType(type: String) throws {
        var rig = try DeliveryRig(#"{"name": "alice", "token": "TOKEN"}"#)
        let topic = type == "voip" ? DeliveryRig.topic + ".voip" : DeliveryRig.topic
        let push = rig.send(
            ("apns-push-type", type), ("apns-priority", type == "voip" ? "10" : "5"),
            body: #"{"aps":{"alert":"x","badge":3}}"#, topic: topic)
        #expect(rig.delivery(push) == "Delivered to Device")
        #expect(try rig.alerts().isEmpty && rig.view().badge == 0 && rig.view().device.received == 1)
        rig.send(("apns-push-type", "alert"))
        #expect(try rig.alerts() == ["Hello"])
    }

    @Test("A scenario's devices are as they are when its clock begins")
    func beginsWithTheClock() throws {
        for (clock, seconds) in [(#""2030-01-01T00:00:00Z""#, 1_893_456_000), (#""now""#, GatewayRig.now.seconds)] {
            let text = """
                {"clock": {"manual": \(clock)}, "devices": [{"name": "a", "token": "\(GatewayRig.deviceToken)", "registered": false}]}
                """
            let (scenario, mistakes) = Scenario.read(Array(text.utf8))
            try #require(mistakes.isEmpty, "\(mistakes)")
            let played = try #require(scenario)
            let gateway = Gateway(
                played.configuration(seed: 1, defaultTeams: GatewayRig.teams), scenario: played,
                startedAt: GatewayRig.now)
            let device = gateway.devices.find(name: "a")
            let registration = gateway.devices.registration(of: try #require(device))
            #expect(registration == .unregistered(at: Timestamp(seconds: Int64(seconds)), acceptFor: 0))
        }
    }
}
