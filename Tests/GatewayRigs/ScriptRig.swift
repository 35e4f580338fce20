import MockAPNSJudge
import MockAPNSScenario
import Testing

@testable package import MockAPNSCore

/// A gateway that plays a scenario, with one connection to it.
package struct ScriptRig: ~Copyable {
    package var gateway: Gateway
    package var connection: Int
    package var now = Moment(real: GatewayRig.now)
    package var stream: UInt32 = 1

    /// - Parameters:
    ///   - rules: the value of `rules`, without the brackets.
    ///   - more: other members of the scenario, with commas after them.
    package init(_ rules: String, more: String = "", serverName: String? = nil, seed: UInt64 = 7) {
        let alice = #"{"name": "alice", "token": "\#(GatewayRig.deviceToken)", "topic": "com.example.app"}"#
        let text = #"{\#(more) "seed": \#(seed), "devices": [\#(alice)], "rules": [\#(rules)]}"#
        let (scenario, mistakes) = Scenario.read(Array(text.utf8))
        #expect(mistakes.isEmpty, "\(text)")
        let played = scenario ?? Scenario()
        gateway = Gateway(
            played.configuration(seed: seed, defaultTeams: GatewayRig.teams), scenario: played,
            startedAt: GatewayRig.now)
        var facts = ConnectionFacts.example
        facts.serverName = serverName
        connection = gateway.openConnection(facts, at: GatewayRig.now)
        _ = gateway.takeEffects()
    }

    /// What came of a push.
    package struct Seen {
        package var decision: Decision
        package var record: RequestRecord
        /// The record as it is written.
        package var line: String

        package var status: UInt16? { decision.answer?.status }
        package var reason: String? { decision.answer?.reason?.name }
        package var response: PlannedResponse? { decision.response }
        package var plan: ResponsePlan? { decision.response?.plan }
        /// A short name of what was done: the reason, or the outcome where there is no answer.
        package var what: String { status == nil ? record.outcome.name : reason ?? "\(status!)" }
        package func has(_ member: String) -> Bool { line.contains(member) }
    }

    @discardableResult
    package mutating func send(_ push: ExamplePush = ExamplePush(), on other: Int? = nil, inFlight: Int = 1) -> Seen {
        let (bytes, headerLength) = push.bytes
        let token = push.token.flatMap { gateway.remembered($0, proof: push.proof) }
        let decision = gateway.receive(
            RequestFacts(
                streamID: push.stream == 1 ? stream : push.stream, headerLength: headerLength,
                bodyLength: push.bodyLength ?? push.body.count, inFlight: inFlight, fault: push.fault,
                providerToken: token),
            bytes: bytes.span, on: other ?? connection, at: now)
        stream += 2
        let line = gateway.log.snapshot.record("\(gateway.log.latestSequence)") ?? []
        return Seen(
            decision: decision, record: gateway.log.open.records.last!, line: String(decoding: line, as: UTF8.self))
    }

    /// What comes of so many pushes.
    package mutating func outcomes(_ count: Int, _ push: ExamplePush = ExamplePush()) -> [String] {
        var all: [String] = []
        for _ in 0..<count { all.append(send(push).what) }
        return all
    }
}
