import MockAPNSScenario
import Testing

@testable package import MockAPNSCore
@testable package import MockAPNSJudge

/// A gateway on a manual clock that plays a scenario with expectations: `alice` takes pushes, `bob` is offline.
package struct JudgeRig: ~Copyable {
    package static let alice = GatewayRig.deviceToken
    package static let bob = String(repeating: "b0", count: 32)

    package var gateway: Gateway
    package var connection: Int
    /// The real time, moved by hand in milliseconds.
    package var time = GatewayRig.now
    private var streams: [Int: UInt32] = [:]

    /// - Parameters:
    ///   - expectations: the elements of `expect`.
    ///   - more: further members of the scenario, with a comma at the end.
    ///   - clock: the scenario's clock.
    package init(
        _ expectations: String, _ more: String = "", clock: String = #"{"manual": "now"}"#, logLimit: Int = 1000
    ) throws {
        let text = """
            {"clock": \(clock), \(more) "devices": [{"name": "alice", "token": "\(Self.alice)"},
            {"name": "bob", "token": "\(Self.bob)", "online": false}], "expect": [\(expectations)]}
            """
        let (scenario, mistakes) = Scenario.read(Array(text.utf8))
        try #require(mistakes.isEmpty, "\(mistakes)")
        var configuration = try #require(scenario).configuration(seed: 1, defaultTeams: GatewayRig.teams)
        configuration.logLimit = logLimit
        gateway = Gateway(configuration, scenario: try #require(scenario), startedAt: GatewayRig.now)
        connection = gateway.openConnection(.example, at: GatewayRig.now)
    }

    /// Sends a push; returns its decision.
    @discardableResult
    package mutating func send(
        to device: String = Self.alice, id: Int? = nil, body: String = #"{"aps":{"alert":"Hello"}}"#,
        topic: String? = "com.example.app", after milliseconds: Int64 = 0, on other: Int? = nil,
        token: String? = ExamplePush.bearer(), fault: RequestFacts.Fault? = nil
    ) -> Decision {
        var push = ExamplePush()
        if let id { push.fields = [("apns-id", Self.id(id))] }
        push.topic = topic
        push.body = Array(body.utf8)
        push.path = "/3/device/" + device
        push.fault = fault
        return send(push, after: milliseconds, on: other, token: token)
    }

    /// Sends a push in which nothing is wrong but what is changed.
    ///
    /// - Parameter token: the provider token, which is not among the header fields.
    @discardableResult
    package mutating func send(
        on other: Int? = nil, token: String? = ExamplePush.bearer(), _ change: (inout ExamplePush) -> Void
    ) -> Decision {
        var push = ExamplePush()
        change(&push)
        return send(push, on: other, token: token)
    }

    @discardableResult
    package mutating func send(
        _ push: ExamplePush, after milliseconds: Int64 = 0, on other: Int? = nil, token: String? = ExamplePush.bearer()
    ) -> Decision {
        time.milliseconds += milliseconds
        let connection = other ?? connection
        streams[connection, default: 0] += 2
        let (bytes, headerLength) = push.bytes
        return gateway.receive(
            RequestFacts(
                streamID: streams[connection]! - 1, headerLength: headerLength, bodyLength: push.body.count,
                inFlight: 1, fault: push.fault, providerToken: token.flatMap { gateway.providerToken($0) }),
            bytes: bytes.span, on: connection, at: gateway.moment(at: time))
    }

    /// Sends a push as the admin API does.
    package mutating func sendAsAdmin(to device: String = Self.alice) {
        let push = ExamplePush { $0.path = "/3/device/" + device }
        let (bytes, headerLength) = push.bytes
        var facts = RequestFacts(
            streamID: 0, headerLength: headerLength, bodyLength: bytes.count - headerLength, inFlight: 1)
        facts.providerToken = gateway.providerToken(ExamplePush.bearer())
        gateway.receiveFromAdmin(
            ParsedRequest(facts, bytes: bytes.span), bytes: bytes.span, at: gateway.moment(at: time))
    }

    /// An `apns-id` that ends with a number.
    package static func id(_ number: Int) -> String {
        let digits = String(number)
        return "00000000-0000-0000-0000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    package mutating func change(_ device: String, _ change: (inout DeviceChange) -> Void) throws {
        var value = DeviceChange()
        change(&value)
        let found = gateway.devices.find(name: device)
        _ = gateway.change(try #require(found), value, at: gateway.clock.time(at: time))
    }

    /// What came of the scenario's expectations.
    package var results: [ExpectationResult] { gateway.verificationInput(at: GatewayRig.now).verify().results }
    package var passed: [Bool] { results.map(\.passed) }

    /// What comes of others.
    package func verify(_ expectations: String, within: String? = nil) throws -> [ExpectationResult] {
        let scenario = gateway.scenario
        let (others, mistakes) = scenario.expectations(from: try JSONText.read(Array("[\(expectations)]".utf8)))
        try #require(mistakes.isEmpty, "\(mistakes)")
        var match: MatchExpression?
        if let within { match = scenario.match(from: try JSONText.read(Array(within.utf8))).0 }
        let read = try #require(others)
        return gateway.verificationInput(for: read, at: GatewayRig.now).verify(read, within: match).results
    }
}

extension ExpectationResult {
    /// Each near miss in a line.
    package var nearest: [String] {
        nearMisses.map { miss in
            "\(miss.sequence): "
                + miss.differences.map { "\($0.field) \($0.found), not \($0.expected)" }.joined(separator: "; ")
        }
    }
}
