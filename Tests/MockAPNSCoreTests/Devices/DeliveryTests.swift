import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

extension UserResponse {
    static let dismissal = Self(action: ResponseEvent.dismiss, reachesApp: false)
}

/// A gateway that plays a scenario on a manual clock.
struct DeliveryRig: ~Copyable {
    static let topic = "com.example.app"
    static let start = GatewayRig.now
    var gateway: Gateway
    let connection: Int
    var effects: [GatewayEffect] = []
    private let token: ProviderToken?
    private var stream: UInt32 = 1

    /// - Parameters:
    ///   - devices: the JSON of `devices`, in which `TOKEN` stands for the example's.
    ///   - more: further members of the scenario, with a comma at the end.
    init(_ devices: String = "", _ more: String = "", logLimit: Int = 1000) throws {
        let text = """
            {"clock": {"manual": "now"}, \(more) "devices": [\(devices.replacing("TOKEN", with: GatewayRig.deviceToken))]}
            """
        let (scenario, mistakes) = Scenario.read(Array(text.utf8))
        try #require(mistakes.isEmpty, "\(mistakes)")
        var configuration = try #require(scenario).configuration(seed: 1, defaultTeams: GatewayRig.teams)
        configuration.logLimit = logLimit
        gateway = Gateway(configuration, scenario: try #require(scenario), startedAt: Self.start)
        connection = gateway.openConnection(.example, at: Self.start)
        token = gateway.providerToken(ExamplePush.bearer())
        _ = gateway.takeEffects()
    }

    /// Alice, with what is said of her.
    static func alice(_ members: String = "") -> String {
        #"{"name": "alice", "token": "TOKEN", "topic": "com.example.app"\#(members.isEmpty ? "" : ", " + members)}"#
    }

    var now: Timestamp { gateway.clock.time(at: Self.start) }

    var alice: DeviceIndex? { gateway.devices.find(name: "alice") }

    /// Sends a push; returns its record's number.
    @discardableResult
    mutating func send(
        _ fields: (String, String)..., body: String = #"{"aps":{"alert":"Hello"}}"#, topic: String = Self.topic,
        to device: String = GatewayRig.deviceToken
    ) -> Int {
        send(fields, body: body, topic: topic, to: device)
    }

    /// Sends a request that the transport has dealt with.
    @discardableResult
    mutating func send(fault: RequestFacts.Fault) -> Int { send([], fault: fault) }

    /// As before, with the fields in a list.
    @discardableResult
    mutating func send(
        _ fields: [(String, String)], body: String = #"{"aps":{"alert":"Hello"}}"#, topic: String = Self.topic,
        to device: String = GatewayRig.deviceToken, fault: RequestFacts.Fault? = nil
    ) -> Int {
        var push = ExamplePush { $0.fields = fields }
        push.body = Array(body.utf8)
        push.topic = topic
        push.path = "/3/device/" + device
        let (bytes, headerLength) = push.bytes
        _ = gateway.receive(
            RequestFacts(
                streamID: stream, headerLength: headerLength, bodyLength: push.body.count, inFlight: 1, fault: fault,
                providerToken: token),
            bytes: bytes.span, on: connection, at: gateway.moment(at: Self.start))
        stream += 2
        effects += gateway.takeEffects()
        return gateway.log.latestSequence
    }

    mutating func change(_ change: (inout DeviceChange) -> Void) throws {
        var value = DeviceChange()
        change(&value)
        guard let alice = gateway.devices.find(name: "alice") else { throw ClockIsReal() }
        effects += gateway.change(alice, value, at: now).1
    }

    /// The delivery of the latest push.
    var delivery: Delivery? { gateway.log.open.records.last?.delivery }

    mutating func advance(by milliseconds: Int64) throws { effects += try gateway.advance(by: milliseconds) }

    mutating func advance(seconds: Int64) throws { effects += try gateway.advance(by: seconds * 1000) }

    func record(_ sequence: Int) -> RequestRecord? {
        gateway.log.snapshot.location(of: sequence).map { $0.segment.records[$0.index] }
    }

    func delivery(_ sequence: Int) -> String? { record(sequence)?.delivery?.name }

    func device(_ token: String = GatewayRig.deviceToken) throws -> DeviceIndex {
        let token = try #require(DeviceToken(hex: token))
        let device = gateway.devices.find(token)
        return try #require(device)
    }

    func view(of token: String = GatewayRig.deviceToken) throws -> DeviceView {
        let device = try device(token)
        var views = [gateway.view(of: device, at: now)]
        DeviceView.complete(&views, from: gateway.log.snapshot)
        return views[0]
    }

    /// The texts of the alerts that are displayed.
    func alerts(of token: String = GatewayRig.deviceToken) throws -> [String] {
        try view(of: token).displayed.map { try JSONText.read($0.payload)["aps"]?["alert"]?.string ?? "?" }
    }

    /// The lines that the log's file would have, without the requests.
    var lines: [String] {
        effects.map { effect in
            var line: [UInt8] = []
            effect.appendLine(at: Self.start, to: &line)
            return String(decoding: line, as: UTF8.self)
        }
    }
}

@Suite struct DeliveryTests {
    static let past = ("apns-expiration", "1795255199")
    static let soon = ("apns-expiration", "1795255260")

    @Test(arguments: [
        ("", "", "Delivered to Device"),
        ("", "apns-expiration: 0", "Delivered to Device"),
        ("", "apns-expiration: 1", "Delivered to Device"),
        (#""notifications": false"#, "", "Discarded - Disabled"),
        (#""notifications": false, "online": false"#, "", "Discarded - Disabled"),
        (#""notifications": false"#, "apns-push-type: alert", "Discarded - Disabled"),
        (#""online": false"#, "", "Stored - Device Offline"),
        (#""online": false"#, "apns-expiration: 0", "Discarded - Expired"),
        (#""online": false"#, "apns-expiration: 1795255200", "Discarded - Expired"),
        (#""online": false"#, "apns-expiration: 1795255201", "Stored - Device Offline"),
        (#""online": false"#, "apns-expiration: -9223372036854775807", "Discarded - Expired"),
        (#""online": false"#, "apns-expiration: 9223372036854775807", "Stored - Device Offline"),
        (#""online": false, "power": "saving""#, "apns-priority: 5", "Stored - Device Offline"),
        ("", "apns-priority: 5", "Delivered to Device"),
        ("", "apns-priority: 1", "Delivered to Device"),
        (#""power": "saving""#, "apns-priority: 10", "Delivered to Device"),
        (#""power": "saving""#, "", "Delivered to Device"),
        (#""power": "saving""#, "apns-priority: 5", "Stored - Power Considerations"),
        (#""power": "saving""#, "apns-priority: 1", "Stored - Power Considerations"),
        (#""power": "saving""#, "apns-priority: 5, apns-expiration: 0", "Discarded - Expired"),
        (
            #""registered": {"unregisteredAt": "2020-01-01T00:00:00Z", "acceptFor": "9999d"}"#, "",
            "Discarded - Token Unregistered"
        ),
    ])
    func fateOfAPush(device: String, fields: String, delivery: String) throws {
        var rig = try DeliveryRig(DeliveryRig.alice(device))
        let parts = fields.split(separator: ", ").map { $0.split(separator: ": ").map(String.init) }
        var push = ExamplePush { $0.fields = parts.map { ($0[0], $0[1]) } }
        push.stream = 1
        let (bytes, headerLength) = push.bytes
        let token = rig.gateway.providerToken(ExamplePush.bearer())
        _ = rig.gateway.receive(
            RequestFacts(
                streamID: 1, headerLength: headerLength, bodyLength: push.body.count, inFlight: 1, providerToken: token),
            bytes: bytes.span, on: rig.connection, at: rig.gateway.moment(at: DeliveryRig.start))
        #expect(rig.delivery(1) == delivery)
        #expect(rig.record(1)?.status == 200)
        #expect(try rig.view().device.received == (delivery == "Delivered to Device" ? 1 : 0))
        #expect(try rig.alerts() == (delivery == "Delivered to Device" ? ["Hello"] : []))
    }

    @Test func theNewestOfATopicIsStored() throws {
        var rig = try DeliveryRig(
            #"{"name": "alice", "token": "TOKEN", "topics": ["com.example.app", "com.example.other"], "online": false}"#
        )
        let first = rig.send(body: #"{"aps":{"alert":"1"}}"#)
        let other = rig.send(body: #"{"aps":{"alert":"2"}}"#, topic: "com.example.other")
        let last = rig.send(("apns-collapse-id", "c"), body: #"{"aps":{"alert":"3"}}"#)
        #expect(rig.record(first)?.replacedBy == last && rig.record(other)?.replacedBy == nil)
        #expect(try rig.view().stored.map(\.sequence) == [other, last])
        #expect(try rig.view().stored[1].collapseID == "c")
        #expect(try rig.view().stored[1].expiresAt == Timestamp(seconds: 1_795_255_200 + 30 * 86_400))
        try rig.change { $0.isOnline = true }
        #expect(rig.delivery(first) == "Stored - Device Offline")
        #expect(rig.delivery(other) == "Delivered to Device (From Storage)")
        #expect(rig.delivery(last) == "Delivered to Device (From Storage)")
        #expect(try rig.alerts() == ["2", "3"] && rig.view().stored.isEmpty && rig.view().device.received == 2)
        #expect(rig.lines.count == 4)
        #expect(
            rig.lines[0] == """
                {"event":"update","sequence":1,"time":"2026-11-21T10:00:00.000Z","clock":"2026-11-21T10:00:00.000Z",\
                "replacedBy":3}

                """)
        #expect(
            rig.lines[1] == """
                {"event":"device","time":"2026-11-21T10:00:00.000Z","clock":"2026-11-21T10:00:00.000Z",\
                "device":"alice","token":"\(GatewayRig.deviceToken)","state":"changed","online":true,\
                "registered":true,"notifications":true,"power":"normal"}

                """)
    }

    @Test func whatIsStoredExpires() throws {
        var rig = try DeliveryRig(DeliveryRig.alice(#""online": false"#))
        let push = rig.send(Self.soon)
        try rig.advance(seconds: 59)
        #expect(rig.delivery(push) == "Stored - Device Offline")
        try rig.advance(seconds: 1)
        #expect(rig.delivery(push) == "Discarded - Expired")
        try rig.change { $0.isOnline = true }
        #expect(try rig.alerts() == [] && rig.view().device.received == 0)
        #expect(
            rig.lines.map { String($0.prefix(18)) } == [
                #"{"event":"clock",""#, #"{"event":"update","#, #"{"event":"clock",""#, #"{"event":"device","#,
            ])
        #expect(
            rig.lines[2] == """
                {"event":"clock","time":"2026-11-21T10:00:00.000Z","clock":"2026-11-21T10:01:00.000Z",\
                "from":"2026-11-21T10:00:59.000Z"}

                """)
    }

    @Test func expiryPrecedesEventsAtTheSameTime() throws {
        var rig = try DeliveryRig(
            DeliveryRig.alice(#""online": false"#),
            #""timeline": [{"at": "60s", "do": {"device": "alice", "online": true}}],"#)
        let push = rig.send(Self.soon)
        try rig.advance(seconds: 3600)
        #expect(rig.delivery(push) == "Discarded - Expired")
    }

    @Test(arguments: PushType.allCases)
    func notificationsThatAreOffKeepAwayAlertsAlone(type: PushType) throws {
        var rig = try DeliveryRig(#"{"name": "alice", "token": "TOKEN", "notifications": false}"#)
        let fields = [("apns-push-type", type.name), ("apns-priority", "5")]
        let topic = type == .mdm ? "com.apple.mgmt.External.1" : DeliveryRig.topic + (type.topicSuffix ?? "")
        let isAlert = type == .alert
        let online = rig.send(fields, topic: topic)
        #expect(rig.delivery(online) == (isAlert ? "Discarded - Disabled" : "Delivered to Device"))
        try rig.change { ($0.isOnline, $0.allowsNotifications) = (false, true) }
        let stored = rig.send(fields, topic: topic)
        #expect(rig.delivery(stored) == "Stored - Device Offline")
        try rig.change { $0.allowsNotifications = false }
        #expect(rig.delivery(stored) == (isAlert ? "Discarded - Disabled (From Storage)" : "Stored - Device Offline"))
        try rig.change { $0.isOnline = true }
        if !isAlert { #expect(rig.delivery(stored) == "Delivered to Device (From Storage)") }
    }

    @Test func aStoredPushIsDiscardedWithItsDevice() throws {
        for (change, name) in [
            ({ $0.allowsNotifications = false }, "Discarded - Disabled (From Storage)"),
            (
                { $0.registration = .unregistered(at: nil, acceptFor: 0) },
                "Discarded - Token Unregistered (From Storage)"
            ),
        ] as [((inout DeviceChange) -> Void, String)] {
            var rig = try DeliveryRig(DeliveryRig.alice(#""online": false"#))
            let push = rig.send()
            try rig.change(change)
            #expect(rig.delivery(push) == name)
            #expect(try rig.view().stored.isEmpty)
        }
        var rig = try DeliveryRig(DeliveryRig.alice(#""online": false"#))
        let push = rig.send()
        let alice = rig.alice
        _ = rig.gateway.remove(try #require(alice), at: rig.now)
        #expect(rig.delivery(push) == "Discarded - Token Unregistered (From Storage)")
        let count = rig.gateway.devices.count
        #expect(count == 0)
    }

    @Test func unregisteringATokenDiscardsItsStoredPushes() throws {
        var rig = try DeliveryRig(
            DeliveryRig.alice(#""online": false, "registered": {"unregisteredAt": "2026-11-21T11:00:00Z"}"#))
        let push = rig.send()
        try rig.advance(seconds: 3599)
        #expect(rig.delivery(push) == "Stored - Device Offline")
        try rig.advance(seconds: 1)
        #expect(rig.delivery(push) == "Discarded - Token Unregistered (From Storage)")
        let refused = rig.send()
        #expect(rig.record(refused)?.status == 410 && rig.delivery(refused) == nil)
    }

    @Test func powerSavingHoldsBackWhatIsNotUrgent() throws {
        var rig = try DeliveryRig(DeliveryRig.alice(#""online": false, "power": "saving""#))
        let push = rig.send(("apns-priority", "5"), body: #"{"aps":{"alert":"5"}}"#)
        try rig.change { $0.isOnline = true }
        #expect(rig.delivery(push) == "Stored - Power Considerations")
        let urgent = rig.send(("apns-priority", "10"), body: #"{"aps":{"alert":"10"}}"#)
        #expect(rig.delivery(urgent) == "Delivered to Device")
        #expect(rig.record(push)?.replacedBy == nil)
        try rig.change { $0.savesPower = false }
        #expect(rig.delivery(push) == "Delivered to Device (From Storage)")
        #expect(try rig.alerts() == ["10", "5"])
    }

    @Test func collapseReplacesInPlace() throws {
        var rig = try DeliveryRig(DeliveryRig.alice())
        rig.send(("apns-collapse-id", "score"), body: #"{"aps":{"alert":"1-0"}}"#)
        rig.send(body: #"{"aps":{"alert":"news"}}"#)
        let last = rig.send(("apns-collapse-id", "score"), body: #"{"aps":{"alert":"2-0"}}"#)
        #expect(try rig.alerts() == ["2-0", "news"] && rig.view().displayed[0].sequence == last)
    }

    @Test func selfRegisteredDevicesShowWhatTheLogHas() throws {
        var rig = try DeliveryRig(logLimit: 3)
        rig.send(("apns-collapse-id", "a"), body: #"{"aps":{"alert":"1","badge":4}}"#)
        rig.send(body: #"{"aps":{"alert":"2"}}"#)
        #expect(try rig.alerts() == ["1", "2"] && rig.view().badge == 4)
        #expect(try rig.view().displayed.map(\.collapseID) == ["a", nil])
        let device = try rig.device()
        var change = DeviceChange()
        change.isOnline = false
        _ = rig.gateway.change(device, change, at: rig.now)
        let stored = rig.send(("apns-collapse-id", "a"), body: #"{"aps":{"alert":"3"}}"#)
        #expect(try rig.alerts() == ["1", "2"] && rig.view().stored.map(\.sequence) == [stored])
        change.isOnline = true
        _ = rig.gateway.change(device, change, at: rig.now)
        #expect(try rig.alerts() == ["3", "2"] && rig.view().badge == 4)
        for number in 4...6 { rig.send(body: #"{"aps":{"alert":"\#(number)"}}"#) }
        // What it showed before it had a mailbox is gone with the log.
        #expect(try rig.alerts() == ["3", "4", "5", "6"] && rig.view().badge == 0)
        #expect(try rig.view().device.received == 6)
    }

    /// Only in a fleet, a push that a device keeps has another number than its record.
    @Test func outsideFleetsDisplayedPushesHaveNoOtherNumber() throws {
        var rig = try DeliveryRig(DeliveryRig.alice())
        rig.send()
        #expect(try rig.view().displayed.map(\.number) == [nil])
    }

    @Test func aViewIsWrittenAsJSON() throws {
        var rig = try DeliveryRig(DeliveryRig.alice())
        rig.send(("apns-collapse-id", "a"), body: #"{"aps": {"alert": "1", "badge": 4}}"#)
        try rig.change { $0.savesPower = true }
        rig.send(("apns-priority", "5"))
        var json: [UInt8] = []
        try rig.view().appendJSON(to: &json)
        #expect(
            String(decoding: json, as: UTF8.self) == """
                {"name":"alice","token":"\(GatewayRig.deviceToken)","topics":["com.example.app"],\
                "environment":"sandbox","online":true,"registered":true,"notifications":true,"platform":"iOS",\
                "app":{"state":"background","backgroundRefresh":true,"presentsInForeground":false},"apps":{},"budgets":{},\
                "power":"saving","pushToStartToken":null,"badge":4,"displayed":[{"sequence":1,"collapseID":"a","payload":{"aps":{"alert":"1","badge":4}},\
                "displayedAt":"2026-11-21T10:00:00.000Z","shown":{"app":"app","title":null,"subtitle":null,"body":"1",\
                "level":"active","sound":null,"badge":4,"thread":null,"category":null,"actions":[],"banner":true,\
                "hiddenBody":null,"mutable":false,"attachment":false,"notes":[]}}],"activities":[],"stored":[{"sequence":2,"collapseID":null,\
                "payload":{"aps":{"alert":"Hello"}},"expiresAt":"2026-12-21T10:00:00.000Z"}],"received":1,\
                "history":[{"sequence":1,"clock":"2026-11-21T10:00:00.000Z","state":"shown",\
                "why":"The device shows a notification."}]}
                """)
    }
}

@Suite struct ScenarioChangeTests {
    @Test func anotherScenarioEndsWhatWasStored() throws {
        var rig = try DeliveryRig(DeliveryRig.alice(#""online": false"#))
        let push = rig.send()
        rig.gateway.play(Scenario(), rig.gateway.configuration, at: DeliveryRig.start)
        #expect(rig.delivery(push) == "Discarded - Token Unregistered (From Storage)")
        let isReal = rig.gateway.clock == .real
        var lines: [UInt8] = []
        let effects = rig.gateway.takeEffects()
        effects.last?.appendLine(at: DeliveryRig.start, to: &lines)
        #expect(isReal && effects.count == 2)
        #expect(
            String(decoding: lines, as: UTF8.self) == """
                {"event":"scenario","time":"2026-11-21T10:00:00.000Z","clock":"2026-11-21T10:00:00.000Z",\
                "scenario":null,"state":"played","seed":1}

                """)
    }

    @Test func aResetBeginsTheTimelineAgain() throws {
        var rig = try DeliveryRig(
            DeliveryRig.alice(), #""timeline": [{"at": "1m", "do": {"device": "alice", "online": false}}],"#)
        for _ in 0..<2 {
            rig.send()
            try rig.advance(seconds: 60)
            #expect(try rig.alerts() == ["Hello"] && !rig.view().device.isOnline)
            rig.gateway.reset(at: DeliveryRig.start)
            #expect(rig.now == DeliveryRig.start)
        }
    }

    @Test func declaredDevicesTakeOverSelfRegisteredTokens() throws {
        var rig = try DeliveryRig()
        rig.send()
        var device = DeclaredDevice(token: try #require(DeviceToken(hex: GatewayRig.deviceToken)))
        device.name = "alice"
        device.isOnline = false
        let declared = rig.gateway.declare(device, at: rig.now)
        #expect(declared?.1.count == 1)
        for name in ["alice", "bob"] {
            device.name = name
            let again = rig.gateway.declare(device, at: rig.now)
            #expect(again == nil)
        }
        let stored = rig.send()
        #expect(try rig.alerts() == ["Hello"] && rig.view().stored.map(\.sequence) == [stored])
        #expect(try rig.view().device.received == 1 && rig.view().device.name == "alice")
    }

    @Test func aStepChangesTheDevice() throws {
        var rig = try DeliveryRig(
            DeliveryRig.alice(),
            #""rules": [{"when": {"pushType": "alert"}, "then": {"pass": true, "device": {"online": false}}}],"#)
        let first = rig.send(("apns-push-type", "alert"))
        let second = rig.send(("apns-push-type", "alert"))
        #expect(rig.delivery(first) == "Delivered to Device" && rig.delivery(second) == "Stored - Device Offline")
        #expect(rig.lines.count == 1)
    }

    @Test func anOutageOfTheTimelineEnds() throws {
        var rig = try DeliveryRig(
            DeliveryRig.alice(),
            #""timeline": [{"at": "1m", "do": {"outage": {"reason": "ServiceUnavailable", "for": "2m"}}}],"#)
        for status in [200, 503, 503, 200] as [UInt16] {
            let sequence = rig.send()
            #expect(rig.record(sequence)?.status == status)
            try rig.advance(seconds: 60)
        }
    }
}
